"""`auditor score` on a tiled dataset against one bare pass over the tokens of the same store."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measuring import Cost, cost_rows, mark, run, table, up, versions
from scoring import COSTS, DATASET, EVERYTHING, groups_to_measure, ingest, measure_groups, titles, warm_up

GROUPS = (EVERYTHING, "METEOR", "TER", "chrF")
MOST_TIMES_FLOOR = 4.0
MOST_MEMORY = 3072.0
MOST_METEOR = 20.0

_HERE = Path(__file__).resolve().parent


def measure(asked: argparse.Namespace, folder: Path) -> str:
    """Measure both sides on the tiled dataset, and report."""
    groups = groups_to_measure(GROUPS, folder, asked.only)
    compiling = warm_up(groups, folder)
    store = folder / "fresh.duckdb"
    ingested = ingest(asked.images, asked.tiles, store, folder, alike=False)
    ours = measure_groups(groups, store, folder, asked.repeat)
    named = titles(groups)
    steps = {"auditor ingest": ingested} | {f"auditor score, {named[name]}": cost for name, cost in ours.items()}
    rows: list[tuple[str, ...]] = []
    lines: list[str] = []
    if EVERYTHING in ours:
        bare = [sys.executable, str(_HERE / "floor.py"), str(store), "--repeat", str(asked.repeat)]
        process, printed = run([*bare, "--scores", str(folder / f"{EVERYTHING}.parquet")], folder)
        floor = json.loads(printed)
        parts = json.loads(
            run([sys.executable, str(_HERE / "relations.py"), str(store), *groups[EVERYTHING]], folder)[1]
        )
        steps["bare pass"] = Cost(floor["wall"], floor["cpu"], process.peak)
        rows += floor_rows(ours[EVERYTHING], floor["cpu"], parts["counting"], named[EVERYTHING])
        lines = floor_lines(floor) + profile_lines(parts)
    if "METEOR" in ours:
        cpu = ours["METEOR"].cpu
        rows.append(("METEOR, CPU, s", up(cpu), f"≤ {MOST_METEOR:g}", mark(cpu <= MOST_METEOR)))
    written = [
        f"{DATASET}, {asked.tiles} times under new image ids. {versions('numba')}",
        "",
        *table(COSTS, cost_rows(steps, up)),
        "",
        *table(("", "measured", "aim", ""), rows),
        "",
        f"Kernels compiled at first use: {up(compiling.cpu)} s of CPU, {up(compiling.wall)} s.",
        *lines,
    ]
    return "\n".join(written)


def floor_rows(ours: Cost, floor: float, counting: float, name: str) -> list[tuple[str, ...]]:
    """Divide our CPU time by that of the bare pass, and compare memory with what is allowed.

    Where a metric is missing, the bare pass did more than we, and the ratio is not judged.
    """
    times, peak = ours.cpu / floor, ours.peak or 0
    judged = (f"≤ {MOST_TIMES_FLOOR:g}", mark(times <= MOST_TIMES_FLOOR)) if name == EVERYTHING else ("", "")
    return [
        (f"CPU: {name} / bare pass", up(times), *judged),
        ("CPU: counting alone / bare pass", up(counting / floor), "", ""),
        (f"peak memory, {name}, MiB", up(peak, 0), f"≤ {MOST_MEMORY:g}", mark(peak <= MOST_MEMORY)),
    ]


def floor_lines(floor: Mapping[str, Any]) -> list[str]:
    """Say what the bare pass did, and how far its scores are from ours."""
    return [
        "",
        f"The bare pass: {floor['captions']:,} captions, {floor['document frequency, cpu']:.2f} s of CPU for the "
        f"document frequency and {floor['scores, cpu']:.2f} s for the scores. Its scores of "
        f"{', '.join(floor['differences'])} are ours: no caption's differs by more than "
        f"{max(floor['differences'].values()):.0e}.",
    ]


def profile_lines(parts: Mapping[str, Any]) -> list[str]:
    """Write the ten relations that cost most."""
    most = sorted(parts["relations"].items(), key=lambda cost: -cost[1])[:10]
    return [
        "",
        f"One run in one process: {parts['counting']:.2f} s of CPU to count, {parts['scoring']:.2f} s to turn counts "
        "into scores. What the counting spends it on:",
        "",
        *table(("relation", "CPU, s"), [(f"`{name}`", f"{cost:.2f}") for name, cost in most]),
    ]
