"""What does every metric cost, and what do others need for the same scores? Leave-one-out, measured in one run.

By default against the peers, each in a process of its own; with `--floor`, on a tiled dataset, against one bare pass
over the tokens. This process stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import against_floor
import peers
from measuring import Cost, best, cost_rows, down, load_before, mark, note, positive, table, up, versions
from scoring import (
    COSTS,
    DATASET,
    GROUPS,
    groups_to_measure,
    ingest,
    measure_calls,
    measure_groups,
    titles,
    warm_up,
    write_items,
)

IMAGES = 12_500


def measure(asked: argparse.Namespace, folder: Path) -> str:
    """Measure both sides on the same captions, and report."""
    groups = groups_to_measure([*GROUPS], folder, asked.only)
    compiling = warm_up(groups, folder)
    store, items = folder / "fresh.duckdb", folder / "items.json"
    ingested = ingest(asked.images or IMAGES, 1, store, folder, alike=True)
    number = write_items(store, items, folder)
    ours = measure_groups(groups, store, folder, asked.repeat)
    calls = measure_calls(groups, store, folder, asked.repeat)
    wanted = [peer for peer in peers.PEERS if asked.only.lower() in f"{peer.name} {peer.group}".lower()]
    absent = {peer.name: why for peer in wanted if (why := peer.lacking(asked.tercom))}
    present = [peer for peer in wanted if peer.name not in absent]
    theirs = measure_peers(present, items, folder, asked)
    named = titles(groups)
    steps = {"auditor ingest": ingested} | {f"auditor score, {named[name]}": cost for name, cost in ours.items()}
    steps |= {f"audit.score(), {named[name]}": cost for name, cost in calls.items()}
    lines = [
        f"{number:,} captions with references. {versions(*sorted({peer.package for peer in present}))}",
        "",
        *table(COSTS, [*cost_rows(steps, up), *cost_rows(theirs, down)]),
        "",
        *table(
            ("peer / ours", "CPU", "wall", "aim (CPU)", "", "CPU / auditor score"),
            ratio_rows(present, theirs, ours, calls, named),
        ),
        "",
        f"Kernels compiled at first use: {up(compiling.cpu)} s of CPU, {up(compiling.wall)} s.",
        *(f"Absent: {name}: {why}." for name, why in absent.items()),
    ]
    return "\n".join(lines)


def measure_peers(
    present: Sequence[peers.Peer], items: Path, folder: Path, asked: argparse.Namespace
) -> dict[str, Cost]:
    """Let the peers score the same captions, one after another."""
    place = folder / "peers"
    place.mkdir()
    costs: dict[str, list[Cost]] = {peer.name: [] for peer in present}
    for _ in range(asked.peer_repeat):
        for peer in present:
            costs[peer.name].append(peers.measure(peer, items, place, asked.tercom))
            note(peer.name, costs[peer.name][-1])
    return {name: best(some) for name, some in costs.items()}


def ratio_rows(
    present: Sequence[peers.Peer],
    theirs: Mapping[str, Cost],
    ours: Mapping[str, Cost],
    calls: Mapping[str, Cost],
    named: Mapping[str, str],
) -> list[tuple[str, ...]]:
    """Divide the peers' times by ours: a call's by a call's, a program's by a program's.

    The last column has every peer by our whole program. A group that lacks a metric is not judged.
    """
    rows: list[tuple[str, ...]] = []
    for peer in present:
        if peer.group not in ours:
            continue
        cost, title = theirs[peer.name], named[peer.group]
        mine = (calls if peer.call else ours)[peer.group]
        ratio, aim = cost.cpu / mine.cpu, ("", "")
        if peer.aim is not None and title == peer.group:
            aim = (f"≥ {peer.aim:g}", mark(ratio >= peer.aim))
        whole = down(cost.cpu / ours[peer.group].cpu)
        rows.append((f"{peer.name} / {title}", down(ratio), down(cost.wall / mine.wall), *aim, whole))
    return rows


def arguments() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument(
        "--images", type=positive, metavar="N", help=f"first images of {DATASET}; default: {IMAGES:,}, all with --floor"
    )
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="repetitions of ours; default: 3")
    parser.add_argument("--peer-repeat", type=positive, default=1, metavar="N", help="and of the peers; default: 1")
    parser.add_argument("--only", default="", metavar="WORD", help="only groups and peers with this in their names")
    parser.add_argument("--tercom", type=Path, metavar="JAR", help="tercom's jar, which then is a peer too")
    parser.add_argument("--floor", action="store_true", help="against the bare pass, in place of peers")
    parser.add_argument("--tiles", type=positive, default=4, metavar="N", help="with --floor: copies of the dataset")
    return parser.parse_args()


def main() -> None:
    """Measure and report."""
    asked = arguments()
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    print(f"{load_before()}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["NUMBA_CACHE_DIR"] = str(folder / "kernels")
        print(against_floor.measure(asked, folder) if asked.floor else measure(asked, folder))


if __name__ == "__main__":
    main()
