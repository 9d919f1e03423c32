"""The columns of a table that hold images, captions and ratings: by options, or by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditor.errors import UsageError
from auditor.model import Option

#: Columns of rated captions, and of the references that they are compared with.
_CANDIDATES, _REFERENCES = ("candidate", "cand", "hypothesis", "hyp", "mt"), ("references", "refs", "reference", "ref")

_SCORES = ("score", "rating", "judgement", "judgment")

_RATING = re.compile(rf"(human[ _-]?)?({'|'.join(_SCORES)})s?([ _-]?\d+)?", re.IGNORECASE)

_NAMES: Mapping[str, tuple[str, ...]] = {
    "image_col": (
        "image", "image_id", "imageid", "image_name", "image_path", "img", "img_id", "imgid", "file_name", "filename",
    ),
    "caption_col": (*_CANDIDATES, "caption", "text", "sentence", "description"),
    "judge_col": (
        "judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id", "workerid",
    ),
    "score_col": (
        *(f"human_{name}" for name in _SCORES), *(f"human_{name}s" for name in _SCORES), *_SCORES,
        *(f"{name}s" for name in _SCORES),
    ),
    "votes_col": ("votes", "n_votes"),
    "id_col": (),
}  # fmt: skip


class Columns(NamedTuple):
    """Positions of the columns in a row of `width` fields.

    There are as many `scores` as `captions`, or one caption and a score of each judge. `lookup` names the option whose
    file has the captions, if their columns only hold keys. If `identity` is a column, two rows of an image cannot have
    the same value in it. `scale` is the highest score, if the scores are whole numbers from 1. `by_people` is true if
    names imply raters: judges, several scores, human scores, or a score of a candidate with references.
    """

    width: int
    image: int
    captions: tuple[int, ...]
    scores: tuple[int, ...]
    judge: int | None = None
    votes: int | None = None
    lookup: str | None = None
    identity: int | None = None
    scale: int | None = None
    by_people: bool = True


def find(header: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Find the columns by options, or by their names; null if one is missing.

    Raises `UsageError` if the columns of captions and scores do not match.
    """
    names = [name.strip() for name in header]
    if not set(_NAMES) & set(options):
        known = _elliott_keller(names, options) or _composite(names)
        if known is not None:
            return known
    places = {option: _places(option, names, options) for option in _NAMES}
    if not all(places[option] for option in ("image_col", "caption_col", "score_col", *(set(options) & set(_NAMES)))):
        return None
    captions, scores = places["caption_col"], places["score_col"]
    if len(captions) not in {1, len(scores)}:
        raise UsageError(
            f"{len(captions)} caption columns and {len(scores)} score columns: expected a score column per "
            "caption column, or one caption column with the scores of several judges"
        )
    judge = next(iter(places["judge_col"]), None)
    human = names[scores[0]].lower().startswith("human")
    compared = names[captions[0]].lower() in _CANDIDATES and bool(references(names))
    return Columns(
        len(names),
        places["image_col"][0],
        captions,
        scores,
        judge,
        next(iter(places["votes_col"]), None),
        next((option for option in ("captions_file", "candidates_file") if option in options), None),
        next(iter(places["id_col"]), None),
        by_people=judge is not None or len(scores) > 1 or human or compared,
    )


def references(names: Sequence[str]) -> list[str]:
    """List the columns with references for a candidate, by their names."""
    return [name for name in names if name.strip().lower() in _REFERENCES]


def ratings(names: Sequence[str]) -> list[str]:
    """List the columns with ratings of captions, by their names."""
    return [name for name in names if _RATING.fullmatch(name.strip())]


def _places(option: str, names: Sequence[str], options: Mapping[str, Option]) -> tuple[int, ...]:
    """Find the columns of an option; none if one of them is missing."""
    given = options.get(option)
    if given is None:
        small = [name.lower() for name in names]
        return next(((small.index(name),) for name in _NAMES[option] if name in small), ())
    wanted = given if isinstance(given, tuple) else (str(given),)
    wanted = tuple(part.strip() for name in wanted for part in ([name] if name in names else name.split(",")))
    return tuple(names.index(name) for name in wanted) if set(wanted) <= set(names) else ()


def _elliott_keller(names: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Recognize the table of Elliott & Keller: `id,j1,j2,j3,imageid,textid,refid`, with captions in another file."""
    judges = tuple(position for position, name in enumerate(names) if re.fullmatch(r"j\d+", name))
    if not {"id", "imageid", "textid"} <= set(names) or not judges:
        return None
    lookup, key = ("candidates_file", "id") if "candidates_file" in options else ("captions_file", "textid")
    return Columns(
        len(names),
        names.index("imageid"),
        (names.index(key),),
        judges,
        lookup=lookup,
        identity=names.index("textid"),
        scale=4,
    )


def _composite(names: Sequence[str]) -> Columns | None:
    """Recognize the batches of the Composite set: `Input.text1` is rated in `Answer.Q1Answer`, and so on."""
    image = next((position for position, name in enumerate(names) if re.match(r"Input\.image", name)), None)
    numbers = [match[1] for name in names if (match := re.fullmatch(r"Input\.text(\d+)", name))]
    rated = [number for number in numbers if f"Answer.Q{number}Answer" in names]
    if image is None or not rated:
        return None
    return Columns(
        len(names),
        image,
        tuple(names.index(f"Input.text{number}") for number in rated),
        tuple(names.index(f"Answer.Q{number}Answer") for number in rated),
        names.index("WorkerId") if "WorkerId" in names else None,
    )
