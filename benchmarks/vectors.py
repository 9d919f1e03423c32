"""What vectors cost: `ingest` of as many as Flickr30k has images, and of many more, from Parquet and from `.npy`.

Vectors are of chance, for what they say costs nothing. Each ingest is a process of its own; the least time of several
repetitions counts, and the highest peak. This process stays small, see `measuring.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, best, down, load_before, mark, note, positive, run, table, up, versions

#: Images, numbers a vector, what numpy calls their precision, format.
INGESTED = (
    (31_783, 768, "float32", "parquet"),
    (31_783, 768, "float32", "npy"),
    (500_000, 512, "float16", "npy"),
)

#: Seconds, for the first two.
MOST_SECONDS = 10.0

_AT_ONCE = 10_000

_SELF = [sys.executable, str(Path(__file__).resolve())]


def write(images: int, length: int, kind: str, path: Path) -> None:
    """Write vectors of chance, their images in no order."""
    import numpy as np
    import polars as pl

    chance = np.random.default_rng(1)
    names = [f"{number:012d}.jpg" for number in chance.permutation(images)]
    if path.suffix == ".npy":
        matrix = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(images, length))
        path.with_suffix(".txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    else:
        matrix = np.empty((images, length), kind)
    for first in range(0, images, _AT_ONCE):
        rows = matrix[first : first + _AT_ONCE]
        rows[:] = chance.standard_normal(rows.shape, dtype=np.float32)
    if path.suffix == ".parquet":
        pl.DataFrame({"image": names, "vector": pl.Series(values=matrix)}).write_parquet(path)


def ingest(repeat: int) -> None:
    """Measure an ingest into a new store, and print a table."""
    rows, met = [], True
    for images, length, kind, form in INGESTED:
        costs: list[Cost] = []
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = folder / f"vectors.{form}"
            run([*_SELF, "--write", str(images), str(length), kind, str(file)], folder)
            for _ in range(repeat):
                store = folder / "store.duckdb"
                store.unlink(missing_ok=True)
                asked = ["set", "--from", str(file), "--format", "vectors", "--store", str(store)]
                costs.append(run([*AUDITOR, "-q", "ingest", *asked, "-o", str(folder / "r.json")], folder)[0])
                note(f"{images:,} × {length}, {form}", costs[-1])
            held = images * length * 4 / 2**20
            cost = best(costs)
        met = met and (images > INGESTED[0][0] or cost.wall <= MOST_SECONDS)
        peak = cost.peak or 0.0
        rows.append((
            f"{images:,} × {length} {kind}, {form}", up(cost.wall), up(cost.cpu), down(images / cost.wall, 0),
            up(peak, 0), up(held, 0), up(peak / held, 1),
        ))  # fmt: skip
    columns = ["vectors", "wall, s", "CPU, s", "vectors/s", "peak, MiB", "vectors in the store, MiB", "peak ÷ these"]
    print("\n".join(table(columns, rows)))
    print(f"\naim, for {INGESTED[0][0]:,}: at most {MOST_SECONDS:g} s: {mark(met)}")


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=positive, default=3)
    parser.add_argument("--write", nargs=4, metavar=("IMAGES", "LENGTH", "KIND", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.write:
        images, length, kind, file = asked.write
        write(int(images), int(length), kind, Path(file))
        return
    print(load_before())
    print(versions("numpy"))
    ingest(asked.repeat)


if __name__ == "__main__":
    main(sys.argv[1:])
