"""Compiled counting of pairs of rows and of walks over tokens, fed with whole columns.

Like `metrics.kernels` a place that imports numba, and so imported inside the function that runs it. Kernels are cached
on disk, compile once and release the interpreter.
"""
