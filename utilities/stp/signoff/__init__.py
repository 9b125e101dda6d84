"""The sign-off: results of runs, the plan they ran and the approvals of people, to one verdict and one page."""
