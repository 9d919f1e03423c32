"""The version of the program: the only place that states it."""

VERSION = "0.2.0"
