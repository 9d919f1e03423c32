"""The summary of a report: the answer, the worst findings, each dataset at a glance, and what was not checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import polars as pl

from auditor.called import call
from auditor.findings import tally
from auditor.findings.wording import advice, kind_for, worded
from auditor.model import Selection
from auditor.result import SEVERITIES, Finding, Result, Table, digits, interval, joined, program
from auditor.result.document import BIBTEX, PLACED, RAW_PLACED, Portrait, Section
from auditor.scoring.citations import entries
from auditor.scoring.registry import requests
from auditor.scoring.single_captions import lacking
from auditor.statistics.sameness import SAMENESS
from auditor.store import versions
from auditor.store.versions import language
from auditor.studies import profile as profile_study
from auditor.studies.findings import LENGTHS, SPLITS
from auditor.studies.report.request import ReportContext

#: Most cards in the summary, and fewest: notices are added if there are fewer errors and warnings.
_CARDS, _AT_LEAST = 6, 3

_BAD = ("error", "warning")

#: Sameness of human captions of 11 words, by `auditor diversity -s sameness` with tokenizer bare.
_USUAL = "Human captions of Flickr8k, Flickr30k and COCO have 0.15; longer captions have more."

_NOTHING = "No problems found."

_MILD = "No errors or warnings. Notices:"

_NOT_LOOKED = "The report was written without findings. Run `auditor findings DATASET`."


def cards(selections: Sequence[Selection], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Choose the findings of the summary: errors and warnings of each dataset in turn, and notices if these are few.

    Findings on all datasets together come before those on one. Each kind appears once per dataset, with its worst
    finding. Each kind of notice appears once, the largest share first.
    """
    by_dataset = []
    for name in dict.fromkeys([None, *(selection.version.dataset for selection in selections)]):
        worst = {finding.kind: finding for finding in reversed(findings) if finding.about.get("dataset") == name}
        shown = [finding for finding in findings if finding.severity != "info" and worst.get(finding.kind) is finding]
        by_dataset.append(shown)
    in_turn = [finding for turn in itertools.zip_longest(*by_dataset) for finding in turn if finding is not None]
    bad = [finding for finding in in_turn if finding.severity in _BAD][:_CARDS]
    notices = sorted((finding for finding in in_turn if finding.severity not in _BAD), key=_share, reverse=True)
    kinds = dict.fromkeys(notice.kind for notice in notices)
    rest = [next(notice for notice in notices if notice.kind == kind) for kind in kinds][: max(0, _AT_LEAST - len(bad))]
    return tuple(sorted([*bad, *rest], key=lambda finding: SEVERITIES.index(finding.severity)))


def _share(finding: Finding) -> float:
    """Return the share that a finding affects: its first number, divided by its `n` if it is a count."""
    first = next(iter(finding.values.values()), None)
    if not isinstance(first, float | int):
        return 0.0
    return first / finding.n if first >= 1 and finding.n else min(first, 1.0)


def portraits(context: ReportContext, profiled: Result) -> tuple[Portrait, ...]:
    """Return an overview of each dataset. `profiled` is the result of `profile`."""
    (lengths,) = (figure.frame for figure in profiled.figures if figure.name == profile_study.LENGTHS)
    likeness = _homogeneity(context)
    return tuple(_portrait(context, selection, profiled, lengths, likeness) for selection in context.selections)


def _portrait(
    context: ReportContext,
    selection: Selection,
    profiled: Result,
    lengths: pl.DataFrame,
    likeness: pl.DataFrame,
) -> Portrait:
    value = dict(selection.rows_of(profiled.frame).select("statistic", "value").iter_rows())
    described = versions.images(context.store, selection)
    splits = described.group_by("split").agg(images=pl.len()).sort("split", nulls_last=True)
    row = next(selection.rows_of(likeness).iter_rows(named=True), None) if likeness.height else None
    return Portrait(
        selection.label,
        round(value["images"]),
        round(value["captions"]),
        described.select(pl.col("captions").min(), most=pl.col("captions").max()).row(0),
        round(value["captions"] - value["captions-repeated-within-image"]),
        value["asl"],
        tuple((name or "in none", int(images)) for name, images in splits.iter_rows() if splits["split"].count()),
        tuple(lengths.filter(dataset=selection.label).select("length", "captions").iter_rows()),
        *((row["value"], row["low"], row["high"], row["metric"]) if row else ()),
    )


def portrait_of_shards(selection: Selection, rows: pl.DataFrame) -> Portrait:
    """Return an overview of the captions of shards from the `rows` of their summary."""
    value = dict(rows.filter(command="profile").select("statistic", "value").drop_nulls().iter_rows())
    splits = rows.filter(statistic=SPLITS).select("scope", "number")
    return Portrait(
        selection.label, selection.version.images, selection.version.captions,
        (round(value["captions-per-image-min"]), round(value["captions-per-image-max"])),
        round(value["captions"] - value["captions-repeated-within-image"]), value["asl"],
        tuple((name or "in none", images) for name, images in splits.iter_rows() if splits["scope"].count()),
        tuple(rows.filter(statistic=LENGTHS).select("position", "number").iter_rows()),
    )  # fmt: skip


def answer_on_shards(result: Result) -> tuple[str, ...]:
    """Answer in sentences: what is wrong with the captions of shards, how many, how similar, how many repeated."""
    (selection,), findings, rows = result.selections, result.findings, result.frame
    bad = [finding for finding in findings if finding.severity in _BAD]
    alike = rows.filter(statistic=SAMENESS)["value"].drop_nulls()
    repeated = rows.filter(pl.col("n") > 0, command="duplicates", statistic="captions", match="exact")
    return (
        wrong(selection, bad),
        *result.lead[:-1],
        *(f"Captions of different images share {value:.2f} of their words (sameness). {_USUAL}" for value in alike),
        *(
            f"{number:,} of {n:,} captions ({number / n:.2%}) repeat another {_SCOPES[scope]}."
            for scope, number, n in repeated.select("scope", "number", "n").rows()
        ),
    )


_SCOPES = {"within-image": "of their image", "across-images": "at another image"}


def _homogeneity(context: ReportContext) -> pl.DataFrame:
    """Return the homogeneity by the last metric, if a section compares the datasets."""
    if "compare" not in context.results:
        return pl.DataFrame()
    every = context.results["compare"].frame.filter(pl.col("statistic") == "homogeneity")
    rows = every.filter(pl.col("against").is_null()) if "against" in every.columns else every
    if "variant" in rows.columns and rows.height:
        rows = rows.filter(variant=rows["variant"][-1])
    return rows.filter(pl.col("metric") == rows["metric"][-1]) if rows.height else rows


def unchecked(built: Sequence[Section]) -> tuple[Table, ...]:
    """Return the table of checks that could not run, and what would let them run."""
    titles: dict[str, list[str]] = {}
    for section in built:
        title = section.title if section.absent else f"{section.title} (in part)"
        for why in [section.absent] if section.absent else section.unchecked:
            titles.setdefault(why, []).append(title)
    frame = pl.DataFrame({"not checked": [", ".join(names) for names in titles.values()], "because": [*titles]})
    return (Table("Not checked, because", frame, name="unchecked", sentences=("because",)),) if titles else ()


def answered(context: ReportContext, shown: Sequence[Finding], *, looked: bool) -> tuple[str, ...]:
    """Answer in sentences: of several datasets how they compare, of a single one what is wrong and how it compares."""
    compared = context.results.get("compare")
    said = list(compared.lead) if compared else []
    errors = [finding for finding in shown if finding.severity == "error"]
    if len(context.selections) > 1 and errors:
        said.insert(next((place for place, words in enumerate(said) if words.startswith("Next: ")), len(said)), (
            f"Wrong: {errors[0].sentence}."
        ))  # fmt: skip
    if len(context.selections) == 1:
        (selection,) = context.selections
        tested = context.results.get(f"choices {selection.pinned_name}")
        if selection.version.kind == "choices":
            said += tested.lead if tested else ()
        elif not context.scored and context.alone:
            same = [f"{words.partition(': ')[2]} {_USUAL}" for words in sameness_of(context, selection)]
            said += [
                f"Homogeneity: {''.join(same) or 'not measured, since it needs two captions per image.'}",
                "Metrics: BLEU, ROUGE, METEOR and CIDEr need two captions per image, so their agreement is unknown.",
            ]
        bad = [finding for finding in shown if finding.severity in _BAD]
        if looked:
            said.insert(0, wrong(selection, bad))
            fix = advice(bad[0], selection.label) if bad else ""
            said += [f"Next: {fix or 'nothing must be repaired. Add a second dataset to compare.'}"]
    return tuple(worded(sentence, context.item) for sentence in said)


def wrong(selection: Selection, bad: Sequence[Finding]) -> str:
    """Answer what is wrong: the errors and warnings."""
    if not bad:
        return f"No errors or warnings were found in {selection.label}."
    worst = [finding for finding in bad if finding.severity == bad[0].severity][:_AT_LEAST]
    titles = [kind_for(finding).title for finding in worst]
    small = [title if title[1:2].isupper() else title[:1].lower() + title[1:] for title in titles]
    named = ", ".join(f"{title}: {_affected(finding)}" for title, finding in zip(small, worst, strict=True))
    first, *rest = tally(bad).split(", ")
    return f"{selection.label} has {joined([f'{first} ({named})', *rest])}."


def _affected(finding: Finding) -> str:
    """Write the share of captions that a finding affects, or else its main number."""
    part, main = finding.values.get("share"), finding.headline
    return main if "%" in main or not isinstance(part, float) or part < 0.01 else f"{part:.0%}"


def summary(
    answer: Sequence[str],
    shown: Sequence[Finding],
    drawn: Sequence[Portrait],
    compared: Result | None,
    lacking: tuple[Table, ...],
    *,
    looked: bool,
) -> Section:
    """Return the summary as sentences and tables; pages show cards and portraits. `looked`: were findings computed?

    The sentences of `answer` come first, then the datasets placed by each metric.
    """
    placed = [table for table in compared.tables if table.name in (*PLACED, RAW_PLACED)] if compared else []
    rows = [
        (
            portrait.label, portrait.images, portrait.captions, portrait.distinct, portrait.length,
            " ".join(f"{name}: {images:,}" for name, images in portrait.splits),
            portrait.homogeneity, portrait.low, portrait.high,
        )
        for portrait in drawn
    ]  # fmt: skip
    columns = ["dataset", "images", "captions", "different", "words", "images by split", "homogeneity", "low", "high"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    kept = [column for column in frame.get_columns() if column.null_count() < frame.height or not frame.height]
    caption = "different: captions that don't repeat another of their image; words: mean tokens per caption"
    return Section(
        "summary",
        "Summary",
        (*answer, *(f"{finding.severity}: {finding.sentence}." for finding in shown)),
        tables=(
            *placed,
            Table("datasets", frame.select(kept), caption=caption, digits=(("words", 1),), name="datasets"),
            *lacking,
        ),
        absent=_verdict(shown, looked=looked),
    )


def _verdict(shown: Sequence[Finding], *, looked: bool) -> str | None:
    if not shown:
        return _NOTHING if looked else _NOT_LOOKED
    return None if any(finding.severity in _BAD for finding in shown) else _MILD


def cited(context: ReportContext) -> tuple[Table, ...]:
    """Return how to cite the main number of each dataset, with version and signature, and the BibTeX of its sources."""
    rows = _homogeneity(context)
    texts = [
        (
            row["dataset"],
            f"homogeneity (intra / upper, {row['metric']}) {digits(row['value'])}"
            f"{interval(row['low'], row['high'], row['confidence'])}; {row['dataset']}@{row['version'][:12]}"
            f"{':' + row['split'] if row['split'] else ''}; {row['signature']}; {program()}",
        )
        for row in rows.iter_rows(named=True)
    ]
    named = entries(request.metric for request in (requests(context.settings.metrics) if context.scored else ()))
    numbers = pl.DataFrame(texts, schema=["dataset", "text"], orient="row")
    bibtex = pl.DataFrame({"of": [", ".join(names) for names in named.values()], "bibtex": [*named]})
    return (
        *([Table("How to cite these numbers", numbers, name="citation")] if texts else []),
        Table("BibTeX of the program and of the metrics", bibtex, name=BIBTEX),
    )


#: CLIP reads 77 tokens, two of them markers. English captions have 1.06 to 1.19 tokens of CLIP per word of tokenizer
#: bare, 1.15 if they are long; with it, the share over the limit is within 1.5 points for 13 sets of captions.
_LIMIT, _MARKERS, _TOKENS_PER_WORD = 77, 2, 1.15

_WORDS = int((_LIMIT - _MARKERS) / _TOKENS_PER_WORD)

#: The tokenizer for which the estimate holds.
_ESTIMATED_BY = "bare"

_AT_SEVERAL, _OTHER_LANGUAGE = "captions-at-several-images", ("other-language", "other-script")


def section_of_single(context: ReportContext, findings: Sequence[Finding]) -> Section | None:
    """Return the section on the datasets with one caption per image; null if there is none."""
    single = [
        captions.selection
        for captions in context.every
        if captions.selection.version.kind in ("captions", "candidates") and lacking(captions)
    ]
    if not single:
        return None
    words = [sentence for selection in single for sentence in _sentences(context, selection, findings)]
    refs = [selection.pinned_name for selection in single]
    words.append(
        "Agreement is between annotators of one image, so it cannot be measured here. `auditor bounds` scores captions "
        "of other images (intra), and `auditor compare` ranks such datasets by sameness."
    )
    commands = (call("diversity", *refs, statistics=[SAMENESS], tokenizer=context.tokenizer),)
    words = [worded(sentence, context.item) for sentence in words]
    title = worded("One caption per image", context.item)
    return Section("single", title, tuple(words), commands=commands, sql=(SAMENESS,))


def _sentences(context: ReportContext, selection: Selection, findings: Sequence[Finding]) -> Iterator[str]:
    label = selection.label
    own = [finding for finding in findings if finding.about.get("dataset") == selection.version.dataset]
    yield from _lengths(context, label)
    templates = context.results.get(f"templates {label}")
    yield from templates.lead if templates else ()
    other = sum(int(next(iter(one.values.values()), 0) or 0) for one in own if one.kind in _OTHER_LANGUAGE)
    found = f"{other:,} captions appear to be in another" if other else "no caption was found in another"
    yield f"{label}: language {language(context.store, selection.version.dataset)}; {found} language or script."
    yield from (f"{finding.sentence}." for finding in own if finding.kind == _AT_SEVERAL)
    yield from sameness_of(context, selection)


def sameness_of(context: ReportContext, selection: Selection) -> Iterator[str]:
    """Yield the sameness of a dataset, if a section measured it."""
    if "diversity" in context.results:
        rows = selection.rows_of(context.results["diversity"].frame).filter(statistic=SAMENESS).drop_nulls("value")
        for row in rows.iter_rows(named=True):
            between = interval(row["low"], row["high"], 0.95)
            yield (
                f"{selection.label}: sameness {row['value']:.3f}{between}: the share of words that captions of "
                "different images have in common."
            )


def _lengths(context: ReportContext, label: str) -> Iterator[str]:
    """Yield the distribution of lengths, and the estimated share of captions that CLIP truncates."""
    (counts,) = (figure.frame for figure in context.profiled().figures if figure.name == profile_study.LENGTHS)
    lengths = counts.filter(dataset=label).sort("length")
    reached = lengths["captions"].cum_sum() / lengths["captions"].sum()
    low, middle, high = (lengths.filter(reached >= share)["length"][0] for share in (0.05, 0.5, 0.95))
    by_words = context.settings.tokenizer == _ESTIMATED_BY
    unit = "words" if by_words else "tokens"
    yield f"{label}: captions have {middle:,} {unit} in the median, and {low:,} to {high:,} in 90% of cases."
    if by_words:
        longer = pl.col("captions").filter(pl.col("length") > _WORDS).sum() / pl.col("captions").sum()
        over = lengths.select(longer).item()
        yield (
            f"{label}: an estimated {over:.1%} of captions exceed the {_LIMIT} tokens that CLIP reads: those of more "
            f"than {_WORDS} words, at {_TOKENS_PER_WORD} tokens per word."
        )
