"""Forced-choice items of captions that nobody marked: noun chunks of a pipeline, told apart by lists of words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import MissingExtraError, UsageError
from auditor.store.connection import Store
from auditor.store.versions import content_at_work, resolve
from auditor.studies.distractors import TASKS, distractors, phrases
from auditor.studies.ingest.sources import ingest_sources
from auditor.text.spacy.annotation import SCHEMA

TRAINED = ["A nurse feeds hens in the old barn .", "A tall singer bows on a stage .", "Two painters rest in a park ."]

ASKED = ["A nurse in a green coat helps an old farmer in a barn .", "A crowd of birds sits on a roof ."]


class Chunker:
    """Says that a noun chunk is an article or number with the two words after it that are no verb or preposition."""

    label = "en_chunker-1"
    name = "chunker"

    def __init__(self, finds: bool = True) -> None:
        self.asked: list[str] = []
        self.finds = finds

    def annotate(self, texts: pl.Series) -> pl.DataFrame:
        self.asked += texts.to_list()
        return pl.DataFrame([self._row(text) for text in texts], schema=SCHEMA)

    def _row(self, text: str) -> dict[str, Any]:
        words = list(re.finditer(r"\S+", text))
        tags = [self._tag(word.group()) for word in words]
        chunk = r"(?:DT|CD) (?:JJ )*NNS?\b|\bNNS?\b"
        found = [(one.start(), one.end()) for one in re.finditer(chunk, " ".join(tags)) if self.finds]
        before = " ".join(tags)
        return {
            "starts": [word.start() for word in words],
            "lengths": [len(word.group()) for word in words],
            "tags": tags,
            "chunk_starts": [before[:start].count(" ") + 1 for start, _ in found],
            "chunk_ends": [before[:end].count(" ") + 1 for _, end in found],
        }

    @staticmethod
    def _tag(word: str) -> str:
        kinds = {
            "DT": "a an the", "CD": "two", "JJ": "green old tall", "VBZ": "feeds bows helps sits", "VBP": "rest",
            "IN": "in on of", ".": ".",
        }  # fmt: skip
        known = {one: tag for tag, listed in kinds.items() for one in listed.split()}
        return known.get(word.lower(), "NN")


@pytest.fixture
def chunker(monkeypatch: pytest.MonkeyPatch) -> Chunker:
    made = Chunker()
    monkeypatch.setattr(phrases, "annotator", lambda *_, **__: made)
    return made


def filled(store: Store, asked: list[str] = ASKED) -> Store:
    trained = {str(201 + place): TRAINED[place % 3] for place in range(36)}
    rows = [("101", slot, text) for slot, text in enumerate(asked)]
    rows += [(image, 0, text) for image, text in trained.items()]
    ingest_rows(store, rows, splits={"val": ["101"], "train": [*trained]})
    return store


def test_noun_chunks_stand_for_phrases(store: Store, chunker: Chunker) -> None:
    result = distractors(filled(store), "set:val", pipeline="chunker")
    assert set(result.frame["part"]) == set(TASKS)
    items = set(result.frame.select("part", "right", "wrong").rows())
    assert ("switch-people", ASKED[0], "An old farmer helps a nurse in a green coat in a barn .") in items
    assert ("replace-person", ASKED[0], "A tall singer helps an old farmer in a barn .") in items
    assert ("just-person", ASKED[0], "A nurse in a green coat") in items
    assert ("just-scene", ASKED[1], "a roof") in items
    assert {("share-person", ASKED[0], TRAINED[0]), ("share-scene", ASKED[0], TRAINED[0])} <= items


def test_a_crowd_is_people_only_of_people(store: Store, chunker: Chunker) -> None:
    frame = distractors(filled(store), "set:val", pipeline="chunker", tasks=["just-person", "just-scene"]).frame
    assert frame.filter(part="just-person", right=ASKED[1]).is_empty()
    assert frame.filter(part="just-scene", right=ASKED[1]).height == 1


def test_who_told_the_phrases_is_in_the_signature(store: Store, chunker: Chunker) -> None:
    result = distractors(filled(store), "set:val", pipeline="chunker")
    assert result.signatures["distractors"].startswith("distractors|phrases:en_chunker-1|train:set@")


def test_each_text_is_parsed_once_and_no_caption_of_another_split(store: Store, chunker: Chunker) -> None:
    filled(store, [*ASKED, ASKED[0]])
    ingest_rows(store, [("z", 0, "An unrelated caption .")], "other")
    first = distractors(store, "set:val", pipeline="chunker").frame
    assert sorted(chunker.asked) == sorted({*ASKED, *TRAINED})
    assert distractors(store, "set:val", pipeline="chunker").frame.equals(first)
    assert len(chunker.asked) == len({*ASKED, *TRAINED})


def test_tasks_that_draw_nothing_parse_no_training_captions(store: Store, chunker: Chunker) -> None:
    tasks = ["switch-people", "just-person", "just-scene"]
    few = distractors(filled(store), "set:val", pipeline="chunker", tasks=tasks).frame
    assert set(chunker.asked) == set(ASKED)
    every = distractors(store, "set:val", pipeline="chunker").frame
    assert few.equals(every.filter(pl.col("part").is_in(tasks)))


def test_captions_without_mark_up_are_refused_with_what_to_install(store: Store) -> None:
    with pytest.raises(UsageError, match=r"no annotated phrases.*--pipeline en_core_web_sm.*pip install") as refused:
        distractors(filled(store), "set:val")
    assert "\n" not in str(refused.value)


def test_without_spacy_the_command_says_what_to_install(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"spaCy, which is not installed: pip install") as refused:
        distractors(filled(store), "set:val", pipeline="en_core_web_sm")
    assert refused.value.exit_code == 6


def test_a_pipeline_that_finds_no_chunks_is_refused(store: Store, chunker: Chunker) -> None:
    chunker.finds = False
    with pytest.raises(UsageError, match="set:val: pipeline en_chunker-1 finds no noun chunks"):
        distractors(filled(store), "set:val", pipeline="chunker")


@pytest.mark.full
def test_chunks_of_flickr30k_are_mostly_those_that_people_marked(store: Store, tmp_path: Path, data: Path) -> None:
    spacy = pytest.importorskip("spacy")
    model = data.parent / "models" / "en_ewt_prep"
    if not model.is_dir():
        pytest.skip("no pipeline beside the real datasets: models/en_ewt_prep")
    from auditor.config import sources

    loaded = spacy.load(model)  # tags, and noun chunks ask for parts of speech
    told = {"NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "PRP": "PRON", "WP": "PRON"}
    loaded.add_pipe("attribute_ruler").load_from_tag_map({tag: {"POS": part} for tag, part in told.items()})
    loaded.to_disk(tmp_path / "pipeline")
    ingest_sources(store, [(sources(None) or {})["flickr30k"]])
    selection = resolve(store, "flickr30k:val")
    parses = phrases.parsed(store, [selection], str(tmp_path / "pipeline"), lambda *_: None)
    mentions = []
    for by in (parses, None):
        at_work = content_at_work(store, selection)
        phrases.bind_phrases(at_work, selection, by)
        mentions.append(at_work.rows("mention"))
    found, marked = mentions
    same = found.join(marked, on=["image", "slot", "kind", "head"], suffix="_marked").filter(
        pl.col("start") < pl.col("ends_marked"), pl.col("start_marked") < pl.col("ends")
    )
    for kind, precise, whole in (("person", 0.97, 0.94), ("scene", 0.89, 0.8)):
        right = same.filter(kind=kind)
        assert right.unique(["image", "slot", "start"]).height >= precise * found.filter(kind=kind).height
        assert right.unique(["image", "slot", "start_marked"]).height >= whole * marked.filter(kind=kind).height
