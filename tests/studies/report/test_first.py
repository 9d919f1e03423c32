"""What a reader sees first: what is bad before what is not, of every dataset, and nothing that nobody looked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import Rows, ingest_rows, searching_for
from hypothesis import given
from hypothesis import strategies as st

from auditor.result import SEVERITIES, Finding, Severity
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve_all
from auditor.studies.findings import findings, ranked
from auditor.studies.report import summary as first
from auditor.studies.report.request import ReportContext, ReportSettings
from auditor.studies.report.study import report

BLEU: dict[str, Any] = {"settings": ReportSettings(("bleu-1",)), "resamples": 0}
DOGS: Rows = [(f"d{image}", slot, f"a {word} dog runs" + " far" * slot)
              for image, word in enumerate(("red", "blue", "tall", "old")) for slot in (0, 1, 2)]  # fmt: skip
FAULTY: Rows = [*DOGS, ("d0", 3, "a red dog runs"), ("d1", 3, "IMG_1234.jpg"), ("d2", 3, "a dog &amp; a cat<br>")]

Told = tuple[str, str, Severity]


def found(*told: Told) -> tuple[Finding, ...]:
    """Make findings by dataset, kind and severity, the worst first, each with a sentence of its own."""
    return ranked(
        Finding(kind, f"{dataset}: {place}", {"dataset": dataset}, severity=bad)
        for place, (dataset, kind, bad) in enumerate(told)
    )


@pytest.fixture(scope="module")
def context() -> ReportContext:
    with Store.open(MEMORY) as store:
        for name in ("dogs", "cats"):
            ingest_rows(store, DOGS, name)
        return ReportContext(store, resolve_all(store, ["dogs", "cats"]), **BLEU)


def cards(context: ReportContext, *told: Told) -> list[Told]:
    shown = first.cards(context.selections, found(*told))
    return [(str(one.about["dataset"]), one.kind, one.severity) for one in shown]


def test_errors_stand_before_warnings_and_warnings_before_notices(context: ReportContext) -> None:
    shown = cards(context, ("dogs", "markup", "notice"), ("dogs", "file-names", "warning"), ("cats", "markup", "error"))
    assert [bad for _, _, bad in shown] == ["error", "warning", "notice"]


def test_a_kind_is_shown_once_of_a_dataset_and_that_is_the_worst(context: ReportContext) -> None:
    shown = cards(context, ("dogs", "markup", "warning"), ("dogs", "markup", "error"), ("cats", "markup", "warning"))
    assert shown == [("dogs", "markup", "error"), ("cats", "markup", "warning")]


def test_no_dataset_takes_the_turn_of_another(context: ReportContext) -> None:
    many: list[Told] = [("dogs", f"kind-{place}", "error") for place in range(9)]
    shown = cards(context, *many, ("cats", "markup", "error"), ("cats", "file-names", "error"))
    assert [dataset for dataset, _, _ in shown] == ["dogs", "cats", "dogs", "cats", "dogs", "dogs"]


@pytest.mark.parametrize(("bad", "notices"), [(0, 3), (1, 2), (2, 1), (3, 0), (5, 0)])
def test_notices_fill_up_to_three(context: ReportContext, bad: int, notices: int) -> None:
    told: list[Told] = [("dogs", f"bad-{place}", "warning") for place in range(bad)]
    told += [("cats", f"slight-{place}", "notice") for place in range(5)]
    assert Counter(one for _, _, one in cards(context, *told)) == Counter(warning=bad, notice=notices)


def test_what_only_answers_a_question_is_no_card(context: ReportContext) -> None:
    assert cards(context, ("dogs", "sorted-captions", "info"), ("cats", "unlike-slot", "info")) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["dogs", "cats"]), st.sampled_from(["markup", "web-address", "padded-images", "truncated"]),
            st.sampled_from(SEVERITIES),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_cards_of_any_findings_are_ranked_few_and_enough(context: ReportContext, told: Sequence[Told]) -> None:
    shown = cards(context, *told)
    worst = {(dataset, kind): bad for dataset, kind, bad in sorted(told, key=lambda one: -SEVERITIES.index(one[2]))}
    bad_ones = {place for place, bad in worst.items() if bad in {"error", "warning"}}
    notices = {kind for (_, kind), bad in worst.items() if bad == "notice"}
    assert [bad for _, _, bad in shown] == sorted((bad for _, _, bad in shown), key=SEVERITIES.index)
    assert len({(dataset, kind) for dataset, kind, _ in shown}) == len(shown)
    assert min(3, len(bad_ones) + len(notices)) <= len(shown) <= 6
    if any(bad in {"error", "warning"} for _, _, bad in told):
        assert shown[0][2] == min((bad for _, _, bad in told), key=SEVERITIES.index)


def test_portrait_counts_images_captions_different_ones_lengths_and_splits(store: Store) -> None:
    splits = {"train": ["d0", "d1", "d2"], "test": ["d3"]}
    ingest_rows(store, [*DOGS, ("d0", 3, "a red dog runs")], "dogs", splits=splits)
    (one,) = report(store, "dogs", **BLEU, sections=["versions"], timed=False).portraits
    assert (one.label, one.images, one.captions, one.distinct) == ("dogs", 4, 13, 12)
    assert one.splits == (("test", 1), ("train", 3))
    assert one.lengths == ((4, 5), (5, 4), (6, 4))
    assert one.length == pytest.approx((5 * 4 + 4 * 5 + 4 * 6) / 13)
    assert one.homogeneity is None


def test_portraits_have_the_homogeneity_that_the_comparison_says(store: Store) -> None:
    for name in ("dogs", "cats"):
        ingest_rows(store, [(image, slot, text.replace("dog", name)) for image, slot, text in DOGS], name)
    made = report(store, "dogs", "cats", **BLEU, sections=["comparison"], timed=False)
    (result,) = made.sections[1].results
    said = dict(result.frame.filter(statistic="homogeneity").select("dataset", "value").iter_rows())
    assert {one.label: (one.homogeneity, one.metric) for one in made.portraits} == {
        name: (value, "bleu-1") for name, value in said.items()
    }


@searching_for("file-names", "markup", "templated-captions", "padded-images")
def test_first_section_says_the_cards_and_the_portraits_in_words(store: Store) -> None:
    ingest_rows(store, FAULTY, "dogs")
    made = report(store, "dogs", **BLEU, sections=["findings"], timed=False)
    summary = made.sections[0]
    assert (summary.title, summary.absent) == ("Summary", None)
    told, following, *cards = summary.words
    assert told.startswith(
        "dogs has 3 warnings (Captions that follow a frequent pattern: 53%, File names in captions: 7%, "
    )
    assert following.startswith("Next: ")
    assert (told, following.replace("`", "")) == tuple(words.replace("`", "") for words in made.answer)
    assert cards == [f"{one.severity}: {one.sentence}." for one in made.cards]
    assert len(cards) >= 3
    row = next(table for table in summary.tables if table.name == "datasets").frame.row(0, named=True)
    assert (row["dataset"], row["images"], row["captions"], row["different"]) == ("dogs", 4, 15, 14)


def test_report_that_looked_for_nothing_does_not_say_that_nothing_was_found(store: Store) -> None:
    ingest_rows(store, FAULTY, "dogs")
    summary = report(store, "dogs", **BLEU, sections=["versions"], timed=False).sections[0]
    assert summary.words == ()
    assert "without findings. Run `auditor findings DATASET`" in str(summary.absent)


def test_nothing_found_is_said() -> None:
    assert first.summary((), (), (), (), (), looked=True).absent == "No problems found."


@searching_for(
    "file-names", "markup", "templated-captions", "padded-images", "near-duplicate-across-splits", "bound-upside-down"
)
def test_findings_of_a_report_are_those_of_the_command(store: Store) -> None:
    splits = {"train": ["d0", "d1", "d2"], "test": ["d3"]}
    ingest_rows(store, [*FAULTY, ("d3", 3, "a red dog runs")], "dogs", splits=splits)
    told = json.loads(findings(store, "dogs").to_json())["auditor.findings/v3"]["findings"]
    assert {"padded-images", "near-duplicate-across-splits"} <= {one["kind"] for one in told}
    for asked in ({}, BLEU):
        made = report(store, "dogs", **asked, sections=["findings"], timed=False)
        body = json.loads(made.to_json())["auditor.report/v3"]
        assert [section["findings"] for section in body["sections"] if section["findings"]] == [told]


@searching_for("near-duplicate-across-splits", "markup")
def test_parts_of_one_dataset_are_told_once_what_is_true_of_all_of_it(store: Store) -> None:
    splits = {"train": ["d0", "d1", "d2"], "test": ["d3"]}
    ingest_rows(store, [*DOGS, ("d3", 3, "a red dog runs")], "dogs", splits=splits)
    made = report(store, "dogs:train", "dogs:test", **BLEU, sections=["findings"], timed=False)
    told = next(one.findings for one in made.sections if one.name == "findings")
    assert sum(one.kind == "near-duplicate-across-splits" for one in told) == 1


@searching_for("unequal-captions-per-image", "placeholders")
def test_datasets_with_unequal_captions_per_image_are_told_first(store: Store) -> None:
    ingest_rows(store, DOGS, "dogs")
    ingest_rows(store, [row for row in DOGS if row[1] < 2], "pairs")
    ingest_rows(store, [row for row in DOGS if row[1] < 1], "alone")
    found = report(store, "pairs", "dogs", "alone", **BLEU, sections=["findings"], timed=False)
    (told,) = [one for one in found.cards if one.kind == "unequal-captions-per-image"]
    assert told in found.sections[1].findings
    assert (told.severity, dict(told.values)) == ("warning", {"dogs": 3, "pairs": 2})
    (row,) = [words for words in found.sections[0].words if "captions per image differ" in words]
    assert row.startswith("warning: captions per image differ (pairs 2.0, dogs 3.0). ")
    drawn = ReportSettings(("bleu-1",), references=1)
    equal = report(store, "pairs", "dogs", settings=drawn, resamples=0, sections=["findings"], timed=False)
    assert "captions per image differ" not in equal.to_json()
