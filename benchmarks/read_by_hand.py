"""Draw listed captions to be read by hand, and count what was read.

`python benchmarks/read_by_hand.py draw STORE DATASET -o FILE.csv` lists rows of `findings`: each kind in turn gives its
next row by md5, until there are `--rows`. Another `--seed` draws others. Kinds with few rows are read completely. Write
1 into column `wrong` where a finding is not true of the caption. `python benchmarks/read_by_hand.py count FILE.csv…`
then prints the table of `benchmarks/read_by_hand.md`: wrong rows by kind, and wrongly listed captions per 1,000
captions. The upper limit adds those of all kinds (Clopper-Pearson, one-sided 95%), so it is too high if anything. A
kind read completely is exact.

`python benchmarks/read_by_hand.py sample FILE… -o FILE.csv` draws rows of several sets (`unseen_sets.toml`) for a
reader who does not know the kinds. Each FILE was written by `auditor findings SET -o FILE`. Half of the rows are
errors and warnings, if there are as many, and half are notices; kinds take turns, and so do the sets of a kind. A row
has the title of its kind, without code or severity: these are in FILE.key.csv. The reader writes 1 or 0 into columns
`right` and `act`: is it true of the caption, and would a curator act on it? `python benchmarks/read_by_hand.py judged
FILE.csv` prints both by severity and by kind, with Wilson's 95% limits.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from measuring import positive, table
from planted_faults import number

from auditor.findings import CAPTION_KINDS, title
from auditor.statistics.intervals import wilson
from auditor.store.connection import Store
from auditor.store.versions import content, resolve
from auditor.studies.findings import findings

_READ, _ACT = "right", "act"
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
    sample = parts.add_parser("sample")
    sample.add_argument("files", type=Path, nargs="+")
    sample.add_argument("--rows", type=positive, default=600, metavar="N", help="rows drawn; default: 600")
    sample.add_argument("--most", type=positive, default=25, metavar="N", help="per kind and set; default: 25")
    sample.add_argument("--seed", default="read", help="another word draws other rows; default: read")
    sample.add_argument("-o", "--output", type=Path, required=True)
    parts.add_parser("judged").add_argument("file", type=Path)
    asked = parser.parse_args(arguments)
    if asked.part == "sample":
        rows = sampled(asked.files, asked.rows, asked.most, asked.seed)
        rows.select("number", "set", "finding", "detail", "text", "other text", _READ, _ACT).write_csv(asked.output)
        rows.select("number", "set", "kind", "severity", "listed").write_csv(key_of(asked.output))
    elif asked.part == "judged":
        print("\n".join(judged(asked.file)))
    elif asked.part == "draw":
        drawn(asked.store, asked.dataset, asked.rows, asked.seed).write_csv(asked.output)
    else:
        print("\n".join(line for file in asked.files for line in counted(file)))


def drawn(path: Path, dataset: str, rows: int, seed: str) -> pl.DataFrame:
    """Return the drawn rows of a dataset, each with the size of its list, and an empty column for the reader."""
    with Store.open(path) as store:
        kinds = [kind for kind in CAPTION_KINDS if kind != "contaminated-captions"]  # which needs a second dataset
        result = findings(store, dataset, kinds=[*kinds, "sorted-captions"])
        captions = content(store, resolve(store, dataset)).height
    listed = result.frame.unique(["kind", "image", "slot"], maintain_order=True).with_columns(
        captions=pl.lit(captions), listed=pl.len().over("kind"), wrong=pl.lit("")
    )
    turns = shuffled(listed, seed, "kind", "image", "slot").with_columns(turn=pl.int_range(pl.len()).over("kind"))
    chosen = turns.sort("turn", "order").head(rows).sort("kind", "turn")
    return chosen.select("dataset", "captions", "kind", "severity", "listed", "wrong", *_COLUMNS)


def shuffled(listed: pl.DataFrame, seed: str, *key: str) -> pl.DataFrame:
    """Return rows by md5 of the seed and their key, in column `order`."""
    keys = listed.select(pl.concat_str(pl.col(key).cast(pl.String), separator=" ", ignore_nulls=True)).to_series()
    return listed.with_columns(order=pl.Series([number(seed, each) / 2**128 for each in keys])).sort("order")


def sampled(files: Sequence[Path], rows: int, most: int, seed: str) -> pl.DataFrame:
    """Return rows of several lists, numbered by md5, at most `most` of a kind and set; facts (info) are left out."""
    listed = pl.concat([pl.read_csv(file, infer_schema=False) for file in files]).filter(pl.col("severity") != "info")
    key = ("dataset", "kind", "image", "slot", "other_image", "other_slot")
    listed = listed.unique(key, maintain_order=True).with_columns(listed=pl.len().over("dataset", "kind"))
    chosen = shuffled(listed, seed, *key).with_columns(notice=pl.col("severity") == "notice", turn=0)
    for group in (("dataset", "kind"), ("kind", "notice"), ("notice",)):
        chosen = chosen.sort("turn", "order").with_columns(turn=pl.int_range(pl.len()).over(group))
        chosen = chosen.filter(pl.col("turn") < most) if "dataset" in group else chosen
    titles = {kind: title(kind) for kind in chosen["kind"].unique()}
    return (
        chosen.sort("turn", "order")
        .head(rows)
        .sort("order")
        .with_row_index("number", 1)
        .with_columns(pl.lit("").alias(_READ), pl.lit("").alias(_ACT), finding=pl.col("kind").replace_strict(titles))
        .rename({"dataset": "set", "why": "detail", "other_text": "other text"})
    )


def key_of(sample: Path) -> Path:
    """Return the file with the kinds and severities of a sample."""
    return sample.with_suffix(".key.csv")


def judged(file: Path) -> list[str]:
    """Return the table of a sample that was read: by severity, then by kind."""
    read, key = (pl.read_csv(each, infer_schema=False) for each in (file, key_of(file)))
    rows = read.select("number", _READ, _ACT).join(key, on="number", maintain_order="left")
    verdict = pl.all_horizontal(pl.col(_READ, _ACT).is_in(["0", "1"]).fill_null(value=False))
    if missing := rows.filter(~verdict)["number"].to_list():
        raise SystemExit(f"{file}: write 0 or 1 into {_READ} and {_ACT} of rows {', '.join(missing)}")
    notice = pl.col("severity") == "notice"
    whole = rows.with_columns(
        kind=pl.lit("all"), severity=pl.when(notice).then("severity").otherwise(pl.lit("error, warning"))
    )
    lines = [
        (kind, severity, f"{of.height:,}", *share(of, _READ), *share(of, _ACT))
        for part in (whole, rows)
        for (kind, severity), of in sorted(part.group_by("kind", "severity"), key=lambda each: each[0])
    ]
    return table(("kind", "severity", "read", "right", "95% limits", "worth acting on", "95% limits"), lines)


def share(rows: pl.DataFrame, column: str) -> tuple[str, str]:
    """Return how many rows have 1 in a column, and the limits of their share (Wilson, 95%)."""
    ones = rows.filter(pl.col(column) == "1").height
    low, high = wilson(ones / rows.height, rows.height, 1.959964)
    return f"{ones:,} ({ones / rows.height:.1%})", f"{low:.1%}–{high:.1%}"


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
