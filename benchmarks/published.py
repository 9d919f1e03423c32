"""Measure the published sets, and write `auditor/statistics/published.json` and `docs/homogeneity.md`.

`AUDITOR_DATA=DATA python benchmarks/published.py [DATASET …]` ingests the named datasets, or all, one by one into a
store of their own; those not named keep their numbers. `--page` only writes the page again. A new dataset needs an
entry in `SETS`: what its captions describe, or that a machine wrote them. `test_published.py` checks both files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from auditor.model import silent
from auditor.result.portraits import HOMOGENEITY, MAIN
from auditor.statistics import published
from auditor.statistics.sameness import SAMENESS
from auditor.statistics.significance import holm
from auditor.store.captions import Captions, select_all
from auditor.store.connection import Store
from auditor.studies.compare.answer import METRICS, Order
from auditor.studies.compare.published import IMAGES, MEASURED, REFERENCES, TOKENIZER, measured, tested
from auditor.studies.diversity import diversity
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest
from auditor.studies.profile import profile

ROOT = Path(__file__).parents[1]
FILE = ROOT / "auditor" / "statistics" / published.FILE
PAGE = ROOT / "docs" / "homogeneity.md"

#: What captions describe, or that a machine wrote them.
PHOTOS, DRAWN, SOUNDS, MACHINE = KINDS = ("photos", "clip art", "sounds", "machine captions")

#: The sets that pages show as reference marks, some of each kind.
MARKS = ("flickr8k", "coco-val2017", "abstract50s", "clotho", "audiocaps", "blip2", "llava-default")

SETS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "flickr8k", "flickr30k-token", "multi30k", "coco-val", "coco-val2017", "coco-train2017-part",
            "coco-test-2014", "coco-30k", "pascal50s",
        ),
        PHOTOS,
    ),
    **dict.fromkeys(("abstract50s", "abstract-scenes"), DRAWN),
    **dict.fromkeys(("clotho", "audiocaps"), SOUNDS),
    **dict.fromkeys(
        (
            "vinyals2017", "dai2017", "shetty2017", "m2-transformer", "blip2", "llava-brief", "llava-default",
            "pope-instructblip-1", "pope-llava-1", "pope-minigpt4-1", "pope-mmgpt-1", "pope-mplug-1", "gpt4o-comprecap",
            "llava-next-comprecap",
        ),
        MACHINE,
    ),
}  # fmt: skip

#: The statistic by which reports show how varied the words of a dataset are.
DIVERSITY = MAIN["diversity"]

_LEAKS = "near-duplicate-across-splits"

_HEAD = f"""# How homogeneous are known datasets?

Compare your own dataset with {{sets}} known ones: `auditor compare mine --beside published`.

Written by `python benchmarks/published.py` from `auditor/statistics/published.json`, without captions. Each number
follows from the version of the data and the signature below. `auditor compare A B --equalize --images {IMAGES}
--references {REFERENCES}` gives the same homogeneity and upper bounds. To add a row, declare the dataset in
`datasets.toml` and in that program.

- **homogeneity**: the score of a caption of another image, divided by that of a caption of the same image. 0: captions
  are unique to their image; 1: any caption fits any image. {IMAGES} images, {REFERENCES + 1} captions of each, the mean
  of five samples.
- **letters**: sets without a common letter differ (z-test of values and standard errors, p < 0.05 after Holm's
  correction for all pairs of a metric). Sets of the same images are tested as if they were independent.
- **human ceiling**: the score of a human caption against {REFERENCES} others of its image, on the same samples.
- **sameness**: the share of words that captions of different images have in common, one caption per image. Longer
  captions have more.
- **{DIVERSITY}**: different words per word, in segments of 1,000 words.
- **repeats**: captions that repeat another of their image. **leaks**: test captions with a copy or near-duplicate in
  the training set, and the share expected by chance.

An empty cell: too few captions per image, or no split into training and test set.
"""


def main(names: list[str]) -> None:
    """Measure the datasets, and write their numbers beside those of the others."""
    records = json.loads(FILE.read_text(encoding="utf-8"))
    for name in [] if names == ["--page"] else names or SETS:
        with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "store.duckdb", write=True) as store:
            ingest(store, name)
            (captions,) = select_all(store, [name], None, TOKENIZER)
            made = [*numbers(store, captions)]
        order = [*SETS]
        records = [one for one in records if one["dataset"] != name] + made
        records.sort(key=lambda one: order.index(one["dataset"]))
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in records)
        FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        print(name, flush=True)
    PAGE.write_text("".join(page()), encoding="utf-8")


def numbers(store: Store, captions: Captions) -> Iterator[dict[str, object]]:
    """Yield the records of a dataset: its size, repeats and leaks, then what is measured with an interval."""
    name, version = captions.label, captions.selection.version
    of = {"dataset": name, "version": version.version, "kind": SETS[name], "mark": name in MARKS}
    profiled = profile(store, name).frame.filter(pl.col("split").is_null())
    facts = dict(profiled.select("statistic", "value").iter_rows())
    found = findings(store, name, kinds=[_LEAKS]).found(_LEAKS)
    facts = {
        "images": version.images, "captions": version.captions,
        "repeats": facts["captions-repeated-within-image"] / version.captions
        if version.captions > version.images else None,
        "leaks": found[0].values["share"] if found else None,
        "leaks-by-chance": found[0].values.get("share_by_chance") if found else None,
    }  # fmt: skip
    for statistic, fact in facts.items():
        if fact is not None:
            yield {**of, "statistic": statistic, "value": fact}
    for row in measured(captions, silent).drop("label", "dataset", "version", "split").to_dicts():
        yield {**of, **row}
    varied = diversity(store, name, statistics=[DIVERSITY]).frame.filter(statistic=DIVERSITY)
    yield {**of, **varied.select("statistic", "signature", "value", "low", "high").row(0, named=True)}


def orders(index: str) -> Iterator[Order]:
    """Order the sets by each metric, with the pairs that differ, as far as summaries can tell."""
    of_index = published.rows().filter(statistic=index).with_columns(label="dataset", split=pl.lit(None, pl.String))
    for (metric,), rows in of_index.select("label", *MEASURED).group_by("metric", maintain_order=True):
        placed = rows.sort("value", descending=True)
        pairs = pl.concat(tested(placed[one : one + 1], placed[one + 1 :]) for one in range(placed.height - 1))
        ahead = pairs.with_columns(p_adjusted=pl.Series(holm(pairs["p"].to_list()))).filter(pl.col("p_adjusted") < 0.05)
        yield Order(str(metric), tuple(placed["dataset"]), frozenset(ahead.select("dataset", "against").iter_rows()))


def page() -> Iterator[str]:
    """Yield the parts of the page."""
    known = published.rows()
    letters = {
        (order.metric, label): letter
        for index in (HOMOGENEITY, SAMENESS)
        for order in orders(index)
        for label, letter in order.groups.items()
    }
    value: dict[tuple[str, str, str | None], float] = {
        (row["dataset"], row["statistic"], row["metric"]): row["value"] for row in known.to_dicts()
    }
    versions = dict(known.select("dataset", "version").unique(maintain_order=True).iter_rows())

    def cell(name: str, statistic: str, metric: str | None, form: str = ".3f") -> str:
        if (found := value.get((name, statistic, metric))) is None:
            return ""
        return f"{found:{form}}{f' {letters[metric, name]}' if metric and statistic != 'upper' else ''}"

    yield _HEAD.format(sets=len(versions))
    for kind in KINDS:
        yield f"\n## {kind.capitalize()}\n\n"
        own = [name for name in versions if SETS[name] == kind]
        shown = [(HOMOGENEITY, metric) for metric in METRICS if any((one, HOMOGENEITY, metric) in value for one in own)]
        shown.append((SAMENESS, SAMENESS))
        ordered = sorted(own, key=lambda name: -value.get((name, *shown[0]), 0.0))
        heads = [
            "dataset",
            "version",
            "by",
            "images",
            "captions",
            *(one for _, one in shown),
            DIVERSITY,
            "repeats",
            "leaks",
            "chance",
        ]
        yield _table(
            heads,
            [
                [
                    name, f"`{versions[name][:12]}`", "machine" if kind == MACHINE else "annotators",
                    *(cell(name, one, None, ",.0f") for one in ("images", "captions")),
                    *(cell(name, *one) for one in shown), cell(name, DIVERSITY, None),
                    *(cell(name, one, None, ".2%") for one in ("repeats", "leaks", "leaks-by-chance")),
                ]
                for name in ordered
            ],
        )  # fmt: skip
    yield "\n## Human ceiling\n\n"
    scored = [name for name in versions if (name, "upper", METRICS[0]) in value]
    yield _table(["dataset", *METRICS], [[name, *(cell(name, "upper", one) for one in METRICS)] for name in scored])
    signatures = known["signature"].drop_nulls().unique(maintain_order=True)
    yield f"\n## Signatures\n\n```text\n{chr(10).join(signatures)}\n```\n\n## Versions\n\n"
    yield _table(["dataset", "version"], [[name, f"`{version}`"] for name, version in versions.items()])


def _table(heads: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, ["---"] * len(heads), *rows))


if __name__ == "__main__":
    main(sys.argv[1:])
