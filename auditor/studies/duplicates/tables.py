"""Duplicates as flat rows, as tables, and in words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import pictured
from auditor.result import Finding, Said, Table, about, folded
from auditor.studies.duplicates.search import DuplicateCounts, Question, Search, Side

_SHOWN = 10

#: From this share of images, and so many of them, on two slots that say the same deserve a word.
_COPIED = 0.1

_COPIES = 20

#: The kinds of findings on captions of a test split that also occur in train, and on slots that say the same.
LEAK, COPIED = "near-duplicate-across-splits", "copied-slots"

#: The name of the table of shares.
AGAIN = "repeated-captions"

_LEAD = {
    "within-image": "Captions that say the same as another of their image, exactly or nearly",
    "across-images": "Captions that occur again at another image, exactly or nearly",
}

_SLOT = "a slot is a caption's position among those of its image, an annotator's where the source keeps them in order"

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
    """Return a row for each share: `found` of `n`; `texts` is how many different ones the captions found are."""
    counted = [
        _found(counts.matches, "captions", "captions", "of_captions"),
        _found(counts.matches.drop("texts"), "images", "images", "of_images"),
        _found(counts.images, "shared-images", "images", "of_images"),
        _found(_by_match(counts.slots), "captions", "found", "of_captions"),
        _found(_by_match(counts.slot_pairs), "images", "found", "of_images"),
    ]
    empty = pl.DataFrame(schema={name: kind for name, kind in _ROW.items() if name not in _place_columns()})
    shares = (
        pl.concat([empty, *counted], how="diagonal_relaxed")
        .join(_places(counts.questions), on="question_no", maintain_order="left")
        .sort("question_no", "slot", "against_slot", pl.col("match").cast(_MATCHES), maintain_order=True)
        .select(pl.col(name).cast(kind) for name, kind in _ROW.items())
    )
    return pl.concat([_wordless(counts), shares])


def pair_rows(counts: DuplicateCounts) -> pl.DataFrame:
    """Return a row for each caption that occurs again, beside the place that is most like it."""
    before, after = ("dataset", "version", "split"), ("against", "against_version", "against_split")
    named = counts.pairs.sort("question_no", "image", "slot").join(
        _places(counts.questions), on="question_no", how="left", maintain_order="left"
    )
    return named.select(
        *before, "image", "slot", "scope", *after, "against_image", "against_slot", "match", "similarity",
        "text", "against_text",
    )  # fmt: skip


def tables(counts: DuplicateCounts, examples: int) -> tuple[Table, ...]:
    """Show shares of captions and images, slots that repeat each other or another dataset, and examples."""
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
    made = [Table("captions that occur again", wide, shares, "dataset", name=AGAIN)]
    pairs = _slots(counts.slot_pairs, labels, "of_images")
    if pairs.height:
        shown = pairs.drop("against").rename({"of": "images"})
        made.append(_cut("slots that say the same of an image", shown, "slots-alike"))
    slots = _slots(counts.slots, labels, "of_captions")
    if slots.height:
        made.append(_cut("slots whose captions occur elsewhere", slots.rename({"of": "captions"}), "slots-elsewhere"))
    leaking = {
        examples_of(question.side.label, question.against.label) for question in counts.questions if question.is_leak
    }
    listed = sorted(_examples(counts, labels, examples), key=lambda table: table.name not in leaking)
    return folded((*made, *listed), AGAIN)


def lead(shown: Sequence[Table], found: Sequence[Finding]) -> tuple[str, ...]:
    """Return what leaks, the largest share first, then which share of the captions of each dataset occurs again."""
    leaks = [finding for finding in found if finding.kind == LEAK and finding.n and finding.values["share"]]
    leaks.sort(key=lambda one: -float(one.values["share"] or 0))
    again = next(table.frame for table in shown if table.name == AGAIN)
    either = (pl.col("exact").fill_null(0) + pl.col("near").fill_null(0)) / pl.col("captions")
    led = [f"Leakage: {leak.sentence}." for leak in leaks]
    for scope, words in _LEAD.items():
        shares = again.filter(pl.col("scope") == scope, pl.col("captions") > 0).select("dataset", share=either)
        if shares.height:
            led.append(f"{words}: {'; '.join(f'{label} {share:.1%}' for label, share in shares.rows())}.")
    return (*led, *(f"{finding.sentence}." for finding in found if finding.kind == COPIED))


def said(counts: DuplicateCounts, search: Search) -> tuple[Said, ...]:
    """Return what was compared, what leaks, which slots look copied, and what could not be searched."""
    told: list[Said] = [
        f"exact: the same tokens (tokenizer {search.tokenizer}), whatever the case, punctuation and blanks; near:"
        f" not exact, and of the words of both together {search.near:.1%} or more are in both, in any order".replace(
            ".0%", "%"
        )
    ]
    questions = {question.number: question for question in counts.questions}
    leaks = counts.matches.pivot("match", index=["question_no", "of_captions"], values="captions", maintain_order=True)
    for number, of_captions, exact, near, either in leaks.iter_rows():
        question = questions[number]
        if question.is_leak and of_captions:
            told.append(
                Finding(
                    LEAK,
                    f"{either / of_captions:.1%} of the {of_captions:,} captions of {question.side.label} also occur in"
                    f" {question.against.label}, {exact:,} of them exactly, {near:,} nearly",
                    _about(question.side, label=question.side.label, against=question.against.label),
                    {"exact": exact, "near": near, "share": either / of_captions},
                    of_captions,
                    "warning" if either else "info",
                    headline=f"{either / of_captions:.1%} of {of_captions:,} captions",
                )
            )
    together = pl.col("exact") + pl.col("near")
    by_share = counts.slot_pairs.with_columns(share=_share(together, "of_images"))
    copied = by_share.filter(pl.col("share") >= _COPIED, together >= _COPIES)
    columns = ("question_no", "slot", "against_slot", "exact", "near", "of_images", "share")
    for number, slot, against, exact, near, of_images, share in copied.select(columns).iter_rows():
        side = questions[number].side
        told.append(
            Finding(
                COPIED,
                f"{side.label}: slots {slot} and {against} say the same, or nearly, of {share:.1%} of their images: did"
                " one copy the other?",
                _about(side, slot=slot, against_slot=against),
                {"exact": exact, "near": near, "share": share},
                of_images,
                "warning",
                headline=f"{share:.1%} of images",
            )
        )
    sides = {question.side.number: question.side for question in counts.questions}
    return (*told, *(limit for row in counts.sides.iter_rows(named=True) for limit in _limits(sides, row)))


def _limits(sides: dict[int, Side], row: dict[str, int]) -> list[Finding]:
    """Return what a selection is too small for, and which of its captions could not be compared."""
    side = sides[row["side_no"]]
    findings = []

    def add(kind: str, sentence: str, **values: int) -> None:
        findings.append(
            Finding(kind, f"{side.label}: {sentence}", _about(side), dict(values), row["captions"], "notice")
        )

    if row["wordless"]:
        told = f"captions without a word, and so not compared: {row['wordless']:,}"
        add("captions-without-word", told, captions=row["wordless"])
    if row["most_at_image"] < 2:
        add("one-caption-per-image", "one caption an image, so that none can occur twice within it")
    if row["images"] < 2:
        add("one-image", "one image, so that no caption can occur again at another")
    whole = side.selection.split is None
    if whole and sum(other.selection_no == side.selection_no for other in sides.values()) < 3:
        add("no-splits", "no two splits are known, so that leaks from one into another cannot be looked for")
    return findings


def _about(side: Side, **further: str | int) -> dict[str, str | int | None]:
    return about(side.selection) | {"split": side.split} | further


def _found(counted: pl.DataFrame, statistic: str, column: str, of: str) -> pl.DataFrame:
    return counted.select(
        pl.col("^(question_no|slot|against_slot|match|texts)$"),
        statistic=pl.lit(statistic),
        value=_share(column, of),
        found=pl.col(column),
        n=pl.col(of),
    )


def _share(column: str | pl.Expr, of: str) -> pl.Expr:
    """Divide; null where there is nothing to have a share of."""
    count = pl.col(column) if isinstance(column, str) else column
    return pl.when(pl.col(of) > 0).then(count / pl.col(of))


def _by_match(counted: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each kind of match in place of columns `exact` and `near`."""
    either = counted.with_columns(any=pl.col("exact") + pl.col("near"))
    keys = [name for name in counted.columns if name not in _MATCHES.categories]
    return either.unpivot(["exact", "near", "any"], index=keys, variable_name="match", value_name="found")


def _wordless(counts: DuplicateCounts) -> pl.DataFrame:
    places = _places(counts.questions).unique("side_no", keep="first", maintain_order=True)
    counted = counts.sides.join(places, on="side_no", maintain_order="left").select(
        "dataset", "version", "split", statistic=pl.lit("captions-without-word"),
        value=_share("wordless", "captions"), found="wordless", n="captions",
    )  # fmt: skip
    empty = pl.DataFrame(schema=_ROW)
    return pl.concat([empty, counted.cast({"found": pl.Int64, "n": pl.Int64})], how="diagonal")


def _place_columns() -> list[str]:
    return ["dataset", "version", "split", "scope", "against", "against_version", "against_split"]


def _places(questions: Sequence[Question]) -> pl.DataFrame:
    """Name what each question is about."""
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


def _slots(counted: pl.DataFrame, labels: pl.DataFrame, of: str) -> pl.DataFrame:
    """Put the slots that repeat most first."""
    return (
        counted.join(labels, on="question_no", maintain_order="left")
        .with_columns(share=_share(pl.col("exact") + pl.col("near"), of))
        .sort("share", "question_no", "slot", descending=[True, False, False], maintain_order=True)
        .select(
            pl.col("side").alias("dataset"), "slot", "scope", pl.col("beside").alias("against"),
            pl.col("^against_slot$"), pl.col(of).alias("of"), "exact", "near", "share",
        )
    )  # fmt: skip


def _cut(title: str, frame: pl.DataFrame, name: str) -> Table:
    hidden = frame.height - _SHOWN
    more = f"; {hidden:,} more: -o FILE has them all" if hidden > 0 else ""
    return Table(title, frame.head(_SHOWN), bars=("share",), caption=_SLOT + more, name=name)


def examples_of(side: str, against: str) -> str:
    """Name the table of examples of a side, by its label, beside what it was put against, a label or a scope."""
    return f"examples/{side}/{against}"


def _examples(counts: DuplicateCounts, labels: pl.DataFrame, number: int) -> list[Table]:
    """Show the longest captions that occur again, each text once; of two sides in one order only."""
    questions = {question.number: question for question in counts.questions}
    asked = {number: {question.side.number, question.against.number} for number, question in questions.items()}
    repeated = {
        number for number, sides in asked.items() if len(sides) > 1 and sides in [asked[n] for n in range(number)]
    }
    shown = counts.pairs.filter(pl.col("nth") <= number, ~pl.col("question_no").is_in(repeated))
    named = shown.join(labels, on="question_no", maintain_order="left")
    made = []
    for (asked_as, scope, side, beside), some in named.group_by(
        ["question_no", "scope", *_LABELS], maintain_order=True
    ):
        where = f"{side} {scope}" if beside is None else f"{side} in {beside}"
        columns = ("match", "image", "slot", "text", "against_image", "against_slot", "against_text", "similarity")
        caption = "the longest, each text once; --pairs gives all"
        name = examples_of(str(side), str(beside or scope))
        pair = ("text", "against_text")
        question = questions[int(str(asked_as))]
        of = (question.side, "image"), (question.against, "against_image")
        images = tuple(one for whose, column in of for one in pictured(some, whose.selection.version.dataset, column))
        made.append(
            Table(f"examples: {where}", some.select(columns), caption=caption, beside=pair, name=name, pictured=images)
        )
    return made
