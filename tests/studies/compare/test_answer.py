"""The answer by metric families: who is ahead, which datasets are joined, and where metrics disagree."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.model import Selection
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.compare import compare
from auditor.studies.compare.answer import Answer, Order, answer, consequence


def order(metric: str, *labels: str, same: str = "") -> Order:
    """Return an order in which all pairs differ significantly, except the pairs of letters in `same`."""
    pairs = {(a, b) for n, a in enumerate(labels) for b in labels[n + 1 :]}
    return Order(metric, labels, frozenset(pair for pair in pairs if "".join(sorted(pair)) not in same.split()))


@pytest.fixture
def selections(store: Store) -> list[Selection]:
    for name in "xyz":
        ingest_rows(store, [("i", 0, "a dog"), ("i", 1, "a cat")], dataset=name)
    return [resolve(store, name) for name in "xyz"]


def said(selections: list[Selection], *orders: Order) -> tuple[str, str]:
    """Return the sentence of the finding, and the one on agreement."""
    answered = Answer("homogeneity", orders, tested=True)
    found = answered.finding(selections, "")
    assert found is not None
    return found.sentence, answered.agreement()


def test_the_first_dataset_is_named_with_its_families_and_the_pairs_that_are_joined(
    selections: list[Selection],
) -> None:
    orders = [
        order("bleu-4", *"xyz", same="yz"),
        order("rouge-l", *"xzy", same="yz"),
        order("cider-d", *"xyz", same="yz"),
    ]
    assert said(selections, *orders) == (
        "x is the most homogeneous on 3 of 3 metric families (BLEU, ROUGE and CIDEr; p < 0.05)",
        "Metrics: BLEU, ROUGE and CIDEr agree on the first dataset; y and z do not differ significantly.",
    )


def test_metrics_of_one_name_are_one_family(selections: list[Selection]) -> None:
    orders = [order("rouge-l", *"xyz"), order("rouge-su4", *"xyz"), order("bleu-4", *"xyz", same="xy")]
    assert said(selections, *orders)[0] == "x is the most homogeneous on 1 of 2 metric families (ROUGE; p < 0.05 each)"
    split = [order("rouge-l", *"xyz"), order("rouge-su4", *"yxz")]
    assert said(selections, *split)[0].startswith(
        "metrics disagree about the most homogeneous dataset: several datasets"
    )


def test_a_tie_of_families_is_a_disagreement_and_a_lead_without_significance_is_none(
    selections: list[Selection],
) -> None:
    orders = [order("bleu-4", *"xyz"), order("cider-d", *"yxz")]
    assert said(selections, *orders) == (
        "metrics disagree about the most homogeneous dataset: x by BLEU, y by CIDEr",
        "Metrics: BLEU and CIDEr disagree about the first dataset; they disagree about the order of x and y.",
    )
    weak = [order("bleu-4", "x", "y", same="xy"), order("cider-d", "x", "y", same="xy")]
    assert said(selections, *weak) == (
        "x has the highest homogeneity on 2 of 2 metric families, but not significantly",
        "Metrics: BLEU and CIDEr agree on the first dataset; x and y do not differ significantly.",
    )


def test_datasets_whose_whole_order_is_disputed_are_named_once() -> None:
    orders = [order("bleu-4", *"wxyz"), order("cider-d", *"wzyx")]
    told = Answer("homogeneity", tuple(orders), tested=True).agreement()
    assert told == "Metrics: BLEU and CIDEr agree on the first dataset; they disagree about the order of x, y and z."
    assert Answer("homogeneity", (orders[0],), tested=True).agreement().startswith("Metrics: One metric family")


def test_an_order_differs_if_it_contradicts_most_families() -> None:
    usual, contrary = order("bleu-4", *"xyz"), order("cider-d", *"xzy")
    answered = Answer("homogeneity", (usual, order("rouge-l", *"xyz"), contrary), tested=True)
    assert [answered.differs(one) for one in answered.orders] == [False, False, True]


@pytest.mark.parametrize(
    ("same", "groups"),
    [("", "a b c"), ("xy", "a a b"), ("xy yz", "a ab b"), ("xz", "a b a"), ("xy xz yz", "a a a")],
)
def test_datasets_share_a_letter_if_and_only_if_they_do_not_differ(same: str, groups: str) -> None:
    made = order("bleu-4", *"xyz", same=same).groups
    assert list(made.values()) == groups.split()


def test_letters_never_run_out() -> None:
    labels = [f"{n:02}" for n in range(30)]
    groups = order("bleu-4", *labels).groups
    assert [*groups.values()][24:28] == ["y", "z", "a2", "b2"]
    assert len(set(groups.values())) == 30


def test_errors_do_not_vote_and_pairs_differ_by_their_adjusted_p() -> None:
    labels = ("x", "y", "z")
    rows = pl.DataFrame(
        [
            {"label": label, "metric": metric, "statistic": "homogeneity", "value": value}
            for metric in ("rouge-l", "ter")
            for label, value in zip(labels, (0.6, 0.4, 0.3), strict=True)
        ]
    )
    pairs = pl.DataFrame(
        [
            {
                "label": a,
                "against_label": b,
                "metric": metric,
                "statistic": "homogeneity",
                "difference": 0.1,
                "p_adjusted": p,
            }
            for metric in ("rouge-l", "ter")
            for a, b, p in (("x", "y", 0.02), ("x", "z", 0.001), ("y", "z", 0.06))
        ]
    )
    answered = answer("homogeneity", rows, pairs, {"ter"})
    assert [one.metric for one in answered.orders] == ["rouge-l"]
    assert answered.orders[0].ahead == {("x", "z"), ("x", "y")}
    much, following = consequence(rows, answered)
    assert "Captions of the wrong image score 60% as high as those of the right image on x (rouge-l" in much
    assert "(rouge-l; elsewhere 30% to 40%)" in much
    assert "Do not compare scores" in following


def test_the_quoted_metric_is_one_by_which_the_first_is_ahead_and_a_contrary_one_changes_the_advice() -> None:
    values = {"bleu-4": (0.6, 0.4), "rouge-l": (0.3, 0.5), "cider-d": (0.2, 0.1)}
    rows = pl.DataFrame(
        [
            {"label": label, "metric": metric, "statistic": "homogeneity", "value": value}
            for metric, both in values.items()
            for label, value in zip("xy", both, strict=True)
        ]
    )
    orders = order("bleu-4", *"xy"), order("rouge-l", *"yx"), order("cider-d", *"xy")
    much, following = consequence(rows, Answer("homogeneity", orders, tested=True))
    assert much.endswith("score 20% as high as those of the right image on x (cider-d; elsewhere 10%).")
    assert "The metrics disagree, so don't choose between them" in following


def test_the_same_captions_are_not_compared(store: Store) -> None:
    rows = [(f"i{n}", slot, f"a {n} {word}") for n in range(12) for slot, word in enumerate(("dog", "cat"))]
    for name in "xy":
        ingest_rows(store, rows, dataset=name)
    result = compare(store, "x", "y", metrics=["bleu-1"], resamples=50)
    assert result.lead[0].startswith("x and y have the same captions (version ")
    assert not result.lead[1:]
    assert not [one for one in result.findings if one.kind.startswith("more-")]
