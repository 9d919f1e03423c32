"""The board: each claim a row with a link of its own, its band and how that was chosen, its data and its signature."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.papers import known, paper
from auditor.papers.bands import in_print
from auditor.papers.figures import EXACT, MEAN, REASON, ROUNDING, SAMPLING, SIGN, read_paper
from auditor.papers.reproduce import reproduce
from auditor.reports.html import document as html
from auditor.result import Result, Table
from auditor.store.connection import Store

HEAD = 'citation = "A 2020"\ndatasets = ["a"]\n[kinds.one]\nitem = "1"\nsection = "2"\ndataset = "a"\n[checks]\n'


def check(entry: str) -> str | None:
    return read_paper("mine", HEAD + f"one = [{{ says = 'x', {entry} }}]").checks[0].chosen_by


def test_a_band_says_how_it_was_chosen() -> None:
    assert check("printed = '0.30'") == ROUNDING
    assert check("printed = '0.30', margin = 0.02, sd = 0.01, wider_because = 'drawn'") == SAMPLING
    assert check("printed = '0.30', margin = 0.02, wider_because = 'read off a figure'") == REASON
    assert check("printed = '50', mean = true") == MEAN
    assert check("low = 3, high = 3") == EXACT
    assert check("low = 0, strict = true, to = { metric = 'b' }") == SIGN
    assert check("unanswerable = 'no data'") is None


def test_a_margin_beyond_three_standard_deviations_is_refused() -> None:
    with pytest.raises(ValueError, match="is more than 3 standard deviations over draws"):
        check("printed = '0.30', margin = 0.04, sd = 0.01, wider_because = 'drawn'")


def test_a_reason_explains_what_is_measured_without_its_cause_to_be_inside() -> None:
    entry = "printed = '0.30', why = 'data: half of the images'"
    assert check(f"{entry}, then = 0.297") == ROUNDING
    for restated in (entry, f"{entry}, then = 0.29"):
        with pytest.raises(
            ValueError, match=r"1, x: “data: half of the images” explains nothing: .* within 0.295 to 0.305"
        ):
            check(restated)
    assert check("printed = '0.30', why = 'unexplained: half of the images'") == ROUNDING


def test_a_reason_is_looked_up_by_dataset_or_metric() -> None:
    entry = "dataset = ['a', 'b'], metric = ['m', 'n'], low = 1, high = 1, why = { b = 'data: x', m = 'unexplained' }"
    checks = read_paper("mine", HEAD + f"one = [{{ says = 'x', {entry}, then = {{ b = 1 }} }}]").checks
    assert [one.why for one in checks] == ["unexplained", None, "data: x", "data: x"]


@pytest.mark.parametrize("band", ["low = 148, high = 444", "margin = 30", "low = 266"])
def test_a_band_that_holds_whatever_is_measured_is_refused(band: str) -> None:
    with pytest.raises(ValueError, match="accepts any measured value: give a margin with its sd"):
        check(f"printed = '296', {band}, wider_because = 'pruned by hand'")
    assert check("printed = '296', low = 267, wider_because = 'another tagger'") == REASON


def test_no_two_claims_have_one_link() -> None:
    named = [f"{name}-{one.claim}" for name in known() for one in paper(name).checks]
    assert len(named) == len(set(named))


def test_a_link_outlives_other_claims_and_a_new_band() -> None:
    entry = "says = 'x', printed = '0.30'"
    alone = read_paper("mine", HEAD + f"one = [{{ {entry} }}]").checks[0]
    beside = read_paper(
        "mine", HEAD + f"one = [{{ says = 'w', printed = '1.0' }}, {{ {entry}, why = 'unexplained' }}]"
    ).checks[1]
    assert alone.claim == beside.claim


@pytest.fixture
def board(store: Store) -> Result:
    ingest_rows(store, [("i0", 0, "a man"), ("i0", 1, "a dog"), ("i1", 0, "a man")], "coco-val2017")
    return reproduce(store, "hsieh2023", "elliott2014")


def test_every_check_is_a_row_of_the_board(board: Result) -> None:
    by_paper, claims = board.page
    assert claims.frame["claim"].to_list() == board.frame["claim"].to_list()
    papers, whole = by_paper.frame[:-1], by_paper.frame.row(-1, named=True)
    assert whole["paper"] == "all"
    for column in ("claims", "reproduced", "differs", "not answerable", "statements", "remarks"):
        assert papers[column].sum() == whole[column], column
    assert whole["claims"] + whole["remarks"] == board.frame.height
    assert board.headline == "Published claims: 0 of 0 answerable claims are reproduced"
    assert set(claims.frame["status"]) == {"not answerable", "remark"}
    assert claims.frame.filter(pl.col("status") == "not answerable")["because"].null_count() == 0


def test_a_page_links_to_each_claim_and_filters(board: Result) -> None:
    page = html.render(board)
    for claim in board.frame["claim"]:
        assert page.count(f'id="{claim}"') == 1
        assert f'href="#{claim}"' in page
    columns = board.page[1].frame.columns
    places = " ".join(
        str(columns.index(name)) for name in ("paper", "status", "dataset", "explained by", "band chosen by")
    )
    assert f'<table data-filters="{places}">' in page


def test_a_page_without_a_board_shows_the_tables() -> None:
    result = Result("score", pl.DataFrame({"a": [1]}), tables=(Table("some", pl.DataFrame({"a": [1]})),))
    assert "<table data-filters" not in html.render(result)
    paged = replace(result, page=(Table("others", pl.DataFrame({"b": [2]})),))
    assert "others" in html.render(paged)
    assert "<caption>some</caption>" not in html.render(paged)


def test_a_claim_names_the_version_and_the_signature_of_what_was_measured(store: Store) -> None:
    rows = [("a", 0, "a dog runs"), ("a", 1, "the dog ran"), ("b", 0, "a red bus"), ("b", 1, "one bus")]
    ingest_rows(store, rows, "abstract50s")
    claims = reproduce(store, "vedantam2015").page[1].frame.filter(dataset="abstract50s")
    assert claims.filter(pl.col("status") != "not answerable")["versions"].str.starts_with("abstract50s@").all()


@pytest.mark.parametrize(
    ("printed", "value", "told"),
    [
        ("30.776", 30.77601, "30.77601"),
        ("92.1 %", 0.9090, "90.900%"),
        ("84 %", 0.8466, "84.66%"),
        ("16,992", 16992.0, "16,992"),
        ("50", 48.25, "48.25"),
        ("0.56 to 0.91", 0.5, "0.5000"),
        ("9.9e-40", 1.8e-39, "1.8e-39"),
        (None, 0.123456, "0.1235"),
    ],
)
def test_ours_is_in_the_unit_of_the_print_with_digits_that_decide(printed: str | None, value: float, told: str) -> None:
    assert in_print(printed, value) == told


def test_what_is_inside_its_band_looks_so(store: Store) -> None:
    rows = [("a", 0, "a dog runs"), ("a", 1, "the dog ran"), ("b", 0, "a red bus"), ("b", 1, "one bus")]
    ingest_rows(store, rows, "abstract50s")
    board = reproduce(store, "vedantam2015")
    claims = board.page[1].frame.drop_nulls("ours")
    told = claims.join(board.frame.select("claim", "low", "high", "holds", "value"), on="claim")
    assert claims.height
    for row in told.iter_rows(named=True):
        ours = float(row["ours"].removesuffix(" %").replace(",", "")) / (100 if row["ours"].endswith("%") else 1)
        inside = (row["low"] is None or ours >= row["low"]) and (row["high"] is None or ours <= row["high"])
        assert inside == row["holds"] or ours in (row["low"], row["high"])


def test_differences_are_explained_by_a_kind_or_not_at_all() -> None:
    whys = {check.why for name in known() for check in paper(name).checks if check.why}
    kinds = {why.partition(":")[0] for why in whys}
    assert kinds <= {"data", "definition", "draws", "order", "tagger", "unexplained"}
