"""What metrics react to: what is changed is what was said, and the scores are those of plain formulas."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plain
import polars as pl
import pytest
from conftest import Bound, Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import MetricError, MissingExtraError, UsageError
from auditor.scoring.candidates import CandidateSet
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.study import bounds
from auditor.studies.probe.changes import COMPONENTS
from auditor.studies.probe.study import probe
from auditor.studies.score.study import score
from auditor.text import function_words
from auditor.text.spacy import word_classes

WORDS = ("a", "the", "on", "red", "café", "日本", "dog", "cat", "tree", "house", "runs", "sits")
Tokens = dict[tuple[str, int], list[str]]


def random_rows(seed: int, images: int = 6, longest: int = 8) -> list[tuple[str, int, str]]:
    """Write two to five captions for each image, some of them without a word."""
    chance = random.Random(seed)
    return [
        (f"i{image}", slot, " ".join(chance.choice(WORDS) for _ in range(chance.randint(0, longest))))
        for image in range(images)
        for slot in range(chance.randint(2, 5))
    ]


def filled(store: Store, rows: Rows, dataset: str = "set") -> Store:
    ingest_rows(store, rows, dataset=dataset, kind="candidates")  # which lets an empty caption in
    return store


def tokens_of(rows: Rows) -> Tokens:
    return {(image, slot): plain.tokenize(text) for image, slot, text in rows}


def made_texts(bound: Bound, component: str) -> Tokens:
    """Give the texts that the last probe has made for a component."""
    made = bound(f"select image, slot, text from made_text where candidate = '{component}'")
    return {(image, slot): text.split() for image, slot, text in made.rows()}


SOME = ["reference-words", "order", "function-words"]


def row(frame: pl.DataFrame, metric: str, component: str) -> dict[str, Any]:
    return frame.filter(metric=metric, component=component).row(0, named=True)


@pytest.mark.parametrize("seed", range(3))
def test_k_words_of_one_caption_of_each_image_change_in_min_of_k_and_length_positions(
    store: Store, seed: int, bound: Bound
) -> None:
    rows = random_rows(seed)
    frame = probe(
        filled(store, rows), "set", metrics=["bleu-1"], components=["reference-words"], words=[1, 2, 5], seed=seed
    ).frame
    tokens = tokens_of(rows)
    by_k = {k: made_texts(bound, f"reference-words-{k}") for k in (1, 2, 5)}
    assert [image for image, _ in by_k[1]] == sorted({image for (image, _), words in tokens.items() if words})
    for k, changed in by_k.items():
        assert changed.keys() == by_k[1].keys()
        for place, words in changed.items():
            differing = [at for at, pair in enumerate(zip(words, tokens[place], strict=True)) if pair[0] != pair[1]]
            assert len(differing) == min(k, len(words))
            fewer = by_k[1][place]
            assert sum(a != b for a, b in zip(words, fewer, strict=True)) == len(differing) - 1
        scored = [image for image, slot in tokens if (image, slot) not in changed and (image, 0) in tokens]
        met = [min(k, len(words)) for image in scored for place, words in changed.items() if place[0] == image]
        found = row(frame, "bleu-1", f"reference-words-{k}")
        assert found["n"] == len(scored) == len(tokens) - len(changed)
        assert found["replaced"] == pytest.approx(sum(met) / len(met))
        assert found["changed"] == pytest.approx(len(met) / len(scored))


def test_new_words_follow_the_unigram_distribution_of_the_other_words(store: Store, bound: Bound) -> None:
    rows = [(f"i{image:03}", slot, "dog dog dog dog often often often rare") for image in range(300) for slot in (0, 1)]
    probe(filled(store, rows), "set", metrics=["bleu-1"], components=["reference-words"], words=[8])
    texts = list(made_texts(bound, "reference-words-8").values())
    in_place_of_dog = [word for words in texts for word in words[:4]]
    share = in_place_of_dog.count("rare") / len(in_place_of_dog)
    assert set(in_place_of_dog) == {"often", "rare"}
    assert abs(share - 0.25) < 4 * (0.25 * 0.75 / 1200) ** 0.5


def means_by_formula(
    metric: str, tokens: Tokens, candidates: Tokens, references: Tokens, scored: Sequence[tuple[str, int]]
) -> float:
    """Score candidates against references, by document frequencies of the untouched captions."""
    images = sorted({image for image, _ in tokens})
    name, _, reading = metric.partition(":")

    def left_out(place: tuple[str, int]) -> plain.DocumentFrequency:
        """Count documents as a run of the official program does: the references of each image's n-th caption."""
        nth = [at for at in tokens if at[0] == place[0]].index(place)
        slots = {image: [at for at in tokens if at[0] == image] for image in images}
        items = [
            [tokens[at] for at in of_image if at != of_image[nth]] for of_image in slots.values() if len(of_image) > nth
        ]
        return plain.DocumentFrequency(items)

    df = plain.DocumentFrequency([[words for at, words in tokens.items() if at[0] == image] for image in images])
    values = [
        plain.score(
            name,
            candidates[place],
            [words for at, words in references.items() if at[0] == place[0] and at != place],
            left_out(place) if reading else df,
        )
        for place in scored
    ]
    return sum(values) / len(values)


METRICS = ["bleu-1", "bleu-4", "rouge-1", "rouge-l", "rouge-su4", "cider", "cider-d", "cider:idf=fold"]


@pytest.mark.parametrize("seed", range(2))
def test_scores_beside_a_changed_reference_are_those_of_the_formulas(store: Store, seed: int, bound: Bound) -> None:
    rows = random_rows(seed + 10)
    frame = probe(
        filled(store, rows), "set", metrics=METRICS, components=["reference-words"], words=[1, 3], seed=seed
    ).frame
    tokens = tokens_of(rows)
    for k in (1, 3):
        changed = made_texts(bound, f"reference-words-{k}")
        scored = [place for place in tokens if place not in changed]
        for metric in METRICS:
            found = row(frame, metric, f"reference-words-{k}")
            before = means_by_formula(metric, tokens, tokens, tokens, scored)
            after = means_by_formula(metric, tokens, tokens, tokens | changed, scored)
            assert (found["before"], found["mean"]) == pytest.approx((before, after), abs=1e-9), (metric, k)
            assert found["change"] == pytest.approx(after - before, abs=1e-9)
            assert found["relative"] == pytest.approx((after - before) / before, abs=1e-9)


def test_scores_of_ablated_captions_are_those_of_the_formulas(store: Store, bound: Bound) -> None:
    rows = random_rows(20)
    tokens = tokens_of(rows)
    closed = set(function_words.english().words)
    ablated = {
        "half": {at: words[: (len(words) + 1) // 2] for at, words in tokens.items()},
        "function-words": {at: [word for word in words if word not in closed] for at, words in tokens.items()},
        "content-words": {at: [word for word in words if word in closed] for at, words in tokens.items()},
    }
    frame = probe(filled(store, rows), "set", metrics=METRICS, components=["order", *ablated]).frame
    ablated["order"] = made_texts(bound, "order")
    assert all(sorted(words) == sorted(tokens[at]) for at, words in ablated["order"].items())
    for component, candidates in ablated.items():
        for metric in METRICS:
            found = row(frame, metric, component)
            assert found["mean"] == pytest.approx(
                means_by_formula(metric, tokens, candidates, tokens, list(tokens)), abs=1e-9
            )
        assert found["changed"] == sum(words != tokens[at] for at, words in candidates.items()) / len(tokens)
        assert found["words"] == pytest.approx(sum(map(len, candidates.values())) / len(tokens))


@given(st.integers(0, 2**31))
@examples(5)
def test_order_moves_no_bag_of_words_metric(seed: int) -> None:
    with Store.open(MEMORY) as store:
        rows = [("j", slot, "red dog runs") for slot in range(2)] + random_rows(seed)
        frame = probe(filled(store, rows), "set", metrics=["bleu-1", "rouge-1"], components=["order"], seed=seed).frame
    assert frame["change"].to_list() == [0.0, 0.0]


def test_cider_is_1_only_where_candidate_and_all_references_are_identical(store: Store) -> None:
    alike = [("a", slot, "a red dog runs home") for slot in range(4)]
    other = [("b", slot, "the cat sits here now") for slot in range(2)]
    beside = [("c", slot, "a tall tree stands there") for slot in range(3)] + [("c", 3, "a tall tree stands alone")]
    scores = score(filled(store, [*alike, *other, *beside]), "set", metrics=["cider"]).frame
    by_image = {image: part["value"].to_list() for (image,), part in scores.group_by("image")}
    assert by_image["a"] == [1.0] * 4
    assert by_image["b"] == [1.0] * 2
    assert max(by_image["c"]) < 1.0
    probed = row(
        probe(store, "set", metrics=["cider"], components=["reference-words"], words=[1]).frame,
        "cider",
        "reference-words-1",
    )
    assert probed["mean"] < probed["before"]


def test_untouched_scores_are_the_upper_bound(store: Store) -> None:
    filled(store, random_rows(3))
    upper = bounds(store, "set", metrics=["cider", "ter"], candidates=["human"]).frame.filter(level="caption")
    frame = probe(store, "set", metrics=["cider", "ter"], components=["half"]).frame
    assert frame["before"].to_list() == upper["mean"].to_list()
    assert frame["n"].to_list() == upper["n"].to_list()


def test_numbers_depend_on_the_seed_and_the_captions_alone(tmp_path: Path) -> None:
    def measured(order: Sequence[str], threads: int, path: Path, times: int = 1) -> list[pl.DataFrame]:
        with Store.open(path, write=True) as store:
            for name in order:
                filled(store, random_rows(len(name)), dataset=name)
        found = []
        for _ in range(times):
            with Store.open(path) as store:
                store.execute(f"set threads = {threads}")
                found.append(probe(store, "set", metrics=["cider"], components=SOME, words=[2], seed=3).frame)
        return found

    first, warm = measured(["set"], 1, tmp_path / "first.duckdb", times=2)
    (second,) = measured(["unrelated", "set"], 2, tmp_path / "second.duckdb")
    assert warm.equals(first)
    assert second.equals(first)
    with Store.open(tmp_path / "first.duckdb") as store:
        assert not probe(store, "set", metrics=["cider"], components=SOME, words=[2], seed=4).frame.equals(first)


def test_signatures_say_what_was_done_before_scoring(store: Store) -> None:
    frame = probe(
        filled(store, random_rows(1)),
        "set",
        metrics=["bleu-1"],
        components=["reference-words", "function-words"],
        words=[2],
    ).frame
    perturbed, ablated = frame["signature"]
    assert perturbed.endswith("|probe:reference-words-2|seed:1|words:2|v:1")
    assert f"|probe:function-words|list:{function_words.english().label}|v:1" in ablated
    assert frame["seed"].to_list() == [1, None]


def test_rows_with_the_same_texts_but_other_components_keep_their_own_counts() -> None:
    given = {"given_words": pl.DataFrame({"image": ["a"], "slot": [0], "words": [["dog"]]})}
    one, other = (CandidateSet(name, "candidate_made", {"word_class": name}, given=given) for name in ("x", "y"))
    assert one.facts != other.facts
    assert one.facts["given"] == other.facts["given"]


def test_images_without_references_and_captions_without_words_are_explained(store: Store) -> None:
    filled(store, [("a", 0, "..."), ("a", 1, ""), ("b", 0, "one caption only"), ("c", 0, ""), ("c", 1, "-")])
    result = probe(store, "set", metrics=["bleu-1"])
    told = " ".join(result.sentences)
    assert "1 image has a single caption" in told
    assert "reference-words-1 changed no caption" in told
    assert set(result.frame["n"]) == {4}
    assert result.frame["relative"].null_count() == result.frame.height
    filled(store, [("a", 0, "lonely"), ("b", 0, "lonely too")], dataset="lonely")
    with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
        probe(store, "lonely", metrics=["bleu-1"])


def test_one_image_has_no_cider_and_a_single_word_no_other_to_replace_it(store: Store) -> None:
    filled(store, [("a", 0, "dog dog"), ("a", 1, "dog")])
    result = probe(store, "set", components=["reference-words"])
    assert result.frame.filter(metric="cider")["reason"].null_count() == 0
    assert set(result.frame.filter(pl.col("reason").is_null())["change"]) == {0.0}
    assert any("reference-words-1 changed no caption" in note for note in result.sentences)
    with pytest.raises(MetricError, match="cider not available"):
        probe(store, "set", metrics=["cider"], components=["order"])


def test_bad_requests_are_refused_in_one_line(store: Store, tmp_path: Path) -> None:
    filled(store, random_rows(2))
    with pytest.raises(UsageError, match="--component adverbs: expected reference-words, order"):
        probe(store, "set", metrics=["bleu-1"], components=["adverbs"])
    with pytest.raises(UsageError, match="--words 0: expected 1 to 1,000"):
        probe(store, "set", metrics=["bleu-1"], words=[0])
    with pytest.raises(UsageError, match=r"list\.txt: function words cannot be read: No such file"):
        probe(store, "set", metrics=["bleu-1"], components=["function-words"], function_words=tmp_path / "list.txt")
    (tmp_path / "list.txt").write_text("# nothing\n\n")
    with pytest.raises(UsageError, match="expected one word per line"):
        probe(store, "set", metrics=["bleu-1"], components=["function-words"], function_words=tmp_path / "list.txt")


def test_another_language_has_function_words_only_of_a_file(store: Store, tmp_path: Path, bound: Bound) -> None:
    filled(store, random_rows(2))
    store.execute("update dataset set language = 'de'")
    result = probe(store, "set", metrics=["bleu-1"])
    assert "function-words, content-words not available: the language is de" in " ".join(result.sentences)
    with pytest.raises(UsageError, match="set: no function-words: the language is de"):
        probe(store, "set", metrics=["bleu-1"], components=["function-words"])
    with pytest.raises(UsageError, match="the tags are for English"):
        probe(store, "set", metrics=["bleu-1"], components=["nouns"])
    (tmp_path / "list.txt").write_text("# our own\nDog\ncafé\n", encoding="utf-8")
    frame = probe(
        store, "set", metrics=["bleu-1"], components=["content-words"], function_words=tmp_path / "list.txt"
    ).frame
    left = {word for words in made_texts(bound, "content-words").values() for word in words}
    assert left == {"dog", "café"}
    assert "|list:list.txt@" in frame["signature"].item()


def test_function_words_meet_tokens_of_every_profile() -> None:
    from auditor.text import tokenizer_of

    bare, ptb, whitespace = (
        set(function_words.english().tokens(tokenizer_of(name))["word"]) for name in ("bare", "ptb", "whitespace")
    )
    assert {"the", "dont", "theyre", "s"} <= bare
    assert {"the", "n't", "'s"} <= ptb
    assert {"the", "don't"} <= whitespace
    assert not {"well", "ill", "hell", "shell", "were's"} & bare


def test_without_spacy_or_a_pipeline_tagged_components_are_left_out_and_refused_by_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, random_rows(2))
    monkeypatch.setitem(sys.modules, "spacy", None)
    result = probe(store, "set", metrics=["bleu-1"])
    assert not set(word_classes.WORD_CLASSES) & set(result.frame["component"])
    assert any("pip install 'auditor[spacy]'" in note for note in result.sentences)
    for asked in ({"components": ["nouns"]}, {"pipeline": "some_pipeline"}):
        with pytest.raises(MissingExtraError, match="need spaCy"):
            probe(store, "set", metrics=["bleu-1"], **asked)


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """A pipeline that knows the words of `tagged_rows` and nothing else."""
    spacy = pytest.importorskip("spacy")
    tags = {"red": "JJ", "dog": "NN", "dog's": "NN", "grass": "NN", "on": "IN", "the": "DT"}

    @spacy.language.Language.component("tagger_of_a_test")
    def tag(doc: Any) -> Any:
        words = [token.text for token in doc]
        for token in doc:
            token.tag_ = tags.get(token.text.lower(), "VBZ")
        # A preposition heads its phrase, everything else hangs on the first word.
        at = words.index("on") if "on" in words else len(words)
        for token in doc:
            token.head = doc[at] if token.i > at else doc[0]
            token.dep_ = "pobj" if token.i > at else "dep"
        return doc

    made = spacy.blank("en")
    made.add_pipe("tagger_of_a_test")
    made.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def test_classes_of_words_are_taken_away_as_the_pipeline_tags_them(store: Store, pipeline: Path, bound: Bound) -> None:
    rows = [("a", 0, "The red dog runs on the grass."), ("a", 1, "A dog's red"), ("b", 0, "café"), ("b", 1, "")]
    filled(store, rows)
    frame = probe(store, "set", metrics=["bleu-1", "cider"], pipeline=str(pipeline)).frame
    assert list(frame["component"].unique(maintain_order=True))[3:] == list(COMPONENTS[1:])
    assert made_texts(bound, "adjectives") == {
        ("a", 0): "the dog runs on the grass".split(), ("a", 1): ["a", "dogs"], ("b", 0): ["café"], ("b", 1): [],
    }  # fmt: skip
    assert made_texts(bound, "prepositional-phrases")["a", 0] == "the red dog runs".split()
    assert made_texts(bound, "nouns")["a", 0] == "the red runs on the".split()
    # What is left of "dog's" is a word that no caption has.
    assert made_texts(bound, "nouns")["a", 1] == ["a", "s", "red"]
    signature = row(frame, "cider", "nouns")["signature"]
    assert "|probe:nouns|pipeline:en_pipeline-0.0.0@" in signature


def test_a_parse_is_kept_and_gives_the_same_numbers(
    tmp_path: Path, pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.duckdb"
    with Store.open(path, write=True) as store:
        filled(
            store, [("a", 0, "The red dog runs on the grass."), ("a", 1, "A dog's red"), ("b", 0, "café"), ("b", 1, "")]
        )
    with Store.open(path) as store:
        cold = probe(store, "set", metrics=["cider"], components=["nouns", "adjectives"], pipeline=str(pipeline)).frame
    monkeypatch.setattr(word_classes.Parser, "without", None)
    with Store.open(path) as store:
        assert probe(
            store, "set", metrics=["cider"], components=["nouns", "adjectives"], pipeline=str(pipeline)
        ).frame.equals(cold)


def test_a_pipeline_that_cannot_serve_is_refused(store: Store, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    filled(store, random_rows(2))
    with pytest.raises(UsageError, match="no spaCy pipeline of this name"):
        probe(store, "set", metrics=["bleu-1"], pipeline="no_such_pipeline")
    spacy.blank("de").to_disk(tmp_path / "de")
    with pytest.raises(UsageError, match="a pipeline of language de"):
        probe(store, "set", metrics=["bleu-1"], pipeline=str(tmp_path / "de"))
    spacy.blank("en").to_disk(tmp_path / "en")
    with pytest.raises(UsageError, match="a pipeline without a tagger"):
        probe(store, "set", metrics=["bleu-1"], pipeline=str(tmp_path / "en"))
