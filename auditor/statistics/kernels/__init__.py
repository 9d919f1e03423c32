"""Compiled counting of pairs of rows and of walks over tokens, fed with whole columns.

Like `metrics.kernels` they are imported inside the function that runs them, for numba takes a third of a second, kept
on disk, compile once and release the interpreter.
"""
