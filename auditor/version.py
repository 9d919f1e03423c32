"""The only place with the version of the program and its day: of the release, or of the last change before it."""

VERSION = "0.2.0"
DATED = "2026-11-30"
