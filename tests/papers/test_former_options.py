"""What options of general commands gave before papers had a room of their own, `reproduce` gives now."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, ingest_rows
from sizes import some
from small_sets import PLACES, VERBS, compared, described, rated

from auditor.model import silent
from auditor.papers import paper
from auditor.papers import reproduce as study
from auditor.papers.reproduce import reproduce
from auditor.papers.wang2016 import pooled
from auditor.scoring.registry import METRICS, lacking
from auditor.store.connection import Store

FORMER: dict[str, list[list[Any]]] = json.loads((ROOT / "tests" / "gold" / "former_options.json").read_text())


def shown(value: float | None) -> float | None:
    return None if value is None else round(value, 9)


def former(option: str, place: int = 0) -> list[list[Any]]:
    """The rows of a former option whose metric, at a place, is installed."""
    absent = {name for name, metric in METRICS.items() if lacking(metric)}
    return [row for row in FORMER[option] if str(row[place]).partition(":")[0] not in absent]


def test_table_1_is_what_agree_as_published_gave(store: Store, tmp_path: Path) -> None:
    rated(store, tmp_path, "flickr8k-ek", "flickr8k-ek-refs")
    table = reproduce(store, "elliott2014").table("as-published").frame
    named = {measure.name: measure for measure in paper("elliott2014").readings}
    found = {}
    for row in table.iter_rows(named=True):
        measure = named[row["measure"]]
        found[measure.sound, "sound"] = shown(row["sound"])
        if measure.published:
            found[measure.published, "as-published"] = shown(row["as published"])
    assert found == {(row[0], row[1]): shown(row[2]) for row in former("agree --as-published")}
    assert dict(table.select("measure", "published").drop_nulls().rows()) == {
        "METEOR": 0.524, "ROUGE-SU4": 0.435, "Smoothed BLEU": 0.429, "Unigram BLEU": 0.345, "TER": -0.279,
    }  # fmt: skip


def test_ratings_are_what_the_protocol_of_agree_gave(store: Store, tmp_path: Path) -> None:
    rated(store, tmp_path, "flickr8k-expert", "flickr8k")
    result = reproduce(store, "clipscore2021")
    beside, moved = result.table("by-protocol").frame, result.table("what-moves-it").frame
    names = {one.name: one for one in paper("clipscore2021").readings}
    found = {}
    for row in beside.iter_rows(named=True):
        one = names[row["metric"]]
        own = ("kendall-c", "pooled", "without-references")
        found[one.published, "as-published", *own] = row["as published"]
        found[one.sound, "sound", *own] = row["sound"]
    for row in moved.iter_rows(named=True):
        one = names[row["metric"]].published
        for column, way in {
            "kendall-b": ("kendall-b", "pooled", "without-references"),
            "with own references": ("kendall-c", "pooled", "all"),
            "mean of judges": ("kendall-c", "mean", "without-references"),
        }.items():
            found[one, "as-published", *way] = row[column]
    assert len(found) == 5 * len(beside)
    rows = {tuple(row[:5]): row[5] for row in former("agree --protocol clipscore2021")}
    assert found == {key: pytest.approx(100 * rows[key]) for key in found}
    (people,) = (row[5] for row in FORMER["agree --protocol clipscore2021"] if row[0] == "human")
    assert result.table("people").frame["ceiling"].to_list() == [pytest.approx(100 * people)]


def test_pairs_are_what_the_protocol_of_consensus_gave(store: Store) -> None:
    compared(store)
    rows = reproduce(store, "clipscore2021").table("pairs").frame.select("metric", "kind", "n", "value", "sd").rows()
    assert rows == [tuple(row) for row in former("consensus --protocol clipscore2021")]


def test_accuracies_and_two_truths_are_what_consensus_gave(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By some of the metrics, and by all with `--all`."""
    read = paper("vedantam2015")
    run = read.runs["pairs"]
    named = run.options["metrics"]
    metrics = [*some(named[:7], 2), *named[7:9], *some(named[9:], 1)]
    asked = replace(run, options={**run.options, "metrics": metrics})
    monkeypatch.setattr(study, "paper", lambda _: replace(read, runs={**read.runs, "pairs": asked}))
    compared(store)
    result = reproduce(store, "vedantam2015")
    for name in ("pascal50s-triplets", "pascal50s-pairs"):
        rows = former(f"consensus {name} --as-published", 1)
        tables = {table.name: table.frame for table in result.tables}
        by_references = tables[f"{name}/accuracy-by-references"].unpivot(index=["kind", "metric"])
        found = {(metric, kind, int(k)): shown(value) for kind, metric, k, value in by_references.iter_rows()}
        expected = {
            (row[1], row[2], row[3]): shown(row[5]) for row in rows if row[0] == "accuracy" and row[1] in metrics
        }
        assert len({metric for metric, _, _ in expected}) >= 4
        assert expected.items() <= found.items()
        people = {row[2]: pytest.approx(row[5]) for row in rows if row[0] == "ceiling"}
        if people:
            ceiling = dict(tables[f"{name}/ceiling"].select("kind", "people").rows())
            assert {kind: ceiling[kind] for kind in people} == people
    rows = FORMER["consensus --versus"]
    agreement = dict(result.table("truths").frame.select("kind", "value").rows())
    assert agreement == {row[2]: pytest.approx(row[7]) for row in rows if row[0] == "agreement"}
    lengths = result.table("winner-lengths").frame.unpivot(index="kind").rows()
    assert {(kind, truth): value for kind, truth, value in lengths} == {
        (row[2], row[5]): pytest.approx(row[7]) for row in rows if row[0] == "length-lead"
    }
    under = result.table("accuracy-by-truth").frame.select("kind", pl.last()).rows()
    assert dict(under) == {
        row[2]: pytest.approx(row[7]) for row in rows if row[0] == "accuracy" and row[5].startswith("pascal50s-pairs")
    }


def test_systems_are_described_as_diversity_as_published_described_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy")
    described(store)
    three = replace(paper("miltenburg2018"), datasets=("liu2017", "mun2017", "shetty2016"))
    monkeypatch.setattr(study, "paper", lambda _: three)
    table = reproduce(store, "miltenburg2018").table("measured").frame
    rows = table.select("dataset", "statistic", "as published", "independent").rows_by_key(["dataset", "statistic"])
    found = {key: tuple(map(shown, values)) for key, (values,) in rows.items()}
    expected = {(row[0].replace("coco-val", "val2014"), row[1]): tuple(map(shown, row[2:])) for row in
                FORMER["diversity --as-published"]}  # fmt: skip
    content = {key for key in expected if key[1].startswith(("recall", "precision", "image-vocabulary"))}
    assert {key: found[key] for key in expected.keys() - content} == {
        key: value for key, value in expected.items() if key not in content
    }
    assert content <= found.keys()  # by the tags of a pipeline, which the option did not ask for
    printed = dict(table.filter(dataset="liu2017").select("statistic", "printed").drop_nulls().rows())
    assert printed["asl"] == "10.3"


def test_pooled_frequencies_are_what_bounds_gave(store: Store) -> None:
    described(store)
    for name, texts in {
        "flickr8k": [(f"i{i}", k, f"a {'red' if k else 'blue'} {a} near {p}") for i, (a, p) in enumerate(PLACES) for k in range(3)],
        "flickr30k": [(f"j{i}", k, f"{'two' if k else 'the'} {a} {VERBS[k]}") for i, (a, _) in enumerate(PLACES) for k in range(3)],
    }.items():  # fmt: skip
        ingest_rows(store, texts, name)
    means = {of[0]: value for of, value in pooled(store, ["flickr8k", "flickr30k"], silent)}
    assert means == {row[0]: pytest.approx(row[2]) for row in FORMER["bounds --pool-idf"] if row[1] == "caption"}
