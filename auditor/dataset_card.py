"""The card of a dataset as a record: what it publishes, how that is written for programs, and read again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.files import is_plain
from auditor.result import Finding
from auditor.result.document import Document

#: How many numbers and metrics a card has at most, and characters a metric: one that is a stranger's may have any.
_MOST_NUMBERS, _MOST_METRICS, _MOST_CHARACTERS = 10_000, 50, 500

#: What the settings of a card are called among its properties, and what each may be.
_SETTINGS: Mapping[str, Callable[[Any], bool]] = {
    "metrics": lambda value: (
        isinstance(value, list)
        and 0 < len(value) <= _MOST_METRICS
        and all(isinstance(one, str) and len(one) <= _MOST_CHARACTERS for one in value)
    ),
    "tokenizer": lambda value: isinstance(value, str),
    "seed": lambda value: type(value) is int and abs(value) <= 2**62,
    "references": lambda value: type(value) is int and 0 < value < 2**31 - 1,
}

_SETTING = "settings/"

#: What the names of numbers begin with: other properties of a card are somebody else's.
_PARTS = ("profile/", "splits/", "bounds/", "findings/")

#: A card within Markdown: a comment, in which nothing ends it.
_BEGIN, _END = "<!-- auditor.card/v1\n", "\n-->"

#: Licenses that have a page in SPDX's list; in lower case they are those that Hugging Face knows.
_SPDX = (
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0",
    "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-3.0",
    "CC-BY-SA-4.0", "CC0-1.0", "MIT",
)  # fmt: skip

#: From how many captions on a dataset is of a size, the largest first.
_SIZES = (
    (10**9, "1B<n<10B"), (10**8, "100M<n<1B"), (10**7, "10M<n<100M"), (10**6, "1M<n<10M"), (10**5, "100K<n<1M"),
    (10**4, "10K<n<100K"), (10**3, "1K<n<10K"), (0, "n<1K"),
)  # fmt: skip


@dataclass(frozen=True)
class Number:
    """One number of a card: a stable name, what it is in plain words, and how it was made."""

    name: str
    said: str
    value: float
    signature: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DatasetCard(Document):
    """The card of one dataset: a document for people, with what programs want of it.

    `settings` are those that the numbers depend on. `findings` are what is wrong with the captions; `unasked` says what
    could not be looked for. `url` is where the file that was read is published, known by its hash; `media_type` is
    that of files of its format.
    """

    language: str
    license: str | None = None
    citation: str | None = None
    url: str | None = None
    media_type: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    numbers: tuple[Number, ...] = ()
    findings: tuple[Finding, ...] = ()
    unasked: tuple[str, ...] = ()

    @property
    def identifier(self) -> str:
        """Name the captions by the whole hash of their version, as every command understands it."""
        (selection,) = self.selections
        name = f"{selection.version.dataset}@{selection.version.version}"
        return name if selection.split is None else f"{name}:{selection.split}"

    def value(self, name: str) -> float:
        """Return a number by its name."""
        return next(number.value for number in self.numbers if number.name == name)

    def properties(self) -> list[dict[str, Any]]:
        """Return settings and numbers as records of schema.org's `PropertyValue`, their type left out."""
        settings = [{"propertyID": _SETTING + key, "value": value} for key, value in self.settings.items()]
        numbers = [
            {"propertyID": number.name, "name": number.said, "value": number.value}
            | ({"measurementTechnique": number.signature} if number.signature else {})
            for number in self.numbers
        ]
        return settings + numbers

    def comment(self) -> str:
        """Write the numbers, with all their digits, so that they stand unseen in Markdown."""
        rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in self.properties())
        body = f'{{"identifier": {json.dumps(self.identifier)}, "additionalProperty": [\n{rows}\n]}}'
        return f"{_BEGIN}{body.replace('--', '-' + chr(92) + 'u002d').replace('>', chr(92) + 'u003e')}{_END}"


@dataclass(frozen=True)
class Published:
    """What a published card says: of which captions, with which settings, which numbers."""

    dataset: str
    version: str
    split: str | None
    settings: Mapping[str, Any]
    numbers: tuple[Number, ...]


def published(path: Path) -> list[Published]:
    """Read the cards of a file: Croissant, or Markdown that holds some.

    Raises `SourceError` for a file that is none, or whose card is not as auditor writes it.
    """
    if not is_plain(path):  # a pipe would wait for its writer
        raise SourceError(f"{path}: cannot be read: it is no file on a disk")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    comments = (part.partition(_END) for part in text.split(_BEGIN)[1:])
    bodies = [text] if text.lstrip().startswith("{") else [body for body, ended, _ in comments if ended]
    cards = []
    for body in bodies:
        try:
            cards.append(_published(json.loads(body)))
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            said = f"it has no {error}" if isinstance(error, KeyError) else str(error)[:_MOST_CHARACTERS]
            raise SourceError(f"{path}: no card as auditor writes them: {said}") from error
    if not cards:
        raise SourceError(
            f"{path}: no card of auditor; write one with `auditor report DATASET --format card`, or croissant"
        )
    return cards


def _published(body: Mapping[str, Any]) -> Published:
    json.dumps(body, ensure_ascii=False).encode()  # half a character is an error before it is shown
    name = re.fullmatch(r"([^@:]+)@([0-9a-f]{64})(?::(.+))?", body["identifier"])
    if name is None:
        raise ValueError("its identifier names no version, NAME@HASH or NAME@HASH:SPLIT")
    properties = [
        property_
        for property_ in body["additionalProperty"]
        if str(property_.get("propertyID")).startswith((_SETTING, *_PARTS))
    ]
    settings = {
        key.removeprefix(_SETTING): entry["value"]
        for entry in properties
        if (key := entry["propertyID"]).startswith(_SETTING)
    }
    for key, value in settings.items():
        if key not in _SETTINGS or not _SETTINGS[key](value):
            raise ValueError(f"{_SETTING}{key} is no setting: {value}")
    numbers = tuple(_numbers(properties))
    if not 0 < len(numbers) <= _MOST_NUMBERS:
        raise ValueError("it has no number" if not numbers else f"it has more than {_MOST_NUMBERS:,} numbers")
    return Published(name[1], name[2], name[3], settings, numbers)


def _numbers(properties: list[Mapping[str, Any]]) -> Iterator[Number]:
    for entry in properties:
        name, value = entry["propertyID"], entry["value"]
        if name.startswith(_SETTING):
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{name} is no number: {value}")
        technique = entry.get("measurementTechnique")
        yield Number(name, str(entry.get("name", name)), float(value), technique and str(technique))


def spdx(written: str) -> str | None:
    """Return SPDX's name for a license as people write it; what stands behind it in brackets is of no account."""
    plain = re.sub(r"\s*\(.*\)$", "", written.strip()).replace(" ", "-").lower()
    return next((name for name in _SPDX if name.lower() == plain), None)


def size_category(captions: float) -> str:
    """Name the size of a dataset by its number of captions."""
    return next(size for least, size in _SIZES if captions >= least)


def primary_language(language: str) -> str | None:
    """Return the two or three letters of a language, BCP 47; null where there are none, or it is not known."""
    primary = language.partition("-")[0].lower()
    return primary if re.fullmatch("[a-z]{2,3}", primary) and primary != "und" else None
