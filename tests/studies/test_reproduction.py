"""Published figures beside ours: bands as printed, quantities by name, reasons where there is no answer."""

from __future__ import annotations

import math

import polars as pl
import pytest
from conftest import ROOT, ingest_rows

from auditor.errors import UsageError
from auditor.published import KEYS, Check, paper, papers
from auditor.store.connection import MEMORY, Store
from auditor.studies.reproduction import OUTSIDE, UNANSWERED, WITHIN, reproduce
from auditor.studies.wang2016 import METRICS


def check(low: float | None, high: float | None, *, strict: bool = False) -> Check:
    return Check("1", "1", "a figure", ("set", "bleu-1"), None, "value", low, high, strict, None)


@pytest.mark.parametrize(
    ("one", "inside", "outside", "band"),
    [
        (check(0.295, 0.305), [0.295, 0.3, 0.305], [0.2949, 0.3051], "0.295 to 0.305"),
        (check(0, None, strict=True), [1e-9], [0, -1], "> 0"),
        (check(None, 0.04), [0.04, -1], [0.041], "≤ 0.04"),
        (check(500, 500), [500], [499, 501], "500"),
    ],
)
def test_a_band_holds_what_is_printed(one: Check, inside: list[float], outside: list[float], band: str) -> None:
    assert [one.holds(value) for value in inside + outside] == [True] * len(inside) + [False] * len(outside)
    assert one.band == band


@pytest.mark.parametrize("name", papers())
def test_every_check_has_a_band_and_names_one_quantity(name: str) -> None:
    read = paper(name)
    assert len(read.checks) >= 60
    for one in read.checks:
        assert one.low is not None or one.high is not None
        assert len(one.of) == len(KEYS)
        assert one.to is None or one.to != one.of
    named = [(one.says, one.of, one.to) for one in read.checks]
    assert len(named) == len(set(named))


def test_an_unknown_paper_is_refused_with_the_known_ones(store: Store) -> None:
    with pytest.raises(UsageError, match=f"known are {', '.join(papers())}"):
        reproduce(store, ["wang2061"])


@pytest.mark.parametrize(
    ("name", "ingested", "obtained"),
    [
        ("wang2016", "flickr30k", "vlt2k"),
        ("miltenburg2018", "dai2017", "coco-train"),
        ("elliott2014", "flickr8k-ek", "ek2013"),
    ],
)
def test_without_any_dataset_everything_is_unanswered_and_says_what_to_do(
    store: Store, name: str, ingested: str, obtained: str
) -> None:
    result, holds = reproduce(store, [name])
    assert holds
    assert set(result.frame["verdict"]) == {UNANSWERED}
    reasons = set(result.frame["reason"])
    assert f"{ingested} is not in the store: `auditor ingest {ingested}`" in reasons
    assert f"{obtained} is not in the store: `auditor fetch {obtained}` says how to obtain it" in reasons
    assert None not in reasons


CAPTIONS = [
    ("a", ["a dog runs on the grass", "the dog is running outside", "a dog runs on the grass", "a brown dog"]),
    ("b", ["two men play guitar", "a man and a friend with guitars", "men making music", "two guitars"]),
    ("c", ["a red bus in the street", "the bus is waiting at a stop", "a bus", "street with a big red bus"]),
    ("d", ["a child eats cake", "the girl has a birthday cake", "a girl with cake and candles", "cake for a child"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def reproduced() -> pl.DataFrame:
    """Two small sets under the names of the paper's, and a corpus."""
    rows = [(image, slot, text) for image, texts in CAPTIONS for slot, text in enumerate(texts)]
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, dataset="flickr30k")
        ingest_rows(store, [(image, slot, f"mike and {text}") for image, slot, text in rows], dataset="abstract-scenes")
        sentences = [("doc", slot, f"the committee of {slot} years ago had no objection to it") for slot in range(9)]
        ingest_rows(store, sentences, dataset="brown", kind="corpus")
        result, holds = reproduce(store, ["wang2016"])
    assert not holds
    return result.frame


def test_each_figure_is_answered_for_the_sets_that_are_here(reproduced: pl.DataFrame) -> None:
    answered = reproduced.filter(pl.col("verdict") != UNANSWERED)
    assert set(answered["dataset"]) <= {"flickr30k", "abstract-scenes", ""}
    here = reproduced.filter(
        pl.col("dataset").is_in(["flickr30k", "abstract-scenes"]),
        ~pl.col("compared").str.contains("coco-val|pascal|abstract50s"),
    )
    assert set(here.filter(verdict=UNANSWERED)["reason"].str.contains("not in the store")) <= {True}
    assert set(answered["metric"]) >= set(METRICS) - {"cider-d"}


def test_a_verdict_follows_from_value_and_band(reproduced: pl.DataFrame) -> None:
    images = reproduced.filter(item="000-06", statistic="images").row(0, named=True)
    assert (images["value"], images["verdict"]) == (4.0, OUTSIDE)
    twins = reproduced.filter(item="000-39", statistic="images-with-identical-captions", dataset="flickr30k")
    assert twins.select("value", "verdict").row(0) == (1.0, WITHIN)
    for row in reproduced.filter(pl.col("verdict") != UNANSWERED).iter_rows(named=True):
        assert math.isfinite(row["value"])


def test_the_page_shows_every_statement_and_explains_what_lies_outside() -> None:
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    plain = page.replace("\\", "")
    for one in (check for name in papers() for check in paper(name).checks):
        assert one.says in plain
    outside_of = {"\n": 26, ", diversity\n": 57, ", consensus\n": 16}
    for heading, count in ((f"### Outside their bands{name}", number) for name, number in outside_of.items()):
        outside = page.partition(heading)[2].partition("###")[0].splitlines()[3:]
        explained = [line.split("|")[-2].strip() for line in outside if line.startswith("|")]
        assert len(explained) == count
        assert all(explained)
