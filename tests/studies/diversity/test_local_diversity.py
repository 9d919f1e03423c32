"""Local recall and precision, missed words, mBLEU: against plain counting, and against what the paper prints."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from parts_of_diversity import local_diversity, within_image
from sizes import examples

from auditor.errors import UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.study import bounds
from auditor.studies.diversity.settings import DiversitySettings
from auditor.studies.words import missed_words

FUNCTION = {"a", "the", "is"}
WORDS = ["a", "the", "is", "dog", "cat", "naïve", "日本", "runs", "..."]

sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
people = st.dictionaries(st.sampled_from("pqrs"), st.lists(sentences, min_size=1, max_size=7), min_size=1)
systems = st.dictionaries(st.sampled_from("pqrst"), sentences, min_size=1)


def said(caption: str) -> set[str]:
    return {word for word in caption.split() if word != "..."}


def content(caption: str) -> set[str]:
    return said(caption) - FUNCTION


def plain_counts(met: list[tuple[str, str, list[str]]]) -> tuple[Counter[int], Counter[int], Counter[str]]:
    """Recalled and all words by importance; generated and supported words, of (image, candidate, references)."""
    recalled, whole, claims = Counter[int](), Counter[int](), Counter[str]()
    for _, caption, references in met:
        for word, importance in Counter(word for one in references for word in content(one)).items():
            whole[importance] += 1
            recalled[importance] += word in said(caption)
        if references:
            described = {word for one in references for word in said(one)}
            claims["content"] += len(content(caption))
            claims["content supported"] += len(content(caption) & described)
            claims["all"] += len(said(caption))
            claims["all supported"] += len(said(caption) & described)
    return recalled, whole, claims


def meet(humans: dict[str, list[str]], system: dict[str, str] | None) -> list[tuple[str, str, list[str]]]:
    if system is not None:
        return [(image, caption, humans[image]) for image, caption in system.items() if image in humans]
    return [
        (image, caption, captions[:place] + captions[place + 1 :])
        for image, captions in humans.items()
        for place, caption in enumerate(captions)
    ]


def filled(store: Store, humans: dict[str, list[str]], **output: dict[str, str]) -> None:
    rows: Rows = [(image, slot, text) for image, some in humans.items() for slot, text in enumerate(some)]
    ingest_rows(store, rows, "people", kind="candidates")  # which lets an empty caption in
    for name, captions in output.items():
        ingest_rows(store, [(image, 0, text) for image, text in captions.items()], name, kind="candidates")


def listed(folder: Path) -> Path:
    path = folder / "words.txt"
    path.write_text("\n".join(sorted(FUNCTION)), encoding="utf-8")
    return path


def values(result: Result, dataset: str) -> dict[str, tuple[float | None, int]]:
    rows = result.frame.filter(pl.col("dataset") == dataset)
    return {name: (value, n) for name, value, n in rows.select("statistic", "value", "n").iter_rows()}


@examples(5)
@given(humans=people, system=systems)
def test_local_recall_and_precision_are_those_of_plain_counting(
    tmp_path: Path, humans: dict[str, list[str]], system: dict[str, str]
) -> None:
    with Store.open(MEMORY) as store:
        filled(store, humans, system=system)
        if not humans.keys() & system.keys():
            with pytest.raises(UsageError, match="no image in common with people"):
                local_diversity(
                    store,
                    "system",
                    evaluation="people",
                    settings=DiversitySettings("bare", function_words=listed(tmp_path)),
                )
            return
        result = local_diversity(
            store,
            "system",
            "people",
            evaluation="people",
            settings=DiversitySettings("bare", function_words=listed(tmp_path)),
        )
    for name, output in (("system", system), ("people", None)):
        recalled, whole, claims = plain_counts(meet(humans, output))
        classes = range(1, max(5, *whole) + 1 if whole else 6)
        expected = {f"recall-{k}": (recalled[k], whole[k]) for k in classes}
        high = [k for k in whole if k >= 3]
        expected["recall-majority"] = (sum(recalled[k] for k in high), sum(whole[k] for k in high))
        expected["precision"] = (claims["content supported"], claims["content"])
        expected["precision-all-words"] = (claims["all supported"], claims["all"])
        assert values(result, name) == {
            statistic: (part / total if total else None, total) for statistic, (part, total) in expected.items()
        }


def test_a_class_without_words_has_no_value_and_is_named(store: Store) -> None:
    filled(store, {"p": ["a dog", "a cat"]}, system={"p": "a dog"})
    result = local_diversity(store, "system", evaluation="people")
    assert values(result, "system")["recall-5"] == (None, 0)
    assert values(result, "system")["recall-1"] == (0.5, 2)
    assert any(
        "no value of recall-2, recall-3, recall-4, recall-5, recall-majority" in note for note in result.sentences
    )
    assert "people: 1 image with fewer than 5 captions, without words of that class" in result.sentences
    assert result.frame["low"].null_count() == result.frame.height  # one image varies from no other


def test_images_that_one_side_lacks_and_blank_captions_are_counted(store: Store) -> None:
    filled(store, {"p": ["a dog"], "q": ["a cat"], "r": ["a cow"]}, system={"p": "", "q": "cat", "z": "a"})
    findings = local_diversity(store, "system", evaluation="people").findings
    assert tuple(map(str, findings)) == (
        "1 image of people without a caption in system: not counted",
        "1 image of system that people lacks: not counted",
        "system: 1 of 2 captions without words, which recall nothing",
    )


def test_words_beyond_the_fifth_class_are_kept_apart_and_in_the_majority(store: Store) -> None:
    filled(store, {"p": ["dog"] * 7, "q": ["cat"] * 3}, system={"p": "dog", "q": "dog"})
    result = local_diversity(store, "system", evaluation="people")
    found = values(result, "system")
    assert (found["recall-5"], found["recall-7"], found["recall-majority"]) == ((None, 0), (1.0, 1), (0.5, 2))
    assert any("with words of classes beyond 5" in note for note in result.sentences)


def test_interval_widens_with_what_images_differ_by(store: Store) -> None:
    humans = {f"i{number:02}": ["dog cat cow"] for number in range(20)}
    alike = dict.fromkeys(humans, "dog")
    unlike = {image: "dog cat cow" if number % 3 == 0 else "" for number, image in enumerate(humans)}
    filled(store, humans, alike=alike, unlike=unlike)
    rows = local_diversity(store, "alike", "unlike", evaluation="people").frame.filter(
        pl.col("statistic") == "recall-1"
    )
    (same, *ends), (share, low, high) = rows.select("value", "low", "high").rows()
    unseen = 0.025 ** (1 / 20)  # of twenty equal images: other values are rarer than this says
    assert ends == pytest.approx([same * unseen, 1 - (1 - same) * unseen])
    # All images have as many words: Wilson's interval of a share of 19 independent items, with Student's t of 19 degrees.
    t = 2.093024054408263
    center = (share + t**2 / 38) / (1 + t**2 / 19)
    reach = t / (1 + t**2 / 19) * math.sqrt(share * (1 - share) / 19 + t**2 / (4 * 19**2))
    assert (low, high) == pytest.approx((center - reach, center + reach))


def test_equally_many_references_make_people_and_systems_alike(store: Store) -> None:
    humans = {image: ["dog cat", "dog cow", "dog", "cat dog", "a dog"] for image in "pqr"}
    filled(store, humans, system=dict.fromkeys("pqr", "dog"))
    result = local_diversity(store, "system", "people", evaluation="people", settings=DiversitySettings(references=3))
    found = [values(result, name)["recall-3"] for name in ("system", "people")]
    assert found == [(1.0, 3), (1.0, 12)]
    assert all("k:3" in signature for signature in result.signatures.values())


@examples(5)
@given(humans=people, one=systems, other=systems)
def test_missed_words_are_ranked_as_by_plain_counting(
    tmp_path: Path, humans: dict[str, list[str]], one: dict[str, str], other: dict[str, str]
) -> None:
    shown = {image: humans[image] for image in humans}
    one, other = ({**dict.fromkeys(shown, "the"), **some} for some in (one, other))
    with Store.open(MEMORY) as store:
        filled(store, humans, one=one, other=other)
        frame = missed_words(
            store,
            "one",
            "other",
            against="people",
            tokenizer="bare",
            function_words=listed(tmp_path),
            importance=1,
            minimum=2,
        ).frame
    missed, met = Counter[str](), Counter[str]()
    for system in (one, other):
        for _, caption, references in meet(humans, system):
            for word, k in Counter(word for text in references for word in content(text)).items():
                met[word] += k == 1
                missed[word] += k == 1 and word not in said(caption)
    told = [word for word in missed if missed[word]]
    orders = {
        "absolute": sorted(told, key=lambda word: (-missed[word], -met[word], word)),
        "relative": sorted(told, key=lambda word: (-missed[word] / met[word], -met[word], word)),
    }
    orders["relative-floor"] = [word for word in orders["relative"] if met[word] >= 4]  # both meet the same images
    for ranking, order in orders.items():
        rows = frame.filter(pl.col("ranking") == ranking).select("word", "times", "occurrences").rows()
        assert rows == [(word, missed[word], met[word]) for word in order]


def test_words_that_no_caption_of_the_image_has_are_ranked(store: Store) -> None:
    filled(store, {"p": ["a dog"], "q": ["a cat"], "r": ["a dog"]}, system={"p": "cat", "q": "cat cow", "r": "cow"})
    frame = missed_words(store, "system", against="people").frame
    rows = frame.filter(pl.col("ranking") == "unsupported").select("word", "times", "occurrences").rows()
    assert rows == [("cow", 2, 2), ("cat", 1, 2)]


def test_two_versions_of_a_system_are_told_apart(store: Store) -> None:
    filled(store, {"p": ["a dog"]}, system={"p": "a dog"})
    ingest_rows(store, [("p", 0, "a cat")], "system", kind="candidates")
    result = local_diversity(store, "system@v1", "people", "system@v2", evaluation="people")
    recalls = result.frame.filter(pl.col("statistic") == "recall-1")["value"].to_list()
    assert recalls == [1.0, None, 0.0]  # one caption has no other to be held out against
    assert list(result.signatures) == ["system@v1", "people", "system@v2"]


def test_captions_never_meet_themselves(store: Store) -> None:
    filled(store, {"p": ["a dog", "a cat"]})
    ingest_rows(store, [("p", 0, "a dog"), ("p", 1, "a cow")], "people", kind="candidates")
    with pytest.raises(UsageError, match="captions could be compared with themselves"):
        local_diversity(store, "people@v1", evaluation="people")


def test_a_ranking_without_words_says_so(store: Store) -> None:
    filled(store, {"p": ["a dog"]}, system={"p": "a dog"})
    result = missed_words(store, "system", against="people")
    assert result.frame.is_empty()
    assert "people: no word is in 5 captions of an image, so none can be missed" in result.sentences
    with pytest.raises(UsageError, match="expected 1 or more"):
        missed_words(store, "system", against="people", importance=0)


def test_mbleu_is_the_mean_over_images_of_leave_one_out(store: Store) -> None:
    filled(store, {"p": ["a dog runs", "the dog runs", "a cat"], "q": ["a cat", "a cat"], "r": ["alone"]})
    frame = within_image(store, "people", metric_names=["bleu-1"]).frame
    upper = bounds(store, "people", metrics=["bleu-1"], candidates=("human",)).frame.filter(pl.col("level") == "image")
    mbleu = frame.row(0, named=True)
    assert (mbleu["statistic"], mbleu["value"], mbleu["images"]) == ("mbleu-1", upper["mean"][0], 2)
    vocabulary = dict(frame.select("statistic", "value").rows())
    assert vocabulary["image-types"] == pytest.approx((5 + 2 + 1) / 3)
    assert vocabulary["image-content-types"] == pytest.approx((3 + 1 + 1) / 3)
    assert vocabulary["image-ttr"] == pytest.approx((5 + 2 + 1) / (8 + 4 + 1))


def test_one_caption_an_image_has_no_mbleu(store: Store) -> None:
    filled(store, {"p": ["a dog"], "q": ["a cat"]})
    result = within_image(store, "people", metric_names=["bleu-1", "bleu-4"])
    assert result.frame.filter(pl.col("statistic").str.starts_with("mbleu"))["value"].to_list() == [None, None]
    assert result.sentences == ("people: no mBLEU, since every image has a single caption",)


def test_a_tagger_wants_the_words_that_it_tags(store: Store) -> None:
    filled(store, {"p": ["a dog"]}, system={"p": "a dog"})
    with pytest.raises(UsageError, match="set --tokenizer spacy"):
        local_diversity(store, "system", evaluation="people", settings=DiversitySettings(pipeline="en_core_web_sm"))
    with pytest.raises(UsageError, match="set only one"):
        local_diversity(
            store,
            "system",
            evaluation="people",
            settings=DiversitySettings("spacy", pipeline="x", function_words=Path("words")),
        )


def test_a_tagger_tells_content_words_by_what_they_are_in_their_caption(store: Store, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("attribute_ruler")
    for word, tag in (("dog", "NN"), ("runs", "VBZ"), ("two", "CD"), ("A", "DT"), ("a", "DT"), (".", ".")):
        ruler.add([[{"ORTH": word}]], {"TAG": tag})
    pipeline.to_disk(tmp_path / "tagger")
    filled(store, {"p": ["A dog.", "two dog runs", "a  dog"]}, system={"p": "Runs two dog"})
    result = local_diversity(
        store, "system", evaluation="people", settings=DiversitySettings("spacy", pipeline=str(tmp_path / "tagger"))
    )
    found = values(result, "system")
    assert (found["recall-1"], found["recall-3"]) == ((1.0, 1), (1.0, 1))  # runs, dog; "two" is no content word
    assert found["precision"] == (1.0, 1)  # "Runs" is spelled as the ruler does not know it
    assert "content:tags:en_pipeline-0.0.0@" in result.signatures["system"]


def test_a_tagger_that_splits_words_otherwise_is_refused(store: Store, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.tokenizer.add_special_case("hotdog", [{"ORTH": "hot"}, {"ORTH": "dog"}])
    pipeline.add_pipe("attribute_ruler").add([[{}]], {"TAG": "NN"})
    pipeline.to_disk(tmp_path / "tagger")
    filled(store, {"p": ["a hotdog"]}, system={"p": "a dog"})
    with pytest.raises(UsageError, match=r"'a hotdog' into 3 and 2 words; use a pipeline with spaCy's own English tok"):
        local_diversity(
            store, "system", evaluation="people", settings=DiversitySettings("spacy", pipeline=str(tmp_path / "tagger"))
        )


def test_tags_are_kept_and_give_the_same_numbers(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("attribute_ruler").add([[{"LOWER": {"IN": ["dog", "runs"]}}]], {"TAG": "NN"})
    pipeline.to_disk(tmp_path / "tagger")
    path, results = tmp_path / "audit.duckdb", []
    with Store.open(path, write=True) as store:
        filled(store, {"p": ["A dog.", "a dog runs"], "q": [""]}, system={"p": "dog", "q": "runs"})
    for _ in range(2):
        with Store.open(path) as store:
            results.append(
                local_diversity(
                    store,
                    "system",
                    "people",
                    evaluation="people",
                    settings=DiversitySettings("spacy", pipeline=str(tmp_path / "tagger")),
                )
            )
    assert results[0].frame.equals(results[1].frame)
    with Store.open(path) as store:
        assert store.query("select count(*) from cache.parse").item() == 5
