"""Format `mat`: the MATLAB files of PASCAL-50S and ABSTRACT-50S, told apart by the fields of their structs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.mat import variables
from auditor.sources.mat.pairs import captions, check_origin, pairs
from auditor.sources.mat.triplets import triplets
from auditor.sources.mat.variables import single
from auditor.sources.reading import files
from auditor.sources.sides import JudgedCaption, fault, frames, refused

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REFERENCES = {"name", "sentences"}

_PAIRS = {"name", "sent1", "sent2"}

_TRIPLETS = {"A", "B", "C", "rating"}


def recognises(path: Path, head: bytes) -> bool:
    """Recognise a MATLAB file by its head, or by its name."""
    return variables.is_mat(head) or path.name.endswith((".mat", ".mat.gz", ".mat.zst"))


def read(part: Part) -> Batches:
    """Yield the references of each image, or the two captions of each pair, or the three of each triplet.

    References keep their order as slots; pairs and triplets are numbered from 1 on, through all files of the part.
    Raises `SourceError` for a file that is no MATLAB 5 file or holds nothing of the kind, and for one that does not say
    who wrote its captions where option `origin` asks for some of them.
    """
    images_file, origin = part.options.get("images_file"), check_origin(part.options.get("origin"))
    before, seen = 0, set[tuple[str | None, str]]()
    for path in files.expand(part):
        found = variables.variables(path)
        structs, fields = _structs(path, found)
        if origin is not None:
            if fields != _PAIRS or "new_data" not in found:
                raise SourceError(
                    f"{path}: no pairs with variable new_data, which says whose captions are of origin {origin}"
                )
            yield from frames(path.name, captions(pairs(path, found, structs, before), origin, seen))
        elif fields == _REFERENCES:
            yield from frames(path.name, _references(structs))
        elif fields == _PAIRS:
            yield from frames(path.name, pairs(path, found, structs, before))
        else:
            yield from frames(path.name, triplets(path, structs, before, images_file))
        before += structs.size


def _structs(path: Path, found: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], set[str]]:
    """Find the structs that hold the captions, and by which fields."""
    for fields in (_REFERENCES, _PAIRS, _TRIPLETS):
        for array in found.values():
            if fields <= set(array.dtype.names or ()):
                return array, fields
    held = "; ".join(f"{name} {{{', '.join(array.dtype.names or ())}}}" for name, array in found.items())
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


FORMAT = Format(
    "mat", recognises, read,
    options={
        "images_file": "for triplets: JSON list of {image_id, caption}, one record for each pair in the order of the "
        'triplets; without it, images are called "pair 1", "pair 2", …',
        "origin": 'for pairs: "human", or "system 1" to "system 5": what they wrote about the image of the pair '
        "becomes plain captions, each sentence once for an image; everything else and the votes are left out",
    },
)  # fmt: skip
