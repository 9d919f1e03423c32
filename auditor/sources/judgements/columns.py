"""Which columns of a table hold images, captions and ratings: by the user's word, or by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditor.errors import UsageError
from auditor.model import Option

_NAMES: Mapping[str, tuple[str, ...]] = {
    "image_col": ("image", "image_id", "imageid", "image_name", "image_path", "img", "file_name", "filename"),
    "caption_col": ("caption", "candidate", "text", "sentence", "description", "hypothesis", "hyp"),
    "judge_col": (
        "judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id", "workerid",
    ),
    "score_col": ("score", "rating", "judgement", "judgment", "human_score", "human_rating"),
    "votes_col": ("votes", "n_votes"),
    "id_col": (),
}  # fmt: skip


class Columns(NamedTuple):
    """Places of the columns in a row of `width` fields.

    There are as many `scores` as `captions`, or one caption and a score of each judge. `lookup` names the option whose
    file has the captions, where their columns hold keys only. Where `identity` is a column, no two rows may have the
    same there and the same image. `scale` is the highest score, where the scores are whole numbers from 1.
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


def find(header: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Find the columns that the options name, or that are known by their names; null where one is not there.

    Raises `UsageError` for columns of captions and of scores that do not match.
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
            f"{len(captions)} columns of captions and {len(scores)} of scores: expected a score for each caption, "
            "or the scores of several judges for one"
        )
    return Columns(
        len(names),
        places["image_col"][0],
        captions,
        scores,
        next(iter(places["judge_col"]), None),
        next(iter(places["votes_col"]), None),
        next((option for option in ("captions_file", "candidates_file") if option in options), None),
        next(iter(places["id_col"]), None),
    )


def _places(option: str, names: Sequence[str], options: Mapping[str, Option]) -> tuple[int, ...]:
    """Find the columns of one option; none where one of them is missing."""
    given = options.get(option)
    if given is None:
        small = [name.lower() for name in names]
        return next(((small.index(name),) for name in _NAMES[option] if name in small), ())
    wanted = given if isinstance(given, tuple) else (str(given),)
    wanted = tuple(part.strip() for name in wanted for part in ([name] if name in names else name.split(",")))
    return tuple(names.index(name) for name in wanted) if set(wanted) <= set(names) else ()


def _elliott_keller(names: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Know the table of Elliott & Keller: `id,j1,j2,j3,imageid,textid,refid`, captions in another file."""
    judges = tuple(place for place, name in enumerate(names) if re.fullmatch(r"j\d+", name))
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
    """Know the batches of the Composite set: `Input.text1` is rated in `Answer.Q1Answer`, and so on."""
    image = next((place for place, name in enumerate(names) if re.match(r"Input\.image", name)), None)
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
