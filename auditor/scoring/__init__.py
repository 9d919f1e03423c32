"""Candidates against references, scored: what every question about metrics shares."""
