"""Figures and tables of the papers: they show what was measured, under the papers' names, or are refused at once."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl
import pytest
from small_sets import rated

from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.papers import exhibits, known, paper
from auditor.papers.bands import in_print
from auditor.papers.elliott2014 import DATASET
from auditor.papers.figures import Quantity
from auditor.papers.measured import Measured
from auditor.papers.reproduce import reproduce
from auditor.reports import latex
from auditor.result import Figure, Table
from auditor.store.connection import Store

DRAWN = ("elliott2014", "miltenburg2018", "vedantam2015", "wang2016")

TABLES = {
    "clipscore2021": 1,
    "elliott2014": 1,
    "hodosh2016": 1,
    "miltenburg2018": 1,
    "vedantam2015": 1,
    "wang2016": 1,
}


def invented(name: str) -> dict[Quantity, float]:
    """Return a different value for each quantity that a paper's checks name."""
    named = dict.fromkeys(of for check in paper(name).checks for of in (check.of, check.to) if of)
    return {of: number / 7 for number, of in enumerate(named, 1)}


def figures(name: str, quantities: dict[Quantity, float]) -> dict[str, Figure]:
    return {figure.name: figure for figure in exhibits.figures(paper(name), Measured(quantities))}


def table(name: str, quantities: dict[Quantity, float]) -> Table:
    (made,) = exhibits.tables(paper(name), Measured(quantities))
    return made


@pytest.mark.parametrize("name", sorted(known()))
def test_figures_and_tables_show_measured_values_only(name: str) -> None:
    quantities = invented(name)
    values = set(quantities.values())
    for figure in figures(name, quantities).values():
        shown = figure.frame["value"]
        assert set(shown) <= values, figure.name
        assert shown.n_unique() == shown.len(), figure.name
    printed = {in_print(check.printed, value, more=0) for check in paper(name).checks for value in values}
    printed |= {f"{value:.{digits}f}" for value in values for digits in (1, 4)} | {exhibits._ABSENT}
    made = list(exhibits.tables(paper(name), Measured(quantities)))
    assert len(made) == TABLES.get(name, 0)
    for each in made:
        assert set(each.frame.select(each.frame.columns[1:]).unpivot()["value"]) <= printed


@pytest.mark.parametrize("name", sorted(known()))
def test_names_of_parts_are_those_of_quantities(name: str) -> None:
    """A misspelled name would leave a part of a figure empty, with nothing wrong to see."""
    read = paper(name)
    assert len({exhibit.name for exhibit in read.exhibits}) == len(read.exhibits)
    parts = {pattern for exhibit in read.exhibits for patterns in exhibit.of for pattern in patterns}
    parts |= {each for part in parts for each in part.split(" ")}
    known_parts = {part for of in invented(name) for part in of} | {"other-systems", "people"}
    patterned = [part for part in parts if "*" in part]
    unknown = parts | known_parts
    strange = {called for called in read.called if called not in unknown}
    assert {called for called in strange if not any(fnmatchcase(called, part) for part in patterned)} == set()


def test_table_of_patterns_names_the_metrics_found() -> None:
    """ROUGE-L and ROUGE-1 are patterns, since their parameters belong to our measurement and not to the paper."""
    of = ("pascal50s-triplets", "rouge-l:beta=2,aggregate=coco,stem=true", "HC", "48", "accuracy")
    bleu = ("pascal50s-triplets", "cider:stem=true", "HC", "48", "accuracy")
    made = table("vedantam2015", {of: 0.6634, bleu: 0.7})
    assert made.frame.rows() == [("ROUGEL", "66.3%"), ("METEOR", "–"), ("CIDEr", "70.0%")]
    assert "ROUGEL is rouge-l:beta=2,aggregate=coco,stem=true." in made.title


def test_papers_names_are_in_the_figures() -> None:
    wins = {("pascal50s-triplets", judge, f"system {number}", "20", "wins"): number / 10
            for judge in ("people", "cider:stem=true") for number in range(1, 6)}  # fmt: skip
    (figure,) = figures("vedantam2015", wins).values()
    assert figure.frame["candidate"].unique(maintain_order=True).to_list() == [
        "Midge", "Babytalk", "Story", "Video", "Video+",
    ]  # fmt: skip
    assert figure.frame["metric"].unique(maintain_order=True).to_list() == ["Human", "CIDEr"]
    assert figure.caption == "CIDEr is cider:stem=true."


def test_local_recall_ends_at_class_5() -> None:
    recall = {("liu2017", f"recall-{number}", "", "", "as-published"): number / 10 for number in range(1, 8)}
    assert figures("miltenburg2018", recall)["miltenburg2018-figure-5"].frame["metric"].to_list() == [1, 2, 3, 4, 5]


def test_other_systems_are_a_mean_with_a_band() -> None:
    of = ("other-systems", "types-of-1000-tokens", "", "", "drawn-orders")
    (figure,) = exhibits.figures(paper("miltenburg2018"), Measured({of: 2.0}, intervals={of: (1.0, 3.0)}))
    assert figure.frame.row(0) == (1000, "Average of other systems", 2.0, 1.0, 3.0)
    assert (figure.low, figure.high) == ("low", "high")


def test_table_has_the_papers_rows_and_decimals_and_names_what_is_missing() -> None:
    made = table("miltenburg2018", {("liu2017", "asl", "", "", "as-published"): 10.274,
                                    ("liu2017", "ttr-1", "", "", "as-published"): 0.1712})  # fmt: skip
    assert made.frame.columns == ["", "ASL", "TTR1"]
    assert made.frame.height == 10
    assert made.frame.row(0) == ("Liu et al. 2017", "10.3", "0.17")
    assert made.frame.row(9) == ("Validation data", "–", "–")
    assert "Not measured: BLEU, Meteor, SDSL" in made.title
    written = latex.table_environment(made, made.name, made.title)
    assert r"\begin{tabular}{lrr}" in written


def test_table_of_choices_begins_with_the_number_of_pairs() -> None:
    items = ("flickr30k-choices", "", "switch-people", "", "items")
    right = ("flickr30k-choices", "bigram", "switch-people", "", "accuracy")
    frame = table("hodosh2016", {items: 1296.0, right: 0.698}).frame
    assert frame.rows()[:2] == [("# of pairs", "1,296"), ("Bigram LM", "69.8%")]


@pytest.mark.parametrize("name", sorted({*known()} - {*DRAWN}))
@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_paper_without_figures_is_refused_before_the_store_is_opened(name: str, ending: str) -> None:
    with pytest.raises(UsageError) as refused:
        app(["reproduce", name, "-o", f"a.{ending}", "--store", "nowhere.duckdb"], standalone_mode=False)
    assert str(refused.value) == (f"{name}: no figure to draw; use {', '.join(DRAWN)}, or -o FILE.tex for the tables")


def test_ratings_are_drawn_with_their_correlation(store: Store, tmp_path: Path) -> None:
    rated(store, tmp_path, DATASET, paper("elliott2014").needs[DATASET])
    result = reproduce(store, "elliott2014")
    rows = result.table("as-published").frame.drop_nulls("as published")
    drawn = {figure.title: figure.frame for figure in result.figures}
    for measure, rho in rows.select("measure", "as published").iter_rows():
        frame = drawn[f"Score and human judgement, Flickr8K, {measure}, ρ = {rho:.3f}"]
        shares = frame.group_by("candidate", maintain_order=True).agg(pl.col("value").sum().round(9))
        assert shares.rows() == [("4", 1.0), ("3", 1.0), ("2", 1.0), ("1", 1.0)]
        assert frame["level"].n_unique() in (1, 30)
    written = latex.render(result)
    assert written.count(r"\begin{table}") == 1
    assert "Smoothed BLEU & " in written


def test_a_store_without_the_data_gives_no_file_and_says_so(tmp_path: Path) -> None:
    with Store.open(tmp_path / "empty.duckdb", write=True):
        pass
    with pytest.raises(UsageError, match="give no figures to write as pdf; run it without -o to see why"):
        app(["reproduce", "wang2016", "-o", "a.pdf", "--store", str(tmp_path / "empty.duckdb")], standalone_mode=False)
    assert not Path("a.pdf").exists()
