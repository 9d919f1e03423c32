"""How often does a metric pick the caption that people pick?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor import config
from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.model import CAPTION_SCHEMA, Part, Source, silent
from auditor.papers.vedantam2015 import two_truths
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.studies.agree import agree
from auditor.studies.consensus import consensus_rows
from auditor.studies.consensus.accuracy import ConsensusSettings
from auditor.studies.consensus.ceiling import halves
from auditor.studies.consensus.study import consensus
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.report import ReportSettings, report
from auditor.text import AT_INGEST

REFERENCES: Rows = [
    (f"i{image}", slot, f"a {animal} {verb} in the {place}")
    for image, (animal, place) in enumerate([("dog", "park"), ("cat", "house"), ("bird", "sky"), ("fish", "sea")])
    for slot, verb in enumerate(["runs", "sits", "waits", "is seen"])
]
QUICK = ConsensusSettings(resamples=0)

#: image, kind, authors and votes of B and C; B is always the caption that BLEU-1 finds closer.
Pair = tuple[str, str | None, str | None, str | None, int | None, int | None]
PAIRS: list[Pair] = [
    ("i0", "HC", "human", "human", 7, 4),
    ("i1", "HM", "human", "zoë", 9, 2),
    ("i2", "MM", "zoë", "ann", 3, 8),
    ("i3", "MM", "zoë", "ann", 5, 5),
]
ANIMALS = {"i0": "dog", "i1": "cat", "i2": "bird", "i3": "fish"}


def rate(store: Store, folder: Path) -> None:
    table = "image,caption,score\n" + "".join(f"i{image},a dog runs {image},{image}\n" for image in range(4))
    (folder / "ratings.csv").write_text(table)
    source = Source("mine", "judgements", "judgements", (Part((folder / "ratings.csv",)),), related=("set",))
    ingest_sources(store, [source])


def related(kind: str, name: str) -> Source:
    return Source(name, kind, "literal", (), related=("set",))  # type: ignore[arg-type]


def ingest_annotated(store: Store, name: str, kind: str, rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(
        [{"source": "literal", "unit": "line", "line": line, **row} for line, row in enumerate(rows, 1)],
        schema_overrides=dict(CAPTION_SCHEMA),
        infer_schema_length=None,
    )
    ingestion.write(store, related(kind, name), iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def ingest_pairs(store: Store, pairs: list[Pair], name: str = "pairs") -> None:
    rows: list[dict[str, object]] = []
    for number, (image, kind, origin_b, origin_c, votes_b, votes_c) in enumerate(pairs, 1):
        texts = (f"a {ANIMALS.get(image, 'thing')} runs", "something else entirely")
        for side, origin, votes, text in zip("BC", (origin_b, origin_c), (votes_b, votes_c), texts, strict=True):
            pair = {"pair": number, "side": side, "category": kind, "origin": origin, "votes": votes}
            rows.append({"image": image, "text": text, "pair": pair})
    ingest_annotated(store, name, "pairs", rows)


def ingest_triplets(store: Store, asked: list[tuple[str, str, str, str, int, int]], name: str = "triplets") -> None:
    """Ingest (image, A, B, C, votes for B, votes for C)."""
    rows: list[dict[str, object]] = []
    for number, (image, *texts, votes_b, votes_c) in enumerate(asked, 1):
        for side, votes, text in zip("ABC", (None, votes_b, votes_c), texts, strict=True):
            triplet = {"triplet": number, "side": side, "category": None, "votes": votes}
            rows.append({"image": image, "text": text, "triplet": triplet})
    ingest_annotated(store, name, "triplets", rows)


def rows_of(frame: pl.DataFrame, statistic: str, **where: object) -> pl.DataFrame:
    return frame.filter(statistic=statistic, **where)


def values(frame: pl.DataFrame, statistic: str, *keys: str, **where: object) -> dict[object, float]:
    found = rows_of(frame, statistic, **where)
    return dict(zip(found.select(*keys).rows() if len(keys) > 1 else found[keys[0]], found["value"], strict=True))


def test_accuracy_is_the_share_of_decided_pairs_on_which_metric_and_people_agree(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    found = consensus(store, "pairs", metrics=["bleu-1"], settings=QUICK)
    accuracy = rows_of(found.frame, "accuracy")
    assert accuracy.select("kind", "n", "value", "references").rows() == [
        ("all", 3, pytest.approx(2 / 3), 4),
        ("HC", 1, 1.0, 4),
        ("HM", 1, 1.0, 4),
        ("MM", 1, 0.0, 4),
    ]
    assert "pairs: votes are even on 1 pair of 4, left out of every accuracy" in found.sentences
    assert [one.version.dataset for one in found.selections] == ["pairs", "set"]
    assert accuracy["signature"][0].startswith("bleu-1|tok:bare|refs:all|k:4|seed:1|")


def test_metrics_of_a_users_own_pick_captions_too(store: Store) -> None:
    @auditor.metric(name="words-off", lower_is_better=True)
    def words_off(candidate: str, references: list[str]) -> float:
        return float(min(len({*candidate.split()} ^ {*one.split()}) for one in references))

    Path("shared.sql").write_text(
        "select id, len(list_intersect(string_split(text, ' '), flatten([string_split(r, ' ') for r in reference_texts])))"
        " as score from candidates"
    )
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS[:2])
    found = consensus(store, "pairs", metrics=["words-off", "sql:shared.sql"], settings=QUICK)
    assert values(found.frame, "accuracy", "metric", kind="all") == {"words-off": 1.0, "shared": 1.0}
    assert all("|source:" in one for one in found.frame.filter(statistic="accuracy")["signature"])


def test_lower_is_better_where_a_metric_counts_errors(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS[:2])
    found = consensus(store, "pairs", metrics=["ter"], settings=QUICK)
    assert values(found.frame, "accuracy", "kind")["all"] == 1.0


@pytest.mark.parametrize(("ties", "value"), [("half", 0.5), ("wrong", 0.0), ("right", 1.0)])
def test_metric_that_ties_everything_counts_what_a_tie_counts(store: Store, ties: str, value: float) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS[:2])
    found = consensus(
        store, "pairs", metrics=["bleu-4:smooth=none"], settings=ConsensusSettings(ties=ties, resamples=0)
    )
    (row,) = rows_of(found.frame, "accuracy", kind="all").select("value", "ties", "n").rows()
    assert row == (value, 2, 2)
    assert "bleu-4:smooth=none: every pair is a tie, so accuracy is the credit of a tie" in found.sentences


def test_intervals_hold_the_value_and_do_not_depend_on_other_datasets(store: Store) -> None:
    places = "park house sky sea street garden field forest beach".split()
    ingest_rows(store, [(f"i{n}", slot, f"a thing {verb} in the {place}") for n, place in enumerate(places)
                        for slot, verb in enumerate(["runs", "sits", "waits"])])  # fmt: skip
    pairs = [("c", *two) if n % 3 else ("c", *two[::-1]) for n, two in enumerate([(7, 4)] * len(places))]
    ingest_pairs(store, [(f"i{n}", "HC", "human", "human", *votes) for n, (_, *votes) in enumerate(pairs)])
    first = consensus(store, "pairs", metrics=["bleu-1", "rouge-l"]).frame
    row = rows_of(first, "accuracy", kind="all", metric="bleu-1").row(0, named=True)
    assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
    ingest_rows(store, [("z", slot, f"zebra {slot}") for slot in range(9)], "unrelated")
    assert consensus(store, "pairs", metrics=["bleu-1", "rouge-l"]).frame.equals(first)


def test_triplets_of_the_same_captions_are_one_pair_whatever_their_sides(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    near, far = "a dog runs", "nothing"
    asked = [("i0", f"a dog {verb} in the park", near, far, 2, 1) for verb in ("runs", "sits", "waits")]
    asked.append(("i0", "a dog is seen in the park", far, near, 3, 0))
    ingest_triplets(store, asked)
    found = consensus(store, "triplets", metrics=["bleu-1"], settings=QUICK)
    assert rows_of(found.frame, "accuracy").select("kind", "n", "value").rows() == [("all", 1, 1.0)]
    assert rows_of(found.frame, "ceiling")["value"].to_list() == [pytest.approx(0.5)]  # two B decide, B and C are even
    assert "triplets: 1 pair without a kind, counted only under all" in found.sentences


def test_metric_sees_half_of_the_references_and_the_others_decide(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    asked = [("i0", text, "a dog runs", "nothing", 2, 1) for image, _, text in REFERENCES if image == "i0"]
    ingest_triplets(store, asked)
    found = consensus(store, "triplets", metrics=["bleu-1"], settings=ConsensusSettings(draws=3, resamples=0))
    halves_seen = rows_of(found.frame, "split-half")
    assert halves_seen.select("kind", "references", "n", "value").rows() == [("all", 2, 1, 1.0)]
    ingest_triplets(store, [(*asked[0][:1], "not a reference", *asked[0][2:])], "strange")
    found = consensus(store, "strange", metrics=["bleu-1"], settings=QUICK)
    assert "strange: no caption A of a triplet is a reference of set" in found.sentences


def test_kinds_are_inferred_where_two_pairs_of_an_image_share_a_caption(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    own, second, foreign = "a dog runs in the park", "the dog sits", "a fish in the sea"
    asked = [("i0", "a dog runs in the park", own, second, 3, 0), ("i0", "a dog runs in the park", own, foreign, 3, 0)]
    ingest_triplets(store, asked)
    found = consensus(store, "triplets", metrics=["bleu-1"], settings=QUICK)
    assert rows_of(found.frame, "accuracy")["kind"].to_list() == ["all", "HC", "HI"]
    assert any("kinds HC and HI are inferred" in note for note in found.sentences)


def test_curve_ends_where_the_single_evaluation_stands(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    curve = consensus(
        store, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(curve=True, draws=2, resamples=0, most=3)
    )
    assert curve.frame.filter(statistic="accuracy", kind="all", draw=1)["references"].to_list() == [1, 2, 3]
    mean = rows_of(curve.frame, "accuracy", kind="all").filter(pl.col("draw").is_null())
    assert mean["sd"].null_count() == 0
    single = consensus(store, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(most=3, resamples=0)).frame
    last = curve.frame.filter(statistic="accuracy", draw=1, references=3)
    assert last["value"].equals(rows_of(single, "accuracy")["value"])
    assert [figure.name for figure in curve.figures if figure.log_x] == [
        "references-all", "references-hc", "references-hm", "references-mm",
    ]  # fmt: skip


def test_league_counts_wins_of_authors_by_people_and_metric(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    found = consensus(store, "pairs", metrics=["bleu-1"], settings=QUICK)
    wins = values(found.frame, "wins", "metric", "system", kind="MM")
    assert wins == {
        ("people", "ann"): 0.75,
        ("people", "zoë"): 0.25,
        ("bleu-1", "ann"): 0.0,
        ("bleu-1", "zoë"): 1.0,
    }
    assert rows_of(found.frame, "pearson")["kind"].to_list() == ["all"]  # of two systems there is none


def test_what_cannot_be_measured_is_refused_in_one_line(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    with pytest.raises(UsageError, match="set: has no compared pairs or triplets"):
        consensus(store, "set", metrics=["bleu-1"])
    ingest_pairs(store, [(image, kind, b, c, None, None) for image, kind, b, c, _, _ in PAIRS], "mute")
    with pytest.raises(UsageError, match="mute: none of its 4 pairs has votes"):
        consensus(store, "mute", metrics=["bleu-1"])
    ingest_pairs(store, [(image, kind, b, c, 5, 5) for image, kind, b, c, _, _ in PAIRS], "even")
    with pytest.raises(UsageError, match="even: votes are even on all 4 pairs"):
        consensus(store, "even", metrics=["bleu-1"])
    ingest_pairs(store, PAIRS)
    with pytest.raises(UsageError, match="nowhere: not in"):
        consensus(store, "pairs", metrics=["bleu-1"], against="nowhere")
    with pytest.raises(UsageError, match="set: no compared image has 9 references, the maximum is 4"):
        consensus(store, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(most=9))
    with pytest.raises(UsageError, match="--ties maybe: expected half, wrong or right"):
        agree(store, "pairs", metrics=["bleu-1"], ties="maybe")


def test_pairs_without_references_or_with_too_few_are_counted(store: Store) -> None:
    ingest_rows(store, [*REFERENCES, ("i4", 0, "one caption only")])
    ingest_pairs(store, [*PAIRS, ("i4", "HC", "human", "human", 3, 0), ("i5", "HC", "human", "human", 3, 0)])
    found = consensus(store, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(most=2, resamples=0))
    assert rows_of(found.frame, "accuracy", kind="HC")["n"].to_list() == [1]
    assert "pairs: 1 image has no references in set and no scores: i5" in found.sentences
    assert "set: 1 of 6 pairs left out, because their image has fewer than 2 references" in found.sentences


def plain_halves(votes_b: int, votes_c: int) -> tuple[float, float]:
    """Enumerate every half."""
    votes = [1] * votes_b + [-1] * votes_c
    truth = len(votes) - len(votes) // 2
    ways = [(sum(half), sum(votes) - sum(half)) for half in combinations(votes, truth)]
    decided = [(lead, rest) for lead, rest in ways if lead]
    agreed = sum(0.5 if rest == 0 else float((lead > 0) == (rest > 0)) for lead, rest in decided)
    return len(decided) / len(ways), agreed / len(ways)


@given(st.integers(0, 6), st.integers(0, 6))
def test_expectation_over_halves_is_that_of_all_halves(votes_b: int, votes_c: int) -> None:
    if votes_b + votes_c < 2:
        return
    for_b, for_c, agreed = halves(votes_b, votes_c)
    assert (for_b + for_c, agreed) == pytest.approx(plain_halves(votes_b, votes_c))
    assert halves(votes_c, votes_b) == pytest.approx((for_c, for_b, agreed))
    assert math.isclose(halves(9, 0)[2], 1.0)


@given(st.integers(0, 5), st.integers(0, 5), st.integers(1, 3))
def test_expectation_over_few_votes_is_that_of_all_ways_to_draw_them(votes_b: int, votes_c: int, few: int) -> None:
    votes = [1] * votes_b + [-1] * votes_c
    truth, left = len(votes) - len(votes) // 2, len(votes) // 2
    if few > left:
        return
    places, agreed = range(len(votes)), 0.0
    ways = [*combinations(places, truth)]
    for half in ways:
        lead = sum(votes[place] for place in half)
        drawn = [*combinations([place for place in places if place not in half], few)]
        rests = [sum(votes[place] for place in some) for some in drawn]
        agreed += sum(0.5 if rest == 0 else float((lead > 0) == (rest > 0)) for rest in rests if lead) / len(drawn)
    assert halves(votes_b, votes_c, few=few)[2] == pytest.approx(agreed / len(ways))
    assert halves(votes_b, votes_c, few=left) == pytest.approx(halves(votes_b, votes_c))


def test_library_and_command_give_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, REFERENCES)
        ingest_pairs(store, PAIRS)
    asked = ["-m", "bleu-1", "--resamples", "0", "--at", "1", "--at", "2", "--store", str(path), "-q", "-o", "out.json"]
    app(["agree", "pairs", *asked], standalone_mode=False)
    with auditor.open(path) as audit:
        result = audit.agree("pairs", metrics=["bleu-1"], resamples=0, at=(1, 2))
    assert Path("out.json").read_text().strip() == result.to_json().strip()


@pytest.mark.full
def test_findings_of_vedantam_2015_come_out(data: Path, tmp_path: Path) -> None:
    declared = config.sources(data=data)
    names = ("pascal50s", "pascal50s-pairs", "pascal50s-triplets", "abstract50s", "abstract50s-pairs")
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_sources(store, [declared[name] for name in names])
    with Store.open(tmp_path / "audit.duckdb") as store:
        cider = ["cider:stem=true", "cider-d"]
        quick = replace(QUICK, tokenizer="bare")
        truths = two_truths(store, ("pascal50s-triplets", "pascal50s-pairs"), cider[:1], quick, silent)
        pilot = consensus(
            store, "pascal50s-triplets", metrics=["bleu-1"], settings=ConsensusSettings(most=100, resamples=0)
        )
        scenes = consensus(
            store, "abstract50s-pairs", metrics=cider, settings=ConsensusSettings(ties="wrong", resamples=0)
        )
    assert truths is not None
    pascal = consensus_rows(truths.part, quick)
    assert values(pascal, "accuracy", "kind") == {
        "all": pytest.approx(0.8326, abs=5e-5), "HC": 0.705, "HI": 0.997, "HM": 0.9075, "MM": 0.721,
    }  # fmt: skip
    assert values(scenes.frame, "accuracy", "kind", metric=cider[0]) == pytest.approx(
        {"all": 0.8402, "HC": 0.7316, "HI": 0.9444}, abs=5e-5
    )
    assert values(scenes.frame, "spearman", "metric")[cider[0]] > 0.92
    assert rows_of(pilot.frame, "accuracy", kind="all")["n"].to_list() == [179]  # of section 7.1
    assert values(scenes.frame, "ceiling", "kind")["all"] == pytest.approx(0.8332, abs=5e-5)  # the paper: .83
    agreement = dict(truths.agreement.select("kind", pl.col("value").round(12)).rows())
    assert agreement == {"all": 0.85975, "HC": 0.644, "HI": 0.997, "HM": 0.984, "MM": 0.814}
    leads = truths.lengths.row(by_predicate=pl.col("kind") == "HC", named=True)
    assert leads["pascal50s-pairs, 11 votes a pair"] == pytest.approx(1.468)  # people like longer captions
    assert leads["pascal50s-triplets, 1 decision a pair"] == pytest.approx(0.054)
    wins = values(pascal, "wins", "system", kind="MM", metric="people")
    assert max(wins, key=wins.__getitem__) == "system 1"
    assert min(wins, key=wins.__getitem__) == "system 3"


def test_captions_are_no_references_of_their_own_comparison(store: Store) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    with pytest.raises(UsageError, match="pairs: cannot score pairs against itself; set --against to its references"):
        consensus(store, "pairs", metrics=["bleu-1"], against="pairs", settings=QUICK)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"most": 2, "at": (1, 3)}, "--at 3: more references than --most 2"),
        ({"resamples": 10**9}, "expected 0 to 100,000"),
    ],
)
def test_numbers_that_cannot_be_are_refused(store: Store, options: dict[str, Any], message: str) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    with pytest.raises(UsageError, match=message):
        agree(store, "pairs", **options)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("pairs", {"statistics": ["pearson"]}, "--statistic: only for ratings or several sets"),
        ("pairs", {"confidence": 0.9}, "--confidence: only for ratings or several sets"),
        (
            "pairs",
            {"missing": "empty"},
            "--missing: only for ratings or several sets; leave out for pairs and triplets",
        ),
        ("mine", {"ties": "wrong"}, "--ties: only for pairs and triplets or several sets; leave out for ratings"),
    ],
)
def test_option_that_the_kind_of_dataset_does_not_read_is_refused(
    store: Store, tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    ingest_rows(store, REFERENCES)
    ingest_pairs(store, PAIRS)
    rate(store, tmp_path)
    with pytest.raises(UsageError, match=message):
        agree(store, name, metrics=["bleu-1"], **options)


def test_report_asks_agree_of_ratings_and_of_pairs_by_commands_that_run(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    settings = ReportSettings(("bleu-1",), references=2)
    with Store.open(path, write=True) as store:
        ingest_rows(store, REFERENCES)
        ingest_pairs(store, PAIRS)
        rate(store, tmp_path)
    with Store.open(path) as store:
        document = report(
            store, "set", settings=settings, resamples=50, confidence=0.9, sections=["people"], timed=False
        )
    (people,) = (one for one in document.sections if one.name == "people")
    options = [" ".join(word for word in one.split()[2:] if not word.count("@")) for one in people.commands]
    assert options == [
        "mine pairs -m bleu-1 --resamples 50 --confidence 0.9 --most 2",
        "mine -m bleu-1 --against --resamples 50 --confidence 0.9",
        "pairs -m bleu-1 --against --resamples 50 --most 2",
    ]
    for command, result in zip(people.commands, people.results, strict=True):
        app([*command.split()[1:], "--store", str(path), "-q", "-o", "out.json"], standalone_mode=False)
        written = json.loads(Path("out.json").read_text())["auditor.agree/v3"]
        assert written["rows"] == json.loads(result.to_json())["auditor.agree/v3"]["rows"]
