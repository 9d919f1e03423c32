"""A paper's file declares studies, and the cells of their rows that are its figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.model import silent
from auditor.papers import PaperModule
from auditor.papers.figures import Paper, Quantity, read_paper
from auditor.papers.runs import declared, not_here, of_metrics
from auditor.store.connection import Store

FIGURES = """
citation = "Nobody 2030"
datasets = ["small", "large", "absent"]
obtained = ["absent"]
needs = { small = "references" }
derived = [
    "select dataset, 'rise' as statistic, value - 1 as value from quantities where statistic = 'captions'",
    "select max(dataset) as dataset, 'most' as statistic, max(value) as value from quantities where statistic = 'rise'",
]

[groups]
unigrams = ["bleu-1", "rouge-1"]

[runs.sizes]
study = "profile"
cells = [
    { where = "statistic = 'captions'", values = { captions = "value", twice = "2 * value" } },
    { where = "statistic in ('images', 'captions')", dataset = "all", candidate = "size", over = ["lowest", "highest", "average"], values = { count = "value" } },
    { where = "statistic = 'captions'", values = { none = "nullif(value, value)" } },
]
[runs.repeats]
study = "duplicates"
options = { exact = true, within = true }
cells = [{ table = "identical-captions", values = { repeats = "repeats" } }]
[runs.words]
study = "diversity"
each = true
options = { statistics = ["types"], lists = "all" }
cells = [{ values = { types = "value" } }]
[runs.bounds]
study = "bounds"
adds = true
without = ["references"]
options = { metrics = "unigrams", candidates = ["human"], references = 1 }
cells = [{ where = "level = 'caption'", metric = "{metric}", candidate = "{candidate} of {dataset}", values = { mean = "mean" } }]

[kinds.count]
item = "1"
section = "2"
statistic = "captions"
[checks]
count = [
    { says = "it has 3 captions", dataset = "small", printed = "3" },
    { says = "BLEU-1 of people", metric = "bleu-1", dataset = "small", statistic = "mean", printed = "from 0" },
]
"""


@pytest.fixture
def paper() -> Paper:
    return read_paper("nobody2030", FIGURES)


@pytest.fixture
def filled(store: Store) -> Store:
    captions = [("i", 0, "a dog"), ("i", 1, "a brown dog"), ("i", 2, "the dog runs")]
    ingest_rows(store, captions, "small")
    ingest_rows(store, captions, "references")
    ingest_rows(store, [(image, slot, f"{text} {image}") for image in "ij" for _, slot, text in captions], "large")
    return store


def measured(store: Store, paper: Paper) -> dict[Quantity, float]:
    return dict(declared(store, paper, 1, silent)[0].quantities)


def test_cell_is_named_by_the_columns_of_its_row(filled: Store, paper: Paper) -> None:
    found = measured(filled, paper)
    assert found["small", "", "", "", "captions"] == 3
    assert found["large", "", "", "", "twice"] == 12
    assert {of[1:3] for of in found if of[-1] == "mean"} == {
        (metric, f"human of {name}") for metric in ("bleu-1", "rouge-1") for name in ("small", "large")
    }


def test_cells_of_one_name_are_its_lowest_its_highest_and_their_average(filled: Store, paper: Paper) -> None:
    found = measured(filled, paper)
    counts = [found["all", "", "size", "", f"count-{word}"] for word in ("lowest", "highest", "average")]
    assert counts == [1, 6, (1 + 3 + 2 + 6) / 4]


def test_cell_without_a_value_is_no_quantity(filled: Store, paper: Paper) -> None:
    assert not [of for of in measured(filled, paper) if of[-1] == "none"]


def test_what_is_derived_is_a_select_over_the_quantities_before_it(filled: Store, paper: Paper) -> None:
    found = measured(filled, paper)
    assert [found[name, "", "", "", "rise"] for name in ("small", "large")] == [2, 5]
    assert found["small", "", "", "", "most"] == 5


def test_cell_can_be_of_a_table_and_a_setting_can_have_no_option(filled: Store, paper: Paper) -> None:
    found = measured(filled, paper)
    assert found["large", "", "", "", "repeats"] == 0
    assert found["large", "", "", "", "types"] == len({*"a brown dog the runs i j".split()})  # of all captions together


def test_signatures_are_those_of_printed_metrics_and_of_each_dataset_that_is_asked_alone(
    filled: Store, paper: Paper
) -> None:
    signatures = declared(filled, paper, 1, silent)[0].signatures
    assert {*signatures} == {"bleu-1", "small: types", "large: types"}
    assert "|refs:" in signatures["bleu-1"]


def test_dataset_or_references_that_are_absent_are_named_with_their_command(store: Store, paper: Paper) -> None:
    ingest_rows(store, [("i", 0, "a dog"), ("i", 1, "a dog")], "small")
    assert not_here(store, paper) == {
        "small": "references is not in the store: `auditor ingest references`",
        "large": "large is not in the store: `auditor ingest large`",
        "absent": "absent is not in the store: `auditor fetch absent` explains how to obtain it",
    }
    assert measured(store, paper) == {}


def test_further_metric_has_the_cells_of_the_runs_that_add_it(filled: Store, paper: Paper) -> None:
    found = dict(of_metrics(filled, paper, ["bleu-2"], 1, silent))
    assert {of[1] for of in found} == {"bleu-2"}
    assert len(found) == 2
    alone = read_paper("nobody2030", FIGURES.replace("references = 1 }", "references = 2 }"))
    assert dict(of_metrics(filled, alone, ["bleu-2"], 1, silent)) == found  # without the option that it leaves out


def test_misspelled_key_of_a_cell_or_option_is_an_error(filled: Store, paper: Paper) -> None:
    with pytest.raises(ValueError, match="run of bounds: cells have no metrc"):
        read_paper("nobody2030", FIGURES.replace('metric = "{metric}"', 'metrc = "{metric}"'))
    with pytest.raises(KeyError, match="referenses"):
        measured(filled, read_paper("nobody2030", FIGURES.replace("references = 1", "referenses = 1")))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "figures_only").mkdir()
    (tmp_path / "figures_only" / "__init__.py").touch()
    (tmp_path / "figures_only" / "nobody2030.toml").write_text(FIGURES)
    yield
    sys.modules.pop("figures_only", None)


@pytest.mark.usefixtures("package")
def test_paper_without_derived_figures_has_no_python(filled: Store) -> None:
    module = PaperModule("figures_only.nobody2030")
    paper = read_paper("nobody2030", module.figures())
    assert module.load().measure(filled, paper, 1, silent).quantities == measured(filled, paper)
