"""Recompute the figures of Vedantam, Zitnick & Parikh 2015 on their datasets in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor import parameters as p
from auditor.called import not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.papers.vedantam2015_truths import TwoTruths, tables, two_truths
from auditor.result import Table
from auditor.scoring.references import references_of
from auditor.scoring.registry import METRICS, lacking
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import images, log, resolve, resolve_all
from auditor.studies.agree import ALL, agree_with_ratings
from auditor.studies.consensus import ConsensusSettings, consensus, consensus_rows, pair_votes, with_kinds
from auditor.studies.probe import probe
from auditor.studies.profile import profile
from auditor.studies.score import score

_PROFILE = "bare"

_SENTENCES = ("pascal50s", "abstract50s")

_TRIPLETS = ("pascal50s-triplets", "abstract50s-pairs")

_BETTER = "pascal50s-pairs"

_RATED = "flickr8k-ek"

_REFERENCES_OF = {
    "pascal50s-triplets": "pascal50s", "abstract50s-pairs": "abstract50s", "pascal50s-pairs": "pascal50s",
    "flickr8k-ek": "flickr8k-ek-refs",
}  # fmt: skip

#: The metrics of Vedantam et al. 2015, appendix VII, by their equations: BLEU of stems (6-8; an order without a match
#: counts as 1e-15, so that the others still rank), ROUGE-N as recall of all references (9), ROUGE-L of stems with
#: beta 2 and the largest recall and precision each (10-12), ROUGE-S likewise (13-15, here with single words), METEOR
#: (16-20), CIDEr of stems (section 4) and CIDEr-D without stems (section 8). The appendix stems for all of them, but
#: ROUGE-1 without stems is closer to the printed figure (HC of ABSTRACT-50S .715: .708, with stems .739).
AS_PUBLISHED = (
    "bleu-1:smooth=coco,stem=true",
    "bleu-1:smooth=coco,bp=none,stem=true",
    "bleu-4:smooth=coco,stem=true",
    "rouge-1:measure=recall",
    "rouge-l:aggregate=coco,beta=2,stem=true",
    "rouge-su4:aggregate=coco,beta=2,stem=true",
    "meteor",
    "cider:stem=true",
    "cider-d",
)

#: The variants of CIDEr in appendix VIII, and CIDEr without stems as in its authors' program.
_VARIANTS = ("cider", "cider:stem=true,idf=none", "cider:stem=true,references=max")

_CIDER = "cider:stem=true"

_RANKING = ("rouge-1:measure=recall", "bleu-1:bp=none")

_GAMED = ("cider", "cider:stem=true", "cider-d")

_GAMES = ("repeated-word", "padding", "inflection")

#: Tables of each source that are shown.
_SHOWN = ("agreement-with-people", "accuracy-by-references", "ceiling", "league")

_NUMBERS = (1, 5, 10)

_MOST = 48

_DRAWS = 3

#: The number of references for machine captions in section 7.3.
_RANKED_BY = 20

#: The pilot's pairs are those of the images with the most references (section 7.1).
_PILOT = "pascal50s-pilot"

_PILOT_SETTINGS = (100, (1, 5, 10, 50))

_NOT_PUBLIC = {
    "pascal50s-ranking": "the 1,000 pairs of 100 images by all five systems are not public, nor their triplets",
}

_SETTINGS = ConsensusSettings(most=_MOST, at=_NUMBERS, draws=_DRAWS, ties="wrong", resamples=0, tokenizer=_PROFILE)


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure accuracies, ceilings, league tables and correlations of the paper's datasets in the store."""
    usable, missing = _usable(store, paper)
    metrics = [name for name in (*AS_PUBLISHED, *_VARIANTS) if lacking(METRICS[name.partition(":")[0]]) is None]
    settings = replace(_SETTINGS, seed=seed)
    quantities: dict[Quantity, float] = dict(_sizes(store, [name for name in _SENTENCES if name in usable]))
    signatures: dict[str, str] = {}
    shown: list[Table] = []
    for name in (*_TRIPLETS, _BETTER):
        if name in usable:
            result = consensus(store, name, metrics=metrics, settings=settings, progress=progress)
            quantities.update(_accuracies(name, result.frame))
            quantities.update(_ceilings(name, result.frame))
            quantities.update(_league(name, result.frame, _MOST))
            quantities.update(_pairs(store, name))
            signatures.update(result.signatures)
            shown += [replace(table, name=f"{name}/{table.name}") for table in result.tables if table.name in _SHOWN]
    if _TRIPLETS[0] in usable:
        quantities.update(_pilot(store, settings, metrics, progress))
    else:
        missing[_PILOT] = missing[_TRIPLETS[0]]
    if {_TRIPLETS[0], _BETTER} <= {*usable}:
        truths = _two_truths(store, seed, progress)
        if truths is not None:
            quantities.update(_beside_better(truths))
            shown += tables(truths)
    if _RATED in usable:
        result = agree_with_ratings(
            store,
            _RATED,
            metrics=[name for name in ("meteor", "cider") if name in metrics],
            against=_REFERENCES_OF[_RATED],
            tokenizer="ptb",
            protocols=["pooled"],
            statistics=["spearman"],
            resamples=0,
            progress=progress,
        )
        quantities.update(_ratings(result.frame))
        signatures.update({f"{_RATED}: {label}": text for label, text in result.signatures.items()})
    for name, further in (("pascal50s", _lengths), ("abstract50s", _gamed)):
        if name in usable:
            quantities.update(further(store, progress))
    left_out = [name for name in AS_PUBLISHED if name not in metrics]
    return Measured(
        quantities,
        {**missing, **_NOT_PUBLIC},
        resolve_all(store, usable),
        signatures,
        tables=tuple(shown),
        notes=tuple(f"{metric} is not installed: its figures are not answerable" for metric in left_out),
    )


def _usable(store: Store, paper: Paper) -> tuple[list[str], dict[str, str]]:
    """Return the datasets that are in the store with their references, and why the others cannot be used."""
    here = [name for name in paper.datasets if log(store, name)]
    without = {name: other for name, other in _REFERENCES_OF.items() if name in here and not log(store, other)}
    absent = [name for name in paper.datasets if name not in (*here, *_NOT_PUBLIC, _PILOT)]
    missing = {name: not_stored(without.get(name, name)) for name in (*absent, *without)}
    return [name for name in here if name not in without], missing


def of_metrics(store: Store, _paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Measure how often further metrics agree with human preference."""
    settings = replace(_SETTINGS, seed=seed)
    for name in (*_TRIPLETS, _BETTER):
        if log(store, name) and log(store, _REFERENCES_OF[name]):
            result = consensus(store, name, metrics=metrics, settings=settings, progress=progress)
            yield from _accuracies(name, result.frame)


def _sizes(store: Store, datasets: Sequence[str]) -> Quantities:
    for name in datasets:
        captions = images(store, resolve(store, name))["captions"]
        lengths = profile(store, name, tokenizer=_PROFILE).frame.filter(statistic="asl")["value"].item()
        yield (name, "", "", "", "images"), float(len(captions))
        yield (name, "", "", "", "captions-per-image"), float(captions.mean())  # type: ignore[arg-type]
        yield (name, "", "", "", "asl"), lengths


def _pairs(store: Store, name: str) -> Quantities:
    captions = Captions(store, resolve(store, name), _PROFILE)
    references, _ = references_of(captions)
    pairs_of_source = with_kinds(pair_votes(captions), references).rows
    yield (name, "", "all", "", "pairs"), float(pairs_of_source.height)
    for kind, pairs in pairs_of_source["kind"].drop_nulls().value_counts().iter_rows():
        yield (name, "", kind, "", "pairs"), float(pairs)


def _accuracies(name: str, frame: pl.DataFrame) -> Quantities:
    """Yield accuracies, as means over samples of references, and the correlation of CIDEr and CIDEr-D."""
    rows = frame.filter(pl.col("statistic") == "accuracy", pl.col("draw").is_null())
    for metric, kind, references, value in rows.select("metric", "kind", "references", "value").iter_rows():
        yield (name, metric, kind, str(references), "accuracy"), value
    correlations = frame.filter(
        pl.col("statistic") == "spearman", pl.col("metric") == _CIDER, pl.col("against") == "cider-d"
    )
    for value in correlations["value"]:
        yield (name, f"{_CIDER} cider-d", "all", str(_MOST), "spearman"), value


def _pilot(store: Store, settings: ConsensusSettings, metrics: Sequence[str], progress: Progress) -> Quantities:
    """Measure how accuracy grows with references on the pairs of the pilot."""
    most, at = _PILOT_SETTINGS
    if not (images(store, resolve(store, _REFERENCES_OF[_TRIPLETS[0]]))["captions"] >= most).any():
        return
    unigram = [name for name in metrics if name.startswith(("rouge-1", "bleu-1"))]
    more = replace(settings, most=most, at=at)
    result = consensus(store, _TRIPLETS[0], metrics=unigram, settings=more, progress=progress)
    yield (_PILOT, "", "all", "", "pairs"), float(result.frame["n"].max())  # type: ignore[arg-type]
    yield from _accuracies(_PILOT, result.frame)


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


def _two_truths(store: Store, seed: int, progress: Progress) -> TwoTruths | None:
    twenty = ConsensusSettings(most=_RANKED_BY, seed=seed, resamples=0, tokenizer=_PROFILE)
    return two_truths(store, (_TRIPLETS[0], _BETTER), [_CIDER], twenty, progress)


def _beside_better(truths: TwoTruths) -> Quantities:
    """Rank the systems by triplets, with authors from the pairs, and yield how often the two sources differ."""
    yield from _league(_TRIPLETS[0], consensus_rows(truths.part, ConsensusSettings(tokenizer=_PROFILE)), _RANKED_BY)
    for kind, value in truths.shared.agreement.select("kind", "value").iter_rows():
        yield (_BETTER, "", kind, "", "differing"), 1 - value


def _ratings(frame: pl.DataFrame) -> Quantities:
    rows = frame.filter(pl.col("statistic") == "spearman", pl.col("protocol") == "pooled", pl.col("candidates") == ALL)
    for metric, value in rows.select("metric", "value").iter_rows():
        yield (_RATED, metric, "pooled", "", "spearman"), value


def _lengths(store: Store, progress: Progress) -> Quantities:
    """Yield the correlation of a metric's ranks with the lengths of an image's captions."""
    result = score(store, "pascal50s", metrics=_RANKING, tokenizer=_PROFILE, rank=True, progress=progress)
    for metric, rho in result.table("first-captions").frame.select("metric", "length_rho").iter_rows():
        yield ("pascal50s", metric, "", "", "spearman-length"), rho


def _gamed(store: Store, progress: Progress) -> Quantities:
    """Yield the gain of a metric on captions that are changed to game it."""
    rows = probe(store, "abstract50s", metrics=_GAMED, components=_GAMES, tokenizer=_PROFILE, progress=progress).frame
    for metric, component, change in rows.select("metric", "component", "change").iter_rows():
        yield ("abstract50s", metric, component, "", "change"), change
