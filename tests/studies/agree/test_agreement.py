"""Metrics against people: rows from a user's own table of ratings, and why there is none where there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from plain_draws import drawn_images
from scipy import stats

from auditor.errors import MetricError, UsageError
from auditor.model import Option, Part, Source
from auditor.store.connection import MEMORY, Store
from auditor.studies.agree.study import agree
from auditor.studies.agree.tables import lead
from auditor.studies.ingest import ingest_sources
from auditor.studies.score.study import score

REFERENCES: Rows = [
    ("a", 0, "a dog runs on the grass"),
    ("a", 1, "the dog is running outside"),
    ("b", 0, "two men play guitar"),
    ("b", 1, "a man and a friend make music"),
    ("c", 0, "a red bus in the street"),
    ("c", 1, "the bus waits at a stop"),
    ("d", 0, "a child eats cake"),
    ("d", 1, "the girl has a birthday cake"),
]
TABLE = """photo,text,who,stars
a,a dog runs,ann,4
a,a dog runs,bob,3
a,a cat,ann,1
a,a cat,bob,2
b,two men play guitar,ann,5
b,two men play guitar,bob,5
b,a bus at a stop,ann,1
c,a bus,ann,3
c,a bus,bob,2
c,the café,bob,1
d,cake for the girl,ann,4
d,cake for the girl,bob,4
"""
COLUMNS: dict[str, Option] = {"image_col": "photo", "caption_col": "text", "judge_col": "who", "score_col": "stars"}
SHAPE = ["dataset", "metric", "statistic", "protocol", "value", "low", "high", "p", "n"]
QUICK: dict[str, Any] = {"resamples": 0}


def rate(store: Store, folder: Path, table: str = TABLE) -> None:
    """Ingest ratings as a user's datasets.toml would declare them."""
    path = folder / "ratings.csv"
    path.write_text(table, encoding="utf-8")
    ingest_rows(store, REFERENCES, "refs")
    source = Source("mine", "judgements", "judgements", (Part((path,), options=COLUMNS),), related=("refs",))
    ingest_sources(store, [source])


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with the user's ratings and their references, for tests that only read."""
    with Store.open(MEMORY) as opened:
        rate(opened, tmp_path_factory.mktemp("ratings"))
        yield opened


def test_a_users_table_is_correlated_by_every_protocol(mine: Store) -> None:
    found = agree(mine, "mine", metrics=["bleu-1", "ter"], **QUICK)
    assert found.frame.columns[: len(SHAPE)] == SHAPE
    of_metrics = found.frame.filter(pl.col("statistic").is_in(["spearman", "kendall-b", "kendall-c", "pearson"]))
    assert of_metrics.filter(metric="ter", statistic="spearman").select("protocol", "candidates", "n").rows() == [
        ("pooled", "all", 12), ("mean", "all", 7), ("judge-ann", "all", 6), ("judge-bob", "all", 6),
        ("pooled", "without-references", 10), ("mean", "without-references", 6),
    ]  # fmt: skip
    scores = score(mine, "refs", metrics=["bleu-1"], candidates="mine").frame.select("image", "slot", score="value")
    stars = mine.query("select image, slot, judge, score as stars from judgement where dataset = 'mine'")
    rated = stars.join(scores, on=["image", "slot"])
    mean = rated.group_by("image", "slot").agg(pl.col("stars").mean(), pl.col("score").first())
    expected = {"pooled": rated, "mean": mean, "judge-ann": rated.filter(judge="ann")}
    for protocol, some in expected.items():
        row = of_metrics.filter(metric="bleu-1", protocol=protocol, statistic="spearman", candidates="all").row(
            0, named=True
        )
        assert row["value"] == pytest.approx(stats.spearmanr(some["stars"], some["score"]).statistic)
        assert row["n"] == some.height
    tests = found.frame.filter(pl.col("statistic").is_in(["difference", "williams", "steiger"]))
    assert tests.select("metric", "other", "protocol").unique().rows() == [("bleu-1", "ter", "mean")]
    assert [one.label for one in found.selections] == ["mine", "refs"]
    assert found.signatures["ter"].startswith("ter|tok:bare|refs:all|")
    assert "1 caption is identical to a reference of the image in refs" in " ".join(found.sentences)
    assert found.lead[1] == (
        "Rated captions that copy a reference of their image: 1 of 7. Without them, bleu-1 agrees most: rho 0.817."
    )


def test_lead_names_the_metrics_that_are_not_separated_from_the_first(mine: Store) -> None:
    frame = agree(mine, "mine", metrics=["bleu-1", "rouge-1", "ter"], **QUICK).frame
    about = {"annotated": SimpleNamespace(label="mine"), "labels": ["bleu-1", "rouge-1", "ter"]}
    rated: Any = SimpleNamespace(scores=pl.DataFrame({"is_reference": [False]}), **about)
    unsure = pl.when(pl.col("other") == "ter").then(0.4).otherwise(0.01).alias("p_holm")
    assert lead(rated, frame, 0.95)[0].endswith(".896.")
    assert lead(rated, frame.with_columns(unsure), 0.95)[0].endswith(
        ".896. It is not separated from ter (p > 0.05, corrected for all pairs)."
    )


def test_interval_of_a_difference_is_that_of_a_plain_bootstrap(tmp_path: Path) -> None:
    """Whole images are drawn; scipy correlates; a metric of errors changes its sign, its size stays."""
    images, resamples = 14, 60
    said = ["a dog runs", "two men play guitar", "a red bus in the street", "cake for the girl", "the dog is here"]
    lines = [
        f"i{n},{said[(n * 7 + k) % 5]} {n % (k + 2)},ann,{(n * 3 + k * 5) % 6}" for n in range(images) for k in (0, 1)
    ]
    references = [(f"i{n}", k, said[(n * 3 + k) % 5]) for n in range(images) for k in (0, 1)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["photo,text,who,stars", *lines]), encoding="utf-8")
    metrics, asked = (
        ["bleu-1", "ter"],
        {"resamples": resamples, "statistics": ["spearman"]},
    )
    with Store.open(MEMORY) as store:
        ingest_rows(store, references, "refs")
        source = Source("mine", "judgements", "judgements", (Part((path,), options=COLUMNS),), related=("refs",))
        ingest_sources(store, [source])
        found = agree(store, "mine", metrics=metrics, **asked)
        scores = score(store, "refs", metrics=metrics, candidates="mine").frame
        stars = store.query("select image, slot, score as stars from judgement where dataset = 'mine'")
    rows = scores.pivot("metric", index=["image", "slot"], values="value").join(stars, on=["image", "slot"])
    of_image = [rows.filter(image=image) for image in sorted(set(rows["image"]))]

    def apart(drawn: pl.DataFrame) -> float:
        plus, minus = (float(stats.spearmanr(drawn["stars"], drawn[metric]).statistic) for metric in metrics)
        return plus - -minus

    key = (1, *found.selections[0].content, "all")
    plain = [apart(pl.concat([of_image[n] for n in one])) for one in drawn_images(images, resamples, key)]
    mean = math.fsum(plain) / resamples
    error = math.sqrt(math.fsum((one - mean) ** 2 for one in plain) / (resamples - 1) * images / (images - 1))
    value, reach = apart(rows), float(stats.t.ppf(0.975, images - 1)) * error
    row = found.frame.filter(statistic="difference").row(0, named=True)
    assert (row["metric"], row["other"], row["protocol"]) == ("bleu-1", "ter", "pooled")
    assert [row["value"], row["low"], row["high"]] == pytest.approx([value, value - reach, value + reach])
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(value) / error, images - 1))
    assert abs(value) > 0.05
    best = found.frame.filter(metric="bleu-1", statistic="spearman").row(0, named=True)
    assert f"({best['low']:.3f} to {best['high']:.3f}, 95%)" in found.lead[0]


def test_coefficient_without_a_test_of_differences_is_reported(mine: Store) -> None:
    question = QUICK | {"statistics": ["kendall-c"]}
    assert any(
        "add --statistic spearman" in note for note in agree(mine, "mine", metrics=["bleu-1", "ter"], **question).notes
    )


def test_people_among_themselves_set_the_ceiling(mine: Store) -> None:
    rows = agree(mine, "mine", metrics=["bleu-1"], **QUICK).frame.filter(metric="human")
    assert rows.select("statistic", "protocol", "n").rows() == [
        ("spearman", "judge-ann judge-bob", 5), ("krippendorff-ordinal", "pooled", 10),
        ("krippendorff-interval", "pooled", 10), ("ceiling", "pooled", 10), ("ceiling", "judge-ann", 5),
        ("ceiling", "judge-bob", 5),
    ]  # fmt: skip
    ann, bob = [4, 1, 5, 3, 4], [3, 2, 5, 2, 4]
    values = dict(rows.select(pl.format("{} {}", "statistic", "protocol"), "value").iter_rows())
    assert values["spearman judge-ann judge-bob"] == pytest.approx(stats.spearmanr(ann, bob).statistic)
    assert values["ceiling pooled"] == pytest.approx(stats.spearmanr(ann + bob, bob + ann).statistic)
    assert values["ceiling judge-ann"] == values["ceiling judge-bob"] == values["spearman judge-ann judge-bob"]


def test_an_unrelated_ingest_changes_no_bit_and_the_order_of_the_file_no_coefficient(
    store: Store, tmp_path: Path
) -> None:
    rate(store, tmp_path)
    question = {"resamples": 50}
    found = agree(store, "mine", metrics=["rouge-l"], **question).frame
    head, *lines = TABLE.splitlines()
    for table, of_slots in ((TABLE, []), ("\n".join([head, *lines[::-1]]), ["version", "low", "high"])):
        with Store.open(MEMORY) as other:
            ingest_rows(other, [("z", 0, "an unrelated caption"), ("z", 1, "of another set")], "before")
            rate(other, tmp_path, table)
            again = agree(other, "mine", metrics=["rouge-l"], **question).frame
        drawn = ["resamples", "confidence", "seed"] if of_slots else []  # another version draws other images
        assert found.drop(*of_slots, *drawn).equals(again.drop(*of_slots, *drawn))


def test_ratings_outside_of_the_scale_are_left_out_and_named(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, TABLE.replace("a,a cat,bob,2", "a,a cat,bob,50"))
    found = agree(store, "mine", metrics=["bleu-1"], scale=(1, 5), resamples=0)
    assert "mine: 1 rating is not between 1 and 5, and left out: 50 of a #1 by bob" in found.sentences
    assert found.frame.filter(protocol="pooled", statistic="spearman", metric="bleu-1")["n"][0] == 11
    with pytest.raises(UsageError, match="no rating is between 7 and 9; set its scale with --scale"):
        agree(store, "mine", metrics=["bleu-1"], scale=(7, 9))


def test_one_judge_has_one_protocol_and_no_ceiling(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, "\n".join(line for line in TABLE.splitlines() if ",bob," not in line))
    found = agree(store, "mine", metrics=["bleu-1"], **QUICK)
    assert set(found.frame["metric"]) == {"bleu-1"}
    assert set(found.frame.filter(pl.col("statistic") != "kappa")["protocol"]) == {"pooled"}
    assert (
        "mine: only one rater (ann), so the agreement of raters and the ceiling for metrics are unknown"
        in found.sentences
    )


def test_constant_ratings_and_scores_have_no_correlation_and_say_why(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, "photo,text,who,stars\na,a dog runs,ann,4\nb,two men,ann,4\nc,a bus,ann,4\n")
    found = agree(store, "mine", metrics=["rouge-1", "rouge-l"], **QUICK)
    assert found.frame["value"].null_count() == found.frame.height
    assert "mine: no correlations with human ratings: every rating is 4 (pooled)" in found.sentences
    rate(store, tmp_path, "photo,text,who,stars\na,zebra,ann,4\nb,zebra,ann,3\nc,zebra,ann,2\n")
    found = agree(store, "mine", metrics=["rouge-l", "rouge-1"], **QUICK)
    told = "mine: rouge-l, rouge-1: no correlation, because every caption has the same score (pooled)"
    assert told in found.sentences


def test_a_caption_that_one_judge_rates_twice_counts_once(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, TABLE + "a,a dog runs,ann,5\n")
    found = agree(store, "mine", metrics=["bleu-1"], **QUICK)
    told = "mine: 1 caption was rated more than once by the same rater; their mean is used: 4.5 of a #0 by ann"
    assert told in found.sentences
    assert found.frame.filter(protocol="pooled", statistic="spearman", metric="bleu-1")["n"][0] == 12


def test_images_without_references_are_counted_and_named(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, TABLE + "y,a kite,ann,5\nz,a boat,ann,2\n")
    found = agree(store, "mine", metrics=["bleu-1"], **QUICK)
    assert "mine: 2 images have no references in refs and no scores: y, z" in found.sentences
    ingest_rows(store, [("elsewhere", 0, "a kite"), ("elsewhere", 1, "the kite")], "others")
    with pytest.raises(UsageError, match="others: no image in common with mine: its ids look like 'elsewhere'"):
        agree(store, "mine", metrics=["bleu-1"], against="others")
    with pytest.raises(UsageError, match="cannot score mine against itself"):
        agree(store, "mine", metrics=["bleu-1"], against="mine")


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (
            {"statistics": ["kendall"]},
            "--statistic kendall: .*expected spearman, kendall-b, kendall-c or pearson",
        ),
        (
            {"protocols": ["best"]},
            "best: unknown protocol of mine; use pooled, mean, judge-ann, judge-bob",
        ),
        ({"scale": (5, 1)}, "--scale 5 1: expected the lowest and the highest rating"),
        ({"cut": 0.5}, "select exactly one with -m"),
        ({"resamples": 5}, "--resamples 5: an interval of 0.95 needs 40 or more"),
    ],
)
def test_what_cannot_be_asked_is_refused(mine: Store, question: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        agree(mine, "mine", metrics=["bleu-1", "rouge-l"], **question)
    with pytest.raises(
        UsageError,
        match=r"refs: has no ratings \(it is of kind captions\); .*--format judgements` imports human ratings",
    ):
        agree(mine, "refs", metrics=["bleu-1"], **QUICK)


def test_kappa_takes_the_threshold_and_the_cut_that_are_given(mine: Store) -> None:
    question = {"threshold": 4, "cut": 0.9, "statistics": ["pearson"], "protocols": ["mean"], "resamples": 0}
    row = agree(mine, "mine", metrics=["bleu-1"], **question).frame.filter(statistic="kappa").row(0, named=True)
    assert row["threshold"] == 0.9
    # of seven captions people call two good, and bleu-1 one of them: (6/7 - 32/49) / (1 - 32/49)
    assert row["n"] == 7
    assert row["value"] == pytest.approx(10 / 17)


def test_the_browser_shows_what_metric_and_people_see_otherwise(mine: Store) -> None:
    found = agree(mine, "mine", metrics=["rouge-l"], disagreements=1, resamples=0)
    high, low = (table.frame.row(0, named=True) for table in found.tables[-2:])
    assert (high["image"], high["caption"], high["rating"]) == ("b", "two men play guitar", 5)
    assert high["nearest reference"] == "two men play guitar"
    assert (low["image"], low["caption"], low["rating"]) == ("c", "the café", 1)
    assert low["nearest reference"] == "a red bus in the street"


def test_the_figure_shows_coefficients(mine: Store) -> None:
    found = agree(mine, "mine", metrics=["rouge-l", "bleu-1"], **QUICK)
    assert [figure.name for figure in found.figures][:2] == ["agreement", "scores-by-rating-1"]
    assert found.figures[0].frame.columns == ["metric", "value", "low", "high"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"protocols": ["foo"]}, "foo: unknown protocol of mine; use pooled, mean, judge-ann"),
        ({"threshold": float("nan")}, "--threshold nan: expected a finite number"),
        ({"threshold": float("inf")}, "--threshold inf: expected a finite number"),
        ({"cut": float("nan")}, "--cut nan: expected a finite number"),
        ({"scale": (1.0, float("inf"))}, "--scale inf: expected a finite number"),
        ({"resamples": 10**9}, "expected 0 to 100,000"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_scored(
    mine: Store, monkeypatch: pytest.MonkeyPatch, question: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr("auditor.studies.agree.study.rated_captions", lambda *_: pytest.fail("scored first"))
    with pytest.raises(UsageError, match=re.escape(message)):
        agree(mine, "mine", metrics=["bleu-1"], **question)


def test_ratings_too_large_to_be_summed_exactly_are_refused(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, TABLE.replace("ann,5", "ann,5e6").replace("bob,5", "bob,5e6") + "d,a cat,ann,2e7\n")
    with pytest.raises(
        UsageError, match=r"mine: ratings as large as 2e\+07 cannot be summed exactly; divide all of them"
    ):
        agree(store, "mine", metrics=["bleu-1"], **QUICK)
    scaled = {"scale": (1, 5), "resamples": 0}
    assert agree(store, "mine", metrics=["bleu-1"], **scaled).frame.height


def test_a_threshold_that_no_mean_reaches_leaves_no_kappa_and_says_so(mine: Store) -> None:
    found = agree(mine, "mine", metrics=["bleu-1"], threshold=99, resamples=0)
    assert found.frame.filter(statistic="kappa")["value"].to_list() == [None]
    assert "mine: no kappa: no caption has a mean rating of 99 or more; set another --threshold" in found.sentences


def test_tables_show_the_p_of_every_coefficient(mine: Store) -> None:
    found = agree(mine, "mine", metrics=["bleu-1", "ter"], **QUICK)
    first, every = (table.frame.row(0, named=True) for table in found.tables[:2])
    assert first["metric"] == every["metric"]
    rows = found.frame.filter(metric=first["metric"], protocol="pooled", candidates="all")
    p = dict(rows.select("statistic", "p").rows())
    assert first["p"] == p["spearman"]
    assert {name: every[f"p of {name}"] for name in ("spearman", "kendall-b", "pearson")} == {
        name: p[name] for name in ("spearman", "kendall-b", "pearson")
    }
    assert "p treats ratings as independent" in str(found.tables[0].caption)


def test_rated_captions_that_no_metric_aligns_are_said(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, f"{TABLE}d,{'cake ' * 4_096},ann,1\n")
    notes = " ".join(agree(store, "mine", metrics=["bleu-1"], **QUICK).sentences)
    assert "mine: 1 caption has more than 4,095 words, too many to align" in notes


def test_set_of_ratings_is_used_without_what_it_declares_to_leave_out(store: Store, tmp_path: Path) -> None:
    ingest_rows(
        store, [("a", 0, "a dog runs"), ("b", 0, "a cat sits"), ("c", 0, "two birds"), ("d", 0, "a red fish")], "refs"
    )
    path = tmp_path / "ratings.csv"
    texts = [("a", "a dog runs", 4), ("a", "a dog", 3), ("b", "a cat", 2), ("c", "birds sing", 3), ("d", "a bus", 1)]
    path.write_text("image,caption,score\n" + "".join(f"{image},{text},{score}\n" for image, text, score in texts))
    source = Source("mine", "judgements", "judgements", (Part((path,)),), related=("refs",))
    ingest_sources(store, [source])
    asked = {"resamples": 0}
    every = agree(store, "mine", metrics=["bleu-1"], **asked, config={"mine": source})
    rule = {"mine": replace(source, leaves_out="own-references")}
    fewer = agree(store, "mine", metrics=["bleu-1"], **asked, config=rule)
    assert set(fewer.frame["candidates"]) == {"without-references"}
    assert set(fewer.frame["n"]) == {4}
    keys = ["statistic", "protocol", "value"]
    known = every.frame.filter(candidates="without-references").select(keys)
    assert set(known.rows()) <= set(fewer.frame.select(keys).rows())
    asked_for = agree(store, "mine", metrics=["bleu-1"], **asked, config={}, without_own_references=True)
    assert asked_for.frame.equals(fewer.frame)
    for result, why in ((fewer, "datasets.toml declares"), (asked_for, "--without-own-references asks")):
        note = f"left out, as {why}: 1 caption identical to a reference of the image in refs"
        assert any(note in one for one in result.sentences)


def test_metrics_are_compared_on_captions_that_all_have_scored(store: Store, tmp_path: Path) -> None:
    """Who skips hard captions does not win; missing scores can count as the lowest."""
    rate(store, tmp_path)
    rows = [line.split(",") for line in TABLE.splitlines()[1:]]
    scores = {(image, text): at * 7 % 5 for at, (image, text, *_) in enumerate(rows)}
    files = [tmp_path / name for name in ("whole.csv", "part.csv")]
    for file, few in zip(files, (99, 6), strict=True):
        lines = [f"{image},{text},{score}" for (image, text), score in [*scores.items()][:few]]
        file.write_text("\n".join(["image,caption,score", *lines]))
    asked = {"statistics": ["spearman"], "protocols": ["mean"], "resamples": 100}
    found = agree(store, "mine", scores=files, **asked)
    values = {metric: found.frame.filter(metric=metric, statistic="spearman").row(0, named=True) for metric in
              ("whole", "part")}  # fmt: skip
    assert values["whole"]["value"] == values["part"]["value"] == values["part"]["own_value"]
    assert values["whole"]["own_value"] != values["whole"]["value"]
    assert values["whole"]["n"] == values["part"]["n"] == 6
    apart = found.frame.filter(statistic="difference").row(0, named=True)
    assert (apart["value"], apart["p"]) == (0.0, 1.0)
    assert found.lead[0] == "Warning: part and whole are compared on 6 of 7 captions."
    assert found.lead[1].startswith("With the lowest scores for what part lacks, ")
    shown = found.table("metrics-against-people").frame
    assert dict(shown.select("metric", "own_value").iter_rows()) == {
        name: row["own_value"] for name, row in values.items()
    }
    assert set(shown["n"]) == {6}
    assert found.table("differences").frame["empty_difference"].to_list() == [apart["empty_difference"]]
    empty = agree(store, "mine", scores=files, **asked, missing="empty")
    of_empty = empty.frame.filter(statistic="difference").row(0, named=True)
    assert (of_empty["value"], of_empty["p"]) == (apart["empty_difference"], apart["empty_p"])
    with pytest.raises(MetricError, match="no score of part for 1 of 7 captions"):
        agree(store, "mine", scores=files, **asked, missing="error")
