"""Brief JSON: lists are cut to their first entries, until a program or a language model can read the document whole."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

from auditor.result import Result, document_json
from auditor.result.document import Document

#: The most bytes of brief JSON, with the end of its line.
MOST = 20_000

#: What is cut after all else, by turn: first the numbers of findings, which keep one each, and last the findings.
_TURNS = {"about": 1, "values": 1, "lead": 2, "answer": 2, "words": 2, "commands": 2, "sections": 2, "findings": 3}

#: Objects that have an entry per metric, SELECT or number, and are cut as lists are.
_OBJECTS = ("signatures", "sql", "about", "values")


def brief(result: Result | Document, command: str, rows: int | None = None) -> str:
    """Return the JSON of a result in one line of at most `MOST` bytes.

    The list that takes most is cut first. The key `cut` has the `command` that writes the whole, and for each list that
    was cut how many entries are `shown` and `of` how many. `rows` is their number, if the result has only the first.
    """
    beyond = 0
    if isinstance(result, Result):
        frame = result.frame if result.volatile else result.frame.head(MOST // 8)  # a row takes more bytes than that
        beyond, result = (rows or result.frame.height) - frame.height, replace(result, frame=frame)
    ((name, body),) = json.loads(result.to_json()).items()
    limits = dict[str, int]()
    while True:
        shown = _cut(body, "", limits, lists := defaultdict[str, list[tuple[int, int, int]]](list))
        lists["rows"].append((0, beyond, 0))
        counts = {at: [*map(sum, zip(*each, strict=True))] for at, each in lists.items()}
        turns = {at: _TURNS.get(at.rpartition(".")[2], 0) for at in lists}
        short = {at: {"shown": entries, "of": of} for at, (entries, of, _) in counts.items() if entries < of}
        text = document_json({name: ({"cut": {"command": command, "lists": short}} if short else {}) | shown}, None)
        longest = {at: most for at, each in lists.items() if (most := max(each)[0]) > (turns[at] == 1)}
        if len(text.encode(errors="backslashreplace")) < MOST or not longest:
            return text + "\n"
        at = min(longest, key=lambda at: (turns[at], -counts[at][2]))
        limits[at] = longest[at] * 3 // 4


def _cut(value: Any, at: str, limits: dict[str, int], lists: dict[str, list[tuple[int, int, int]]]) -> Any:
    """Return a value with cut lists; note in `lists` the entries shown, of how many, and their length as text."""
    name, most = at.rpartition(".")[2], limits.get(at)
    if isinstance(value, dict) and name not in _OBJECTS:
        return {key: _cut(each, f"{at}.{key}".lstrip("."), limits, lists) for key, each in value.items()}
    if isinstance(value, dict):
        shown: Any = dict(sorted(value.items(), key=lambda entry: entry[0] != "share")[:most])
    elif isinstance(value, list):
        whole = name in ("rows", "examples")
        shown = value[:most] if whole else [_cut(each, f"{at}[]", limits, lists) for each in value[:most]]
    else:
        return value
    lists[at].append((len(shown), len(value), len(document_json(shown, None))))
    return shown
