"""Document frequencies as coco-caption and the CIDEr authors publish them: a pickle, read without running anything.

The file is a dictionary with `document_frequency`, from tuples of words to numbers of images, and `ref_len`, the number
of images. `coco-val-df.p` of the authors is the first of these alone: their program sets its 40,504 images.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import MetricError
from auditor.files import content

SUFFIXES = (".p", ".pkl", ".pickle")

#: What a pickle of plain values is made of, beside tuples: dictionaries, texts, numbers, and references to them.
_PLAIN = (
    "PROTO FRAME STOP MARK EMPTY_DICT DICT SETITEM SETITEMS EMPTY_TUPLE STRING BINSTRING"
    " SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 FLOAT BINFLOAT INT BININT BININT1 BININT2 LONG"
    " LONG1 PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET GLOBAL STACK_GLOBAL REDUCE"
)  # fmt: skip

#: The names that a dictionary with a default has, of Python 2 and 3, and what is made instead: an empty dictionary.
_NAMES: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "defaultdict"): lambda *_: {}, ("builtins", "float"): float, ("__builtin__", "float"): float,
    ("builtins", "int"): float, ("__builtin__", "int"): float,
}  # fmt: skip

_COCO_VAL, _COCO_IMAGES = "coco-val-df", 40_504

_DAMAGE = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


class _RefusedError(ValueError):
    """What such a file must not hold."""


class _Plain(pickle._Unpickler):
    """Reads plain values in Python, where no opcode can run code, or ask for more memory than the file has bytes."""

    stack: list[Any]

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in for one of the names that a dictionary with a default has."""
        if (module, name) not in _NAMES:
            raise _RefusedError(f"names {module}.{name}")
        return _NAMES[module, name]

    def load_checked(self, name: str, load: Callable[[Any], None] | None) -> None:
        """Refuse an opcode of other values, and a tuple of anything but texts: hashing nested ones can take forever."""
        if load is None or not name.startswith("TUPLE"):
            raise _RefusedError(f"has {name}")
        load(self)
        if self.stack[-1] != (float,) and any(type(part) is not str for part in self.stack[-1]):
            raise _RefusedError("has a tuple of other things than texts")


_LOADS: dict[int, Callable[[Any], None]] = {**pickle._Unpickler.dispatch}
_Plain.dispatch = {
    code: _LOADS[code] if name in _PLAIN.split() else partial(_Plain.load_checked, name=name, load=_LOADS.get(code))
    for code, name in ((ord(op.code), op.name) for op in pickletools.opcodes)
}


def table(path: Path) -> pl.DataFrame:
    """Read a pickle as a table with columns gram and images; the empty gram has the number of documents.

    Raises `MetricError` for a file that holds anything but plain values, and for one without document frequencies.
    """
    try:
        held = _Plain(io.BytesIO(content(path)), encoding="utf-8").load()
    except _RefusedError as error:
        raise MetricError(
            f"{path}: not read, since it {error}; only dictionaries, tuples, texts and numbers are read"
        ) from error
    except _DAMAGE as error:
        raise MetricError(f"{path}: not a pickle of document frequencies: {type(error).__name__}: {error}") from error
    whole = held if isinstance(held, dict) else {}
    documents, frequency = whole.get("ref_len"), whole.get("document_frequency")
    if "document_frequency" not in whole and path.name.startswith(_COCO_VAL):
        documents, frequency = _COCO_IMAGES, whole
    if not isinstance(frequency, dict) or not all(type(gram) is tuple for gram in frequency):
        raise MetricError(f"{path}: needs document_frequency, a dictionary from tuples of words to numbers of images")
    if not _is_whole(documents):
        raise MetricError(f"{path}: needs ref_len, the number of documents; it is {documents!r}")
    wrong = next((gram for gram, images in frequency.items() if not _is_whole(images)), None)
    if wrong is not None:
        raise MetricError(f"{path}: {' '.join(wrong)!r} is in {frequency[wrong]!r} documents")
    grams = ["", *(" ".join(gram) for gram in frequency)]
    return pl.DataFrame({"gram": grams, "images": [int(number) for number in (documents, *frequency.values())]})


def _is_whole(number: object) -> bool:
    return type(number) in (int, float) and 0 <= number < 2**32 and number == int(number)  # type: ignore[operator, call-overload]
