"""How much more does the curve over 1 … 48 references cost than the one evaluation with all 48?

The candidates of the PASCAL-50S pairs against the captions of PASCAL-50S, all default metrics. Every run is a process
of its own on a fresh copy of a store that was ingested and nothing else. This process stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from measuring import AUDITOR, Cost, best, cost_rows, down, load_before, mark, note, positive, run, table, timed, up
from measuring import versions as versions_of

MOST_RATIO = 3.0
_SELF = [sys.executable, str(Path(__file__).resolve())]
_ONE, _CURVE = "evaluation with all references", "curve over every number of references"


def main(arguments: Sequence[str]) -> None:
    """Measure both in turns and print them as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--references", default="pascal50s")
    parser.add_argument("--candidates", default="pascal50s-pairs")
    parser.add_argument("--most", type=positive, default=48)
    parser.add_argument("--repeat", type=positive, default=3)
    parser.add_argument("--metric", "-m", action="append", help="metric, default all; repeat for more")
    parser.add_argument("--measure", choices=(_ONE, _CURVE), help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.measure:
        print(json.dumps(_measure(asked)))
        return
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data)
    print(f"{load_before()}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        print(_compare(asked, arguments, Path(folder)))


def _compare(asked: argparse.Namespace, arguments: Sequence[str], folder: Path) -> str:
    ingested, copy = folder / "ingested.duckdb", folder / "copy.duckdb"
    run([*AUDITOR, "ingest", asked.references, asked.candidates, "--store", str(ingested)], folder)
    costs: dict[str, list[Cost]] = {_ONE: [], _CURVE: []}
    scored = 0
    for repetition in range(asked.repeat + 1):  # the first compiles the kernels and does not count
        for what, made in costs.items():
            shutil.copy(ingested, copy)
            whole, answer = run([*_SELF, *arguments, "--measure", what, "--store", str(copy)], folder)
            wall, cpu, scored = json.loads(answer)
            if repetition:
                made.append(Cost(wall, cpu, whole.peak))
                note(what, made[-1])
    least = {what: best(made) for what, made in costs.items()}
    one, curve = least[_ONE], least[_CURVE]
    ratios = [("wall", curve.wall / one.wall), ("CPU", curve.cpu / one.cpu)]
    title = f"{scored:,} candidates, {asked.most} references. {versions_of('numba')}"
    steps = table(("step", "wall, s", "CPU, s", "peak, MiB"), cost_rows(least, up))
    aims = [
        (f"{what}: curve / evaluation", up(ratio), f"≤ {MOST_RATIO:.0f}", mark(ratio <= MOST_RATIO))
        for what, ratio in ratios
    ]
    less = down(one.cpu * asked.most / curve.cpu)
    each = f"A number of references costs {less} times less CPU in the curve than an evaluation of its own."
    return "\n".join([title, "", *steps, "", *table(("", "measured", "aim", ""), aims), "", each])


def _measure(asked: argparse.Namespace) -> tuple[float, float, int]:
    """Score once, with opening the store and keeping the counts; give wall and CPU seconds, and how many candidates."""
    from auditor.metrics.candidates import output_of
    from auditor.registry import References, requests
    from auditor.scoring.by_reference_count import scores_by_references
    from auditor.scoring.scores import score_candidates
    from auditor.store.connection import Store
    from auditor.store.versions import resolve

    heights: list[int] = []

    def score() -> None:
        with Store.open(asked.store) as store:
            selection, candidates = resolve(store, asked.references), [output_of(resolve(store, asked.candidates))]
            metrics = requests(asked.metric)
            if asked.measure == _CURVE:
                scores = scores_by_references(store, selection, "bare", candidates, metrics, asked.most)
                heights.append(scores.height // asked.most)
            else:
                drawn = References("all", asked.most, 1).of(selection)
                heights.append(score_candidates(store, drawn, "bare", candidates, metrics).height)

    wall, cpu, _ = astuple(timed(score))
    return wall, cpu, heights[0]


if __name__ == "__main__":
    main(sys.argv[1:])
