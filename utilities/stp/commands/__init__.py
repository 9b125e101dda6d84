"""The commands of `stp`, one module each: `add_arguments` says what it takes, `run` does it and returns the status."""
