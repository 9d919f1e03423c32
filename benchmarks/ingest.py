"""What does an ingest cost, and what does DuckDB need merely to read and store the same file? Measured in one run.

Both are processes of their own, in turns; the least of several repetitions counts. This process stays small, see
`measuring.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, best, load_before, run

SOURCE = "flickr30k"
AIM = 4.0
MOST_MEMORY = 1536.0

_SELF = [sys.executable, str(Path(__file__).resolve())]

#: What DuckDB runs to read a file of each format, as plainly as it can be said.
FLOORS = {
    "token": "read_csv($file, delim = '\t', header = false, quote = '', escape = '')",
    "csv": "read_csv($file)",
    "jsonl": "read_json($file, format = 'newline_delimited')",
    "parquet": "read_parquet($file)",
    "json": "(select unnest(annotations) from read_json($file, maximum_object_size = 1000000000))",
}


def write_files(tiles: int, images: int | None, formats: Collection[str], folder: Path) -> int:
    """Write a dataset, or so many of its images, several times over under new image ids and with new texts.

    Tile N has the words of every caption turned round N times, so that nearly every text is new to the store. Gives the
    number of captions.
    """
    import json

    import polars as pl

    from auditor import config, sources

    declared = config.source(SOURCE, config.sources())
    captions = pl.concat(batch for part in declared.parts for batch in sources.read(part, declared.format))
    if images is not None:
        captions = captions.filter(pl.col("image").rank("dense") <= images)
    words = pl.col("text").str.split(" ")
    tiled = pl.concat(
        captions.select(
            image=pl.format("{}-{}", pl.lit(tile), "image"),
            slot=pl.col("slot"),
            caption=words.list.slice(tile).list.concat(words.list.head(tile)).list.join(" "),
        )
        for tile in range(tiles)
    ).with_columns(id=pl.int_range(pl.len()))
    if "token" in formats:
        tiled.select(pl.format("{}#{}", "image", "slot"), "caption").write_csv(
            folder / "captions.token", separator="\t", include_header=False, quote_style="never"
        )
    table = tiled.select("image", "caption")
    writers = {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet}
    for form in formats & writers.keys():
        writers[form](folder / f"captions.{form}")
    if "json" in formats:
        records = tiled.select("id", pl.col("image").alias("image_id"), "caption").to_dicts()
        (folder / "captions.json").write_text(json.dumps({"annotations": records}), encoding="utf-8")
    return tiled.height


def store_plainly(file: Path, store: Path) -> None:
    """Let DuckDB read a file into a table and nothing else."""
    import duckdb

    with duckdb.connect(str(store)) as connection:
        connection.execute(f"create table captions as from {FLOORS[file.suffix[1:]]}", {"file": str(file)}).fetchall()


def measure(file: Path, folder: Path, repeat: int) -> tuple[Cost, Cost]:
    """Give the cost of the ingest and of the floor."""
    ours, floor = [], []
    store = folder / "store.duckdb"
    for _ in range(repeat):
        store.unlink(missing_ok=True)
        ingest = [*AUDITOR, "-q", "ingest", "set", "--from", str(file), "--store", str(store)]
        ours.append(run([*ingest, "-o", str(folder / "r.json")], folder)[0])
        store.unlink()
        floor.append(run([*_SELF, "--floor", str(file), str(store)], folder)[0])
    return best(ours), best(floor)


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=4, help=f"how often {SOURCE} is written")
    parser.add_argument("--images", type=int, help="so many of its images; default: all")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--formats", nargs="*", default=[*FLOORS], choices=[*FLOORS])
    parser.add_argument("--floor", nargs=2, type=Path, metavar=("FILE", "STORE"), help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.floor:
        store_plainly(*asked.floor)
        return
    if asked.write:
        print(write_files(asked.tiles, asked.images, {*asked.formats}, asked.write))
        return
    print(load_before())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        captions = int(run([*_SELF, "--write", name, *arguments], folder)[1])
        print(f"{captions:,} captions\n")
        columns = ["format", "ingest, wall s", "CPU s", "captions/s", "peak MiB", "floor, wall s", "CPU s"]
        print(f"| {' | '.join(columns)} | wall ÷ floor | CPU ÷ floor |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for form in asked.formats:
            ours, floor = measure(folder / f"captions.{form}", folder, asked.repeat)
            print(
                f"| {form} | {ours.wall:.2f} | {ours.cpu:.2f} | {captions / ours.wall:,.0f} | {ours.peak:.0f} "
                f"| {floor.wall:.2f} | {floor.cpu:.2f} | {ours.wall / floor.wall:.1f} | {ours.cpu / floor.cpu:.1f} |",
                flush=True,
            )
        print(f"\naims: at most {AIM:g} times the floor, at most {MOST_MEMORY:g} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
