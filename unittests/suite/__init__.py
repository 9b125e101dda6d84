"""The suite as its users run it: processes with a command line, an exit status, and files they leave."""
