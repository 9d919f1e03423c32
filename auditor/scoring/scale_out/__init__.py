"""The room of work that one pass cannot hold: stages that meet in files, a bucket of images at a time.

A stage is SELECTs from the files of earlier stages to one file of its own; it knows no executor, and executors know no
stage. Promises: sums are of integers and rows are in one order, so that files have the same bytes wherever they are
made; what has its marker is never made again.
"""
