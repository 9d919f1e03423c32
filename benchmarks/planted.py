"""Measure recall and precision of findings with faults that are planted in real captions.

`python benchmarks/planted.py PART [DATASET…] [-o FILE]` samples images by md5, plants faults, searches for them, and
writes a page. PART:

- `faults`: faults of every kind. `findings` reports them, or `duplicates`, `outliers` or `bounds`. Recall is the share
  of the planted faults that are reported as their kind. Precision is the share of the listed captions that have the
  fault. Captions that are also listed without planting are left out. The last column counts them;
- `shapes`: some of these faults in datasets of other shapes (`planted_shapes.py`);
- `machine`: traces of models in captions by humans and by systems (`planted_machine.py`);
- `swaps`, `vectors`: swapped captions, found by words, or with vectors of the images too (`planted_swaps.py`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import planted_machine
import planted_shapes
import planted_swaps
import polars as pl
from measuring import positive, table, versions
from planted_faults import FAULTS, LISTED, number
from planted_wholes import KEYS, WHOLES, Whole, drawn, ingested, listed, named_by, told_by, worst

from auditor import config
from auditor.result import SEVERITIES, Finding, Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.findings import findings
from auditor.studies.ingest.sources import ingest_sources

#: Another dataset in the store, so that the words of two are known; and a name for all faults of single captions.
BESIDE, EACH = {"flickr30k": "coco-val", "coco-val": "flickr30k"}, "faults of single captions"

HEADER = ("fault", "kind", "planted", "found", "recall", "listed", "precision", "severity", "untouched")


PARTS: Mapping[str, tuple[str, Sequence[str]]] = {
    "faults": (
        "Planted faults: recall and precision",
        ("flickr30k", "flickr8k", "coco-val", "abstract50s", "pascal50s"),
    ),
    "shapes": ("Datasets of other shapes: what is found of planted faults", ("flickr8k",)),
    "machine": ("Traces of models: what is found of them, and what a fix leaves", tuple(planted_machine.SETS)),
    "swaps": ("Captions that changed places: which are found", ("flickr8k", "abstract50s", "pascal50s")),
    "vectors": ("Captions that changed places: what vectors add", ("flickr8k",)),
}


def main(arguments: Sequence[str]) -> None:
    """Plant, look, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--images", type=positive, default=8000, metavar="N", help="images drawn; default: 8000")
    parser.add_argument("--only", action="append", metavar="NAME", help=f"one planting or shape; {EACH!r} is one")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], metavar="N", help="of swaps; default: 1 2 3")
    parser.add_argument("-o", "--output", type=Path, help="default: standard output")
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    title, datasets = PARTS[asked.part]
    module = {
        "machine": planted_machine,
        "shapes": planted_shapes,
        "swaps": planted_swaps,
        "vectors": planted_swaps,
    }.get(asked.part)
    about = (module.__doc__ if module else __doc__) or ""
    lines = [f"# {title}", "", f"Written by `python benchmarks/planted.py {asked.part} -o FILE`.", ""]
    lines += [versions("py3langid"), "", *about.splitlines()[2:], ""]
    for dataset in asked.datasets or datasets:
        if asked.part == "faults":
            lines += _of_dataset(dataset, asked.images, asked.only)
        elif asked.part == "shapes":
            lines += planted_shapes.of_dataset(dataset, asked.images, asked.only)
        elif asked.part == "machine":
            lines += planted_machine.of_dataset(dataset, asked.images)
        elif asked.part == "swaps":
            lines += planted_swaps.of_words(dataset, asked.seeds)
        else:
            lines += planted_swaps.of_vectors(asked.seeds)
        lines.append("")
    text = "\n".join(lines)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        print(text)


def _of_dataset(dataset: str, images: int, only: Sequence[str] | None) -> Iterator[str]:
    beside = BESIDE.get(dataset, "coco-val")
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources()[name] for name in (dataset, beside)])
        captions = drawn(content(store, resolve(store, dataset)), images)
        ingested(store, dataset, captions, "untouched")
        natural = _looked(store, "untouched", captions_only=False)
        rows = [] if only and EACH not in only else [*_single(store, dataset, captions, natural)]
        rows += [
            _whole(store, dataset, captions, natural, whole)
            for whole in WHOLES
            if (not only or whole.name in only) and whole.fits(captions)
        ]
    size = f"{captions['image'].n_unique():,} images, {captions.height:,} captions; the store also has {beside}"
    yield from (
        f"## {dataset}",
        "",
        f"{size}.",
        "",
        *table(HEADER, rows),
        "",
        "Warnings and errors of the untouched captions:",
        "",
    )
    told = [one for one in natural.findings if one.severity in SEVERITIES[:2]]
    yield from ((f"- {one.severity}: {one.sentence}" for one in told) if told else ["none."])


def _looked(store: Store, name: str, kinds: Sequence[str] | None = None, *, captions_only: bool = True) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder) / "words.txt"
        words.write_text("\n".join(LISTED), encoding="utf-8")
        return findings(store, name, words=words, kinds=kinds, captions_only=captions_only)


def _single(store: Store, dataset: str, captions: pl.DataFrame, natural: Result) -> Iterator[tuple[str, ...]]:
    """Plant every fault of single captions at once, each into captions of its own."""
    order = sorted(range(captions.height), key=lambda row: number("caption", "{} {}".format(*captions.row(row)[:2])))
    texts, planted, free = captions["text"].to_list(), dict[int, str](), iter(order)
    for fault in FAULTS:
        for made in range(round(fault.per_mille * captions.height / 1000)):
            row = next(row for row in free if fault.fits(texts[row]))
            texts[row] = fault.make(texts[row], made, str(row))
            planted[row] = fault.name
    ingested(store, dataset, captions.with_columns(text=pl.Series(texts)), "single")
    found = _looked(store, "single")
    faults = captions[list(planted)].select(*KEYS, fault=pl.Series(list(planted.values()), dtype=pl.String))
    for fault in FAULTS:
        all_named, before = (listed(result, fault.kind) for result in (found, natural))
        new = all_named.join(before, on=KEYS, how="anti").join(faults, on=KEYS, how="left")
        right = [one.name for one in FAULTS if fault.kind in (one.kind, *one.also)]
        there = faults.filter(fault=fault.name)
        caught = there.join(all_named, on=KEYS, how="semi").height
        row = (there.height, caught, new.height, new.filter(pl.col("fault").is_in(right)).height)
        yield _row(fault.name, fault.kind, row, found.findings, natural)


def _whole(store: Store, dataset: str, captions: pl.DataFrame, natural: Result, whole: Whole) -> tuple[str, ...]:
    made, planted = whole.plant(captions)
    name = f"whole-{WHOLES.index(whole)}"
    ingested(store, dataset, made, name)
    if whole.by is None:
        found = _looked(store, name, [whole.kind])
        before, after, told = listed(natural, whole.kind), listed(found, whole.kind), found.findings
    else:
        before, after = (named_by(store, one, whole.by) for one in ("untouched", name))
        told = told_by(store, name, whole.kind)
    keys = [key for key in KEYS if key in planted.columns]
    before, after = (rows.select(keys).unique() for rows in (before, after))
    new = after.join(before, on=keys, how="anti")
    caught, right = (rows.join(planted, on=keys, how="semi").height for rows in (after, new))
    return _row(whole.name, whole.kind, (planted.height, caught, new.height, right), told, natural)


def _row(
    name: str, kind: str, counts: tuple[int, int, int, int], found: Sequence[Finding], natural: Result
) -> tuple[str, ...]:
    planted, caught, named, right = counts
    told = worst([one for one in found if one.kind == kind])
    untouched = worst(natural.found(kind))
    row = (
        name, f"`{kind}`", f"{planted:,}", f"{caught:,}", f"{caught / planted:.2f}" if planted else "–", f"{named:,}",
        f"{right / named:.2f}" if named else "–", "–" if told is None else told.severity,
        "–" if untouched is None else f"{_number(untouched)}{untouched.severity}",
    )  # fmt: skip
    print(*row, sep=" | ", file=sys.stderr, flush=True)
    return row


def _number(one: Finding) -> str:
    count = one.values.get("captions", one.values.get("images"))
    return f"{count:,}, " if isinstance(count, int) else ""


if __name__ == "__main__":
    main(sys.argv[1:])
