"""What does the whole study of bounds cost? Upper bound and seven lower bounds, all metrics, from small sets to large.

Flickr30k as it is, a part of it, and several times under new image ids; every run on a fresh copy of a store, cold.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, down, load_before, mark, note, positive, run, table, up, versions, write_tiles

#: Each size as (images, tiles): 16k, 159k and 620k captions.
SIZES = ((3_200, 1), (None, 1), (31_014, 4))
FLAT = 0.2


def main(arguments: Sequence[str]) -> None:
    """Measure every size and print it as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--sizes", type=positive, default=len(SIZES), help="how many of the sizes, from the smallest")
    parser.add_argument("--metric", "-m", action="append", help="metric, default all; repeat for more")
    options = parser.parse_args(arguments)
    if options.data:
        os.environ["AUDITOR_DATA"] = str(options.data)
    print(f"{versions()}\n{load_before()}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        rows, per_caption = [], []
        for images, tiles in SIZES[: options.sizes]:
            captions, ingest, bounds = _measure(Path(folder), images, tiles, options.metric or [])
            per_caption.append(bounds.cpu / captions * 1e6)
            times = (up(ingest.cpu), up(bounds.wall), up(bounds.cpu))
            rows.append((f"{captions:,}", *times, up(bounds.peak or 0, 0), up(per_caption[-1], 0)))
    header = ("captions", "ingest, CPU s", "bounds, wall s", "bounds, CPU s", "bounds, peak MiB", "µs of CPU a caption")
    print("\n".join(table(header, rows)))
    spread = max(per_caption) / min(per_caption) - 1
    middle = (max(per_caption) + min(per_caption)) / 2
    flat = max(per_caption) <= middle * (1 + FLAT)
    print(f"\nThe dearest caption costs {down(spread + 1)} times the cheapest; within ±{FLAT:.0%}: {mark(flat)}.")


def _measure(folder: Path, images: int | None, tiles: int, metrics: Sequence[str]) -> tuple[int, Cost, Cost]:
    """Ingest and measure one size; give how many captions it has, and what both cost."""
    made = folder / "set.token"
    script = "import sys; sys.path.insert(0, sys.argv[1]); import bounds; bounds.write(*sys.argv[2:])"
    here = str(Path(__file__).parent)
    _, count = run([sys.executable, "-c", script, here, str(made), str(images or 0), str(tiles)], folder)
    store = folder / "audit.duckdb"
    step = [*AUDITOR, "ingest", "set", "--from", str(made), "--format", "flickr", "--store", str(store)]
    ingest, _ = run(step, folder)
    run([*AUDITOR, "ingest", "abstract50s", "brown", "--store", str(store)], folder)
    asked = [word for metric in metrics for word in ("-m", metric)]
    output = str(folder / "bounds.parquet")
    cost, _ = run(
        [*AUDITOR, "bounds", "set", "--others", "abstract50s", "--store", str(store), *asked, "-o", output], folder
    )
    note(f"{int(count):,} captions", cost)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return int(count), ingest, cost


def write(path: str, images: str, tiles: str) -> None:
    """Write the captions of one size, and how many there are to stdout. For a process of its own."""
    from measuring import captions, of_images

    rows = of_images(captions("flickr30k"), int(images) or None, alike=False)
    write_tiles(rows, int(tiles), Path(path))
    print(len(rows) * int(tiles))


if __name__ == "__main__":
    main(sys.argv[1:])
