"""Content words: the metrics equal their formula, plainly written, and see words, but neither order nor roles."""

from __future__ import annotations

from collections.abc import Sequence

import plain
import pytest
from conftest import ROOT, Bound, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples
from test_leave_one_out import as_rows, captions, scored
from test_rouge import score_items

from auditor.errors import MetricError
from auditor.scoring.candidate_sets import intra
from auditor.scoring.registry import requests
from auditor.store.connection import MEMORY, Store
from auditor.text.stemmers import porter

MEASURES = ("f1", "precision", "recall")
METRICS = [f"content-{measure}{setting}" for setting in ("", ":weights=share", ":words=all", ":words=all,weights=share")
           for measure in MEASURES]  # fmt: skip

LISTED = {
    line.replace("'", "")
    for line in (ROOT / "auditor" / "text" / "function_words_en.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
} | {"two", "ten", "twenty"}


def words_of(text: str, *, every: bool) -> set[str]:
    """The words of a caption: those with a letter, and unless it is `every`, no function words, stemmed."""
    spelled = {token for token in plain.tokenize(text) if any(letter.isalpha() for letter in token)}
    return spelled if every else {porter.stem(word) for word in spelled - LISTED}


def content(name: str, candidate: str, references: Sequence[str]) -> float:
    """A metric by its formula."""
    every, by_share = "words=all" in name, "weights=share" in name
    ours, theirs = words_of(candidate, every=every), [words_of(text, every=every) for text in references]
    union = set().union(*theirs)
    share = {word: sum(word in one for one in theirs) / len(theirs) if by_share else 1.0 for word in union}
    matched, told = sum(share[word] for word in ours & union), sum(share.values())
    precision = matched / len(ours) if ours else 0.0
    recall = matched / told if told else 0.0
    both = len(ours) + told
    return {"f1": 2 * matched / both if both else 0.0, "precision": precision, "recall": recall}[
        name.partition(":")[0].removeprefix("content-")
    ]


some_texts = captions | st.lists(st.sampled_from(["two", "dogs", "running", "isnt", "in", "runs"]), min_size=1).map(
    " ".join
)


@given(st.lists(st.lists(some_texts, min_size=1, max_size=6), min_size=2, max_size=12).filter(
    lambda images: any(len(texts) > 1 for texts in images)))  # fmt: skip
@examples(6)
def test_scores_equal_the_formulas(images: list[list[str]]) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, as_rows(images))
        scores = scored(store, metrics=METRICS)
    found = {(int(image.split()[1]), slot, metric): value for _, image, slot, metric, value in scores.iter_rows()}
    expected = {
        (number, slot, one.label): content(name, text, texts[:slot] + texts[slot + 1 :])
        for number, texts in enumerate(images) if len(texts) > 1
        for slot, text in enumerate(texts)
        for name, one in zip(METRICS, requests(METRICS), strict=True)
    }  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-12)


def test_another_text_in_place_of_a_caption_is_scored_against_the_others(store: Store, bound: Bound) -> None:
    images = [
        ["a dog runs", "dogs run fast", "a cat", "the dog"],
        ["the cat runs", "a fast cat", "a man", "a man's cat"],
    ]
    ingest_rows(store, as_rows(images))
    scores = scored(store, metrics=METRICS, candidates=[intra(1)])
    texts = bound("select c.image, c.slot, t.text from candidate as c join caption as t using (caption_id)")
    drawn = {(image, slot): text for image, slot, text in texts.iter_rows()}
    assert len(drawn) == 8
    for _, image, slot, metric, value in scores.iter_rows():
        others = [text for number, text in enumerate(images[int(image.split()[1])]) if number != slot]
        name = next(name for name, one in zip(METRICS, requests(METRICS), strict=True) if one.label == metric)
        assert value == pytest.approx(content(name, drawn[image, slot], others), abs=1e-12)


REFERENCES = ["A man bites a brown dog.", "The man is biting two dogs on a street", "a dog bitten by a man"]


def test_frequent_content_words_lower_precision_and_f1() -> None:
    """Whoever pads a caption with what is in many images loses: recall alone can be gained, and only if a word is right."""
    padded = [
        "the man bites a dog",
        "the man bites a dog, woman, shirt, water",
        "the man bites a dog, street, shirt, water",
    ]
    found = score_items([(text, REFERENCES) for text in padded], METRICS)
    for name in METRICS:
        plainly, wrong, partly = found[name]
        assert (partly > plainly and wrong == plainly) if "recall" in name else wrong < plainly, name


def test_order_and_roles_do_not_matter() -> None:
    """What these metrics do not see: who does what to whom, repeated words, and how many there are."""
    texts = ["a man bites a dog", "a dog bites a man", "man dog bites", "a man bites a dog and a dog bites a man"]
    found = score_items([(text, REFERENCES) for text in texts], METRICS[:6])
    assert all(found[name].n_unique() == 1 for name in METRICS[:6])


def test_forms_of_a_word_match_and_function_words_do_not() -> None:
    found = score_items([("dogs", ["the dog"]), ("the one", ["the one"]), ("", ["a dog"])], ["content-f1"])
    assert found["content-f1"].to_list() == [1.0, 0.0, 0.0]


def test_share_of_references_keeps_scores_when_references_repeat() -> None:
    """Without shares too: a repeated reference has no new word; with other references only shares are means."""
    texts, more = REFERENCES[:2], [*REFERENCES[:2], *REFERENCES[:2]]
    found = score_items([("a man with a dog and a hat", texts), ("a man with a dog and a hat", more)], METRICS)
    assert all(found[name].n_unique() == 1 for name in METRICS)


def test_another_language_is_scored_by_plain_tokens(store: Store) -> None:
    ingest_rows(store, [("a", 0, "ein Hund läuft"), ("a", 1, "ein Hund rennt")])
    store.execute("update dataset set language = 'de'")
    with pytest.raises(MetricError, match=r"the captions are .* set words=all"):
        scored(store, metrics=["content-f1"])
    assert scored(store, metrics=["content-f1:words=all"])["value"].to_list() == pytest.approx([2 / 3] * 2)
