"""Captions much longer than the references are announced before their scores, with the command that says more."""

from __future__ import annotations

import shlex

import pytest
from conftest import ingest_rows

from auditor.store.connection import Store
from auditor.studies.score import score
from auditor.studies.words import words

SHORT, LONG = "a dog runs on grass", "the image features a big dog that runs in a park near some trees and a bench"


@pytest.fixture
def described(store: Store) -> Store:
    texts = ("a dog runs", "the dog on the grass", "a brown dog")
    ingest_rows(store, [(image, slot, text) for image in "abc" for slot, text in enumerate(texts)])
    for name, text in (("short", SHORT), ("long", LONG)):
        ingest_rows(store, [(image, 0, text) for image in "abc"], name, "candidates")
    return store


def test_long_captions_are_announced_and_the_named_command_runs(described: Store) -> None:
    asked = {"candidates": ["short", "long"], "metrics": ["cider-d", "content-f1"], "resamples": 0}
    lead = score(described, "set", **asked).lead
    assert lead[0].startswith("Warning: long: captions are 4.6 times as long as the references: 17.0 and 3.7 tokens")
    assert "cider-d" in lead[1]
    command = next(sentence.split("`")[1] for sentence in lead if "`auditor words" in sentence)
    assert shlex.split(command) == "auditor words long --against set --by image --importance 3".split()
    listed = words(described, "long", against="set", by="image", importance=3).frame
    assert {"bench", "park"} < set(listed["word"])


@pytest.mark.parametrize("asked", [{"preset": "coco"}, {"metrics": ["bleu-1"]}])
def test_only_cider_d_has_a_penalty_and_presets_are_warned_too(described: Store, asked: dict[str, object]) -> None:
    lead = " ".join(score(described, "set", candidates=["long"], resamples=0, **asked).lead)
    assert "4.6 times as long" in lead
    assert ("mostly on its penalty" in lead) == ("preset" in asked)


def test_captions_of_usual_length_are_not(described: Store) -> None:
    (mean,) = score(described, "set", candidates=["short"], metrics=["cider-d"]).lead
    assert "mean cider-d" in mean
