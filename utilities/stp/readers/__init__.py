"""One reader per section of the template: blocks in, values of `utilities.stp.plan` out.  None of them judges."""
