"""Floors of the gate: what knows nothing of `auditor`, and goes on beside its work on the same CPU.

`python benchmarks/gate_floor.py FILE` reads captions (a `.token` file), then the name of a floor from each line of
standard input: it goes on with this until the next line. At the end it prints what each time cost, as JSON.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

#: What it is told to do in place of a floor.
RESTS = "rests"

_READ = """
create table caption as select string_split(place, '#')[1] as image, string_split(place, '#')[2] as slot, text
from read_csv($file, delim = '\t', header = false, quote = '', escape = '', names = ['place', 'text'])"""

#: The floor of statements: three words in a row, how often each occurs, and what captions of an image share.
_SQL = """
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

#: One time that a floor was done: its name, when it began and ended, and CPU seconds.
Done = tuple[str, float, float, float]


def floors(file: Path) -> dict[str, Callable[[], object]]:
    """Return what is measured beside the works: a statement of DuckDB, and edit distances in plain loops."""
    import duckdb
    import numba
    import numpy as np
    import polars as pl

    connection = duckdb.connect()
    connection.execute(_READ, {"file": str(file)}).fetchall()
    columns = connection.execute("select image, text from caption").fetchall()
    frame = pl.DataFrame(columns, schema=["image", "text"], orient="row")
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
        "sql": lambda: connection.execute(_SQL).fetchall(),
        "kernel": lambda: distances(tokens, starts, images),
    }


class Floor:
    """The process that goes on with a floor, while it is asked to."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), str(file)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask(RESTS)
        self.process.stdout.readline()  # it is ready

    def ask(self, name: str) -> None:
        """Let it go on with another floor, or rest."""
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()

    def done(self) -> list[Done]:
        """Let it end; return each time that it did a floor: its name, when it began and ended, and CPU seconds."""
        return [tuple(one) for one in json.loads(self.process.communicate()[0])]


def ratios(ours: Sequence[tuple[float, float, float]], kind: str, done: Sequence[Done]) -> list[float]:
    """Divide each of ours (when it began and ended, CPU seconds) by the mean of its floor in the same time.

    A work that is shorter than its floor may have none within; then those count that it meets.
    """
    found = []
    for begun, ended, cpu in ours:
        own = [(start, end, spent) for name, start, end, spent in done if name == kind]
        within = [spent for start, end, spent in own if begun <= start and end <= ended]
        within = within or [spent for start, end, spent in own if start < ended and begun < end]
        if within:
            found.append(cpu * len(within) / sum(within))
    return found


def on_one_cpu() -> None:
    """Let all threads of this process, and processes that it starts, share one CPU, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def go_on(file: Path) -> None:
    """Be the process of `Floor`."""
    acts, done, name = floors(file), [], RESTS
    for act in acts.values():
        act()
    print(flush=True)
    while True:
        if name == RESTS or select.select([0], [], [], 0)[0]:
            said = os.read(0, 4096).decode()
            if not said:
                break
            name = said.split()[-1]
            continue
        begun, before = time.monotonic(), time.process_time()
        acts[name]()
        done.append((name, begun, time.monotonic(), time.process_time() - before))
    print(json.dumps(done))


if __name__ == "__main__":
    on_one_cpu()
    go_on(Path(sys.argv[1]))
