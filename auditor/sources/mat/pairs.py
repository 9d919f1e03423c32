"""The candidate pairs of PASCAL-50S: which of two captions fits the image better, with the votes of its judges.

Their captions of one origin can be read as plain captions of their images: those by humans are sentences of PASCAL1K.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import SourceError, UsageError
from auditor.sources.mat.variables import single
from auditor.sources.sides import CATEGORIES, JudgedCaption, fault, pair_sides, refused

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CATEGORIES: Mapping[Any, str | None] = {None: None, **dict(enumerate(CATEGORIES, 1))}

_ORIGINS: Mapping[Any, str | None] = {
    None: None,
    **{system: f"system {system}" for system in range(1, 6)},
    6: "human",
    7: "human, another image",
}

#: Who may have written captions that are read without their pairs: whoever saw the image of the pair.
_OF_THE_IMAGE = ("human", *(f"system {system}" for system in range(1, 6)))


def pairs(path: Path, found: Mapping[str, NDArray[Any]], structs: NDArray[Any], before: int) -> Iterator[JudgedCaption]:
    """Yield both captions of each pair: B is `sent1`, C is `sent2`.

    Variable `category` says what kind of pair it is, `new_data` where its captions come from, `result` how each judge
    votes; what is not in the file is null. Raises `SourceError` where one of them does not fit the pairs.
    """
    count = structs.size
    categories = _rows(path, found, "category", count, 1)
    sources = _rows(path, found, "new_data", count, 2)
    ballots = _ballots(path, found, count)
    for index, record in enumerate(structs.ravel()):
        known = {field: single(record[field]) for field in ("name", "sent1", "sent2")}
        (category,), origins, ballot = categories[index], sources[index], ballots[index]
        reason = fault(known) or _unknown(category, origins, ballot)
        if reason is not None:
            yield refused("pair", index + 1, reason, known)
            continue
        yield from pair_sides(
            ("pair", index + 1),
            before + index + 1,
            known["name"],
            (known["sent1"], known["sent2"]),
            _CATEGORIES[category],
            (_ORIGINS[origins[0]], _ORIGINS[origins[1]]),
            (None, None) if ballot is None else (ballot.count(1), ballot.count(-1)),
        )


def check_origin(origin: object) -> str | None:
    """Give the origin that a setting asks for; null where it asks for none.

    Raises `UsageError` for one that nobody has, and for captions of another image.
    """
    if origin is None:
        return None
    if origin not in _OF_THE_IMAGE:
        raise UsageError(f"origin must be one of {', '.join(_OF_THE_IMAGE)}, not {origin}")
    return str(origin)


def captions(sides: Iterable[JudgedCaption], origin: str, seen: set[tuple[str | None, str]]) -> Iterator[JudgedCaption]:
    """Make plain captions of the sides of an origin, each sentence once for an image; the other sides are left out.

    `seen` remembers the sentences of each image from one file to the next. Outer blanks tell no two sentences apart.
    """
    for side in sides:
        if side.pair is None or side.text is None:
            yield side  # refused, as a pair
            continue
        written, sentence = side.pair["origin"], (side.image, side.text.strip())
        reason = f"origin {written}" if written != origin else "in an earlier pair" if sentence in seen else None
        if reason is None:
            seen.add(sentence)
        yield side._replace(identifier=None, pair=None, left_out=reason)


def _unknown(category: Any, origins: list[Any], ballot: list[Any] | None) -> str | None:
    if category not in _CATEGORIES:
        return f"category {category}; expected 1 (HC), 2 (HI), 3 (HM) or 4 (MM)"
    if not set(origins) <= set(_ORIGINS):
        return f"new_data {origins}; expected 1 to 5 (systems), 6 or 7 (humans)"
    if ballot is not None and not set(ballot) <= {1, -1}:
        return "result has votes that are neither 1 (for sent1) nor -1 (for sent2)"
    return None


def _rows(path: Path, found: Mapping[str, NDArray[Any]], name: str, count: int, width: int) -> list[list[Any]]:
    """Give a variable's numbers, row by row; nulls where there is no such variable."""
    array = found.get(name)
    if array is None:
        return [[None] * width] * count
    if array.dtype.kind not in "iuf" or array.size != count * width or (width > 1 and array.shape != (count, width)):
        raise SourceError(f"{path}: variable {name} is not {width} numbers for each of {count:,} pairs")
    rows: list[list[Any]] = array.reshape(count, width).tolist()
    return rows


def _ballots(path: Path, found: Mapping[str, NDArray[Any]], count: int) -> list[list[Any] | None]:
    """Give the votes of each pair, each of whatever width MATLAB packed it into."""
    array = found.get("result")
    if array is None:
        return [None] * count
    if "result" not in (array.dtype.names or ()) or array.size != count:
        raise SourceError(f"{path}: variable result is not a struct {{result}} for each of {count:,} pairs")
    return [votes.ravel().tolist() if votes.dtype.kind in "iuf" else [None] for votes in array["result"].ravel()]
