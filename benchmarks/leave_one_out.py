"""What do leave-one-out scores cost, and what do they cost with pycocoevalcap? Measured in the same run.

Only ratios of one run say anything: seconds belong to a machine and to what else it does. So the command line and its
peer take turns, each in a process of its own, and the least of several repetitions counts.

This process stays small and imports nothing heavy: on Linux a child's peak memory starts at that of its parent, which
would otherwise be reported as the child's.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PEER = "pycocoevalcap"
METRICS = 7
LEAST_RATIO = 10.0
MOST_MEMORY = 1024.0
MOST_INGEST = 3.0
MOST_LOAD = 1.5

_AUDITOR = [sys.executable, "-m", "auditor"]
_SELF = [sys.executable, str(Path(__file__).resolve())]


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, seconds of all cores (user and system), and the peak of resident memory in MiB."""

    wall: float
    cpu: float
    peak: float | None = None

    def __add__(self, other: Cost) -> Cost:
        """One after the other: times add up; peaks do not."""
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


@dataclass
class Measured:
    """Every repetition of every step, by the name that the step has in the table."""

    ours: dict[str, list[Cost]] = field(default_factory=dict)
    peer: dict[str, list[Cost]] = field(default_factory=dict)
    captions: int = 0


INGEST, COLD, WARM = "auditor ingest", "auditor score (cold cache)", "auditor score (warm cache)"
BLEU, ROUGE, CIDER = f"{PEER} Bleu(4)", f"{PEER} Rouge()", f"{PEER} Cider()"
ALL_SCORERS = f"{PEER} (all three)"


def best(costs: Sequence[Cost]) -> Cost:
    """Take the least time, for noise only ever adds to it, but the highest peak, for memory has to suffice every time.

    Wall and CPU time are taken apart: they need not come from the same repetition.
    """
    peaks = [cost.peak for cost in costs if cost.peak is not None]
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs), max(peaks, default=None))


def run(command: Sequence[str], folder: Path) -> tuple[Cost, str]:
    """Run a process to its end; give what it cost and what it wrote to stdout. Ends this one where it fails."""
    with (folder / "stdout").open("w+b") as out, (folder / "stderr").open("w+b") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            err.seek(0)
            sys.exit(f"{' '.join(command)}: exit code {process.returncode}: {err.read().decode().strip()}")
        out.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), out.read().decode()


# What runs in processes of its own: preparing, and the peer.


def write_tiles(dataset: str, tiles: int, path: Path) -> None:
    """Write a dataset several times over as a `.token` file, each time under new image ids.

    White space inside captions becomes one blank, since a line may hold no other; no token changes by it.
    """
    from auditor import config, sources

    declared = config.source(dataset, config.sources())
    rows = [
        (image, slot, " ".join(text.split()))
        for part in declared.parts
        for batch in sources.read(part, declared.format)
        for image, slot, text in batch.filter(batch["reason"].is_null()).select("image", "slot", "text").iter_rows()
    ]
    with path.open("w", encoding="utf-8") as file:
        for tile in range(1, tiles + 1):
            file.writelines(f"{tile}-{image}#{slot}\t{text}\n" for image, slot, text in rows)


def write_items(dataset: str, store: Path, scores: Path, path: Path) -> None:
    """Write the captions that have references, image by image, as the peer is to see them; print their number.

    They come out of the store, so that both sides score the same captions. Ends the process where the scores at hand
    are not of all metrics for exactly these.
    """
    import polars as pl

    from auditor.store.connection import Store
    from auditor.store.versions import content, resolve
    from auditor.text import bare

    with Store.open(store) as opened:
        captions = content(opened, resolve(opened, dataset))
    captions = captions.filter(pl.len().over("image") > 1).sort("image", "slot")
    scored = pl.read_parquet(scores).group_by("image", "slot").agg(pl.col("metric").n_unique())
    both = scored.filter(pl.col("metric") == METRICS).join(captions, on=["image", "slot"])
    if not both.height == scored.height == captions.height:
        sys.exit(f"{scored.height} captions scored, {captions.height} have references, {both.height} in both")
    texts = captions.select("image", text=bare.tokenize(captions["text"]).list.join(" "))
    images = texts.group_by("image", maintain_order=True).agg("text")["text"].to_list()
    path.write_text(json.dumps(images), encoding="utf-8")
    print(captions.height)


def score_with_peer(path: Path) -> None:
    """Score every caption against the others of its image with the peer; print what each scorer cost, as JSON.

    Only the calls of `compute_score` count: neither imports nor the making of items.
    """
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    candidates: dict[str, list[str]] = {}
    references: dict[str, list[str]] = {}
    for image, captions in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        for slot, caption in enumerate(captions):
            candidates[f"{image}#{slot}"] = [caption]
            references[f"{image}#{slot}"] = captions[:slot] + captions[slot + 1 :]
    costs = {
        BLEU: timed(lambda: Bleu(4).compute_score(references, candidates, verbose=0)),
        ROUGE: timed(lambda: Rouge().compute_score(references, candidates)),
        CIDER: timed(lambda: Cider().compute_score(references, candidates)),
    }
    print(json.dumps(costs))


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Give the wall and CPU seconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


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
    score = [*_AUDITOR, "score", dataset, "--store", str(copy), "-o", str(scores)]
    note(measured.ours, INGEST, run([*_AUDITOR, "ingest", *source, "--store", str(fresh)], folder)[0])
    shutil.copyfile(fresh, copy)
    for step in (COLD, WARM):
        note(measured.ours, step, run(score, folder)[0])
    described = ["--store", str(copy), "--scores", str(scores)]
    _, count = run([*_SELF, dataset, *described, "--write-items", str(folder / "items.json")], folder)
    measured.captions = int(count)


def measure_peer(measured: Measured, folder: Path) -> None:
    """Let the peer score the items that the last round of ours has left."""
    process, printed = run([*_SELF, "--peer", str(folder / "items.json")], folder)
    scorers = {name: Cost(*seconds) for name, seconds in json.loads(printed).items()}
    for name, cost in scorers.items():
        note(measured.peer, name, cost)
    total = sum(scorers.values(), Cost(0, 0))
    note(measured.peer, ALL_SCORERS, Cost(total.wall, total.cpu, process.peak))


def note(steps: dict[str, list[Cost]], step: str, cost: Cost) -> None:
    """Keep one repetition of a step, and say on stderr that it is done."""
    steps.setdefault(step, []).append(cost)
    print(f"{step}: {cost.wall:.2f} s, CPU {cost.cpu:.2f} s", file=sys.stderr)


# Reporting. Whatever is rounded is rounded against us.


def up(value: float, digits: int = 2) -> str:
    """Write what ours costs, rounded up."""
    return f"{math.ceil(value * 10**digits) / 10**digits:.{digits}f}"


def down(value: float, digits: int = 2) -> str:
    """Write what the peer costs, or a ratio, rounded down."""
    return f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"


def report(measured: Measured) -> str:
    """Write the tables: what every step costs, and which aims that meets."""
    ours = {step: best(costs) for step, costs in measured.ours.items()}
    peer = {step: best(costs) for step, costs in measured.peer.items()}
    rows = [row for side, rounded in ((ours, up), (peer, down)) for row in cost_rows(side, rounded)]
    lines = [
        f"{measured.captions:,} captions with references. {versions(with_peer=bool(peer))}",
        "",
        *table(("step", "wall, s", "CPU, s", "peak, MiB"), rows),
        "",
        *table(("", "measured", "aim", ""), [*ratio_rows(ours, peer), *limit_rows(ours, with_ingest=bool(peer))]),
    ]
    return "\n".join(lines)


def cost_rows(steps: Mapping[str, Cost], rounded: Callable[[float, int], str]) -> list[tuple[str, ...]]:
    """Write one row a step."""
    return [
        (step, rounded(cost.wall, 2), rounded(cost.cpu, 2), "" if cost.peak is None else rounded(cost.peak, 0))
        for step, cost in steps.items()
    ]


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


def mark(met: bool) -> str:
    """Say whether an aim is met."""
    return "met" if met else "**missed**"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a Markdown table."""
    rule = ["---", *("---:" for _ in header[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]


def versions(*, with_peer: bool) -> str:
    """Name what was measured."""
    packages = ["auditor", "duckdb", "polars", *([PEER] if with_peer else [])]
    named = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"Python {platform.python_version()}, {named}; {os.cpu_count()} cores."


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


def positive(text: str) -> int:
    """Read a whole number from 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def require_peer() -> None:
    """End the process where the peer is not installed, rather than after minutes of measuring."""
    try:
        version(PEER)
    except PackageNotFoundError:
        sys.exit(f"{PEER} is not installed: pip install 'auditor[peers]'")


def main() -> None:
    """Do the step asked for; without one, measure and report."""
    options = arguments()
    if options.write_tiles:
        write_tiles(options.dataset, options.tile, options.write_tiles)
    elif options.write_items:
        write_items(options.dataset, options.store, options.scores, options.write_items)
    elif options.peer:
        score_with_peer(options.peer)
    else:
        if options.tile == 1:
            require_peer()
        if options.data:
            os.environ["AUDITOR_DATA"] = str(options.data.resolve())
        load = os.getloadavg()[0]
        print(f"load before: {load:.2f}{'; too busy, run again' if load > MOST_LOAD else ''}\n", flush=True)
        print(report(measure(options.dataset, options.tile, options.repeat, options.peer_repeat)))


if __name__ == "__main__":
    main()
