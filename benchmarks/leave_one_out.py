"""What do leave-one-out scores cost, and what do they cost with pycocoevalcap? Measured in the same run.

Only ratios of one run say anything: seconds belong to a machine and to what else it does. So the command line and its
peer take turns, each in a process of its own, and the least of several repetitions counts. This process stays small,
see `measuring.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

from measuring import (
    AUDITOR,
    Cost,
    best,
    captions,
    cost_rows,
    down,
    installed,
    leave_one_out,
    load_before,
    mark,
    note,
    positive,
    run,
    stored,
    table,
    timed,
    up,
    versions,
    write_tiles,
)

PEER = "pycocoevalcap"
METRICS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "cider", "cider-d")
LEAST_RATIO = 10.0
MOST_MEMORY = 1024.0
MOST_INGEST = 3.0

_SELF = [sys.executable, str(Path(__file__).resolve())]


@dataclass
class Measured:
    """Every repetition of every step, by the name that the step has in the table."""

    ours: dict[str, list[Cost]] = field(default_factory=dict)
    peer: dict[str, list[Cost]] = field(default_factory=dict)
    captions: int = 0


INGEST, COLD, WARM = "auditor ingest", "auditor score (cold cache)", "auditor score (warm cache)"
BLEU, ROUGE, CIDER = f"{PEER} Bleu(4)", f"{PEER} Rouge()", f"{PEER} Cider()"
ALL_SCORERS = f"{PEER} (all three)"


# What runs in processes of its own: preparing, and the peer.


def write_items(dataset: str, store: Path, scores: Path, path: Path) -> None:
    """Write the captions that have references, image by image, as the peer is to see them; print their number.

    Ends the process where the scores at hand are not of all metrics for exactly these.
    """
    import polars as pl

    texts = stored(store, dataset)
    scored = pl.read_parquet(scores).group_by("image", "slot").agg(pl.col("metric").n_unique())
    both = scored.filter(pl.col("metric") == len(METRICS)).join(texts, on=["image", "slot"])
    if not both.height == scored.height == texts.height:
        sys.exit(f"{scored.height} captions scored, {texts.height} have references, {both.height} in both")
    images = texts.group_by("image", maintain_order=True).agg("text")["text"].to_list()
    path.write_text(json.dumps(images), encoding="utf-8")
    print(texts.height)


def score_with_peer(path: Path) -> None:
    """Score every caption against the others of its image with the peer; print what each scorer cost, as JSON.

    Only the calls of `compute_score` count: neither imports nor the making of items.
    """
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    texts, others = leave_one_out(json.loads(path.read_text(encoding="utf-8")))
    candidates = {number: [text] for number, text in enumerate(texts)}
    references = dict(enumerate(others))
    costs = {
        BLEU: timed(lambda: Bleu(4).compute_score(references, candidates, verbose=0)),
        ROUGE: timed(lambda: Rouge().compute_score(references, candidates)),
        CIDER: timed(lambda: Cider().compute_score(references, candidates)),
    }
    print(json.dumps({scorer: astuple(cost) for scorer, cost in costs.items()}))


# Measuring.


def measure(dataset: str, tiles: int, repetitions: int, peer_repetitions: int) -> Measured:
    """Let both sides take turns, each round with a store of its own. More than one tile is for ours alone."""
    measured = Measured()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = [dataset]
        if tiles > 1:
            token = folder / "tiled.token"
            run([*_SELF, dataset, "--tile", str(tiles), "--write-tiles", str(token)], folder)
            source += ["--from", str(token), "--format", "flickr"]
        for number in range(repetitions):
            measure_ours(measured, dataset, source, folder)
            if number < peer_repetitions and tiles == 1:
                measure_peer(measured, folder)
    return measured


def measure_ours(measured: Measured, dataset: str, source: Sequence[str], folder: Path) -> None:
    """Ingest into a new store, score a copy of it, and score again from what the copy has kept by then."""
    fresh, copy, scores = folder / "fresh.duckdb", folder / "copy.duckdb", folder / "scores.parquet"
    for path in (fresh, copy, scores):
        path.unlink(missing_ok=True)
    asked = [option for metric in METRICS for option in ("-m", metric)]
    score = [*AUDITOR, "score", dataset, *asked, "--store", str(copy), "-o", str(scores)]
    keep(measured.ours, INGEST, run([*AUDITOR, "ingest", *source, "--store", str(fresh)], folder)[0])
    shutil.copyfile(fresh, copy)
    for step in (COLD, WARM):
        keep(measured.ours, step, run(score, folder)[0])
    described = ["--store", str(copy), "--scores", str(scores)]
    _, count = run([*_SELF, dataset, *described, "--write-items", str(folder / "items.json")], folder)
    measured.captions = int(count)


def measure_peer(measured: Measured, folder: Path) -> None:
    """Let the peer score the items that the last round of ours has left."""
    process, printed = run([*_SELF, "--peer", str(folder / "items.json")], folder)
    scorers = {name: Cost(*seconds) for name, seconds in json.loads(printed).items()}
    for name, cost in scorers.items():
        keep(measured.peer, name, cost)
    total = sum(scorers.values(), Cost(0, 0))
    keep(measured.peer, ALL_SCORERS, Cost(total.wall, total.cpu, process.peak))


def keep(steps: dict[str, list[Cost]], step: str, cost: Cost) -> None:
    """Keep one repetition of a step, and say that it is done."""
    steps.setdefault(step, []).append(cost)
    note(step, cost)


# Reporting.


def report(measured: Measured) -> str:
    """Write the tables: what every step costs, and which aims that meets."""
    ours = {step: best(costs) for step, costs in measured.ours.items()}
    peer = {step: best(costs) for step, costs in measured.peer.items()}
    rows = [row for side, rounded in ((ours, up), (peer, down)) for row in cost_rows(side, rounded)]
    lines = [
        f"{measured.captions:,} captions with references. {versions(*([PEER] if peer else []))}",
        "",
        *table(("step", "wall, s", "CPU, s", "peak, MiB"), rows),
        "",
        *table(("", "measured", "aim", ""), [*ratio_rows(ours, peer), *limit_rows(ours, with_ingest=bool(peer))]),
    ]
    return "\n".join(lines)


def ratio_rows(ours: Mapping[str, Cost], peer: Mapping[str, Cost]) -> list[tuple[str, ...]]:
    """Divide the peer's times by ours.

    Two comparisons have no aim but belong to an honest picture: with the ingest on our side, and without ROUGE on the
    peer's, whose `Rouge()` is ROUGE-L, more work than our ROUGE-1.
    """
    if not peer:
        return []
    everything, alike = peer[ALL_SCORERS], peer[BLEU] + peer[CIDER]
    rows: list[tuple[str, ...]] = []
    for step in (COLD, WARM):
        for kind, ratio in ratios(everything, ours[step]).items():
            rows.append((f"{kind}: {ALL_SCORERS} / {step}", down(ratio), "≥ 10", mark(ratio >= LEAST_RATIO)))
    for kind, ratio in ratios(everything, ours[INGEST] + ours[COLD]).items():
        rows.append((f"{kind}: {ALL_SCORERS} / {INGEST} + {COLD}", down(ratio), "", ""))
    for kind, ratio in ratios(alike, ours[COLD]).items():
        rows.append((f"{kind}: {PEER} without Rouge() / {COLD}", down(ratio), "", ""))
    return rows


def ratios(theirs: Cost, ours: Cost) -> dict[str, float]:
    """Divide the peer's times by ours."""
    return {"CPU": theirs.cpu / ours.cpu, "wall": theirs.wall / ours.wall}


def limit_rows(ours: Mapping[str, Cost], *, with_ingest: bool) -> list[tuple[str, ...]]:
    """Compare with what is allowed: memory at any size, seconds of ingest for the dataset as it is."""
    peak = max(cost.peak or math.inf for cost in ours.values())
    rows: list[tuple[str, ...]] = [("peak memory of any step, MiB", up(peak, 0), "≤ 1024", mark(peak <= MOST_MEMORY))]
    if with_ingest:
        wall = ours[INGEST].wall
        rows.append(("ingest, wall, s", up(wall), "≤ 3", mark(wall <= MOST_INGEST)))
    return rows


# The command line.


def arguments() -> argparse.Namespace:
    """Read the options. Those without help are for the processes that this script starts."""
    parser = argparse.ArgumentParser(description="Cost of leave-one-out scores, as ratios against pycocoevalcap.")
    parser.add_argument("dataset", metavar="DATASET", nargs="?", default="flickr8k")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="repetitions of ours; default: 3")
    parser.add_argument("--peer-repeat", type=positive, default=1, metavar="N", help="and of the peer; default: 1")
    parser.add_argument(
        "--tile", type=positive, default=1, metavar="N", help="repeat the dataset N times under new ids; no peer then"
    )
    for hidden in ("--write-tiles", "--write-items", "--store", "--scores", "--peer"):
        parser.add_argument(hidden, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer_repeat > options.repeat:
        parser.error("--peer-repeat: the peer runs between repetitions of ours, so at most --repeat times")
    return options


def require_peer() -> None:
    """End the process where the peer is not installed, rather than after minutes of measuring."""
    if not installed(PEER):
        sys.exit(f"{PEER} is not installed: pip install 'auditor[peers]'")


def main() -> None:
    """Do the step asked for; without one, measure and report."""
    options = arguments()
    if options.write_tiles:
        write_tiles(captions(options.dataset), options.tile, options.write_tiles)
    elif options.write_items:
        write_items(options.dataset, options.store, options.scores, options.write_items)
    elif options.peer:
        score_with_peer(options.peer)
    else:
        if options.tile == 1:
            require_peer()
        if options.data:
            os.environ["AUDITOR_DATA"] = str(options.data.resolve())
        print(f"{load_before()}\n", flush=True)
        print(report(measure(options.dataset, options.tile, options.repeat, options.peer_repeat)))


if __name__ == "__main__":
    main()
