"""Whether a repaired text is whole: a repair writes no fragment, no lone bracket and no joined words."""

from __future__ import annotations

import re
from collections import Counter

#: Kinds whose repair writes other characters, so that words differ.
_DECODING = ("broken-characters", "markup")

_WORD = re.compile(r"[^\W_]+")

#: Words that a rewritten sentence begins with.
_OURS = Counter({"there": 99, "is": 99, "are": 99})

#: Words that no caption begins with, and that none ends with.
_NO_START = re.compile(
    "and|or|of|to|by|as|than|through|threw|whose|is|are|was|were|be|been|has|have|had|how|why|whether|that|which|who|whom"
    "|because"
)
_NO_END = re.compile("an?|the|of|and|or|with|to|in|on|at|by|for|from|as|is|are|was|were|be|has|have|that|which|its")

_PAIRS = ("()", "[]", "{}", "“”", "«»")

_PUNCTUATION_FIRST = re.compile(r"[,;:.!?)\]}]")


def sound(kind: str, before: str, after: str) -> bool:
    """Return whether a repair of a kind left a whole text: no new word, no lone mark, no open beginning or end."""
    if any(_unpaired(after, pair) and not _unpaired(before, pair) for pair in _PAIRS):
        return False
    if kind in _DECODING:
        return ("\ufffd" not in after or "\ufffd" in before) and _lone_tags(after) <= _lone_tags(before)
    if after.count('"') % 2 and not before.count('"') % 2:
        return False
    words, known = _WORD.findall(after.lower()), _WORD.findall(before.lower())
    if Counter(words) - Counter(known) - _OURS:
        return False
    if not words:
        return True
    if _NO_START.fullmatch(words[0]) and words[0] != known[0]:
        return False
    if _NO_END.fullmatch(words[-1]) and words[-1] != known[-1]:
        return False
    return not _PUNCTUATION_FIRST.match(after) or bool(_PUNCTUATION_FIRST.match(before.lstrip()))


def _lone_tags(text: str) -> int:
    return abs(len(re.findall("<[a-zA-Z]", text)) - text.count("</"))


def _unpaired(text: str, pair: str) -> bool:
    return text.count(pair[0]) != text.count(pair[1])
