"""The phrases of captions, and the captions from which distractors are sampled.

Phrases are annotated, with their types. Or a spaCy pipeline finds noun chunks, and lists of words find persons, scenes
and clothes among them (`sql/distractors/chunk_phrase.sql`).
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source
from auditor.store import parses
from auditor.store.connection import Store
from auditor.store.sqlfiles import sql_root
from auditor.store.versions import content_at_work, resolve, splits
from auditor.store.workspace import Workspace
from auditor.text.spacy import processes
from auditor.text.spacy.annotation import annotator
from auditor.text.spacy.pipelines import INSTALL, PIPELINES, installed

_TRAIN = "train"

#: The source of annotated phrases in signatures.
MARKED = "marked"


def find_training(
    store: Store, selection: Selection, train: str | None, declared: Mapping[str, Source], drawing: Sequence[str]
) -> list[Selection]:
    """Find the captions to sample distractors from: `train`, or every split of the dataset that counts as train.

    Raises `UsageError` if there are none and `drawing` has tasks that sample.
    """
    version = selection.version
    named = splits(store, version)
    if train is not None:
        return [Selection(version, train) if train in named else resolve(store, train)]
    roles = declared[version.dataset].split_roles if version.dataset in declared else {}
    training = [Selection(version, split) for split in named if roles.get(split, split) == _TRAIN]
    if drawing and not training:
        there = f"its splits are {', '.join(named)}" if named else "it has no splits"
        needs = f"{drawing[0]} needs training captions, but no split counts as train: {there}"
        raise UsageError(f"{version.dataset}: {needs}; set a split or a dataset with --train")
    return training


def parsed(store: Store, selections: Sequence[Selection], pipeline: str, progress: Progress) -> parses.Parses:
    """Parse the captions of selections with a pipeline; stored results are reused.

    Raises `MissingExtraError` if spaCy is not installed, `UsageError` if the pipeline is unknown or does not parse.
    """
    by = annotator(pipeline, "noun chunks", parses=True)
    return parses.provide(store, selections, by.label, functools.partial(processes.annotated, by, None), progress)


def bind_words(workspace: Workspace) -> None:
    """Bind the words and patterns of `sql/distractors/words.toml`: relations `word_class` and `symmetric_link`."""
    listed = tomllib.loads((sql_root() / "distractors" / "words.toml").read_text(encoding="utf-8"))
    columns = {"sort": None, "alone": False, "is_mention": False}
    words = [columns | part | {"word": word} for part in listed["word_class"] for word in part["words"].split()]
    schema = {"class": pl.String, "sort": pl.String, "alone": pl.Boolean, "is_mention": pl.Boolean, "word": pl.String}
    workspace.bind_rows("word_class", pl.DataFrame(words, schema=schema))
    workspace.bind_rows("symmetric_link", pl.DataFrame(listed["symmetric_link"], orient="row"))


def bind_phrases(workspace: Workspace, selection: Selection, noun_chunks: parses.Parses | None) -> None:
    """Bind relation `phrase_at_work` to the phrases of the selected captions: annotated ones, or noun chunks.

    Raises `UsageError` if there are none.
    """
    bind_words(workspace)
    if noun_chunks is None:
        marked = "select image from annotated semi join content using (image, slot) where len(phrases) > 0 limit 1"
        if workspace.query(marked).is_empty():
            raise UsageError(
                f"{selection.label}: has no annotated phrases; dataset flickr30k and files of format entities have "
                f"them; --pipeline {installed() or PIPELINES[-1]} uses the noun chunks of a spaCy pipeline instead: "
                f"{INSTALL}"
            )
        workspace.bind("phrase_at_work", "annotated_phrase")
        return
    workspace.bind("text_at_work", "content_text")
    noun_chunks.bind(workspace)
    workspace.bind("phrase_at_work", "chunk_phrase")
    if workspace.query("select image from phrase_at_work limit 1").is_empty():
        none = f"pipeline {noun_chunks.pipeline} finds no noun chunks"
        raise UsageError(f"{selection.label}: {none}; use one that tags parts of speech and parses")


def bind_training(
    store: Store, workspace: Workspace, training: Sequence[Selection], noun_chunks: parses.Parses | None, *, draws: bool
) -> None:
    """Bind relation `trained_mention`, if a task samples from it.

    Names are words that the training captions capitalize; without training captions, the selected ones.
    """
    if not training:
        return
    trained = content_at_work(store, training[0])
    for further in training[1:]:
        trained.append("content", "content_as_of", of=content_at_work(store, further))
    if draws:
        bind_phrases(trained, training[0], noun_chunks)
        workspace.bind("trained_mention", "mention", of=trained)
    workspace.bind("name_word", of=trained)
