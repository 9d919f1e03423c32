"""Scores of candidates against references: the basis of every study of metrics."""
