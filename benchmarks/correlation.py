"""How much longer does scipy take for Kendall's tau-b of every pair of metrics, over the captions of COCO?

Each side runs in a process of its own on the same columns of scores, which are drawn: metrics that agree by more or
less, on as many values as metrics have, some with a quarter of the captions at their lowest. Both sides must give the
same tau of every pair, to the last bit. This process stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import Cost, best, cost_rows, down, load_before, mark, note, positive, run, table, timed, up, versions

if TYPE_CHECKING:
    import polars as pl

ROWS, METRICS = 620_000, 13
LEAST_RATIO = 3.0

_SELF = [sys.executable, str(Path(__file__).resolve())]

#: What each side computes, as (ours, scipy's): tau of ranks that are there, and of scores.
STEPS = {
    "of ranks": ("tau-b and p, of dense ranks", "scipy.stats.kendalltau, of the same ranks"),
    "of scores": ("tau-b and p, of scores", "scipy.stats.kendalltau, of scores"),
    "all three": ("tau-b, rho and r with p, of scores", "kendalltau, spearmanr and pearsonr, of scores"),
}


def measure(asked: argparse.Namespace, folder: Path) -> str:
    """Measure both sides on the same columns, and report."""
    scores = folder / "scores.parquet"
    run([*_SELF, "--child", "draw", str(scores), "--rows", str(asked.rows), "--metrics", str(asked.metrics)], folder)
    distinct = json.loads(run([*_SELF, "--child", "distinct", str(scores)], folder)[1])
    ours = {step: [_side("ours", step, scores, folder) for _ in range(asked.repeat)] for step in STEPS}
    theirs = {step: [_side("scipy", step, scores, folder) for _ in range(asked.peer_repeat)] for step in STEPS}
    for step in STEPS:
        if {taus for _, taus in ours[step]} != {taus for _, taus in theirs[step]}:
            sys.exit(f"{step}: both sides differ in tau-b")
    mine, peer = ({step: best([cost for cost, _ in some]) for step, some in side.items()} for side in (ours, theirs))
    return "\n".join(report(asked, distinct, mine, peer))


def report(
    asked: argparse.Namespace, distinct: Sequence[int], mine: Mapping[str, Cost], peer: Mapping[str, Cost]
) -> list[str]:
    """Write what both sides cost, and the ratios."""
    pairs = asked.metrics * (asked.metrics - 1) // 2
    named = {STEPS[step][0]: cost for step, cost in mine.items()}, {STEPS[step][1]: cost for step, cost in peer.items()}
    ratios = [
        (step, down(peer[step].cpu / mine[step].cpu), down(peer[step].wall / mine[step].wall), *_aim(step, mine, peer))
        for step in STEPS
    ]
    return [
        f"{asked.rows:,} captions, {asked.metrics} metrics of {min(distinct):,} to {max(distinct):,} values, "
        f"{pairs} pairs. {versions('numba', 'scipy')}",
        "",
        *table(("step", "wall, s", "CPU, s", "peak, MiB"), [*cost_rows(named[0], up), *cost_rows(named[1], down)]),
        "",
        *table(("scipy / ours", "CPU", "wall", "aim (CPU)", ""), ratios),
        "",
        f"Both sides give the same tau-b of all {pairs} pairs, to the last bit.",
    ]


def _aim(step: str, mine: Mapping[str, Cost], peer: Mapping[str, Cost]) -> tuple[str, str]:
    if step != "of ranks":
        return "", ""
    return f"≥ {LEAST_RATIO:g}", mark(peer[step].cpu / mine[step].cpu >= LEAST_RATIO)


def _side(side: str, step: str, scores: Path, folder: Path) -> tuple[Cost, tuple[float, ...]]:
    """Run one side in a process of its own; give what the work in it cost, and its taus."""
    process, answer = run([*_SELF, "--child", side, str(scores), "--step", step], folder)
    wall, cpu, taus = json.loads(answer)
    cost = Cost(wall, cpu, process.peak)
    note(f"{side}, {step}", cost)
    return cost, tuple(taus)


# What runs in processes of their own.


def draw(path: Path, rows: int, metrics: int) -> None:
    """Draw scores that share a part: metric m is its own noise by m parts in twelve, and one more."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(1)
    shared = random.random(rows)
    columns = {}
    for metric in range(metrics):
        score = (12 * shared + (metric + 1) * random.random(rows)) / (13 + metric)
        if metric % 3 == 2:
            score = np.maximum(score - np.quantile(score, 0.25), 0)
        columns[f"metric {metric}"] = np.round(score, 2 + metric % 5 * 2)
    pl.DataFrame(columns).write_parquet(path)


def answer(side: str, step: str, scores: pl.DataFrame) -> tuple[Cost, list[float]]:
    """Compute one step by one side; imports, compiling, and ranks that are to be there, are not on the clock."""
    import polars as pl
    import scipy.stats  # noqa: F401

    from auditor.statistics.correlation import correlate

    correlate(scores.head(50))
    given = scores.select(pl.all().rank("dense").cast(pl.UInt32) - 1) if step == "of ranks" else scores
    statistics = ("kendall-b", "spearman", "pearson") if step == "all three" else ("kendall-b",)
    found: list[float] = []

    def compute() -> None:
        if side == "scipy":
            found.extend(_by_scipy(given, statistics))
        elif step == "of ranks":
            found.extend(_of_ranks(given))
        else:
            found.extend(correlate(given, statistics).filter(statistic="kendall-b")["value"])

    return timed(compute), found


def _of_ranks(ranks: pl.DataFrame) -> list[float]:
    from auditor.statistics.correlation import kendall
    from auditor.statistics.kernels.discordance import ranking

    rankings = {column.name: ranking(column.to_numpy()) for column in ranks}
    return [found.value for found in kendall(rankings, list(combinations(ranks.columns, 2)))]


def _by_scipy(scores: pl.DataFrame, statistics: Sequence[str]) -> list[float]:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    arrays = [column.to_numpy() for column in scores]
    if "spearman" in statistics:
        spearmanr(scores.to_numpy())
    if "pearson" in statistics:
        for a, b in combinations(arrays, 2):
            pearsonr(a, b)
    return [float(kendalltau(a, b).statistic) for a, b in combinations(arrays, 2)]


def child(asked: argparse.Namespace) -> None:
    """Do one part of the measuring."""
    if asked.child == "draw":
        draw(asked.scores, asked.rows, asked.metrics)
        return
    import polars as pl

    scores = pl.read_parquet(asked.scores)
    if asked.child == "distinct":
        print(json.dumps([column.n_unique() for column in scores]))
        return
    cost, taus = answer(asked.child, asked.step, scores)
    print(json.dumps([*astuple(cost)[:2], taus]))


def arguments() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=positive, default=ROWS, metavar="N", help=f"captions; default: {ROWS:,}")
    parser.add_argument("--metrics", type=positive, default=METRICS, metavar="N", help=f"default: {METRICS}")
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="repetitions of ours; default: 3")
    parser.add_argument("--peer-repeat", type=positive, default=1, metavar="N", help="and of scipy; default: 1")
    parser.add_argument("--child", choices=("draw", "distinct", "ours", "scipy"), help=argparse.SUPPRESS)
    parser.add_argument("scores", type=Path, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--step", choices=tuple(STEPS), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure and report."""
    asked = arguments()
    if asked.child:
        child(asked)
        return
    print(f"{load_before()}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        print(measure(asked, Path(name)))


if __name__ == "__main__":
    main()
