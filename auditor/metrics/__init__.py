"""The room of a held-out caption: what is counted of it, and the scorers that turn counts into scores.

SQL counts, Polars scores. A scorer never sees a store; nothing here knows which question is asked.
"""
