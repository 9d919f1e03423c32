"""Format `mat`: the MATLAB files of PASCAL-50S and ABSTRACT-50S, recognized by the fields of their structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from auditor.arrays import NDArray
from auditor.errors import SourceError, UsageError
from auditor.model import Batches, Option, Part
from auditor.sources.format import Format
from auditor.sources.mat import variables
from auditor.sources.mat.variables import single
from auditor.sources.reading import files, json_records
from auditor.sources.reading.json_stream import items
from auditor.sources.sides import CATEGORIES, JudgedCaption, fault, frames, pair_sides, refused, triplet_sides

_REFERENCES = {"name", "sentences"}

_PAIRS = {"name", "sent1", "sent2"}

_TRIPLETS = {"A", "B", "C", "rating"}

_CATEGORIES: Mapping[Any, str | None] = {None: None, **dict(enumerate(CATEGORIES, 1))}

_ORIGINS: Mapping[Any, str | None] = {
    None: None,
    **{system: f"system {system}" for system in range(1, 6)},
    6: "human",
    7: "human, another image",
}

#: Authors whose captions can be read without their pairs: those who saw the image of the pair.
_OF_THE_IMAGE = ("human", *(f"system {system}" for system in range(1, 6)))

#: Votes for B and C by the rating of a triplet.
_VOTES = {1: (1, 0), -1: (0, 1)}


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a MATLAB file by its first bytes, or by its name."""
    return variables.is_mat(head) or path.name.endswith((".mat", ".mat.gz", ".mat.zst"))


def read(part: Part) -> Batches:
    """Yield the references of each image, or the two captions of each pair, or the three of each triplet.

    References keep their order as slots; pairs and triplets are numbered from 1 through all files of the part. Raises
    `SourceError` for a file that is not a MATLAB 5 file or lacks these structs, and with option `origin` for a file
    without the authors of its captions.
    """
    images_file, origin = part.options.get("images_file"), check_origin(part.options.get("origin"))
    before, seen = 0, set[tuple[str | None, str]]()
    for path in files.expand(part):
        arrays = variables.variables(path)
        structs, fields = _structs(path, arrays)
        if origin is not None:
            if fields != _PAIRS or "new_data" not in arrays:
                raise SourceError(
                    f"{path}: option origin={origin} needs pairs with variable new_data, which names the authors"
                )
            yield from frames(path.name, captions(pairs(path, arrays, structs, before), origin, seen))
        elif fields == _REFERENCES:
            yield from frames(path.name, _references(structs))
        elif fields == _PAIRS:
            yield from frames(path.name, pairs(path, arrays, structs, before))
        else:
            yield from frames(path.name, triplets(path, structs, before, images_file))
        before += structs.size


def _structs(path: Path, arrays: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], set[str]]:
    """Find the structs with the captions, and their fields."""
    for fields in (_REFERENCES, _PAIRS, _TRIPLETS):
        for array in arrays.values():
            if fields <= set(array.dtype.names or ()):
                return array, fields
    held = "; ".join(f"{name} {{{', '.join(array.dtype.names or ())}}}" for name, array in arrays.items())
    raise SourceError(
        f'{path}: not of format "mat": expected structs {{name, sentences}}, {{name, sent1, sent2}} or '
        f"{{A, B, C, rating}}; it holds {held or 'no variable of text and numbers'}"
    )


def _references(structs: NDArray[Any]) -> Iterator[JudgedCaption]:
    for line, record in enumerate(structs.ravel(), 1):
        image = single(record["name"])
        sentences = record["sentences"].ravel().tolist()
        reason = fault({"name": image}) or (None if sentences else "no sentences")
        if reason is not None:
            yield refused("record", line, reason, {"name": record["name"], "sentences": record["sentences"]})
            continue
        for slot, sentence in enumerate(sentences):
            text = single(sentence)
            if isinstance(text, str):
                yield JudgedCaption("record", line, image, slot, text=text)
            else:
                yield refused(
                    "record", line, f"sentence {slot + 1} is not a text", {"name": image, "sentence": sentence}
                )


FORMAT = Format("mat", recognizes, read)


def pairs(
    path: Path, arrays: Mapping[str, NDArray[Any]], structs: NDArray[Any], before: int
) -> Iterator[JudgedCaption]:
    """Yield both captions of each pair: B is `sent1`, C is `sent2`.

    Variable `category` holds the kind of each pair, `new_data` the authors of its captions, `result` the votes of the
    judges; missing variables are null. Raises `SourceError` if one of them does not fit the pairs.
    """
    count = structs.size
    categories = _rows(path, arrays, "category", count, 1)
    sources = _rows(path, arrays, "new_data", count, 2)
    ballots = _ballots(path, arrays, count)
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
    """Return the value of option `origin`; null if it is not set.

    Raises `UsageError` for an unknown origin, and for captions of another image.
    """
    if origin is None:
        return None
    if origin not in _OF_THE_IMAGE:
        raise UsageError(f"origin must be one of {', '.join(_OF_THE_IMAGE)}, not {origin}")
    return str(origin)


def captions(sides: Iterable[JudgedCaption], origin: str, seen: set[tuple[str | None, str]]) -> Iterator[JudgedCaption]:
    """Turn the sides of an origin into plain captions, each sentence once per image; other sides are left out.

    `seen` holds the sentences of each image across files. Leading and trailing whitespace is ignored.
    """
    for side in sides:
        if side.pair is None or side.text is None:
            yield side  # rejected, as a pair
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


def _rows(path: Path, arrays: Mapping[str, NDArray[Any]], name: str, count: int, width: int) -> list[list[Any]]:
    """Return the numbers of a variable by row; nulls if the variable is missing."""
    array = arrays.get(name)
    if array is None:
        return [[None] * width] * count
    if array.dtype.kind not in "iuf" or array.size != count * width or (width > 1 and array.shape != (count, width)):
        raise SourceError(f"{path}: variable {name} needs {width} numbers for each of {count:,} pairs")
    rows: list[list[Any]] = array.reshape(count, width).tolist()
    return rows


def _ballots(path: Path, arrays: Mapping[str, NDArray[Any]], count: int) -> list[list[Any] | None]:
    """Return the votes of each pair, stored in numbers of any width."""
    array = arrays.get("result")
    if array is None:
        return [None] * count
    if "result" not in (array.dtype.names or ()) or array.size != count:
        raise SourceError(f"{path}: variable result needs a struct {{result}} for each of {count:,} pairs")
    return [votes.ravel().tolist() if votes.dtype.kind in "iuf" else [None] for votes in array["result"].ravel()]


class _Triplet(NamedTuple):
    """A triplet with the number of its pair {B, C}, from 1; or its fault."""

    pair: int
    texts: tuple[Any, Any, Any]
    rating: Any
    reason: str | None


def triplets(path: Path, structs: NDArray[Any], before: int, images_file: Option | None) -> Iterator[JudgedCaption]:
    """Yield the three captions of each triplet; rating 1 is a vote for B, -1 for C.

    Consecutive triplets with the same B and C belong to one pair and one image. Raises `SourceError` if `images_file`
    does not name one image per pair.
    """
    compared = list(_triplets(structs))
    images = _images(path, compared, Path(str(images_file))) if images_file is not None else []
    for index, triplet in enumerate(compared, 1):
        if triplet.reason is not None:
            yield refused("triplet", index, triplet.reason, dict(zip("ABC", triplet.texts, strict=True)))
            continue
        image = images[triplet.pair - 1] if images else f"pair {triplet.pair}"
        yield from triplet_sides(("triplet", index), before + index, image, triplet.texts, _VOTES[triplet.rating])


def _triplets(structs: NDArray[Any]) -> Iterator[_Triplet]:
    pair = 0
    compared: frozenset[str] = frozenset()
    for record in structs.ravel():
        texts = {side: single(record[side]) for side in "ABC"}
        rating = single(record["rating"])
        reason = fault(texts)
        if reason is None and rating not in _VOTES:
            reason = f"rating {rating}; expected 1 (A is closer to B) or -1 (closer to C)"
        if reason is None and compared != (compared := frozenset((texts["B"], texts["C"]))):
            pair += 1
        yield _Triplet(pair, (texts["A"], texts["B"], texts["C"]), rating, reason)


def _images(path: Path, compared: list[_Triplet], images_file: Path) -> list[str]:
    """Read the images of the pairs, each with one of the compared captions."""
    images_file = files.locate(images_file)
    named = []
    for item in items(images_file, "list"):
        reason = json_records.refuse(item.value) if item.number else "not a list of records"
        if reason is not None:
            raise SourceError(f"{images_file}, record {item.number}: {reason}")
        named.append((str(item.value["image_id"]), item.value["caption"].strip()))
    pairs = {triplet.pair: triplet.texts[1:] for triplet in compared if triplet.reason is None}
    if len(named) != len(pairs):
        raise SourceError(f"{images_file}: {len(named):,} images for the {len(pairs):,} pairs of {path.name}")
    for (pair, texts), (_, caption) in zip(pairs.items(), named, strict=True):
        if caption not in {text.strip() for text in texts}:
            raise SourceError(
                f"{images_file}, record {pair}: its caption is not in pair {pair} of {path.name}; "
                "list the images in the order of the pairs"
            )
    return [image for image, _ in named]
