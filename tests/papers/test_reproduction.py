"""Published figures beside ours: bands as printed, quantities by name, reasons where there is no answer."""

from __future__ import annotations

import math
from types import SimpleNamespace

import polars as pl
import pytest
from conftest import ROOT, ingest_rows

from auditor.errors import UsageError
from auditor.papers import known, paper
from auditor.papers import reproduce as study
from auditor.papers.bands import printed_band
from auditor.papers.figures import KEYS, Check, Paper, read_paper
from auditor.papers.reproduce import OUTSIDE, REMARK, UNANSWERED, WITHIN, reproduce
from auditor.store.connection import MEMORY, Store

METRICS = paper("wang2016").runs["bounds"].options["metrics"]

HEAD = """
citation = "Somebody 2014"
datasets = ["flickr30k"]
[kinds.size]
item = "1"
section = "2"
statistic = "images"
[checks]
size = ["""


MUCH_HIGHER = "document frequencies of all datasets together: much higher CIDEr for the Abstract sets"


def of_file(*entries: str) -> Paper:
    return read_paper("somebody", HEAD + ",".join(f"{{ {entry} }}" for entry in entries) + "]")


@pytest.mark.parametrize(
    ("printed", "inside", "outside", "band"),
    [
        ("0.30", [0.295, 0.3, 0.305], [0.2949, 0.3051], "0.295 to 0.305"),
        (".3", [0.25, 0.35], [0.249, 0.351], "0.25 to 0.35"),
        ("-0.279", [-0.2795, -0.2785], [-0.2796, -0.2784], "-0.2795 to -0.2785"),
        ("17,466", [17466], [17465, 17467], "17466"),
        ("84 %", [0.835, 0.845], [0.834, 0.846], "0.835 to 0.845"),
        ("4.8 %", [0.0475, 0.0485], [0.0474, 0.0486], "0.0475 to 0.0485"),
        ("0.56 to 0.91", [0.555, 0.915], [0.554, 0.916], "0.555 to 0.915"),
        ("65 to 80 %", [0.645, 0.805], [0.644, 0.806], "0.645 to 0.805"),
        ("from 0.37", [0.365, 9], [0.364], "≥ 0.365"),
        ("up to 9.9e-40", [9.95e-40, 0], [9.96e-40], "≤ 9.95e-40"),
        ("> 30,000", [30001], [30000], "> 30000"),
        ("≥ 5", [5], [4.9], "≥ 5"),
        ("< 0.04", [0.039], [0.04], "< 0.04"),
    ],
)
def test_a_band_holds_what_rounds_to_the_printed_figure(
    printed: str, inside: list[float], outside: list[float], band: str
) -> None:
    one = printed_band(printed)
    assert [one.holds(value) for value in inside + outside] == [True] * len(inside) + [False] * len(outside)
    assert str(one) == band


@pytest.mark.parametrize(("printed", "band"), [("≥ 5", "≥ 3"), ("< 4", "< 6"), ("7", "5 to 9"), ("1 to 3", "-1 to 5")])
def test_a_margin_widens_a_band_at_each_end_that_it_has(printed: str, band: str) -> None:
    assert str(printed_band(printed, 2)) == band


@pytest.mark.parametrize("printed", ["about 3", "", "1:3", "3 dogs"])
def test_what_is_no_figure_has_no_band(printed: str) -> None:
    with pytest.raises(ValueError, match="is not a printed figure"):
        printed_band(printed)


WIDER = [
    'low = 0.28, high = 0.32, printed = "0.30"',
    'low = 0.295, printed = "0.30"',
    'printed = "0.30", margin = 0.01',
    "low = 0.28, high = 0.32",
    "low = -0.02, high = 0.02, strict = true",
    "high = 0.05",
]


@pytest.mark.parametrize("band", WIDER)
def test_a_band_wider_than_the_print_says_why(band: str) -> None:
    with pytest.raises(ValueError, match=r"1, a size: the band .* add wider_because"):
        of_file(f'says = "a size", {band}')
    (read,) = of_file(f'says = "a size", {band}, wider_because = "drawn: 2 standard errors are .01"').checks
    assert read.wider_because == "drawn: 2 standard errors are .01"


@pytest.mark.parametrize("band", ['printed = "0.30"', "low = 0, strict = true", "high = 0", "low = 3, high = 3"])
def test_the_prints_rounding_and_a_sign_need_no_reason(band: str) -> None:
    assert of_file(f'says = "a size", {band}').checks[0].wider_because is None


def test_a_margin_widens_either_side() -> None:
    (read,) = of_file('says = "a share", printed = "84 %", margin = 0.01, wider_because = "drawn"').checks
    assert str(read.band) == "0.825 to 0.855"


def test_a_check_has_a_band_or_cannot_be_answered() -> None:
    with pytest.raises(ValueError, match="neither a printed figure nor a band"):
        of_file('says = "a size"')
    assert of_file('says = "a size", unanswerable = "no formula"').checks[0].band is None


def test_a_remark_is_on_a_statement_of_the_paper() -> None:
    with pytest.raises(ValueError, match="somebody has no statement 'other' to remark on"):
        of_file('says = "a size", low = 0, remark_on = "other"')


def test_a_second_way_is_a_remark_and_decides_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed and holds in a second way has failed once."""
    read = of_file(
        'says = "ten images", printed = "10"',
        'says = "ten captions", statistic = "captions", printed = "10", remark_on = "ten images"',
        'says = "no formula", statistic = "none", unanswerable = "the paper gives no formula"',
    )
    quantities = {("", "", "", "", "images"): 2.0, ("", "", "", "", "captions"): 10.0}
    monkeypatch.setattr(study, "paper", lambda _: read)
    monkeypatch.setattr(study, "known", lambda: {"somebody": SimpleNamespace(load=lambda: study)})
    monkeypatch.setattr(study, "measure", lambda *_: study.Measured(quantities), raising=False)
    result = reproduce(store, "somebody")
    holds = result.holds
    assert not holds
    assert result.frame["verdict"].to_list() == [OUTSIDE, REMARK, UNANSWERED]
    assert result.frame["holds"].to_list() == [False, True, None]
    assert result.frame["reason"].to_list()[-1] == "the paper gives no formula"
    assert result.tables[0].frame["verdict"].to_list() == [OUTSIDE, "remark: within", UNANSWERED]
    assert result.sentences == (
        "somebody: 2 checks, 0 within, 1 outside, 1 not answerable, for 2 published statements, 0 within,"
        " 1 outside, 1 not answerable. Not counted: 1 remark, which measures a statement again",
    )


@pytest.mark.parametrize("name", known())
def test_every_check_has_a_band_and_names_one_quantity(name: str) -> None:
    read = paper(name)
    assert len(read.checks) >= (10 if name == "blind-board" else 30)  # a board has a size and a rule per benchmark
    for one in read.checks:
        assert one.unanswerable is not None or one.band is not None
        assert len(one.of) == len(KEYS)
        assert one.to is None or one.to != one.of
    named = [(one.says, one.of, one.to) for one in read.checks]
    assert len(named) == len(set(named))


def test_an_unknown_paper_is_refused_with_the_known_ones(store: Store) -> None:
    with pytest.raises(UsageError, match=f"known are {', '.join(known())}"):
        reproduce(store, "wang2061")


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
    if paper(name).tokenizers:
        pytest.importorskip("spacy")
    result = reproduce(store, name)
    holds = result.holds
    assert holds
    assert set(result.frame["verdict"]) <= {UNANSWERED, REMARK}
    assert result.frame["value"].null_count() == result.frame.height
    reasons = set(result.frame["reason"])
    assert f"{ingested} is not in the store: `auditor ingest {ingested}`" in reasons
    assert f"{obtained} is not in the store: `auditor fetch {obtained}` explains how to obtain it" in reasons
    assert None not in reasons


def bands(name: str, says: str) -> list[Check]:
    found = [check for check in paper(name).checks if check.says == says]
    assert found
    return found


def test_much_higher_is_never_what_is_no_notable_difference() -> None:
    (low,) = {check.band.low for check in bands("wang2016", MUCH_HIGHER) if check.band}
    (high,) = {check.band.high for check in bands("wang2016", "and no notable difference for the others") if check.band}
    assert low is not None
    assert high is not None
    assert low > high
    for of_rouge in bands("wang2016", "ROUGE: intra much higher than inter"):
        assert of_rouge.band is not None
        assert of_rouge.band.low == low


def test_large_is_more_than_any_and_more_than_slight() -> None:
    (large,) = {check.band.low for check in bands("wang2016", "a large drop for Meteor") if check.band}
    slight = {
        check.band.low for check in bands("wang2016", "per description slightly lower than per image") if check.band
    }
    assert large is not None
    assert [-large] == [*slight]


@pytest.mark.parametrize(
    "says",
    [
        "BLEU: the shorter gibberish scores higher",
        "BLEU: inter above intra for many datasets",
        "BLEU barely tells gibberish of the dataset from intra",
        "ROUGE: Brown and gibberish of Brown comparable",
        "ROUGE: intra much higher than inter",
        "ROUGE on Abstract Scenes: ten words of gibberish above six",
    ],
)
def test_what_is_said_of_a_family_is_checked_on_every_metric_of_it(says: str) -> None:
    family = "bleu-" if says.startswith("BLEU") else "rouge-"
    assert {check.of[1] for check in bands("wang2016", says)} == {name for name in METRICS if name.startswith(family)}


@pytest.mark.parametrize(
    "says",
    ["PASCAL1K and MS COCO are about equally homogeneous", "ImageCLEF2015 lies between Flickr30k and MS COCO"],
)
def test_statements_on_datasets_that_cannot_be_had_are_listed(says: str) -> None:
    assert {check.of[1] for check in bands("wang2016", says)} == {*METRICS}
    assert {check.of[0] for check in bands("wang2016", says)} <= {"pascal1k", "imageclef2015"}


def test_accuracies_are_as_wide_as_print_and_draw() -> None:
    """ABSTRACT-50S has 48 references, and all of them are used."""
    accuracies = [check for check in paper("vedantam2015").checks if check.item == "004-16"]
    assert len(accuracies) == 24
    for check in accuracies:
        assert check.band is not None
        width = round((check.band.high or 0) - (check.band.low or 0), 9)
        drawn = check.of[0] == "pascal50s-triplets"
        assert width <= 0.0151 if drawn else width == 0.001
        assert (check.wider_because or "").startswith("random choice of 48 of 50 references") is drawn


@pytest.mark.parametrize(
    ("says", "band"),
    [
        ("CIDEr and CIDEr-D rank captions alike: rho = .94", "0.935 to 0.945"),
        ("People and CIDEr agree on who wins how often: r = .98", "0.975 to 0.985"),
    ],
)
def test_correlations_are_as_wide_as_print(says: str, band: str) -> None:
    assert [str(check.band) for check in bands("vedantam2015", says)] == [band]


def test_systems_are_ranked_by_triplets_and_pairs_are_a_remark() -> None:
    ranked = [check for check in paper("vedantam2015").checks if check.item == "004-18"]
    counted = {check.of[0] for check in ranked if check.remark_on is None}
    assert counted == {"pascal50s-triplets", "pascal50s-ranking"}
    assert {check.of[0] for check in ranked if check.remark_on} == {"pascal50s-pairs"}


def test_a_variant_without_a_formula_cannot_be_answered() -> None:
    for check in bands("vedantam2015", "CIDEr-exp is slightly worse"):
        assert check.unanswerable is not None
        assert "no formula" in check.unanswerable


def test_criteria_of_our_own_say_so() -> None:
    for check in paper("elliott2014").checks:
        if check.item in ("002-12", "002-13"):
            assert (check.wider_because or "").startswith("our criterion")


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
        result = reproduce(store, "wang2016")
        holds = result.holds
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


@pytest.mark.parametrize("name", known())
def test_the_page_counts_the_checks_of_each_paper_under_its_command(name: str) -> None:
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    (section,) = (section for section in page.split("\n## ") if f"\nauditor reproduce {name}\n" in section)
    checks = [check for check in paper(name).checks if check.remark_on is None]
    assert f"{len(checks)} checks" in section
