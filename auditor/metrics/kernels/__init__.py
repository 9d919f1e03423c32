"""Compiled alignment of tokens: dynamic programs and searches that SQL has no words for, fed with whole columns.

`auditor.compiled` imports numba for them, which takes a third of a second: a scorer imports its kernel inside the
function that runs it. Kernels are kept on disk, compile once, release the interpreter and add in a fixed order.
"""
