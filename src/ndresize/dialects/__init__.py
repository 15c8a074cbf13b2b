"""One module per system, each with that system's own names, defaults, results and refusals."""
