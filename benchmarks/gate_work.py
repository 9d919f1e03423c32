"""What `gate.py` measures in one process: the work of `auditor`, and beside it a floor that knows nothing of `auditor`.

`python benchmarks/gate_work.py FOLDER [NAME…]` writes the bundled captions, tiled, and stores of them into FOLDER,
measures each work in turns with its floor, and prints CPU seconds as JSON. All threads of both sides share one CPU.
Imports and compiling are over before, and opening a store and closing it are on no clock.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TILES, FEW_TILES, _FEW_IMAGES = 38, 4, 40

#: Words that stay as they are in every tile; each other is another of these in each tile, or a word of that tile alone.
FREQUENT = 40

NGRAMS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4")
COUNTED = (*NGRAMS, "cider", "cider-d")

#: CPU seconds of one measurement, at least; of all measurements of a work; and how many they are.
_LEAST, _ENOUGH, _FEWEST, _MOST = 0.2, 2.0, 4, 7

_READ = """
create table caption as select string_split(place, '#')[1] as image, string_split(place, '#')[2] as slot, text
from read_csv($file, delim = '\t', header = false, quote = '', escape = '', names = ['place', 'text'])"""

#: The floor of large statements: three words in a row, how often each occurs, and what captions of an image share.
_LARGE = """
create or replace temp table found as
with word as (
  select image, slot, unnest(list_zip(words, words[2:], words[3:], range(len(words)))) as three
  from (select image, slot, string_split(lower(text), ' ') as words from caption)
),
counted as (select three[1] || ' ' || three[2] || ' ' || three[3] as three, image, slot, count(*) as times
            from word group by all),
held as (select three, count(distinct image) as images from counted group by three),
together as (
  select one.image, one.slot, other.slot as beside, count(*) as shared
  from word one join word other on one.image = other.image and one.three[1] = other.three[1] and one.slot <> other.slot
  group by all
)
select image, slot, sum(times / images) as weight, any_value(t.most) as most
from counted join held using (three)
join (select image, slot, max(shared) as most from together group by all) t using (image, slot)
group by image, slot"""

#: The floor of many small statements, of which planning is much and the rows are few: this one, so many times.
_SMALL, _TIMES = """
create or replace temp table found as
with word as (select image, slot, lower(unnest(string_split(text, ' '))) as word from few),
counted as (select word, count(*) as times, count(distinct image) as images from word group by word),
ranked as (select *, row_number() over (order by times desc, word) as place from counted),
rare as (select image, slot, count(*) filter (where r.images < 3) as rare, max(r.place) as last
         from word join ranked r using (word) group by image, slot),
length as (select image, slot, count(*) as words, string_agg(word, ' ' order by word) as sorted from word group by all)
select f.image, f.slot, l.words, coalesce(r.rare, 0) as rare, r.last, avg(l.words) over (partition by f.image) as mean,
       count(*) over (partition by l.sorted) as alike
from few f join length l using (image, slot) left join rare r using (image, slot)
where exists (select 1 from counted c where c.times > 3 and contains(f.text, c.word))
order by f.image, f.slot""", 8

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
    rarer = sorted(word for word, _ in Counter(word for *_, text in rows for word in text.split()).most_common()[FREQUENT:])
    made = []
    for tile in range(tiles):
        draw = random.Random(tile)
        others = [word if draw.random() < 0.75 else f"{word}{chr(97 + tile % 26)}{'aeiou'[tile // 26]}" for word in rarer]
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
    from auditor.registry import METRICS, lacking

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
        Work("ingest", "large", ingested),
        Work("score: n-grams and subsequences", "large", asked(whole, lambda audit: audit.score("set", metrics=COUNTED))),
        *kernels,
        Work("duplicates", "large", asked(whole, lambda audit: audit.duplicates("set"))),
        Work("findings", "small", asked(few, lambda audit: audit.findings("set"))),
        Work("report", "small", asked(few, lambda audit: audit.report("set"))),
    ]


def floors(rows: Sequence[tuple[str, int, str]], file: Path) -> dict[str, Act]:
    """Return what is measured beside the works: a statement of DuckDB, and edit distances in plain loops."""
    import duckdb
    import numba
    import numpy as np
    import polars as pl

    frame = pl.DataFrame(rows, schema=["image", "slot", "text"], orient="row")
    connection = duckdb.connect()
    connection.execute(_READ, {"file": str(file)}).fetchall()
    few = frame["image"].unique(maintain_order=True)[:_FEW_IMAGES].to_list()
    connection.execute("create table few as from caption where image in $few", {"few": few}).fetchall()
    words = frame["text"].str.split(" ")
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(words.list.len().to_numpy(), dtype=np.int64)])
    tokens = words.explode().rank("dense").cast(pl.Int64).to_numpy()
    images = frame["image"].rle_id().to_numpy().astype(np.int64)

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def distances(tokens: Any, starts: Any, images: Any) -> int:
        cells, total = np.zeros(256, np.int64), 0
        for one in range(len(images)):
            for other in range(max(one - 4, 0), min(one + 5, len(images))):
                if one == other or images[one] != images[other]:
                    continue
                width = starts[other + 1] - starts[other]
                for right in range(width + 1):
                    cells[right] = right
                for left in range(starts[one], starts[one + 1]):
                    diagonal = cells[0]
                    cells[0] += 1
                    for right in range(width):
                        differs = tokens[left] != tokens[starts[other] + right]
                        above = cells[right + 1]
                        cells[right + 1] = min(above + 1, cells[right] + 1, diagonal + differs)
                        diagonal = above
                total += cells[width]
        return total

    return {
        "large": lambda: connection.execute(_LARGE).fetchall(),
        "small": lambda: [connection.execute(_SMALL).fetchall() for _ in range(_TIMES)],
        "kernel": lambda: distances(tokens, starts, images),
    }


def spent(act: Act, times: int) -> float:
    """Return the CPU seconds of all threads for one of so many calls."""
    gc.collect()
    before = time.process_time()
    for _ in range(times):
        act()
    return (time.process_time() - before) / times


def measured(work: Work, floor: Act) -> dict[str, list[float]]:
    """Measure a work in turns with its floor: the floor first and last, so that each of ours is between two."""
    ours: list[float] = []
    floor()
    beside_times = max(1, round(_LEAST / spent(floor, 1)))
    times, beside = 0, [spent(floor, beside_times)]
    while len(ours) < _FEWEST or (sum(ours) * times < _ENOUGH and len(ours) < _MOST):
        for act in work.prepare():
            if not times:
                act() if work.floor == "kernel" else None
                times = max(1, round(_LEAST / spent(act, 1))) if work.floor == "kernel" else 1
                if work.floor != "kernel":
                    continue
            ours.append(spent(act, times))
        if ours:
            beside.append(spent(floor, beside_times))
    return {"ours": ours, "floor": beside}


def main(arguments: Sequence[str]) -> None:
    """Measure what is named, or everything."""
    with suppress(AttributeError):  # not every system lets a process choose
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import auditor

    folder, named = Path(arguments[0]), arguments[1:]
    rows = captions(TILES)
    for name, some in (("set", rows), ("few", captions(FEW_TILES))):
        file, store = write(some, folder / f"{name}.token"), folder / f"{name}.duckdb"
        if not store.exists():
            with auditor.open(store, write=True) as audit:
                audit.ingest("set", files=[file], file_format="flickr")
    beside = floors(rows, folder / "set.token")
    found = {}
    for work in works(folder):
        if not named or work.name in named:
            before = time.process_time()
            found[work.name] = measured(work, beside[work.floor])
            print(f"{work.name}: {time.process_time() - before:.1f} s of CPU", file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
