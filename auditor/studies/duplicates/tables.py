"""Return duplicates as flat rows, as tables, and as a lead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import polars as pl

from auditor.findings.wording import LEAK
from auditor.model import pictured
from auditor.result import Finding, Sentence, Table, folded
from auditor.result.views import EMPTY, View, filled
from auditor.studies.duplicates.messages import AT_SEVERAL, COPIED
from auditor.studies.duplicates.search import DuplicateCounts, Question

_SHOWN = 10

#: The lead names no share that it would write as 0.0%.
_LEAST = 0.0005

#: The name of the table of shares.
AGAIN = "repeated-captions"

_LEAD = {
    "across-datasets": "Captions with an exact or near-duplicate in another dataset",
    "within-image": "Exact and near-duplicate captions within an image",
}

_SLOT = "slot: position of a caption within its image; it identifies the annotator only if the source keeps that order"

_ROW = {
    "dataset": pl.String, "version": pl.String, "split": pl.String, "slot": pl.UInt32, "scope": pl.String,
    "against": pl.String, "against_version": pl.String, "against_split": pl.String, "against_slot": pl.UInt32,
    "match": pl.String, "statistic": pl.String, "value": pl.Float64, "found": pl.Int64, "n": pl.Int64,
    "texts": pl.Int64,
}  # fmt: skip

_MATCHES = pl.Enum(["exact", "near", "any"])

_PLACE = ("dataset", "version", "split", "scope", "against", "against_version", "against_split")


def rows(counts: DuplicateCounts) -> pl.DataFrame:
    """Return a row for each share: `found` of `n`; `texts` is the number of different texts among the duplicates."""
    matches = [
        _found(counts.matches, "captions", "captions", "of_captions"),
        _found(counts.matches.drop("texts"), "images", "images", "of_images"),
        _found(counts.images, "shared-images", "images", "of_images"),
        _found(_by_match(counts.slots), "captions", "found", "of_captions"),
        _found(_by_match(counts.slot_pairs), "images", "found", "of_images"),
    ]
    empty, places = pl.DataFrame(schema=_ROW), _places(counts.questions)
    found = pl.concat([empty.drop(_PLACE), *matches], how="diagonal_relaxed")
    shares = found.join(places, on="question_no", maintain_order="left")
    order = ("question_no", "slot", "against_slot", pl.col("match").cast(_MATCHES))
    shares = shares.sort(*order, maintain_order=True).select(pl.col(name).cast(kind) for name, kind in _ROW.items())
    sides = places.unique("side_no", keep="first").select("side_no", "dataset", "version", "split")
    wordless = _found(counts.sides, "captions-without-word", "wordless", "captions", "side_no")
    of_sides = wordless.join(sides, on="side_no", maintain_order="left").drop("side_no")
    of_sides = of_sides.cast({"found": pl.Int64, "n": pl.Int64})
    return pl.concat([pl.concat([empty, of_sides], how="diagonal"), shares])


def pair_rows(counts: DuplicateCounts) -> pl.DataFrame:
    """Return a row for each caption with a duplicate, with the most similar one."""
    pairs = counts.pairs.sort("question_no", "image", "slot")
    return pairs.join(_places(counts.questions), on="question_no", how="left", maintain_order="left").select(
        *_PLACE[:3], "image", "slot", *_PLACE[3:], "against_image", "against_slot", "match", "similarity",
        "text", "against_text",
    )  # fmt: skip


_SLOTS_ALIKE = View(
    Table("duplicate slots", EMPTY, bars=("share",), caption=_SLOT, name="slots-alike"),
    columns=("dataset", "slot", "scope", "against_slot", pl.col("of_images").alias("images"), "exact", "near", "share"),
    top=_SHOWN,
)

_SLOTS_ELSEWHERE = View(
    Table("duplicate captions by slot", EMPTY, bars=("share",), caption=_SLOT, name="slots-elsewhere"),
    columns=("dataset", "slot", "scope", "against", pl.col("of_captions").alias("captions"), "exact", "near", "share"),
    top=_SHOWN,
)


def tables(counts: DuplicateCounts, examples: int) -> tuple[Table, ...]:
    """Return tables of shares, of slots that repeat each other or another dataset, and of examples."""
    labels = _places(counts.questions).select("question_no", "scope", dataset="side", against="beside")
    wide = (
        counts.matches.with_columns(share=_share("captions", "of_captions"), of_images=_share("images", "of_images"))
        .pivot("match", index=["question_no", "of_captions"], values=["captions", "share", "of_images"])
        .join(labels, on="question_no", maintain_order="left")
        .join(counts.images.select("question_no", shared_images="images"), on="question_no", how="left")
        .sort("question_no")
        .select(
            "dataset", "scope", "against", captions="of_captions", exact="captions_exact", near="captions_near",
            share_exact="share_exact", share_near="share_near", share_of_images="of_images_any",
            shared_images="shared_images",
        )
    )  # fmt: skip
    shares = ("share_exact", "share_near", "share_of_images")
    alike = filled([_SLOTS_ALIKE], _slots(counts.slot_pairs, labels, "of_images"))
    elsewhere = filled([_SLOTS_ELSEWHERE], _slots(counts.slots, labels, "of_captions"))
    again = Table("duplicate captions", wide, shares, "dataset", name=AGAIN)
    return folded((again, *alike, *elsewhere, *_examples(counts, labels, examples)), AGAIN)


def lead(shown: Sequence[Table], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the leaks, the largest share first, then duplicates across and in datasets, and copied slots."""
    leaks = [finding for finding in findings if finding.kind == LEAK and finding.values["share"]]
    leaks.sort(key=lambda leak: -float(leak.values["share"] or 0))
    again = next(table.frame for table in shown if table.name == AGAIN)
    either = (pl.col("exact").fill_null(0) + pl.col("near").fill_null(0)) / pl.col("captions")
    sentences = [*map(Sentence.of, leaks)]
    for scope, words in _LEAD.items():
        label = pl.format("{} in {}", "dataset", "against") if scope == "across-datasets" else pl.col("dataset")
        shares = again.filter(pl.col("scope") == scope, pl.col("captions") > 0).select(label, share=either)
        if shares.height:
            listed = ", ".join(f"{label} {share:.1%}" for label, share in shares.rows() if share >= _LEAST) or "none"
            sentences.append(Sentence(f"{words}: {listed}."))
    return (*sentences, *(Sentence.of(finding) for finding in findings if finding.kind in (AT_SEVERAL, COPIED)))


def _found(matches: pl.DataFrame, statistic: str, column: str, of: str, *further: str) -> pl.DataFrame:
    return matches.select(
        *further,
        pl.col("^(question_no|slot|against_slot|match|texts)$"),
        statistic=pl.lit(statistic),
        value=_share(column, of),
        found=pl.col(column),
        n=pl.col(of),
    )


def _share(column: str | pl.Expr, of: str) -> pl.Expr:
    """Return a share; null if the total is 0."""
    count = pl.col(column) if isinstance(column, str) else column
    return pl.when(pl.col(of) > 0).then(count / pl.col(of))


def _by_match(matches: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each kind of match instead of columns `exact` and `near`."""
    either = matches.with_columns(any=pl.col("exact") + pl.col("near"))
    keys = matches.drop("exact", "near").columns
    return either.unpivot(["exact", "near", "any"], index=keys, variable_name="match", value_name="found")


def _places(questions: Sequence[Question]) -> pl.DataFrame:
    """Return the two sides of each question, by name."""
    named = []
    for question in questions:
        side, against = question.side, question.against
        ours, theirs = side.selection.version, against.selection.version
        place = (ours.dataset, ours.version, side.split, question.scope, theirs.dataset, theirs.version, against.split)
        beside = None if side == against else against.label
        named.append((question.number, side.number, *place, side.label, beside))
    kinds = {"question_no": pl.UInt32, "side_no": pl.UInt32}
    schema = kinds | dict.fromkeys((*_PLACE, "side", "beside"), pl.String)
    return pl.DataFrame(named, schema=schema, orient="row")


def _slots(matches: pl.DataFrame, labels: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return the slots with their shares, the largest first."""
    rows = matches.join(labels, on="question_no", maintain_order="left")
    shares = rows.with_columns(share=_share(pl.col("exact") + pl.col("near"), of))
    return shares.sort("share", "question_no", "slot", descending=[True, False, False], maintain_order=True)


def _examples(counts: DuplicateCounts, labels: pl.DataFrame, number: int) -> Iterator[Table]:
    """Yield tables of the longest duplicates, leaks first, each text once; two sides are compared in one order."""
    questions = {question.number: question for question in counts.questions}
    compared = [{question.side.number, question.against.number} for question in counts.questions]
    again = [at for at, sides in enumerate(compared) if len(sides) > 1 and sides in compared[:at]]
    repeated = [counts.questions[at].number for at in again]
    shown = counts.pairs.filter(pl.col("nth") <= number, ~pl.col("question_no").is_in(repeated))
    leaks = pl.col("question_no").is_in([question.number for question in counts.questions if question.is_leak])
    named = shown.join(labels, on="question_no", maintain_order="left").sort(~leaks, maintain_order=True)
    for (question_no,), rows in named.group_by("question_no", maintain_order=True):
        question = questions[int(str(question_no))]
        scope, side, against = rows.select("scope", "dataset", "against").row(0)
        owners = ((question.side, "image"), (question.against, "against_image"))
        images = (pictured(rows, owner.selection.version.dataset, column) for owner, column in owners)
        places = ("match", "image", "slot", "text", "against_image", "against_slot", "against_text", "similarity")
        yield Table(
            f"examples: {side} {scope}" if against is None else f"examples: {side} in {against}",
            rows.select(places),
            caption="the longest captions, each text once; list all with --pairs",
            beside=("text", "against_text"),
            name=f"examples/{side}/{against or scope}",
            pictured=(*chain.from_iterable(images),),
        )
