"""What matters in a dataset with one caption per image: lengths, openings, language, duplicates, sameness.

Scores need several captions per image, so the usual sections have little to report. The sentences repeat what the
studies of the other sections found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.findings.wording import worded
from auditor.model import Selection
from auditor.result import Finding, interval
from auditor.result.document import Section
from auditor.scoring.single_captions import lacking
from auditor.statistics.sameness import SAMENESS
from auditor.store.versions import language
from auditor.studies import profile as profile_study
from auditor.studies.report.request import ReportContext

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
    commands = (context.command("diversity", f"-s {SAMENESS}", *context.tokenizer(), refs=refs),)
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
