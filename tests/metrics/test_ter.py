"""TER equals tercom's and sacrebleu's numbers, and its rules written plainly.

`gold/ter.json` holds what sacrebleu gave; `python tests/metrics/make_gold_ter.py` makes it again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence

import make_gold_ter
import numpy as np
import plain_ter
import polars as pl
import pytest
from conftest import DATA, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples
from test_official_scores import judged as judged  # noqa: PLC0414  # a fixture
from test_official_scores import scores_of_system

from auditor.metrics.kernels import columns
from auditor.metrics.kernels import ter as kernel
from auditor.metrics.kernels.columns import meetings, sides
from auditor.scoring.candidates import CandidateSet
from auditor.scoring.counting import count
from auditor.scoring.registry import requests
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

Tokens = Sequence[int]

tokens = st.integers(1, 4)
texts = st.lists(tokens, max_size=9)
#: A reference, and its words in another order with a few others among them.
pairs = st.lists(tokens, max_size=9).flatmap(
    lambda reference: st.tuples(
        st.one_of(st.permutations(reference), texts, st.permutations([*reference, 1, 2])), st.just(reference)
    )
)
SCHEMA = {"image_no": pl.UInt32, "slot": pl.UInt32, "caption_id": pl.UInt32, "tokens": pl.List(pl.UInt32)}
OF_CANDIDATES = {"held_out": pl.UInt32, **SCHEMA}


def edits_of(candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]], *, shifts: bool = True) -> list[int]:
    """Count candidate i against each of the texts references[i]."""
    rows = [(image, slot, slot, list(text)) for image, side in enumerate(references) for slot, text in enumerate(side)]
    described = pl.DataFrame(
        {"image_no": range(len(candidates)), "held_out": None, "tokens": [list(text) for text in candidates]},
        schema={name: OF_CANDIDATES[name] for name in ("image_no", "held_out", "tokens")},
    ).with_columns(caption_id=pl.col("image_no"))
    _, both, _ = sides(described, pl.DataFrame(rows, schema=SCHEMA, orient="row"))
    return kernel.edits(both, meetings(both), shifts=shifts).tolist()


def as_words(text: Tokens) -> list[str]:
    return [str(token) for token in text]


@given(st.lists(pairs, min_size=1, max_size=6))
@examples(30)
def test_edits_equal_the_rules_written_plainly(some: list[tuple[list[int], list[int]]]) -> None:
    found = edits_of([candidate for candidate, _ in some], [[reference] for _, reference in some])
    expected = [plain_ter.edits(as_words(candidate), as_words(reference)) for candidate, reference in some]
    assert found == expected


@pytest.mark.parametrize(("length", "words"), [(24, 8), (25, 8), (26, 20), (30, 20)])
def test_texts_longer_than_the_beam_equal_the_rules_written_plainly(length: int, words: int) -> None:
    rng = np.random.default_rng(length)
    candidate = rng.integers(1, words, length + 3).tolist()
    reference = rng.integers(1, words, length).tolist()
    reference[: length // 3] = candidate[-(length // 3) :]
    found = edits_of([candidate], [[reference]])[0]
    assert found == plain_ter.edits(as_words(candidate), as_words(reference))


def test_word_outside_the_beam_is_not_found() -> None:
    """The beam widens where the reference is a hundred times as long, but it does not hold all of it."""
    assert edits_of([[1, 2]], [[[*range(3, 203), 2]]])[0] == 201


def test_edits_equal_sacrebleus_on_random_pairs() -> None:
    pytest.importorskip("sacrebleu")
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    rng = np.random.default_rng(2)
    for _ in range(150):
        words = int(rng.integers(2, 12))
        candidate, reference = (rng.integers(1, words, rng.integers(0, 16)).tolist() for _ in range(2))
        found = edits_of([candidate], [[reference]])[0]
        assert found == translation_edit_rate(as_words(candidate), as_words(reference))[0]


@given(st.lists(pairs, min_size=1, max_size=6))
@examples(20)
def test_without_shifts_it_is_the_edit_distance(some: list[tuple[list[int], list[int]]]) -> None:
    found = edits_of([candidate for candidate, _ in some], [[reference] for _, reference in some], shifts=False)
    expected = [plain_ter.edit_distance(as_words(candidate), as_words(reference))[0] for candidate, reference in some]
    assert found == expected


def test_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    candidates = [rng.integers(1, 9, 12).tolist() for _ in range(40)]
    references = [[rng.integers(1, 9, 12).tolist() for _ in range(3)] for _ in range(40)]
    both = edits_of(candidates, references)
    monkeypatch.setattr(columns, "_THREADS", 1)
    alone = edits_of(candidates, references)
    assert both == alone


def scores(items: Sequence[make_gold_ter.Item], metric: str) -> list[float]:
    """Score each item as a system's output; item i is image i."""
    with Store.open(MEMORY) as store:
        rows = [(f"{i:03}", slot, text) for i, (_, side) in enumerate(items) for slot, text in enumerate(side)]
        ingest_rows(store, rows, kind="candidates")  # which lets empty captions in
        ingest_rows(store, [(f"{i:03}", 0, text) for i, (text, _) in enumerate(items)], "system", "candidates")
        return scores_of_system(store, metric).sort("image")["value"].to_list()


def test_scores_are_sacrebleus() -> None:
    gold = json.loads(make_gold_ter.TER_GOLD.read_text(encoding="utf-8"))["scores"]
    for metric, values in gold.items():
        assert [100 * value for value in scores(make_gold_ter.items(), metric)] == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ter", 1 / (11 / 3)),
        ("ter:length=truncated", 1 / 3),
        ("ter:length=best", 1 / 4),
        ("ter:aggregate=mean", (1 / 3 + 1 / 4 + 2 / 4) / 3),
        ("ter:shifts=false", 1 / (11 / 3)),
    ],
)
def test_settings_say_how_edits_become_a_rate(metric: str, expected: float) -> None:
    item = ("a dog runs fast", ["a dog runs", "a dog sits fast", "fast a dog sits"])
    assert scores([item], metric) == pytest.approx([expected], abs=1e-12)


def test_a_block_that_moved_costs_one_edit() -> None:
    item = ("over wet sand a dog runs", ["a dog runs over wet sand"])
    assert scores([item], "ter") == pytest.approx([1 / 6])
    assert scores([item], "ter:shifts=false") == pytest.approx([1])


@pytest.mark.parametrize(
    ("candidate", "references", "expected"),
    [("", ["a dog runs", "two dogs"], 2 / 2.5), ("a dog", [""], 1.0), ("", [""], 0.0), ("a dog", ["", "a dog"], 0.0)],
)
def test_texts_without_words_are_defined(candidate: str, references: list[str], expected: float) -> None:
    assert scores([(candidate, references)], "ter") == [pytest.approx(expected, abs=1e-12)]


def test_reference_without_words_has_a_rate_of_one_or_none() -> None:
    """With `aggregate=mean`: a text of words is wholly wrong against none, whatever its length."""
    assert scores([("a dog", ["", "a dog runs fast"]), ("", ["", "a dog"])], "ter:aggregate=mean") == [
        pytest.approx((1 + 2 / 4) / 2), pytest.approx((0 + 1) / 2),
    ]  # fmt: skip


@pytest.mark.parametrize(("case", "edits"), [("lower", 0), ("kept", 1)])
def test_words_that_differ_in_case_are_equal_unless_case_is_kept(case: str, edits: int) -> None:
    (metric,) = requests([f"ter:case={case}"])
    asked = metric.counting
    assert asked.kernel is not None
    place = {"candidate": "system", "image": "a", "slot": 0, "image_no": 1, "held_out": None}
    candidate = {**place, "caption_id": 1, "tokens": [7, 2]}
    rows = {
        "candidate_tokens": pl.DataFrame([candidate], schema_overrides=OF_CANDIDATES),
        "reference_tokens": pl.DataFrame([(1, 0, 2, [1, 2])], schema=SCHEMA, orient="row"),
        "case_variant": pl.DataFrame(
            {"token_id": [7, 9], "twin_id": [1, 1]}, schema={"token_id": pl.UInt32, "twin_id": pl.UInt32}
        ),
    }
    assert asked.kernel.run(rows, asked.params)["edits"].to_list() == [edits]


def test_judged_candidates_need_the_edits_that_tercom_counts(judged: tuple[Store, pl.DataFrame]) -> None:
    store, official = judged
    system = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})
    (metric,) = requests(["ter"])
    counts = count(Captions(store, resolve(store, "set"), "bare"), [system], [metric.counting])[
        "system", metric.counting
    ]
    both = counts.with_columns(metric.scores(counts).alias("value")).join(official, on=["image", "slot"])
    assert both.height == 5822
    assert both["edits"].cast(pl.Float64).equals(both["ter_edits"])
    assert (both["length"] / both["references"] - both["ter_reflen"]).abs().max() < 1e-9
    assert (both["value"] - both["ter"]).abs().max() < 1e-9


def test_constructed_cases_score_as_tercom_scores_them(data: object) -> None:
    oracle = DATA.parent / "oracles" / "edge-cases.csv" if DATA else None
    if oracle is None or not oracle.exists():
        pytest.skip("the official scores are not here: oracles/edge-cases.csv beside the real datasets")
    lines = oracle.read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(lines) if row["case"] != "punct_raw"]  # which is not tokenized
    items = [(row["candidate"], [text.strip() for text in row["refs"].split("||")]) for row in rows]
    assert scores(items, "ter") == pytest.approx([float(row["ter_tercom"]) for row in rows], abs=1e-9)
