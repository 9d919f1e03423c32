"""Compiled alignment of tokens: dynamic programs and searches that SQL cannot express, on whole columns.

`auditor.compiled` imports numba for them, which takes a third of a second, so a scorer imports its kernel in the
function that runs it. Kernels compile once, are kept on disk, release the interpreter and add in a fixed order.
"""
