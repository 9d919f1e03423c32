"""What does finding every near-duplicate cost, beside a search by MinHash (rensa) that may miss some and bring others?

Both are asked which captions are near another one (at least 0.7 of the words of both in both). Ours is the whole
process of `auditor duplicates`, which compares words; of rensa the calls count that sketch and flag, neither imports
nor tokens.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from measuring import AUDITOR, Cost, best, down, installed, load_before, note, positive, run, stored, table, timed, up
from measuring import versions as measured_with

DATASETS = ("flickr8k", "flickr30k")

#: Permutations, and bands that they are cut into: where two captions are alike to .7, they share a band nearly always.
SKETCHES = ((128, 16), (128, 32), (256, 64))

_NEAR = 0.7

_SELF = [sys.executable, str(Path(__file__).resolve())]


def rensa(store: Path, dataset: str, found: Path, permutations: int, bands: int) -> None:
    """Sketch and flag the captions of a store; print the cost, and how many are found, flagged, and both, as JSON."""
    import polars as pl
    from rensa import RMinHash, RMinHashLSH

    captions = stored(store, dataset)
    words = captions["text"].str.split(" ")
    # As ours counts: a word that a caption has twice is two.
    numbered = words.to_frame("word").with_row_index("row").explode("word")
    numbered = numbered.with_columns(time=pl.int_range(pl.len()).over("row", "word"))
    bags = numbered.with_columns(key=pl.concat_str("word", pl.lit("#"), "time"))
    sets = bags.group_by("row", maintain_order=True).agg("key")["key"].to_list()
    flags: list[bool] = []

    def search() -> None:
        sketches = RMinHash.digest_matrix_from_token_sets(sets, permutations, 1)
        index = RMinHashLSH(_NEAR, permutations, bands)
        flags[:] = index.query_duplicate_flags_matrix_one_shot(sketches)

    cost = timed(search)
    ours = pl.read_csv(found, columns=["image", "slot"], schema_overrides={"image": pl.String}).unique()
    near = captions.select("image", "slot").join(ours.with_columns(near=True), on=["image", "slot"], how="left")
    near = near.with_columns(flagged=pl.Series(flags), near=pl.col("near").fill_null(value=False))
    both = near.filter("near", "flagged").height
    counts = {"near": int(near["near"].sum()), "flagged": int(near["flagged"].sum()), "both": both, "all": near.height}
    print(json.dumps([astuple(cost)[:2], counts]))


def measure(dataset: str, folder: Path, repeat: int) -> list[tuple[str, ...]]:
    """Measure both on a dataset; give the rows of a table."""
    store, found = folder / f"{dataset}.duckdb", folder / "pairs.csv"
    run([*AUDITOR, "ingest", dataset, "--store", str(store)], folder)
    counting = [*AUDITOR, "-q", "duplicates", f"{dataset}", "--store", str(store)]
    cost = best([run([*counting, "-o", str(folder / "rows.csv")], folder)[0] for _ in range(repeat)])
    note(f"auditor duplicates {dataset}", cost)
    run([*counting, "--pairs", "-o", str(found)], folder)
    rows = []
    for permutations, bands in SKETCHES:
        asked = [*_SELF, "--rensa", str(store), dataset, str(found), str(permutations), str(bands)]
        told = [(process, *json.loads(printed)) for process, printed in (run(asked, folder) for _ in range(repeat))]
        theirs = best([Cost(*seconds, process.peak) for process, seconds, _ in told])
        counts = told[0][2]
        note(f"rensa {permutations}/{bands} {dataset}", theirs)
        rows.append((
            f"{dataset}, {counts['all']:,}", f"rensa, {permutations} permutations, {bands} bands",
            down(theirs.wall), down(theirs.cpu), f"{counts['flagged']:,}",
            up(counts["both"] / counts["near"], 3), up(counts["both"] / max(1, counts["flagged"]), 3),
        ))  # fmt: skip
    ours = (f"{dataset}, {counts['all']:,}", "auditor duplicates", up(cost.wall), up(cost.cpu), f"{counts['near']:,}")
    return [(*ours, "1", "1"), *rows]


def main(arguments: Sequence[str]) -> None:
    """Measure and report, or do what a process of its own is started for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="repetitions; default: 3")
    parser.add_argument("--datasets", default=",".join(DATASETS), help="default: %(default)s")
    parser.add_argument("--rensa", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.rensa:
        store, dataset, found, permutations, bands = asked.rensa
        rensa(Path(store), dataset, Path(found), int(permutations), int(bands))
        return
    if not installed("rensa"):
        sys.exit("rensa is not installed: pip install 'auditor[peers]'")
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    print(f"{load_before()}. {measured_with('rensa')}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        rows = [row for dataset in asked.datasets.split(",") for row in measure(dataset, Path(name), asked.repeat)]
    columns = ("captions", "search", "wall, s", "CPU, s", "captions near another", "recall", "precision")
    print("\n".join(table(columns, rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
