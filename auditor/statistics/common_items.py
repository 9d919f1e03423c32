"""On which items two sets are compared: those of both, or all, with empty captions for missing ones.

Without this, a set that leaves out what is hard would be better than one that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import polars as pl

from auditor.errors import UsageError
from auditor.parameters import COMMON, EMPTY, ERROR
from auditor.result import Sentence, joined, listed

#: Below this share of common items, a difference with empty captions is added.
_ENOUGH = 0.99

#: The items that are compared, sorted; null for all.
Items = tuple[str, ...] | None

#: Compares sets on some items, the first of them with each other: a row per set and measure.
Compared = Callable[[Items, Sequence[str], bool], pl.DataFrame]


@dataclass(frozen=True)
class Coverage:
    """The items `of` each set, among `every` item; sets are compared with the first. `missing` is the parameter.

    If all are compared `together`, that is on what all have. With "empty", missing items count as `empty`. Raises
    `UsageError` for sets without a common item, and for a missing item if that is an error.
    """

    every: Set[str]
    of: Mapping[str, Set[str]]
    missing: str = COMMON
    item: str = "images"
    empty: str = "empty captions"
    together: bool = False

    def __post_init__(self) -> None:
        """Refuse sets that cannot be compared."""
        for label, items in self.of.items():
            if self.missing == ERROR and (absent := sorted(self.every - items)):
                which = f"{len(absent):,} of {len(self.every):,} {self.item} are missing: {listed(absent, 3)}"
                raise UsageError(f"{label}: {which}; add them, or set --missing {COMMON} or {EMPTY}")
            if self.missing == COMMON and label != self.first and not self._common(label):
                raise UsageError(
                    f"{label}: no {self.item} in common with {self.first}; leave it out, or set --missing {EMPTY}"
                )

    @property
    def first(self) -> str:
        """The set with which the others are compared."""
        return next(iter(self.of))

    @property
    def has_gaps(self) -> bool:
        """Whether a set lacks an item."""
        return any(items < self.every for items in self.of.values())

    @property
    def partial(self) -> list[str]:
        """The sets that are compared on so few items that a difference with empty captions is added."""
        few = [label for label in self.of if len(self._common(label)) < _ENOUGH * len(self.every)]
        return [label for label in few if label != self.first and self.missing == COMMON]

    def pair(self, label: str) -> Items:
        """Return the common items of a set and the first; of the first, those of all pairs if they are the same."""
        return self._sorted(self._common(label))

    def side_by_side(self, compared: Compared, by: Sequence[str]) -> pl.DataFrame:
        """Compare each set with the first on their common items.

        `compared` gets items, sets, and whether empty captions are added. Its rows have columns label, value,
        difference, p, and `by`, which distinguish rows. Further columns: images (how many items are common),
        own_value (on all items of a set), and empty_difference and empty_p if many items are missing.
        """
        wanted, is_filled, keys = dict[Items, list[str]](), self.missing == EMPTY, ["label", *by]
        for label in self.of:
            wanted.setdefault(self.pair(label), []).append(label)
        rows, own, empty = [], [], pl.DataFrame()
        for items, labels in wanted.items():
            made = compared(items, list(dict.fromkeys([self.first, *labels])), is_filled)
            number = pl.lit(len(self.every if items is None else items), pl.Int64)
            rows.append(made.filter(pl.col("label").is_in(labels)).with_columns(images=number))
        together = pl.concat(rows, how="diagonal_relaxed")
        for label in self.of:
            items = self._sorted(self.of[label])
            alone = together.filter(label=label) if items == self.pair(label) else compared(items, [label], False)
            own.append(alone.select(*keys, own_value="value"))
        nothing = own[0].clear().with_columns(empty_difference="own_value", empty_p="own_value").drop("own_value")
        if self.partial:
            empty = compared(None, [self.first, *self.partial], True)
            empty = empty.select(*keys, empty_difference="difference", empty_p="p").filter(
                pl.col("label") != self.first
            )
        for more in (pl.concat(own), empty if self.partial else nothing):
            together = together.join(more, on=keys, how="left", nulls_equal=True, maintain_order="left")
        return together.sort(pl.col("label").cast(pl.Enum([*self.of])), maintain_order=True)

    def columns(self, rows: pl.DataFrame) -> list[str]:
        """Return the further columns of a table of `rows`, if some of them are not on every item."""
        named = ["images", "own_value"] if self.missing == COMMON and self.has_gaps else []
        return [*named, *(name for name in ("empty_difference", "empty_p") if rows[name].count())]

    def lead(self, rows: pl.DataFrame | None = None, confidence: float = 0.95, by: str = "") -> list[str]:
        """Return the sentences to read before the numbers: on how many items sets are compared, and if that decides."""
        whole, warnings = len(self.every), list[str]()
        for label, items in self.of.items():
            compared = len(self.pair(label) or self.every)
            if self.missing == EMPTY and items < self.every:
                absent = f"{whole - len(items):,} of {whole:,} {self.item}"
                warnings.append(Sentence(f"{label} lacks {absent}, which count as {self.empty}.", "warning"))
            elif compared < whole and (label != self.first or len(self.of) == 1):
                sets = f"{label} and {self.first} are compared" if len(self.of) > 1 else f"{label} is scored"
                warnings.append(Sentence(f"{sets} on {compared:,} of {whole:,} {self.item}.", "warning"))
        known = [] if rows is None else rows.drop_nulls("empty_difference").partition_by("label")
        sign = [pl.col(name).round(12).sign() for name in ("difference", "empty_difference")]
        is_sure = [pl.col(name) < 1 - confidence for name in ("p", "empty_p")]
        for own in known:
            what = {"the sign of the difference": sign, f"the decision (p < {1 - confidence:.2g})": is_sure}
            changed = {words: own.filter(one != other)[by].to_list() for words, (one, other) in what.items()}
            told = "; ".join(f"{words} changes by {joined(names)}" for words, names in changed.items() if names)
            side_by_side = [*self.of] if self.together else [self.first, own["label"][0]]
            lacking = [label for label in side_by_side if self.of[label] < self.every]
            what_lacks = f"what {joined(lacking)} lack{'s' if len(lacking) == 1 else ''}"
            warnings.append(f"With {self.empty} for {what_lacks}, {told or 'no sign and no decision changes'}.")
        return warnings

    def _common(self, label: str) -> Set[str]:
        first, *others = self.of
        if self.together:
            return frozenset(self.every).intersection(*self.of.values())
        commons = {frozenset(self.of[first] & self.of[one]) for one in (others if label == first else [label])}
        return commons.pop() if len(commons) == 1 else self.of[first]

    def _sorted(self, items: Set[str]) -> Items:
        return None if self.missing == EMPTY or len(items) == len(self.every) else tuple(sorted(items))
