"""Drawn figures; their marks are read once for every medium."""
