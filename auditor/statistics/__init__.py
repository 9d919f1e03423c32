"""Statistics of a dataset version: numbers that summarize many captions, and resampling."""
