"""The consensus triplets of ABSTRACT-50S: which of two captions is closer to a third, in the eyes of one judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.mat.variables import single
from auditor.sources.reading import files, json_records
from auditor.sources.reading.json_stream import items
from auditor.sources.sides import JudgedCaption, fault, refused, triplet_sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Votes for B and C by the rating of a triplet.
_VOTES = {1: (1, 0), -1: (0, 1)}


class _Triplet(NamedTuple):
    """A triplet with the number of its pair {B, C}, from 1; or what is wrong with it."""

    pair: int
    texts: tuple[Any, Any, Any]
    rating: Any
    reason: str | None


def triplets(path: Path, structs: NDArray[Any], before: int, images_file: Option | None) -> Iterator[JudgedCaption]:
    """Yield the three captions of each triplet; rating 1 is a vote for B, -1 one for C.

    Triplets that follow each other with the same B and C belong to one pair, and to one image. Raises `SourceError`
    where `images_file` does not name one image for each pair.
    """
    found = list(_triplets(structs))
    images = _images(path, found, Path(str(images_file))) if images_file is not None else []
    for index, triplet in enumerate(found, 1):
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


def _images(path: Path, found: list[_Triplet], images_file: Path) -> list[str]:
    """Read the images of the pairs, each beside one of the captions that are compared."""
    images_file = files.locate(images_file)
    named = []
    for item in items(images_file, "list"):
        reason = json_records.refuse(item.value) if item.number else "no list of records"
        if reason is not None:
            raise SourceError(f"{images_file}, record {item.number}: {reason}")
        named.append((str(item.value["image_id"]), item.value["caption"].strip()))
    pairs = {triplet.pair: triplet.texts[1:] for triplet in found if triplet.reason is None}
    if len(named) != len(pairs):
        raise SourceError(f"{images_file}: {len(named):,} images for the {len(pairs):,} pairs of {path.name}")
    for (pair, texts), (_, caption) in zip(pairs.items(), named, strict=True):
        if caption not in {text.strip() for text in texts}:
            raise SourceError(
                f"{images_file}, record {pair}: its caption is not in pair {pair} of {path.name}; "
                "expected the pairs in their order"
            )
    return [image for image, _ in named]
