"""Metrics: what they count, and the scorers that compute scores from counts.

SQL counts, Polars scores. Scorers do not read the store, and do not depend on the study that uses them.
"""
