"""One module a command, under its own name."""
