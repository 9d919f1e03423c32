"""The cards of statistics: what each counts, its unit, range and source, for every study whose rows have statistics.

A study has a file of cards in the order in which results show them. Values before the first table are defaults for all
cards of the file. A table with `each` is several cards: `recall-1`, `recall-2`, ….
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from auditor.ranges import Ends

#: The files with cards. A name that is in several is explained by the first.
FILES = (
    "diversity", "syntax", "rated_words", "profile", "duplicates", "templates", "perplexity", "compare", "references",
    "objects", "coefficients", "agree", "diff", "words", "check", "store",
)  # fmt: skip


@dataclass(frozen=True)
class Statistic:
    """A statistic's card.

    `definition` is what it counts, in `unit`s, for each `level`. `better` is higher or lower, empty if neither is.
    `ends` are those of its range, and `digits` the decimals in tables. `adds_up` is true if its value over shards
    follows from counts that add up, else why not. `topic` is its table, and `leads` marks the first columns of that.
    `family` is its name without its number. `version` grows when the same captions get another number.

    Of diversity: `counts` is the SELECT that it is computed from. `published` is how the definition of the paper's code
    differs. `walks` marks a statistic that depends on the order of the captions, `on_request` one that is computed only
    if it is named, and `over_images` one with an interval over images. Of syntax: its value is `scale` × count `part` /
    count `whole`.
    """

    name: str
    family: str
    study: str
    definition: str
    adds_up: str | bool
    unit: str = "share"
    better: Literal["higher", "lower", ""] = ""
    ends: Ends = (0.0, 1.0)
    digits: int = 4
    level: str = "dataset"
    needs: str = "captions"
    source: str = ""
    topic: str = ""
    leads: bool = False
    version: int = 1
    counts: str = ""
    published: str = ""
    walks: bool = False
    on_request: bool = False
    over_images: bool = False
    part: str = ""
    whole: str = ""
    scale: float = 1.0


@functools.cache
def cards_of(file: str) -> Mapping[str, Statistic]:
    """Return the cards of a file by name, in the order of results."""
    read = tomllib.loads(files(__name__).joinpath(f"{file}.toml").read_text(encoding="utf-8"))
    tables = {key: value for key, value in read.items() if isinstance(value, dict)}
    shared = {"study": file} | {key: value for key, value in read.items() if key not in tables}
    return {card.name: card for family, table in tables.items() for card in _cards(family, shared | table)}


def _cards(family: str, table: dict[str, Any]) -> Iterator[Statistic]:
    table["ends"] = tuple(map(float, table.pop("range", Statistic.ends)))
    texts = {key: " ".join(value.split()) for key, value in table.items() if isinstance(value, str)}
    for each in table.pop("each", [""]):
        named = {key: text.replace("{each}", str(each)) for key, text in texts.items()}
        yield Statistic(f"{family}-{each}".rstrip("-"), family, **table | named)


def explained(name: str) -> Statistic | None:
    """Return the card of a name in any study; of several, the first."""
    return next((cards_of(file)[name] for file in FILES if name in cards_of(file)), None)


def ends_of(file: str) -> Mapping[str, Ends]:
    """Return the range of each statistic of a file."""
    return {name: card.ends for name, card in cards_of(file).items()}
