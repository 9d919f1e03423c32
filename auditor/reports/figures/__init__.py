"""Figures drawn: marks read once, for every medium."""
