"""Compiled functions on whole columns of texts, imported inside the function that runs them."""
