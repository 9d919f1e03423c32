"""Which columns of a table of votes hold what: by the user's word, or by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from auditor.model import Option

_NAMES: Mapping[str, tuple[str, ...]] = {
    "task": ("task", "task_id"),
    "image": ("image", "image_id", "imageid", "image_name", "image_path", "img", "file_name", "filename"),
    "a": ("a", "sentence_a", "caption_a", "reference"),
    "b": ("b", "sentence_b", "caption_b", "candidate_b"),
    "c": ("c", "sentence_c", "caption_c", "candidate_c"),
    "choice": ("choice", "vote", "answer", "winner"),
    "judge": ("judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id", "workerid"),
    "votes_b": ("votes_b",),
    "votes_c": ("votes_c",),
    "category": ("category",),
    "origin_b": ("origin_b",),
    "origin_c": ("origin_c",),
}

_OF_A_JUDGE = re.compile(r"judge[-_ ]?\d+")

#: Places of columns in a row by what they hold; only `choice` may have several, one for each judge.
Places = Mapping[str, tuple[int, ...]]

OPTIONS: Mapping[str, str] = {
    "image_col": "column that names the image",
    "a_col": "column of the sentence A that B and C are compared with; without it, the votes are on pairs",
    "b_col": "column of the first caption",
    "c_col": "column of the second caption",
    "choice_col": 'column that holds the choice, B or C, or one for each judge: "judge_1,judge_2"',
    "judge_col": "column that says who chose, in a table with one vote a row",
    "votes_b_col": "column that counts the votes for B, in a table with one comparison a row",
    "votes_c_col": "column that counts the votes for C",
    "task_col": "column that names the question; without it, the same texts are the same question",
    "category_col": "column that says HC, HI, HM or MM",
    "origin_b_col": "column that says who wrote B",
    "origin_c_col": "column that says who wrote C",
}


def find(header: Sequence[str], options: Mapping[str, Option]) -> Places:
    """Find the columns that the options name, or that are known by their names."""
    names = [name.strip() for name in header]
    places = {thing: _places(thing, names, options) for thing in _NAMES}
    return {thing: found for thing, found in places.items() if found}


def lacking(places: Places, options: Mapping[str, Option]) -> str | None:
    """Say which column is missing; null where votes can be read."""
    for option in OPTIONS:
        if option in options and option.removesuffix("_col") not in places:
            return f'{option} "{_shown(options[option])}"'
    for thing in ("image", "b", "c"):
        if thing not in places:
            return f"a column for {thing} (name it with {thing}_col)"
    counted = {"votes_b", "votes_c"} & set(places)
    if "choice" not in places and len(counted) < 2:
        return "a column for the choice (name it with choice_col), or two that count votes (votes_b_col, votes_c_col)"
    if "choice" in places and counted:
        return "either choices or counts of votes: it has both; name columns of one kind only"
    if "judge" in places and len(places.get("choice", ())) != 1:
        return "one column of choices beside judge_col: who chose, and what, one vote a row"
    return None


def _places(thing: str, names: Sequence[str], options: Mapping[str, Option]) -> tuple[int, ...]:
    """Find the columns of one thing; none where one of them is missing."""
    given = options.get(f"{thing}_col")
    if given is None:
        small = [name.lower() for name in names]
        known = tuple(small.index(name) for name in _NAMES[thing] if name in small)[:1]
        of_judges = tuple(place for place, name in enumerate(small) if _OF_A_JUDGE.fullmatch(name))
        return known or (of_judges if thing == "choice" else ())
    wanted = given if isinstance(given, tuple) else (str(given),)
    if thing == "choice":
        wanted = tuple(part.strip() for name in wanted for part in ([name] if name in names else name.split(",")))
    return tuple(names.index(name) for name in wanted) if set(wanted) <= set(names) else ()


def _shown(option: Option) -> str:
    return ",".join(option) if isinstance(option, tuple) else str(option)
