"""Captions that a curator would mend, by kind: found by the SELECT that `kinds.toml` names, or by a function here.

What is found of a selection is a finding of each kind, with the list of its captions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.findings import CAPTION_KINDS, severity
from auditor.model import Progress, Selection
from auditor.result import Finding, about
from auditor.scoring.signs import bind_signs
from auditor.store import kept
from auditor.store.captions import Captions, stamp
from auditor.store.connection import Store
from auditor.store.versions import related
from auditor.store.workspace import Workspace
from auditor.studies.findings import language

_EXAMPLES = 3

_ROWS = pl.Schema({
    "dataset": pl.String, "version": pl.String, "split": pl.String, "kind": pl.String, "severity": pl.String,
    "image": pl.String, "slot": pl.UInt32, "text": pl.String, "why": pl.String, "other_image": pl.String,
    "other_slot": pl.UInt32, "other_text": pl.String,
})  # fmt: skip

_EXAMPLE = ("image", "slot", "text", "why", "other_image", "other_slot", "other_text")

#: A text that more images have than this says nothing of any: a copied image shares rarer ones.
_RARE = 20

#: Two datasets name the same pictures by the same ids where so many of the images of both have a text in common.
_AGREEING = 0.5

#: A caption is told where a cut is this share as likely as that it ends so, or likelier.
_LIKELY = 1 / 2

_ROUNDS = 30

#: A word is frequent in so many captions, and so many times as frequent as what may be a misspelling of it.
_FREQUENT, _TIMES = 20, 20

#: A word that so many captions of other datasets hold is one.
_KNOWN = 4

#: What every finder gives: null for a slot where it is of the image, and for what it is not beside.
LISTED = {
    "image": pl.String,
    "slot": pl.UInt32,
    "why": pl.String,
    "other_image": pl.String,
    "other_slot": pl.UInt32,
}


@dataclass(frozen=True)
class Asked:
    """The captions in question. `words` are those of a user's list."""

    store: Store
    dataset: str
    workspace: Workspace
    words: Sequence[str] = ()

    def rows(self, relation: str, **params: float) -> pl.DataFrame:
        """Run a SELECT over the captions."""
        self.workspace.params |= params
        return self.workspace.rows(relation)


def _by_sign(kind: str) -> Callable[[Asked], pl.DataFrame]:
    def found(asked: Asked) -> pl.DataFrame:
        bind_signs(asked.workspace, kind)
        first = "row_number() over (partition by image_no, slot order by place) = 1"
        return asked.workspace.query(f"select image, slot, why from sign qualify {first} order by image, slot")

    return found


def _misspelt(asked: Asked) -> pl.DataFrame:
    apart = [asked.dataset, *related(asked.store, asked.dataset)]
    asked.workspace.params |= {"apart": apart, "least": _KNOWN}
    return asked.rows("misspelled", frequent=_FREQUENT, times_as_frequent=_TIMES)


def _truncated(asked: Asked) -> pl.DataFrame:
    """Tell captions that end where a cut is as likely, or nearly, as a whole caption's end.

    How often captions are cut behind a word is not known; it is what makes the sum of the captions' probabilities to be
    cut agree with it, by expectation and maximisation.
    """
    open_ended = asked.rows("truncated")
    if open_ended.is_empty():
        return open_ended.select("image", "slot", "why")
    chance, words = open_ended["chance"], open_ended["words"][0]
    cut = 0.001
    for _ in range(_ROUNDS):
        cut = float((cut / (cut + chance)).sum()) / words
    return open_ended.filter(pl.col("chance") * _LIKELY <= cut).select("image", "slot", "why")


def _listed(asked: Asked) -> pl.DataFrame:
    words = sorted({word.strip().lower() for word in asked.words} - {""})
    asked.workspace.bind_rows("wanted_word", pl.DataFrame({"word": words}, schema={"word": pl.String}))
    return asked.rows("listed_word")


def _padded(asked: Asked) -> pl.DataFrame:
    return asked.rows("repeat").select(
        "image",
        "slot",
        why=pl.format(
            "the same words as #{}; of {} captions {} are different", "of_slot", "captions", "distinct_captions"
        ),
        other_image="image",
        other_slot="of_slot",
    )


def _uneven(asked: Asked) -> pl.DataFrame:
    counted = asked.rows("image_captions").filter(pl.col("captions") != pl.col("usual"))
    return counted.select(
        "image", slot=pl.lit(None, pl.UInt32), why=pl.format("{} captions, most others have {}", "captions", "usual")
    )


def _copied(asked: Asked) -> pl.DataFrame:
    split, other = (pl.col(name).fill_null("no split") for name in ("split", "other_split"))
    across = pl.when(split != other).then(pl.format("; in {} and {}", split, other)).otherwise(pl.lit(""))
    return asked.rows("copied_image", rare=_RARE).select(
        "image",
        "slot",
        "other_image",
        "other_slot",
        why=pl.concat_str(pl.format("{} of {} captions are those of {}", "shared", "captions", "other_image"), across),
        across=split != other,
    )


def _exchanged(asked: Asked) -> pl.DataFrame:
    found = []
    for other in related(asked.store, asked.dataset):
        asked.workspace.params |= {"other": other}
        rows = asked.rows("exchanged_image").filter(pl.col("agreeing") >= _AGREEING * pl.col("images"))
        said = pl.format("{} of {} captions are those of {} in {}", "shared", "captions", "other_image", pl.lit(other))
        found.append(rows.select("image", "slot", "other_image", why=said))
    return pl.concat([pl.DataFrame(schema=LISTED), *found], how="diagonal")


def _wordless(asked: Asked) -> pl.DataFrame:
    asked.workspace.bind("length", "length")
    return asked.workspace.query(
        "select r.image, r.slot, 'no word' as why from length as l join reference as r using (image_no, slot)"
        " where l.tokens = 0 order by r.image, r.slot"
    )


#: Finders that need more than a SELECT.
_FUNCTIONS: Mapping[str, Callable[[Asked], pl.DataFrame]] = {
    "padded-images": _padded,
    "other-language": lambda asked: language.foreign(asked.workspace),
    "truncated-captions": _truncated,
    "misspellings": _misspelt,
    "listed-words": _listed,
    "uneven-captions": _uneven,
    "copied-images": _copied,
    "exchanged-images": _exchanged,
    "captions-without-word": _wordless,
}

#: Of equally severe findings these come first, the others as in `kinds.toml`.
_FIRST = (
    "copied-images", "exchanged-images", "padded-images", "templated-slots", "placeholders", "personal-data",
    "file-names",
)  # fmt: skip


def _finder(kind: str) -> Callable[[Asked], pl.DataFrame]:
    entry = CAPTION_KINDS[kind]
    if entry.patterns:
        return _by_sign(kind)
    if entry.select:
        return lambda asked: asked.rows(entry.select, **entry.params)
    return _FUNCTIONS[kind]


#: What finds the captions of each kind.
FINDERS: Mapping[str, Callable[[Asked], pl.DataFrame]] = {
    kind: _finder(kind) for kind in (*_FIRST, *(kind for kind in CAPTION_KINDS if kind not in _FIRST))
}


def of_captions(
    captions: Captions, words: Sequence[str], wanted: Sequence[str], progress: Progress
) -> tuple[list[Finding], pl.DataFrame, list[str]]:
    """Return what is found of single captions, their list, and what could not be looked for."""
    selection, texts = captions.selection, captions.texts().select("image", "slot", "split", "text")
    images = texts["image"].n_unique()
    asked = Asked(captions.store, selection.version.dataset, captions.facts(progress), words)
    found, lists, unasked = [], [pl.DataFrame(schema=_ROWS)], []
    kinds = [kind for kind in FINDERS if kind in wanted and (kind != "listed-words" or words)]
    if "other-language" in kinds and not language.installed():
        kinds.remove("other-language")
        unasked.append(f"captions in another language were not looked for: {language.EXTRA}")
    for done, kind in enumerate(kinds):
        progress(f"{selection.label}: looking for {kind.replace('-', ' ')}", done, len(kinds))
        rows = FINDERS[kind](asked)
        if rows.height:
            one, listed = _finding(selection, kind, rows, texts, images)
            found.append(one)
            lists.append(listed)
    return found, pl.concat(lists), unasked


def keep(
    store: Store, selection: Selection, kinds: Sequence[str], listed: pl.DataFrame, told: Sequence[Finding]
) -> None:
    """Keep what was found of a selection for people to query: the captions of each finding, or its sentence."""
    with_list = listed.filter(pl.col("kind").is_in([finding.kind for finding in told]))
    rows = [
        (finding.kind, finding.severity, finding.sentence) for finding in told if finding.kind not in with_list["kind"]
    ]
    whole = pl.DataFrame(rows, schema=dict.fromkeys(("kind", "severity", "why"), pl.String), orient="row")
    found = [pl.DataFrame(schema=kept.FOUND), with_list.select(kept.FOUND.names()), whole]
    kept.keep_findings(store, selection, kinds, pl.concat(found, how="diagonal"))


def _finding(
    selection: Selection, kind: str, rows: pl.DataFrame, texts: pl.DataFrame, images: int
) -> tuple[Finding, pl.DataFrame]:
    of_images = CAPTION_KINDS[kind].of == "images"
    number, n = (
        (rows["image"].n_unique(), images) if of_images else (rows.unique(["image", "slot"]).height, texts.height)
    )
    share = number / n
    bad = severity(kind, share)
    across = "across" in rows.columns and bool(rows["across"].any())
    if across:
        bad = "error"
    beside = texts.select("image", "slot", "text")
    listed = (
        pl.concat([pl.DataFrame(schema=LISTED), rows], how="diagonal")
        .select(LISTED.keys())
        .join(texts, on=["image", "slot"], how="left", maintain_order="left")
        .join(
            beside.rename({name: f"other_{name}" for name in beside.columns}),
            on=["other_image", "other_slot"], how="left", maintain_order="left",
        )
        .select("split", pl.lit(kind).alias("kind"), pl.lit(bad).alias("severity"), *_EXAMPLE)
    )  # fmt: skip
    said = f"{selection.label}: {CAPTION_KINDS[kind].phrase}: {number:,} of {n:,} ({_percent(share)})"
    of = CAPTION_KINDS[kind].of
    headline = f"{number:,} of {n:,} {of}"
    examples = tuple(_examples(listed))
    return (
        Finding(kind, said, about(selection), {of: number, "share": share}, n, bad, examples, headline),
        stamp(selection, listed).cast(_ROWS),
    )


def _examples(listed: pl.DataFrame) -> Iterator[dict[str, str | int | None]]:
    """Yield a few rows that differ in why they are listed, else the first."""
    apart = listed.unique("why", keep="first", maintain_order=True).head(_EXAMPLES)
    rest = listed.join(apart, on=["image", "slot", "why"], how="anti", nulls_equal=True, maintain_order="left")
    yield from pl.concat([apart, rest]).head(_EXAMPLES).select(_EXAMPLE).to_dicts()


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else f"{share:.2%}" if share >= 0.0001 else "less than 0.01%"
