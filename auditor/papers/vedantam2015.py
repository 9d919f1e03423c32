"""Recompute the figures of Vedantam, Zitnick & Parikh 2015 on their datasets in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities
from auditor.papers.measured import Measured
from auditor.papers.runs import cells, declared, installed, not_installed, of_metrics
from auditor.papers.vedantam2015_truths import tables, two_truths
from auditor.result import Table
from auditor.scoring.references import references_of
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import images, log, resolve, resolve_all
from auditor.studies.consensus import ConsensusSettings, consensus, consensus_rows, pair_votes, with_kinds

__all__ = ["measure", "of_metrics"]

_PROFILE = "bare"

_TRIPLETS, _BETTER, _RATED = "pascal50s-triplets", "pascal50s-pairs", "flickr8k-ek"

_CIDER = "cider:stem=true"

#: Tables of each source that are shown.
_SHOWN = ("agreement-with-people", "accuracy-by-references", "ceiling", "league")

_MOST = 48

#: The number of references for machine captions in section 7.3.
_RANKED_BY = 20

#: The pilot's pairs are those of the images with the most references (section 7.1).
_PILOT = "pascal50s-pilot"

_OF_PILOT = ConsensusSettings(most=100, at=(1, 5, 10, 50), draws=3, ties="wrong", resamples=0, tokenizer=_PROFILE)

_NOT_PUBLIC = {
    "pascal50s-ranking": "the 1,000 pairs of 100 images by all five systems are not public, nor their triplets",
}


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure accuracies, ceilings, league tables and correlations of the paper's datasets in the store."""
    measured, results = declared(store, paper, seed, progress)
    missing, metrics = {**measured.lacking}, installed(paper.runs["pairs"])
    quantities = {**measured.quantities}
    signatures: dict[str, str] = {}
    shown: list[Table] = []
    for result in results["pairs"]:
        name = result.selections[0].version.dataset
        quantities.update(_ceilings(name, result.frame))
        quantities.update(_league(name, result.frame, _MOST))
        quantities.update(_pairs(store, name))
        signatures.update(result.signatures)
        shown += [replace(table, name=f"{name}/{table.name}") for table in result.tables if table.name in _SHOWN]
    missing.pop(_PILOT)
    if _TRIPLETS in missing:
        missing[_PILOT] = missing[_TRIPLETS]
    else:
        quantities.update(_pilot(store, paper, seed, metrics, progress))
    if not {_TRIPLETS, _BETTER} & {*missing}:
        twenty = ConsensusSettings(most=_RANKED_BY, seed=seed, resamples=0, tokenizer=_PROFILE)
        truths = two_truths(store, (_TRIPLETS, _BETTER), [_CIDER], twenty, progress)
        if truths is not None:
            ranked = consensus_rows(truths.part, ConsensusSettings(tokenizer=_PROFILE))
            quantities.update(_league(_TRIPLETS, ranked, _RANKED_BY))
            for kind, value in truths.shared.agreement.select("kind", "value").iter_rows():
                quantities[_BETTER, "", kind, "", "differing"] = 1 - value
            shown += tables(truths)
    for result in results["ratings"]:
        signatures |= {f"{_RATED}: {label}": text for label, text in result.signatures.items()}
    for result in results["ranking"]:
        for metric, rho in result.table("first-captions").frame.select("metric", "length_rho").iter_rows():
            quantities["pascal50s", metric, "", "", "spearman-length"] = rho
    return replace(
        measured,
        quantities=quantities,
        lacking={**missing, **_NOT_PUBLIC},
        selections=resolve_all(store, [name for name in paper.datasets if log(store, name) and name not in missing]),
        signatures=signatures,
        tables=tuple(shown),
        notes=tuple(not_installed(paper.runs["pairs"])),
    )


def _pairs(store: Store, name: str) -> Quantities:
    captions = Captions(store, resolve(store, name), _PROFILE)
    references, _ = references_of(captions)
    pairs_of_source = with_kinds(pair_votes(captions), references).rows
    yield (name, "", "all", "", "pairs"), float(pairs_of_source.height)
    for kind, pairs in pairs_of_source["kind"].drop_nulls().value_counts().iter_rows():
        yield (name, "", kind, "", "pairs"), float(pairs)


def _pilot(store: Store, paper: Paper, seed: int, metrics: Sequence[str], progress: Progress) -> Quantities:
    """Measure how accuracy grows with references on the pairs of the pilot."""
    if not (images(store, resolve(store, paper.needs[_TRIPLETS]))["captions"] >= (_OF_PILOT.most or 0)).any():
        return
    unigram = [name for name in metrics if name.startswith(("rouge-1", "bleu-1"))]
    settings = replace(_OF_PILOT, seed=seed)
    frame = consensus(store, _TRIPLETS, metrics=unigram, settings=settings, progress=progress).frame
    yield (_PILOT, "", "all", "", "pairs"), float(frame["n"].max())  # type: ignore[arg-type]
    yield from cells(paper.runs["pairs"], frame.with_columns(dataset=pl.lit(_PILOT)))


def _ceilings(name: str, frame: pl.DataFrame) -> Quantities:
    rows = frame.filter(pl.col("statistic").is_in(["ceiling", "split-half"]), pl.col("kind") == "all")
    if "split-half" not in rows["statistic"]:
        return
    for metric, value in rows.select("metric", "value").iter_rows():
        yield (name, metric, "all", str(_MOST // 2), "split-half"), value


def _league(name: str, frame: pl.DataFrame, references: int) -> Quantities:
    """Compare the systems' shares of wins by human preference and by CIDEr, over pairs of two machine captions."""
    rows = frame.filter(pl.col("kind") == "MM")
    wins = rows.filter(pl.col("statistic") == "wins")
    ranked: Mapping[str, list[str]] = {
        judge: wins.filter(pl.col("metric") == judge).sort("value", descending=True)["system"].to_list()
        for judge in ("people", _CIDER)
    }
    for judge, system, value in wins.select("metric", "system", "value").iter_rows():
        yield (name, judge, system, str(references), "wins"), value
    people, cider = ranked.values()
    if not people:
        return
    pearson = rows.filter(pl.col("statistic") == "pearson", pl.col("metric") == _CIDER)["value"]
    for value in pearson:  # two systems have no correlation
        yield (name, _CIDER, "MM", str(references), "pearson"), value
    yield (name, _CIDER, "MM", str(references), "last-alike"), float(people[-1] == cider[-1])
    yield (name, _CIDER, "MM", str(references), "first-two-alike"), float(people[:2] == cider[:2])
