"""Compiled walks that SQL has no words for, fed with whole columns; compiled once and kept on disk.

Only here does this room import numba, which takes a third of a second: a statistic imports its kernel inside the
function that runs it.
"""
