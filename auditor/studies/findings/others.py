"""Rank and combine the findings of other studies: leaks are compared with chance, and similar findings are merged."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.findings import KINDS, worst
from auditor.model import Selection
from auditor.result import Finding, Result, Severity, about
from auditor.scoring.single_captions import lacking
from auditor.store.captions import Captions
from auditor.studies.duplicates import COPIED, LEAK, TEST, TRAIN, examples_of
from auditor.studies.findings.questions import METRICS, Questions

#: The kinds of findings that are reported here, in addition to those of duplicates.
AT_SEVERAL, SWAPPED, _UPSIDE_DOWN = "captions-at-several-images", "swapped-captions", "bound-upside-down"

_UNLIKE, _SORTED, TEMPLATED = "unlike-slot", "sorted-captions", "templated-captions"

#: A leak exceeds the share expected by chance by so many standard errors and by so large a share. From the last share
#: on, it is an error.
_BEYOND, _MORE, _FLOOD = 3.0, 0.002, 0.05

#: Fewest test captions for a judgment, and what is reported if their share does not exceed the expected one.
_FEWEST = 200
_AS_BY_CHANCE = ("That is not more than chance", "These captions are too few to compare with chance")

#: Captions of the same image are no more similar if they score higher by at most this share. Fewest captions for this.
_HARDLY, _LEAST = 0.1, 40

#: Matches of an image's captions are correlated: the variance of a share is so many times that of independent captions.
_CLUSTERED = 2.0

#: Shares of captions that also occur at another image. Flickr8k has 1.4%, half of COCO 2.8%.
_COMMON, _SOME = 0.2, 0.05

#: Kinds that a study may report several times, with the sentence that merges them.
_TOGETHER = {
    COPIED: "{label}: {n} pairs of slots are identical or nearly identical for 10% of images or more, most often slots"
    " {slot} and {against_slot} ({share:.1%}). One may be a copy of the other",
    _UNLIKE: "{label}: slots differ in {n} ways; the largest: {strongest}",
}


def incomparable(captions: Captions) -> list[str]:
    """Return a note if no image has two captions, so captions of one image cannot be compared."""
    why = lacking(captions)
    return [f"{captions.label}: skipped the search for swapped captions and the bounds: {why}"] if why else []


#: The other studies that are asked, in words. Bounds come first: outliers and templates read their counts.
STUDIES = ("Bounds", "Duplicates", "Outliers", "Templates")


def findings_of(
    questions: Questions, captions: Captions, wanted: Collection[str] = KINDS, begin: Callable[[], None] = lambda: None
) -> list[Finding]:
    """Return the findings of other studies on captions. A study that finds none of the kinds is not run."""
    selection, findings = captions.selection, list[Finding]()

    def answer(ask: Callable[[], Result | None], *kinds: str) -> Result | None:
        begin()
        return ask() if any(kind in wanted for kind in kinds) else None

    bounds = answer(lambda: questions.bounds(captions), _UPSIDE_DOWN)
    if duplicates := answer(questions.duplicates, LEAK, AT_SEVERAL, COPIED):
        findings += of_duplicates(selection, duplicates)
    if outliers := answer(lambda: questions.outliers(captions), SWAPPED):
        findings += [replace(finding, examples=_examples(outliers)) for finding in outliers.found(SWAPPED)]
    if templates := answer(lambda: questions.templates(captions), _UNLIKE, _SORTED, TEMPLATED):
        findings += [*_together(selection, templates, _UNLIKE), *templates.found(_SORTED)]
        findings += [_templated(finding) for finding in templates.found(TEMPLATED)]
    if bounds:
        findings += _upside_down(selection, bounds)
    return [finding for finding in findings if finding.kind in wanted]


def of_duplicates(selection: Selection, duplicates: Result) -> list[Finding]:
    """Return the findings on duplicates: leaks, captions at several images, slots that were copied."""
    leaks = [*_leaks(selection, duplicates), *_shared(selection, duplicates)]
    return [*leaks, *_elsewhere(selection, duplicates), *_together(selection, duplicates, COPIED)]


def _leaks(selection: Selection, duplicates: Result) -> list[Finding]:
    """Compare the share of test captions that occur in train with train captions that occur at other train images.

    If the images of test and train were sampled at random from the same source, the two shares would be equal.
    """
    counted = duplicates.frame.filter(pl.col("statistic") == "captions", pl.col("slot").is_null())
    own = selection.version.dataset
    leaks = counted.filter(dataset=own, scope="across-splits", split=TEST, against=own, against_split=TRAIN)
    if leaks.is_empty():
        return []
    shares, n = _by_match(leaks)
    known = [leak.values for leak in duplicates.found(LEAK) if leak.about.get("dataset") == own]
    expected = next((values for values in known if "train_captions" in values), None)
    if expected is None:
        return []
    usual = {
        match: float(expected.get(name) or 0)
        for match, name in (("exact", "exact_by_chance"), ("any", "share_by_chance"))
    }
    of = int(expected["train_captions"] or 0)
    beyond = {match: _is_beyond(shares[match], n, usual[match], of) for match in ("exact", "any")}
    excess = max(shares[match] - usual[match] for match in beyond) if any(beyond.values()) else 0.0
    exact, near = round(shares["exact"] * n), round((shares["any"] - shares["exact"]) * n)
    share_near, usual_near = shares["any"] - shares["exact"], usual["any"] - usual["exact"]
    sentence = (
        f"{own}: of {n:,} test captions, {exact:,} also occur in train ({shares['exact']:.1%}, expected by chance: "
        f"{usual['exact'] * n:,.0f} or {usual['exact']:.1%}), and {near:,} have a near-duplicate there "
        f"({share_near:.1%}, expected: {usual_near * n:,.0f} or {usual_near:.1%}). "
        + ("That is significantly more than chance" if any(beyond.values()) else _AS_BY_CHANCE[n < _FEWEST])
    )
    severity: Severity = "error" if excess >= _FLOOD else "warning" if any(beyond.values()) else "info"
    where = about(selection) | {"split": TEST, "against": TRAIN}
    values = {
        "exact": exact, "near": near, "share": shares["any"], "exact_by_chance": usual["exact"],
        "share_by_chance": usual["any"],
    }  # fmt: skip
    examples = _shown(duplicates, examples_of(f"{own}:{TEST}", f"{own}:{TRAIN}"))
    headline = f"{shares['any']:.1%} of test in train ({usual['any']:.1%} by chance)"
    return [Finding(LEAK, sentence, where, values, n, severity, examples, headline)]


def _shared(selection: Selection, duplicates: Result) -> list[Finding]:
    """Return the leaks from other datasets. If few captions are exact copies, short captions explain the matches."""
    own = selection.version.dataset
    findings = []
    for finding in duplicates.found(LEAK):
        exact = float(finding.values["exact"] or 0) / max(finding.n or 1, 1)
        if finding.about.get("dataset") == own and finding.about.get("against") != f"{own}:{TRAIN}":
            few = ". Few are exact copies: short captions of similar scenes match by chance"
            few = few if finding.values["share"] and exact < _FLOOD else ""
            severity: Severity = "error" if exact >= _FLOOD else "info"
            findings.append(replace(finding, sentence=finding.sentence + few, severity=severity))
    return findings


def _elsewhere(selection: Selection, duplicates: Result) -> list[Finding]:
    """Return how many captions also occur at another image."""
    rows = selection.rows_of(duplicates.frame).filter(
        pl.col("statistic") == "captions", pl.col("slot").is_null(), scope="across-images"
    )
    shares, n = _by_match(rows)
    if not n:
        return []
    examples = _shown(duplicates, examples_of(selection.label, "across-images"))
    return [at_several_images(selection, round(shares["exact"] * n), n, examples, shares["any"] - shares["exact"])]


def at_several_images(
    selection: Selection,
    exact: int,
    n: int,
    examples: tuple[dict[str, str | int | None], ...],
    share_near: float | None = None,
) -> Finding:
    """Return the finding on captions that occur at several images, with the share of near-duplicates if it is known."""
    share = exact / n
    severity: Severity = "warning" if share >= _COMMON else "notice" if share >= _SOME else "info"
    sentence = (
        f"{selection.label}: {exact:,} of {n:,} captions ({share:.1%}) occur at more than one image, case and "
        "punctuation aside"
    )
    if share_near:
        sentence += f". A further {share_near:.1%} have a near-duplicate at another image"
    values = {"captions": exact, "share": share} | ({} if share_near is None else {"look_alike": share_near})
    headline = f"{exact:,} of {n:,} captions"
    return Finding(AT_SEVERAL, sentence, about(selection), values, n, severity, examples, headline)


def _by_match(rows: pl.DataFrame) -> tuple[dict[str, float], int]:
    shares = {match: value or 0.0 for match, value in rows.select("match", "value").iter_rows()}
    return shares, int(rows["n"].max() or 0)  # type: ignore[arg-type]


def _is_beyond(share: float, n: int, usual: float, of: int) -> bool:
    pooled = (share * n + usual * of) / (n + of) if n + of else 0.0
    error = math.sqrt(_CLUSTERED * pooled * (1 - pooled) * (1 / max(n, 1) + 1 / max(of, 1)))
    return share - usual > max(_BEYOND * error, _MORE)


def _shown(duplicates: Result, name: str) -> tuple[dict[str, str | int | None], ...]:
    """Return the first pairs of a table of examples, if there is one of that name."""
    table = next((table for table in duplicates.tables if table.name == name), None)
    return () if table is None else tuple(_beside(row) for row in table.frame.head(3).iter_rows(named=True))


def _beside(row: Mapping[str, Any]) -> dict[str, str | int | None]:
    return {
        "image": row["image"], "slot": row["slot"], "text": row["text"], "why": str(row["match"]),
        "other_image": row["against_image"], "other_slot": row["against_slot"], "other_text": row["against_text"],
    }  # fmt: skip


def _together(selection: Selection, result: Result, kind: str) -> list[Finding]:
    """Merge several findings of a kind into one: the strongest, with the number of them."""
    several = [finding for finding in result.found(kind) if finding.about.get("dataset") == selection.version.dataset]
    if len(several) < 2:
        return several
    strength = "share" if kind == COPIED else "effect"
    first = max(several, key=lambda finding: abs(float(finding.values[strength] or 0)))
    known = {**first.about, **first.values, "n": len(several), "label": selection.label}
    known["strongest"] = first.sentence.removeprefix(f"{selection.label}: ")
    values = {**first.values, "findings": len(several)}
    return [replace(first, sentence=_TOGETHER[kind].format(**known), values=values, severity=worst(several) or "info")]


def _templated(finding: Finding) -> Finding:
    share = float(finding.values["share"] or 0)
    return replace(finding, severity="warning" if share >= _TEMPLATED else "notice" if share >= _FEW else "info")


#: Shares of captions made from templates. Human captions reach about 7% (Flickr8k), generated captions far more.
_TEMPLATED, _FEW = 0.3, 0.1


def misplaced(outliers: Result) -> pl.DataFrame:
    """Return the captions that appear to be at the wrong image; of swapped ones, both."""
    rows = outliers.frame.filter(pl.col("finding").is_in(["swapped", "elsewhere"]))
    texts = outliers.frame.select(other_image="image", other_slot="slot", other_text="text")
    why = pl.format("{} bits for {}", pl.coalesce("pair_evidence", "evidence").round(0).cast(pl.Int64), "other_image")
    return rows.join(texts, on=["other_image", "other_slot"], how="left", maintain_order="left").select(
        "finding", "image", "slot", "text", why.alias("why"), "other_image", "other_slot", "other_text"
    )


def _examples(outliers: Result) -> tuple[dict[str, str | int | None], ...]:
    """Return a few of them, one of each swapped pair."""
    rows = misplaced(outliers)
    shown = rows.filter((pl.col("finding") == "elsewhere") | (pl.col("image") < pl.col("other_image")))
    return tuple(shown.drop("finding").head(3).to_dicts())


def _upside_down(selection: Selection, bounds: Result) -> list[Finding]:
    """Return a finding if, by some metrics, captions score no higher against their image than against another."""
    means = (
        selection.rows_of(bounds.frame)
        .filter(pl.col("level") == "caption", pl.col("candidate").is_in(["human", "intra"]))
        .pivot("candidate", index="metric", values=["mean", "sd", "n"], aggregate_function="first")
    )
    if not {"mean_human", "mean_intra"} <= set(means.columns):
        return []
    rising = means.filter(pl.col("metric").is_in(METRICS))
    squares = (pl.col(f"sd_{who}") ** 2 / pl.col(f"n_{who}") for who in ("human", "intra"))
    error = sum(squares, start=pl.lit(0.0)).sqrt()
    ahead = pl.col("mean_human") - pl.col("mean_intra")
    below = rising.filter(
        ahead <= _BEYOND * error, ahead <= _HARDLY * pl.col("mean_human"), pl.col("n_human") >= _LEAST
    )
    if below.is_empty():
        return []
    means = below.select("metric", "mean_human", "mean_intra")
    compared = ", ".join(f"{metric} {human:.3f} vs {intra:.3f}" for metric, human, intra in means.rows())
    metric, human, intra = means.row(0)
    sentence = (
        f"{selection.label}: captions of the same image are not more similar than captions of different images"
        f" ({compared})"
    )
    values, headline, n = {"human": human, "intra": intra}, f"{human:.3f} vs {intra:.3f}", below["n_human"][0]
    return [Finding(_UPSIDE_DOWN, sentence, about(selection, metric=metric), values, n, "error", headline=headline)]
