"""Model files: the resize nodes in them, as plans and as something to run."""
