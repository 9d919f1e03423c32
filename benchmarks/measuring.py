"""What the benchmarks share: processes and what they cost, captions for both sides, tables.

A process that measures stays small and imports nothing heavy: on Linux a child's peak memory starts at that of its
parent, which would otherwise be reported as the child's. So every import that costs is inside a function, and these
functions are for processes of their own.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: Metrics that count n-grams and align subsequences.
COUNTED = (
    *("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4"),
    *("cider", "cider-d"),
)

AUDITOR = [sys.executable, "-m", "auditor"]
MOST_LOAD = 1.5


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, seconds of all cores (user and system), and the peak of resident memory in MiB."""

    wall: float
    cpu: float
    peak: float | None = None

    def __add__(self, other: Cost) -> Cost:
        """One after the other: times add up; peaks do not."""
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


def best(costs: Sequence[Cost]) -> Cost:
    """Take the least time, for noise only ever adds to it, but the highest peak, for memory has to suffice every time.

    Wall and CPU time are taken apart: they need not come from the same repetition.
    """
    peaks = [cost.peak for cost in costs if cost.peak is not None]
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs), max(peaks, default=None))


def run(command: Sequence[str], folder: Path, at: Path | None = None) -> tuple[Cost, str]:
    """Run a process to its end, in a folder; give its cost and what it wrote to stdout. Ends this one where it fails.

    The cost is that of the process and of those that it started and waited for. It keeps bytecode, which an installed
    package has: a process of a fresh clone would compile its modules at every start.
    """
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "stdout").open("w+b") as out, (folder / "stderr").open("w+b") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=at, env=around)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            err.seek(0)
            sys.exit(f"{' '.join(command)}: exit code {process.returncode}: {err.read().decode().strip()}")
        out.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), out.read().decode()


def timed(call: Callable[[], object]) -> Cost:
    """Give the wall and CPU seconds of a call, with those of processes that it starts and waits for."""

    def cpu() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    wall, before = time.perf_counter(), cpu()
    call()
    return Cost(time.perf_counter() - wall, cpu() - before)


def note(step: str, cost: Cost) -> None:
    """Say on stderr that one repetition of a step is done."""
    print(f"{step}: {cost.wall:.2f} s, CPU {cost.cpu:.2f} s", file=sys.stderr, flush=True)


# Captions, for processes of their own.


def captions(dataset: str) -> list[tuple[str, int, str]]:
    """Read a declared dataset as (image, slot, text), in the order of its files.

    White space inside captions becomes one blank, since a line may hold no other; no token changes by it.
    """
    from auditor import config, sources

    declared = config.source(dataset, config.sources())
    return [
        (image, slot, " ".join(text.split()))
        for part in declared.parts
        for batch in sources.read(part, declared.format)
        for image, slot, text in batch.filter(batch["reason"].is_null()).select("image", "slot", "text").iter_rows()
    ]


def of_images(rows: Sequence[tuple[str, int, str]], count: int | None, *, alike: bool) -> list[tuple[str, int, str]]:
    """Keep the captions of the first images. `alike` leaves out images unlike most, which not every peer can score.

    Those have another number of captions than five, or a caption without a letter or digit.
    """
    by_image: dict[str, list[tuple[str, int, str]]] = {}
    for row in rows:
        by_image.setdefault(row[0], []).append(row)
    images = [
        image
        for image in by_image.values()
        if not alike or (len(image) == 5 and all(re.search("[a-zA-Z0-9]", text) for _, _, text in image))
    ]
    return [row for image in images[:count] for row in image]


def write_tiles(rows: Sequence[tuple[str, int, str]], tiles: int, path: Path) -> None:
    """Write captions several times over as a `.token` file, each time under new image ids."""
    with path.open("w", encoding="utf-8") as file:
        for tile in range(1, tiles + 1):
            file.writelines(f"{tile}-{image}#{slot}\t{text}\n" for image, slot, text in rows)


def stored(store: Path, dataset: str) -> pl.DataFrame:
    """Give the captions that have references, as (image, slot, text), in order; the text is its tokens (`bare`).

    They come out of the store, so that both sides score the same captions.
    """
    import polars as pl

    from auditor.store.connection import Store
    from auditor.store.versions import content, resolve
    from auditor.text import by_rules

    with Store.open(store) as opened:
        rows = content(opened, resolve(opened, dataset))
    rows = rows.filter(pl.len().over("image") > 1).sort("image", "slot")
    return rows.select("image", "slot", text=by_rules.bare(rows["text"]).list.join(" "))


def leave_one_out(images: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Give every caption of every image, and beside it the others of its image."""
    candidates = [caption for image in images for caption in image]
    references = [[*image[:slot], *image[slot + 1 :]] for image in images for slot in range(len(image))]
    return candidates, references


# Reporting. Whatever is rounded is rounded against us.


def up(value: float, digits: int = 2) -> str:
    """Write what ours costs, rounded up."""
    return f"{math.ceil(value * 10**digits) / 10**digits:.{digits}f}"


def down(value: float, digits: int = 2) -> str:
    """Write what the peer costs, or a ratio, rounded down."""
    return f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"


def cost_rows(steps: Mapping[str, Cost], rounded: Callable[[float, int], str]) -> list[tuple[str, ...]]:
    """Write one row a step."""
    return [
        (step, rounded(cost.wall, 2), rounded(cost.cpu, 2), "" if cost.peak is None else rounded(cost.peak, 0))
        for step, cost in steps.items()
    ]


def mark(met: bool) -> str:
    """Say whether an aim is met."""
    return "met" if met else "**missed**"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a Markdown table."""
    rule = ["---", *("---:" for _ in header[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]


def installed(package: str) -> str | None:
    """Give the version of a package; null where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def versions(*packages: str) -> str:
    """Name what was measured, and on what; what is not installed is left out."""
    found = {package: installed(package) for package in ("auditor", "duckdb", "polars", *packages)}
    named = ", ".join(f"{package} {number}" for package, number in found.items() if number)
    return f"Python {platform.python_version()}, {named}; {os.cpu_count()} cores."


def load_before() -> str:
    """Say how busy the machine was before a run."""
    load = os.getloadavg()[0]
    return f"load before: {load:.2f}{'; too busy, run again' if load > MOST_LOAD else ''}"


def positive(text: str) -> int:
    """Read a whole number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
