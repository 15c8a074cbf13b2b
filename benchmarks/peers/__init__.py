"""One module per library: how a task is said in its words. Each imports its library when used."""
