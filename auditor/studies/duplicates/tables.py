"""Return duplicates as flat rows, as tables, and as a lead."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.findings.wording import LEAK
from auditor.model import pictured
from auditor.result import Finding, Sentence, Table, folded
from auditor.studies.duplicates.messages import AT_SEVERAL, COPIED
from auditor.studies.duplicates.search import DuplicateCounts, Question

_SHOWN = 10

#: The name of the table of shares.
AGAIN = "repeated-captions"

_LEAD = {
    "across-datasets": "Captions with an exact or near-duplicate in another dataset",
    "within-image": "Exact and near-duplicate captions within an image",
}

_SLOT = "slot: position of a caption within its image; it identifies the annotator only if the source keeps that order"

_ROW = {
    "dataset": pl.String,
    "version": pl.String,
    "split": pl.String,
    "slot": pl.UInt32,
    "scope": pl.String,
    "against": pl.String,
    "against_version": pl.String,
    "against_split": pl.String,
    "against_slot": pl.UInt32,
    "match": pl.String,
    "statistic": pl.String,
    "value": pl.Float64,
    "found": pl.Int64,
    "n": pl.Int64,
    "texts": pl.Int64,
}

_MATCHES = pl.Enum(["exact", "near", "any"])

_LABELS = ("side", "beside")


def rows(counts: DuplicateCounts) -> pl.DataFrame:
    """Return a row for each share: `found` of `n`; `texts` is the number of different texts among the duplicates."""
    matches = [
        _found(counts.matches, "captions", "captions", "of_captions"),
        _found(counts.matches.drop("texts"), "images", "images", "of_images"),
        _found(counts.images, "shared-images", "images", "of_images"),
        _found(_by_match(counts.slots), "captions", "found", "of_captions"),
        _found(_by_match(counts.slot_pairs), "images", "found", "of_images"),
    ]
    empty = pl.DataFrame(schema={name: kind for name, kind in _ROW.items() if name not in _place_columns()})
    shares = (
        pl.concat([empty, *matches], how="diagonal_relaxed")
        .join(_places(counts.questions), on="question_no", maintain_order="left")
        .sort("question_no", "slot", "against_slot", pl.col("match").cast(_MATCHES), maintain_order=True)
        .select(pl.col(name).cast(kind) for name, kind in _ROW.items())
    )
    return pl.concat([_wordless(counts), shares])


def pair_rows(counts: DuplicateCounts) -> pl.DataFrame:
    """Return a row for each caption with a duplicate, with the most similar one."""
    before, after = ("dataset", "version", "split"), ("against", "against_version", "against_split")
    named = counts.pairs.sort("question_no", "image", "slot").join(
        _places(counts.questions), on="question_no", how="left", maintain_order="left"
    )
    return named.select(
        *before, "image", "slot", "scope", *after, "against_image", "against_slot", "match", "similarity",
        "text", "against_text",
    )  # fmt: skip


def tables(counts: DuplicateCounts, examples: int) -> tuple[Table, ...]:
    """Return tables of shares, of slots that repeat each other or another dataset, and of examples."""
    labels = _places(counts.questions).select("question_no", "scope", *_LABELS)
    wide = (
        counts.matches.with_columns(share=_share("captions", "of_captions"), of_images=_share("images", "of_images"))
        .pivot("match", index=["question_no", "of_captions"], values=["captions", "share", "of_images"])
        .join(labels, on="question_no", maintain_order="left")
        .join(counts.images.select("question_no", shared_images="images"), on="question_no", how="left")
        .sort("question_no")
        .select(
            pl.col("side").alias("dataset"), "scope", pl.col("beside").alias("against"),
            captions="of_captions", exact="captions_exact", near="captions_near",
            share_exact="share_exact", share_near="share_near",
            share_of_images="of_images_any", shared_images="shared_images",
        )
    )  # fmt: skip
    shares = ("share_exact", "share_near", "share_of_images")
    made = [Table("duplicate captions", wide, shares, "dataset", name=AGAIN)]
    pairs = _slots(counts.slot_pairs, labels, "of_images")
    if pairs.height:
        shown = pairs.drop("against").rename({"of": "images"})
        made.append(_cut("duplicate slots", shown, "slots-alike"))
    slots = _slots(counts.slots, labels, "of_captions")
    if slots.height:
        made.append(_cut("duplicate captions by slot", slots.rename({"of": "captions"}), "slots-elsewhere"))
    return folded((*made, *_examples(counts, labels, examples)), AGAIN)


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
            listed = ", ".join(f"{label} {share:.1%}" for label, share in shares.rows())
            sentences.append(Sentence(f"{words}: {listed}."))
    return (*sentences, *(Sentence.of(finding) for finding in findings if finding.kind in (AT_SEVERAL, COPIED)))


def _found(matches: pl.DataFrame, statistic: str, column: str, of: str) -> pl.DataFrame:
    return matches.select(
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
    keys = [name for name in matches.columns if name not in _MATCHES.categories]
    return either.unpivot(["exact", "near", "any"], index=keys, variable_name="match", value_name="found")


def _wordless(counts: DuplicateCounts) -> pl.DataFrame:
    places = _places(counts.questions).unique("side_no", keep="first", maintain_order=True)
    matches = counts.sides.join(places, on="side_no", maintain_order="left").select(
        "dataset", "version", "split", statistic=pl.lit("captions-without-word"),
        value=_share("wordless", "captions"), found="wordless", n="captions",
    )  # fmt: skip
    empty = pl.DataFrame(schema=_ROW)
    return pl.concat([empty, matches.cast({"found": pl.Int64, "n": pl.Int64})], how="diagonal")


def _place_columns() -> list[str]:
    return ["dataset", "version", "split", "scope", "against", "against_version", "against_split"]


def _places(questions: Sequence[Question]) -> pl.DataFrame:
    """Return the two sides of each question, by name."""
    columns = ["question_no", "side_no", *_place_columns(), *_LABELS]
    named = [
        (
            question.number, question.side.number,
            question.side.selection.version.dataset, question.side.selection.version.version, question.side.split,
            question.scope,
            question.against.selection.version.dataset, question.against.selection.version.version,
            question.against.split,
            question.side.label, None if question.side == question.against else question.against.label,
        )
        for question in questions
    ]  # fmt: skip
    kinds = {"question_no": pl.UInt32, "side_no": pl.UInt32}
    return pl.DataFrame(named, schema={name: kinds.get(name, pl.String) for name in columns}, orient="row")


def _slots(matches: pl.DataFrame, labels: pl.DataFrame, of: str) -> pl.DataFrame:
    """Return the slots with their shares, the largest first."""
    return (
        matches.join(labels, on="question_no", maintain_order="left")
        .with_columns(share=_share(pl.col("exact") + pl.col("near"), of))
        .sort("share", "question_no", "slot", descending=[True, False, False], maintain_order=True)
        .select(
            pl.col("side").alias("dataset"), "slot", "scope", pl.col("beside").alias("against"),
            pl.col("^against_slot$"), pl.col(of).alias("of"), "exact", "near", "share",
        )
    )  # fmt: skip


def _cut(title: str, frame: pl.DataFrame, name: str) -> Table:
    hidden = frame.height - _SHOWN
    more = f"; {hidden:,} more: -o FILE writes all" if hidden > 0 else ""
    return Table(title, frame.head(_SHOWN), bars=("share",), caption=_SLOT + more, name=name)


def _examples(counts: DuplicateCounts, labels: pl.DataFrame, number: int) -> list[Table]:
    """Return tables of the longest duplicates, leaks first, each text once; two sides are compared in one order."""
    questions = {question.number: question for question in counts.questions}
    compared = {number: {question.side.number, question.against.number} for number, question in questions.items()}
    repeated = {
        number
        for number, sides in compared.items()
        if len(sides) > 1 and sides in [compared[earlier] for earlier in range(number)]
    }
    shown = counts.pairs.filter(pl.col("nth") <= number, ~pl.col("question_no").is_in(repeated))
    leaks = pl.col("question_no").is_in([number for number, question in questions.items() if question.is_leak])
    named = shown.join(labels, on="question_no", maintain_order="left").sort(~leaks, maintain_order=True)
    made = []
    for (question_no, scope, side, against), rows_of in named.group_by(
        ["question_no", "scope", *_LABELS], maintain_order=True
    ):
        where = f"{side} {scope}" if against is None else f"{side} in {against}"
        columns = ("match", "image", "slot", "text", "against_image", "against_slot", "against_text", "similarity")
        caption = "the longest captions, each text once; list all with --pairs"
        name = f"examples/{side}/{against or scope}"
        pair = ("text", "against_text")
        question = questions[int(str(question_no))]
        of = (question.side, "image"), (question.against, "against_image")
        images = tuple(
            image for owner, column in of for image in pictured(rows_of, owner.selection.version.dataset, column)
        )
        shown_rows = rows_of.select(columns)
        made.append(Table(f"examples: {where}", shown_rows, caption=caption, beside=pair, name=name, pictured=images))
    return made
