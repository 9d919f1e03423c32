"""Count the size, caption lengths, vocabulary and repeated captions of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import polars as pl
import polars.selectors as cs

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.config import sources
from auditor.findings.wording import item_of, of_item, worded
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Figure, Finding, Result, Sentence, Table, about
from auditor.result.portraits import Portrait
from auditor.result.views import EMPTY, View, filled
from auditor.statistics.cards import cards_of
from auditor.store import versions
from auditor.store.captions import Captions, select_all, selections_of, stepwise
from auditor.store.connection import Store
from auditor.store.signs import bind_signs
from auditor.store.workspace import Workspace
from auditor.text import AUTO

Examples = Annotated[
    int, p.Parameter("Number of example captions per hygiene count; the output then lists all of them.", least=0)
]

#: The kind of finding on possible text defects.
DIRT = "signs-of-dirt"

#: The cards, and the hygiene counts, in the order of their table.
CARDS = cards_of("profile")

HYGIENE = tuple(name for name, card in CARDS.items() if card.topic == "hygiene")

#: CLIP reads 77 tokens, two of them markers. English captions have 1.06 to 1.19 tokens of CLIP per word of tokenizer
#: bare, 1.15 if they are long; with it, the share over the limit is within 1.5 points for 13 sets of captions.
_LIMIT, _MARKERS, _TOKENS_PER_WORD = 77, 2, 1.15

_WORDS = int((_LIMIT - _MARKERS) / _TOKENS_PER_WORD)

#: The tokenizer for which the estimate holds, and the least share that is reported.
_ESTIMATED_BY, _LEAST = "bare", 0.001

#: The counts whose captions `--examples` lists; the last one is in the table of sizes.
_LISTED = (*HYGIENE, "captions-on-several-images")

#: The statistics that may indicate text defects; of equally frequent ones, the first is named first.
_SIGNS = (
    "captions-without-word", "images-with-one-caption", "captions-repeated-within-image", "captions-on-several-images",
    "captions-in-several-splits", "images-in-several-splits", "captions-of-unusual-length", "captions-with-markup",
    "captions-that-look-encoded-twice", "captions-with-replacement-characters", "captions-with-unprintable-characters",
    "captions-with-line-breaks", "captions-of-mixed-scripts", "images-with-captions-sorted-by-length", "rejected",
)  # fmt: skip


@face(draws=True)
@question
def profile(
    store: Store,
    *refs: p.Refs,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    examples: Examples = 0,
    declared: Mapping[str, Source] | None = None,
    progress: Progress = silent,
) -> Result:
    """Count size, lengths, vocabulary and repeated captions.

    Counts images, captions, tokens (words of the running text) and types (different words). `asl` is the mean length in
    tokens, `sdsl` its standard deviation. Also counts repeated captions, rejected records, and possible text defects:
    extra whitespace, markup, mixed scripts, and captions sorted by length (the longest first). Repeated and empty
    captions are counted by tokens of `bare` (`char` for scripts without spaces), independent of `--tokenizer`. Numbers
    that end in `-as-letters` count only texts that are equal letter for letter.

    How to read it: many types relative to tokens mean a rich vocabulary. Hundreds of captions on several images were
    copied or written from a template. For most hygiene counts, zero is the best value.

    Limits: types increase with the number of tokens. Compare datasets of about equal size, or use `auditor diversity`.
    A possible text defect is a reason to check, not proof.

    Columns: dataset, version, statistic, value, split. With --examples, the output has a row for each caption in a
    hygiene count: dataset, version, split, statistic, image, slot, text. A counted image has a row for each caption.

    Raises `UsageError` for an unknown dataset, version or split.

    Examples: auditor profile flickr8k coco-val2017 · auditor profile mine --examples 3 -o dirt.csv
    """
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    selections, known = selections_of(selected), sources(declared)
    measured, frames, told, portraits, findings = [], [], list[str](), [], list[Finding]()
    for captions, _ in stepwise(selected, progress):
        *parts, lengths, _ = described = _describe(captions, listing=examples > 0)
        whole = pl.concat(parts)
        item = item_of(known.get(captions.selection.version.dataset), captions.images()["image"])
        size = Sentence(lead(captions.selection, whole), label=captions.label)
        told += [worded(sentence, item) for sentence in (size, *_on_lengths(captions, lengths))]
        portraits.append(_portrait(captions, whole, lengths))
        findings += [of_item(finding, item) for finding in _dirt(captions.selection, whole)]
        frames.append(captions.stamp(whole).select("dataset", "version", "statistic", "value", "split"))
        measured.append(described)
    *of_tables, every_length, rows = zip(*measured, strict=True)
    sizes, hygiene, noted = (_side_by_side(selections, parts) for parts in of_tables)
    listed = pl.concat(rows) if examples else None
    return Result(
        "profile",
        pl.concat(frames) if listed is None else listed,
        selections=selections,
        tables=(
            *tables(sizes, hygiene, selected[0].tokenizer),
            *([] if listed is None else [_shown(listed, examples)]),
            *filled([_ANNOTATIONS], noted),
        ),
        figures=(_figure(selections, every_length),),
        notes=selected[0].notes,
        lead=tuple(told),
        portraits=tuple(portraits),
        findings=tuple(findings),
    )


def lead(selection: Selection, described: pl.DataFrame) -> str:
    """Return a sentence with the size of a dataset, the length of its captions, and its vocabulary."""
    value = dict(described.select("statistic", "value").drop_nulls().iter_rows())
    once = value.get("types-occurring-once", 0) / max(value["types"], 1)
    return (
        f"{selection.label}: {value['captions']:,.0f} captions of {value['images']:,.0f} images "
        f"({value['captions-per-image-mean']:.1f} per image), {value['asl']:.1f} words per caption on average "
        f"(standard deviation {value['sdsl']:.1f}), {value['types']:,.0f} different words ({once:.0%} occur once)."
    )


def _on_lengths(captions: Captions, counts: pl.DataFrame) -> Iterator[Sentence]:
    """Yield the distribution of lengths, and the estimated share of captions that CLIP truncates."""
    lengths, label, by_words = counts.sort("length"), captions.label, captions.tokenizer == _ESTIMATED_BY
    reached = lengths["captions"].cum_sum() / lengths["captions"].sum()
    low, middle, high = (lengths.filter(reached >= share)["length"][0] for share in (0.05, 0.5, 0.95))
    unit = "words" if by_words else "tokens"
    usual = f"{label}: captions have {middle:,} {unit} in the median, and {low:,} to {high:,} in 90% of cases."
    yield Sentence(usual, "lengths", label=label)
    captions_of = pl.col("captions")
    over = lengths.select(captions_of.filter(pl.col("length") > _WORDS).sum() / captions_of.sum()).item()
    if by_words and over >= _LEAST:
        clip = (
            f"{label}: an estimated {over:.1%} of captions exceed the {_LIMIT} tokens that CLIP reads: those of more "
            f"than {_WORDS} words, at {_TOKENS_PER_WORD} tokens per word."
        )
        yield Sentence(clip, "lengths", label=label)


def _portrait(captions: Captions, described: pl.DataFrame, lengths: pl.DataFrame) -> Portrait:
    """Return a dataset at a glance."""
    value, images = dict(described.select("statistic", "value").iter_rows()), captions.images()
    splits = images.group_by("split").agg(images=pl.len()).sort("split", nulls_last=True)
    return Portrait(
        captions.label,
        round(value["images"]),
        round(value["captions"]),
        images.select(pl.col("captions").min(), most=pl.col("captions").max()).row(0),
        round(value["captions"] - value["captions-repeated-within-image"]),
        value["asl"],
        tuple((name or "in none", int(number)) for name, number in splits.iter_rows() if splits["split"].count()),
        tuple(lengths.select("length", "captions").iter_rows()),
    )


def tables(sizes: pl.DataFrame, counts: pl.DataFrame, tokenizer: str) -> tuple[Table, ...]:
    """Return the tables of sizes, of lengths, and of hygiene `counts` above 0: a column for each dataset."""
    means = [name for name, card in CARDS.items() if card.topic == "lengths"]
    is_mean, is_positive = pl.col("statistic").is_in(means), pl.any_horizontal(cs.numeric() > 0).fill_null(value=False)
    zero, positive = counts.filter(~is_positive)["statistic"], _whole(counts.filter(is_positive))
    caption = f"0 for all datasets: {', '.join(zero)}" if len(zero) else None
    return (
        Table("size, vocabulary, repetition", _whole(sizes.filter(~is_mean)), name="sizes"),
        Table(f"lengths in tokens of tokenizer {tokenizer}", sizes.filter(is_mean), name="lengths"),
        Table("hygiene", positive, caption=caption, name="hygiene"),
    )


_ANNOTATIONS = View(
    Table("annotations and related datasets", EMPTY, name="annotations", further=True),
    columns=("statistic", pl.exclude("statistic").cast(pl.Int64)),
)


def _dirt(selection: Selection, described: pl.DataFrame) -> list[Finding]:
    """Return a finding on the possible text defects, the most frequent first."""
    value = dict(described.select("statistic", "value").iter_rows())
    if value["captions-per-image-max"] == 1:  # a dataset of single captions, not one that lacks some
        del value["images-with-one-caption"]
    signs = {name: value[name] for name in sorted(_SIGNS, key=lambda sign: -value.get(sign, 0)) if value.get(name, 0)}
    said = (f"{CARDS[name].definition}: {count:,.0f}" for name, count in signs.items())
    sentence = f"{selection.label}, to be checked: {', '.join(said)}"
    where = about(selection, label=selection.label)
    return [Finding(DIRT, sentence, where, signs, int(value["captions"]), "notice")] if signs else []


def _describe(captions: Captions, *, listing: bool) -> tuple[pl.DataFrame, ...]:
    """Return the size, hygiene and annotations of a selection (columns: statistic, value), its lengths, and its list.

    With `listing`, the list has the captions of each hygiene count; without it, the list is empty.
    """
    store, version = captions.store, captions.selection.version
    logged = versions.log_rows(store, version.dataset).filter(pl.col("seq") == version.seq)
    refused = logged.select(statistic=pl.lit("rejected"), value=pl.col("rejected").cast(pl.Float64))
    workspace = captions.facts()
    counts = hygiene(workspace)
    workspace.bind("annotated", "annotation_as_of")
    noted = [workspace.rows("annotations")]
    for dataset in versions.related(store, version.dataset):
        shared = workspace.rows("overlap_with_related", other=dataset).cast(pl.Float64)
        names = {column: f"{column.replace('_', '-')}-{dataset}" for column in shared.columns}
        noted.append(shared.rename(names).unpivot(variable_name="statistic", value_name="value"))
    return (
        pl.concat([sizes_of(workspace.rows("profile")), refused]),
        counts,
        pl.concat(noted),
        workspace.rows("caption_length_count"),
        _listed(captions, workspace) if listing else pl.DataFrame(),
    )


def sizes_of(row: pl.DataFrame) -> pl.DataFrame:
    """Return the row of `sql/profile/profile.sql` as statistic and value, named and ordered by the cards."""
    values = row.cast(pl.Float64).rename(lambda column: column.replace("_", "-"))
    return values.select(name for name in CARDS if name in values.columns).unpivot(variable_name="statistic")


def hygiene(workspace: Workspace) -> pl.DataFrame:
    """Bind and count the hygiene of captions: every count, including those of 0, in order."""
    bind_signs(workspace)
    workspace.bind("hygiene")
    counted = workspace.query(
        "select statistic, if(starts_with(statistic, 'images-'), count(distinct image_no), count(*))::double as value"
        " from hygiene group by statistic"
    )
    named = pl.DataFrame({"statistic": HYGIENE}).join(counted, on="statistic", how="left", maintain_order="left")
    return named.with_columns(pl.col("value").fill_null(0.0))


def _listed(captions: Captions, workspace: Workspace) -> pl.DataFrame:
    """List every caption in a hygiene count, in the order of the counts."""
    order = pl.DataFrame({"statistic": _LISTED}).with_row_index("place")
    listed = workspace.query(
        "select h.statistic, r.image, r.slot, r.split, c.text from hygiene as h"
        " join reference as r using (image_no, slot) join caption as c on c.caption_id = h.caption_id"
    )
    ordered = listed.join(order, on="statistic").sort("place", "image", "slot").drop("place")
    return captions.stamp(ordered)


def _shown(listed: pl.DataFrame, examples: int) -> Table:
    few = listed.group_by("dataset", "statistic", maintain_order=True).head(examples)
    shown = few.select("dataset", "statistic", "image", "slot", "text")
    title = f"example captions, {examples} of each count"
    return Table(title, shown, sections="statistic", name="examples", further=True)


def _figure(selections: Sequence[Selection], lengths: Sequence[pl.DataFrame]) -> Figure:
    """Return the figure of the share of captions by number of tokens."""
    share = pl.col("captions") / pl.col("captions").sum()
    rows = [
        counted.select("length", "captions", share=share, dataset=pl.lit(selection.label))
        for selection, counted in zip(selections, lengths, strict=True)
    ]
    return Figure(
        "lengths", "Caption lengths", "lines", pl.concat(rows), x="length", y="share", series="dataset",
        x_label="tokens per caption", y_label="share of captions",
    )  # fmt: skip


def _side_by_side(selections: Sequence[Selection], parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the values of all selections, one column each; null if a selection lacks the statistic."""
    known = pl.concat([part.select("statistic") for part in parts]).unique(maintain_order=True)
    for selection, part in zip(selections, parts, strict=True):
        known = known.join(part.rename({"value": selection.label}), on="statistic", how="left", maintain_order="left")
    return known


def _whole(counts: pl.DataFrame) -> pl.DataFrame:
    return counts.cast({cs.numeric(): pl.Int64})
