"""How was a source read? The sentences that `ingest` prints about every dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from auditor.model import Batches, location
from auditor.result import IMAGE, listed
from auditor.sources.format import Reading
from auditor.store.ingestion import Spoken

#: How many columns that are not read are named.
_UNREAD = 12

_LONGEST = 100


class First:
    """The first accepted caption of a source, when its batches have been read, and the `names` of its first images."""

    def __init__(self) -> None:
        self.names = pl.Series("image", [], pl.String)
        self._row: dict[str, str | int | None] | None = None

    def of(self, batches: Batches) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        for batch in batches:
            self.names = self.names if self.names.len() else batch["image"]
            if self._row is None:
                accepted = batch.filter(pl.col("reason").is_null(), pl.col("left_out").is_null()).head(1)
                self._row = next(accepted.iter_rows(named=True), None)
            yield batch

    def __str__(self) -> str:
        """Return the image, the caption and its location; empty without a caption."""
        if self._row is None:
            return ""
        text = " ".join(str(self._row["text"]).split())
        shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        at = location(str(self._row["source"]), str(self._row["unit"]), int(self._row["line"] or 0))
        return f"{self._row['image']} “{shown}” ({at})"


@dataclass(frozen=True)
class HowRead:
    """The format, whether it was detected, where the captions come from, and the first of them.

    `splits` is set if the user or datasets.toml names the splits, or the files do. `item` is what captions describe.
    """

    file_format: str
    detected: bool
    reading: Reading
    first: str
    has_splits: bool
    item: str

    def sentences(self, dataset: str, spoken: Spoken | None) -> list[str]:
        """Return the sentences about a dataset: where its captions come from, an example, the language."""
        places = self.reading.places
        parts = [f"{self.item if thing == IMAGE else thing} ← {place}" for thing, place in places.items()]
        if places and "split" not in places:
            parts.append("split ← given with the files" if self.has_splits else "no split")
        parts += [f"not read: {listed(self.reading.unread, _UNREAD)}"] if self.reading.unread else []
        where = f": {'; '.join(parts)}" if parts else ""
        sentences = [f'{dataset}: {"detected " if self.detected else ""}format "{self.file_format}"{where}']
        sentences += [f"{dataset}: {remark}" for remark in self.reading.remarks]
        sentences += [f"{dataset}: the first caption: {self.first}"] if self.first else []
        sentences += [f"{dataset}: language {spoken.language}, {spoken.why}"] if spoken else []
        return sentences
