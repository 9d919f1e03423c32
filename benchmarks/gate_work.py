"""What `gate.py` measures in one process: the work of `auditor`, and beside it a floor that knows nothing of `auditor`.

`python benchmarks/gate_work.py FOLDER [NAME…]` writes the bundled captions, tiled, and stores of them into FOLDER, and
prints the ratios of each work as JSON: CPU seconds by the mean of those of its floor, which a process of its own does
over and over all the while on the same CPU. So what slows the machine for a moment slows both. Imports and compiling
are over before, and opening a store and closing it are on no clock.
"""

from __future__ import annotations

import gc
import json
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate_floor import RESTS, Floor, on_one_cpu, ratios
from measuring import COUNTED

TILES, FEW_TILES = 38, 4

#: Words that stay as they are in every tile; each other is another of these in each tile, or a word of that tile alone.
FREQUENT = 40

#: CPU seconds of one measurement of a kernel, and of all measurements of a work; how many these are, at most.
_LEAST, _ENOUGH, _MOST = 0.3, 2.5, 6

Act = Callable[[], object]


@dataclass(frozen=True)
class Work:
    """Something to measure: `prepare` is on no clock and makes what is; `floor` names what stands beside it."""

    name: str
    floor: str
    prepare: Callable[[], Iterator[Act]]


def captions(tiles: int) -> list[tuple[str, int, str]]:
    """Return the captions of two bundled sets so many times, with other words each time, as (image, slot, text)."""
    import auditor

    sample = Path(auditor.__file__).parent / "sample"
    rows = []
    for line in (sample / "narrow.token").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition("\t")
        rows.append((*name.split("#"), text))
    annotations = json.loads((sample / "varied.json").read_text(encoding="utf-8"))["annotations"]
    slots: Counter[int] = Counter()
    for one in annotations:
        rows.append((f"varied-{one['image_id']}", slots[one["image_id"]], one["caption"]))
        slots[one["image_id"]] += 1
    rarer = sorted(
        word for word, _ in Counter(word for *_, text in rows for word in text.split()).most_common()[FREQUENT:]
    )
    made = []
    for tile in range(tiles):
        draw = random.Random(tile)
        others = [
            word if draw.random() < 0.75 else f"{word}{chr(97 + tile % 26)}{'aeiou'[tile // 26]}" for word in rarer
        ]
        draw.shuffle(others)
        said = dict(zip(rarer, others, strict=True)) if tile else {}
        made += [
            (f"{tile}-{image}", int(slot), " ".join(said.get(word, word) for word in text.split()))
            for image, slot, text in rows
        ]
    return made


def write(rows: Sequence[tuple[str, int, str]], path: Path) -> Path:
    """Write captions as a `.token` file."""
    path.write_text("".join(f"{image}#{slot}\t{text}\n" for image, slot, text in rows), encoding="utf-8")
    return path


@contextmanager
def _recorded(place: object, name: str) -> Iterator[list[tuple[Any, ...]]]:
    """Keep the arguments of every call of a function."""
    calls: list[tuple[Any, ...]] = []
    function = getattr(place, name)

    def kept(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    object.__setattr__(place, name, kept)
    try:
        yield calls
    finally:
        object.__setattr__(place, name, function)


def works(folder: Path) -> list[Work]:
    """List what is measured. A metric that cannot be had here is left out."""
    from auditor.scoring.registry import METRICS, lacking

    whole, few = folder / "set.duckdb", folder / "few.duckdb"

    def asked(store: Path, ask: Callable[[Any], object]) -> Callable[[], Iterator[Act]]:
        def prepare() -> Iterator[Act]:
            import auditor

            copy = folder / "copy.duckdb"
            shutil.copyfile(store, copy)
            with auditor.open(copy, write=True) as audit:
                yield lambda: ask(audit)

        return prepare

    def ingested() -> Iterator[Act]:
        import auditor

        new = folder / "new.duckdb"
        new.unlink(missing_ok=True)
        with auditor.open(new, write=True) as audit:
            yield lambda: audit.ingest("set", files=[folder / "set.token"], file_format="flickr")

    def aligned(metric: str) -> Callable[[], Iterator[Act]]:
        held: list[tuple[Any, ...]] = []

        def prepare() -> Iterator[Act]:
            kernel = METRICS[metric].kernel
            if not held:
                with _recorded(kernel, "run") as calls:
                    for act in asked(whole, lambda audit: audit.score("set", metrics=[metric]))():
                        act()
                held.extend(calls)
            yield lambda: [kernel.run(*arguments) for arguments in held]

        return prepare

    def searched() -> Iterator[Act]:
        from auditor.metrics.kernels.meteor import alignment

        with _recorded(alignment, "align") as calls:
            for act in meteor():
                act()
        yield lambda: [alignment.align(*arguments) for arguments in calls]

    meteor = aligned("meteor")
    kernels = [
        Work(f"{metric}: kernel", "kernel", meteor if metric == "meteor" else aligned(metric))
        for metric in ("ter", "chrf", "meteor")
        if not lacking(METRICS[metric])
    ]
    if not lacking(METRICS["meteor"]):
        kernels.append(Work("meteor: alignment", "kernel", searched))
    return [
        Work("ingest", "sql", ingested),
        Work("score: n-grams and subsequences", "sql", asked(whole, lambda audit: audit.score("set", metrics=COUNTED))),
        *kernels,
        Work("duplicates", "sql", asked(whole, lambda audit: audit.duplicates("set"))),
        Work("findings", "sql", asked(few, lambda audit: audit.findings("set"))),
        Work("report", "sql", asked(few, lambda audit: audit.report("set"))),
    ]


def measured(work: Work, floor: Floor) -> list[tuple[float, float, float]]:
    """Measure a work several times; return when each began and ended, and CPU seconds of all threads for one."""
    found: list[tuple[float, float, float]] = []
    times, is_warm = 1, False
    while len(found) < 2 or (sum(cpu for *_, cpu in found) * times < _ENOUGH and len(found) < _MOST):
        for act in work.prepare():
            if not is_warm:
                act()
                if work.floor == "kernel":
                    before = time.process_time()
                    act()
                    times = max(1, round(_LEAST / (time.process_time() - before)))
                is_warm = True
                if work.floor != "kernel":
                    continue
            gc.collect()
            floor.ask(work.floor)
            begun, before = time.monotonic(), time.process_time()
            for _ in range(times):
                act()
            spent = time.process_time() - before
            found.append((begun, time.monotonic(), spent / times))
            floor.ask(RESTS)
    return found


def main(arguments: Sequence[str]) -> None:
    """Measure what is named, or everything."""
    folder, named = Path(arguments[0]), arguments[1:]
    on_one_cpu()
    import auditor

    for name, tiles in (("set", TILES), ("few", FEW_TILES)):
        store = folder / f"{name}.duckdb"
        if not store.exists():
            file = write(captions(tiles), folder / f"{name}.token")
            with auditor.open(store, write=True) as audit:
                audit.ingest("set", files=[file], file_format="flickr")
    floor, found = Floor(folder / "set.token"), dict[str, tuple[str, list[tuple[float, float, float]]]]()
    for work in works(folder):
        if not named or work.name in named:
            found[work.name] = work.floor, measured(work, floor)
    done = floor.done()
    print(json.dumps({name: ratios(some, kind, done) for name, (kind, some) in found.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
