"""What do intervals cost? Bootstrap resamples of images, all metrics and four candidates, against a plain numpy loop.

The loop is what one writes first: draw images, gather the rows of their captions, `np.mean`. It keeps nothing by image,
so it reads every caption's score again in every resample.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from measuring import AUDITOR, Cost, best, down, load_before, mark, note, positive, run, table, timed, up, versions

DATASETS = ("flickr30k", "coco-val", "brown")
CANDIDATES = ("human", "intra", "inter", "brown")
MOST_CPU = 10.0
LEAST_RATIO = 20.0

_SELF = [sys.executable, str(Path(__file__).resolve())]


def main(arguments: Sequence[str]) -> None:
    """Measure and report, or do the part that the process was started for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--store", type=Path, help="a store that holds flickr30k, coco-val and brown; default: made")
    parser.add_argument("--resamples", type=positive, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--peer-resamples", type=positive, default=20, metavar="N", help="of the loop; default: 20")
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="repetitions; default: 3")
    parser.add_argument("--metric", "-m", action="append", metavar="NAME", help="default: every default metric")
    parser.add_argument("--part", choices=("scores", "ours", "loop"), help=argparse.SUPPRESS)
    parser.add_argument("--scores", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    if asked.part == "scores":
        _write_scores(asked.store, asked.metric, asked.scores)
    elif asked.part:
        measured = (_ours if asked.part == "ours" else _loop)(asked.scores, asked.resamples)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([*astuple(measured)[:2], peak]))
    else:
        _report(asked)


def _report(asked: argparse.Namespace) -> None:
    print(f"{load_before()}. {versions('numpy')}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, scores = asked.store or folder / "store.duckdb", folder / "scores.parquet"
        if asked.store is None:
            note("auditor ingest", run([*AUDITOR, "ingest", *DATASETS, "--store", str(store)], folder)[0])
        metrics = [option for metric in asked.metric or () for option in ("-m", metric)]
        made = run([*_SELF, "--part", "scores", "--store", str(store), "--scores", str(scores), *metrics], folder)
        note("scores", made[0])
        resamples = {"ours": asked.resamples, "loop": asked.peer_resamples}
        costs: dict[str, list[Cost]] = {part: [] for part in resamples}
        for _ in range(asked.repeat):
            for part, so_far in costs.items():
                command = [*_SELF, "--part", part, "--scores", str(scores), "--resamples", str(resamples[part])]
                so_far.append(Cost(*json.loads(run(command, folder)[1])))
                note(part, so_far[-1])
    ours, loop = (best(costs[part]) for part in ("ours", "loop"))
    times = asked.resamples / asked.peer_resamples
    print(f"{made[1].strip()}\n")
    rows = [
        (f"ours, {asked.resamples:,} resamples", up(ours.wall), up(ours.cpu), up(ours.peak or 0, 0)),
        (f"numpy loop, {asked.peer_resamples:,} resamples", down(loop.wall), down(loop.cpu), down(loop.peak or 0, 0)),
    ]
    print("\n".join(table(("step", "wall, s", "CPU, s", "peak, MiB"), rows)), end="\n\n")
    ratio = loop.cpu * times / ours.cpu
    rows = [
        (f"CPU of {asked.resamples:,} resamples, s", up(ours.cpu), f"≤ {MOST_CPU:g}", mark(ours.cpu <= MOST_CPU)),
        ("CPU for a resample: numpy loop / ours", down(ratio), f"≥ {LEAST_RATIO:g}", mark(ratio >= LEAST_RATIO)),
    ]
    print("\n".join(table(("", "measured", "aim", ""), rows)))


def _write_scores(store: Path, metrics: Sequence[str] | None, path: Path) -> None:
    """Score the captions and their substitutes; print how many scores these are."""
    from auditor.registry import References
    from auditor.scoring.candidate_sets import score_sets
    from auditor.scoring.substitutes import substitutes_of
    from auditor.store.connection import Store
    from auditor.store.versions import resolve_all

    with Store.open(store) as opened:
        selections = resolve_all(opened, DATASETS[:2])
        substitutes = substitutes_of(opened, selections)
        scores = score_sets(
            opened, selections[0], CANDIDATES, substitutes, References(), metrics, "bare", 1, required=True
        ).scores
    scores.write_parquet(path)
    images, candidates = scores["image"].n_unique(), scores["candidate"].n_unique()
    print(
        f"{DATASETS[0]}: {images:,} images, {scores.height // candidates:,} captions, {candidates} candidates, "
        f"{scores.width - 3} metrics."
    )


def _ours(path: Path, resamples: int) -> Cost:
    """Add up by image, resample, and make percentile intervals and jackknife errors of every column."""
    import polars as pl

    from auditor.statistics import resampling

    scores = pl.read_parquet(path)

    def once() -> None:
        sums = resampling.image_sums(scores)
        means = resampling.resampled_means(sums, resamples, (1, "benchmark"))
        without = resampling.left_out_means(sums)
        for column in range(means.shape[1]):
            resampling.percentile_interval(means[:, column], 0.95)
            resampling.jackknife_error(without[:, column])

    return timed(once)


def _loop(path: Path, resamples: int) -> Cost:
    """Gather the captions of drawn images and take their mean; then percentiles."""
    import numpy as np
    import polars as pl

    scores = pl.read_parquet(path).sort("candidate", "image", "slot")
    candidates = scores.partition_by("candidate")
    metrics = [column for column in scores.columns if column not in ("candidate", "image", "slot")]
    values = np.hstack([one.select(metrics).to_numpy() for one in candidates])
    lengths = candidates[0].group_by("image", maintain_order=True).len()["len"].to_numpy()
    rows = np.split(np.arange(len(values)), np.cumsum(lengths)[:-1])
    drawn = np.random.default_rng(1)

    def once() -> None:
        means = [
            np.mean(values[np.concatenate([rows[image] for image in drawn.integers(0, len(rows), len(rows))])], axis=0)
            for _ in range(resamples)
        ]
        np.quantile(means, [0.025, 0.975], axis=0)

    return timed(once)


if __name__ == "__main__":
    main(sys.argv[1:])
