"""The card of a dataset as a record: its contents, how they are written for programs, and how they are read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.files import read_text
from auditor.result import Finding
from auditor.result.document import Document

#: The most numbers and metrics of a card, and characters of a metric: a downloaded card may have any.
_MOST_NUMBERS, _MOST_METRICS, _MOST_CHARACTERS = 10_000, 50, 500

#: The settings of a card, and which values each allows.
_SETTINGS: Mapping[str, Callable[[Any], bool]] = {
    "metrics": lambda value: (
        isinstance(value, list)
        and 0 < len(value) <= _MOST_METRICS
        and all(isinstance(metric, str) and len(metric) <= _MOST_CHARACTERS for metric in value)
    ),
    "tokenizer": lambda value: isinstance(value, str),
    "seed": lambda value: type(value) is int and abs(value) <= 2**62,
    "references": lambda value: type(value) is int and 0 < value < 2**31 - 1,
}

_SETTING = "settings/"

#: The prefixes of numbers' names: other properties of a card are not ours.
_PARTS = ("profile/", "splits/", "bounds/", "findings/")

#: A card in Markdown is a comment, with its content escaped so that nothing ends it early.
_BEGIN, _END = "<!-- auditor.card/v1\n", "\n-->"

#: Licenses with a page in SPDX's list; in lower case they are Hugging Face's.
_SPDX = (
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0",
    "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-3.0",
    "CC-BY-SA-4.0", "CC0-1.0", "MIT",
)  # fmt: skip

#: The fewest captions of each size category, the largest first.
_SIZES = (
    (10**9, "1B<n<10B"), (10**8, "100M<n<1B"), (10**7, "10M<n<100M"), (10**6, "1M<n<10M"), (10**5, "100K<n<1M"),
    (10**4, "10K<n<100K"), (10**3, "1K<n<10K"), (0, "n<1K"),
)  # fmt: skip


@dataclass(frozen=True)
class Number:
    """One number of a card: a stable name, a description, the value, and its signature."""

    name: str
    description: str
    value: float
    signature: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DatasetCard(Document):
    """The card of one dataset: a document for readers, with the parts that programs need.

    `settings` are those that the numbers depend on. `findings` are the problems of the captions; `unasked` lists checks
    that could not run. `url` is the address of the imported file, known by its hash. `media_type` is that of its
    format. `hub` is a Croissant file that gets our fields, if there is one.
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
    hub: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identifier(self) -> str:
        """Return the captions by the whole hash of their version, as every command accepts it."""
        (selection,) = self.selections
        name = f"{selection.version.dataset}@{selection.version.version}"
        return name if selection.split is None else f"{name}:{selection.split}"

    def value(self, name: str) -> float:
        """Return a number by its name."""
        return next(number.value for number in self.numbers if number.name == name)

    def properties(self) -> list[dict[str, Any]]:
        """Return settings and numbers as records of schema.org's `PropertyValue`, without their type."""
        settings = [{"propertyID": _SETTING + key, "value": value} for key, value in self.settings.items()]
        numbers = [
            {"propertyID": number.name, "name": number.description, "value": number.value}
            | ({"measurementTechnique": number.signature} if number.signature else {})
            for number in self.numbers
        ]
        return settings + numbers

    def comment(self) -> str:
        """Write the numbers, with all digits, as a comment that Markdown does not show."""
        rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in self.properties())
        body = f'{{"identifier": {json.dumps(self.identifier)}, "additionalProperty": [\n{rows}\n]}}'
        return f"{_BEGIN}{body.replace('--', '-' + chr(92) + 'u002d').replace('>', chr(92) + 'u003e')}{_END}"


@dataclass(frozen=True)
class Published:
    """The content of a published card: its version, settings and numbers."""

    dataset: str
    version: str
    split: str | None
    settings: Mapping[str, Any]
    numbers: tuple[Number, ...]


def published(path: Path) -> list[Published]:
    """Read the cards of a file: Croissant, or Markdown with cards.

    Raises `SourceError` for a file without a card, or with one that auditor did not write.
    """
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    comments = (part.partition(_END) for part in text.split(_BEGIN)[1:])
    bodies = [text] if text.lstrip().startswith("{") else [body for body, ended, _ in comments if ended]
    cards = []
    for body in bodies:
        try:
            cards.append(_published(json.loads(body)))
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)[:_MOST_CHARACTERS]
            raise SourceError(f"{path}: not a valid card of auditor: {reason}") from error
    if not cards:
        raise SourceError(
            f"{path}: no card of auditor found; write one with `auditor report DATASET --format card`, or croissant"
        )
    return cards


def _published(body: Mapping[str, Any]) -> Published:
    json.dumps(body, ensure_ascii=False).encode()  # a lone surrogate is an error before it is shown
    name = re.fullmatch(r"([^@:]+)@([0-9a-f]{64})(?::(.+))?", body["identifier"])
    if name is None:
        raise ValueError("its identifier must be NAME@HASH or NAME@HASH:SPLIT")
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
            raise ValueError(f"{_SETTING}{key} is not a valid setting: {value}")
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
            raise ValueError(f"{name} is not a number: {value}")
        technique = entry.get("measurementTechnique")
        yield Number(name, str(entry.get("name", name)), float(value), technique and str(technique))


def spdx(written: str) -> str | None:
    """Return SPDX's name for a license in common spelling; text after it in parentheses is ignored."""
    plain = re.sub(r"\s*\(.*\)$", "", written.strip()).replace(" ", "-").lower()
    return next((name for name in _SPDX if name.lower() == plain), None)


def size_category(captions: float) -> str:
    """Return the size category of a dataset by its number of captions."""
    return next(size for least, size in _SIZES if captions >= least)


def primary_language(language: str) -> str | None:
    """Return the two or three letters of a BCP 47 language; null if it has none or is unknown."""
    primary = language.partition("-")[0].lower()
    return primary if re.fullmatch("[a-z]{2,3}", primary) and primary != "und" else None
