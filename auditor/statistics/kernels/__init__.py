"""Compiled functions on whole columns, for pairs of rows and walks over tokens.

Like `metrics.kernels` they are imported inside the function that runs them, since numba takes a third of a second to
import. They are compiled once, cached on disk, and release the interpreter.
"""
