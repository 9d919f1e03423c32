"""Why a file has no picture: what reading and shrinking tell each other, and no user sees as an error."""

from __future__ import annotations


class UnreadableError(Exception):
    """Says in a few words what is wrong with a file."""
