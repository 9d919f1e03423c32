"""Scoring that one pass cannot hold: stages that exchange files, a bucket of images at a time.

A stage runs SELECTs on the files of earlier stages and writes one file. Stages and executors are independent. Sums are
of integers and rows have a fixed order, so files have the same bytes on any machine. A file with a marker is never
computed again.
"""
