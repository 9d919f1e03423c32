"""Draw listed captions to be read by hand, and count what was read.

`python benchmarks/read_by_hand.py draw STORE DATASET -o FILE.csv` lists rows of `findings`: each kind in turn gives its
next row by md5, until there are `--rows`. Another `--seed` draws others. Kinds with few rows are read completely. Write
1 into column `wrong` where a finding is not true of the caption. `python benchmarks/read_by_hand.py count FILE.csv…`
then prints the table of `benchmarks/read_by_hand.md`: wrong rows by kind, and wrongly listed captions per 1,000
captions. The upper limit adds those of all kinds (Clopper-Pearson, one-sided 95%), so it is too high if anything. A
kind read completely is exact.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from measuring import positive, table
from planted_faults import number

from auditor.findings import CAPTION_KINDS
from auditor.store.connection import Store
from auditor.store.versions import content, resolve
from auditor.studies.findings import findings

_COLUMNS = ("image", "slot", "text", "why", "other_image", "other_text")


def main(arguments: Sequence[str]) -> None:
    """Draw rows, or count those that were read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    draw = parts.add_parser("draw")
    draw.add_argument("store", type=Path)
    draw.add_argument("dataset")
    draw.add_argument("--rows", type=positive, default=200, metavar="N", help="rows drawn; default: 200")
    draw.add_argument("--seed", default="read", help="another word draws other rows; default: read")
    draw.add_argument("-o", "--output", type=Path, required=True)
    parts.add_parser("count").add_argument("files", type=Path, nargs="+")
    asked = parser.parse_args(arguments)
    if asked.part == "draw":
        drawn(asked.store, asked.dataset, asked.rows, asked.seed).write_csv(asked.output)
    else:
        print("\n".join(line for file in asked.files for line in counted(file)))


def drawn(path: Path, dataset: str, rows: int, seed: str) -> pl.DataFrame:
    """Return the drawn rows of a dataset, each with the size of its list, and an empty column for the reader."""
    with Store.open(path) as store:
        result = findings(store, dataset, kinds=[*CAPTION_KINDS, "sorted-captions"])
        captions = content(store, resolve(store, dataset)).height
    listed = result.frame.unique(["kind", "image", "slot"], maintain_order=True).with_columns(
        captions=pl.lit(captions), listed=pl.len().over("kind"), wrong=pl.lit("")
    )
    keys = listed.select(
        pl.concat_str("kind", "image", pl.col("slot").cast(pl.String), separator=" ", ignore_nulls=True)
    ).to_series()
    order = pl.Series([number(seed, key) / 2**128 for key in keys])
    turns = listed.with_columns(order=order).sort("order").with_columns(turn=pl.int_range(pl.len()).over("kind"))
    chosen = turns.sort("turn", "order").head(rows).sort("kind", "turn")
    return chosen.select("dataset", "captions", "kind", "severity", "listed", "wrong", *_COLUMNS)


def counted(file: Path) -> list[str]:
    """Return the table of a file that was read."""
    rows = pl.read_csv(file, infer_schema=False)
    size, wrongly, most, lines = int(rows["captions"][0]), 0.0, 0.0, []
    for (kind,), of in rows.group_by("kind", maintain_order=True):
        listed, read, wrong = int(of["listed"][0]), of.height, of.filter(wrong="1").height
        wrongly += listed * wrong / read
        most += wrong if read >= listed else listed * upper(wrong, read)
        lines.append((f"`{kind}`", of["severity"][0], f"{listed:,}", f"{read:,}", f"{wrong:,}"))
    per_1000 = (f"{1000 * each / size:.2f}" for each in (wrongly, most))
    told = "{} per 1,000 captions, at most {}".format(*per_1000)
    head = ("kind", "severity", "listed", "read", "wrong")
    return [f"### {rows['dataset'][0]}: wrongly listed {told}", "", *table(head, lines), ""]


def upper(wrong: int, read: int, level: float = 0.95) -> float:
    """Return the upper limit of a share (Clopper-Pearson, one-sided), by bisection of the binomial tail."""
    low, high = wrong / read, 1.0
    for _ in range(60):
        share, term, tail = (low + high) / 2, 0.0, 0.0
        for k in range(wrong + 1):
            term = (1 - share) ** read if k == 0 else term * (read - k + 1) / k * share / (1 - share)
            tail += term
        low, high = (share, high) if tail > 1 - level else (low, share)
    return high


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
