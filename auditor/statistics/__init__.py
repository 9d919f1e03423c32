"""The room of a dataset version: numbers that summarise many captions, and resampling."""
