"""Where the phrases of captions come from, and which captions distractors are drawn from.

Somebody has marked the phrases, and said what they are of; or a pipeline finds noun chunks, and lists of words tell
people, places and clothes among them (`sql/distractors/chunk_phrase.sql`).
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
from auditor.store.versions import content_at_work, resolve
from auditor.store.workspace import Workspace
from auditor.text.spacy import processes
from auditor.text.spacy.annotation import annotator
from auditor.text.spacy.pipelines import INSTALL, PIPELINES, installed

_TRAIN = "train"

#: What signatures say where phrases are those that somebody marked.
MARKED = "marked"


def find_training(
    store: Store, selection: Selection, train: str | None, declared: Mapping[str, Source], drawing: Sequence[str]
) -> list[Selection]:
    """Find what distractors are drawn from: what is named, or every split of the dataset that counts as train.

    Raises `UsageError` where there is none, and `drawing` names tasks that draw.
    """
    version = selection.version
    splits = store.rows("split", dataset=version.dataset, seq=version.seq)["split"].to_list()
    if train is not None:
        return [Selection(version, train) if train in splits else resolve(store, train)]
    roles = declared[version.dataset].split_roles if version.dataset in declared else {}
    found = [Selection(version, split) for split in splits if roles.get(split, split) == _TRAIN]
    if drawing and not found:
        there = f"its splits are {', '.join(splits)}" if splits else "it has no splits"
        raise UsageError(
            f"{version.dataset}: no split counts as train, from which {drawing[0]} draws: {there}; "
            "name a split or a dataset with --train"
        )
    return found


def parsed(store: Store, selections: Sequence[Selection], pipeline: str, progress: Progress) -> parses.Parses:
    """Let a pipeline, by its name, say what it says of the captions of selections; what it said before is kept.

    Raises `MissingExtraError` where spaCy is not installed, `UsageError` for what is no pipeline, or does not parse.
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
    workspace.bind_rows("symmetric_link", pl.DataFrame(listed["symmetric_link"]))


def bind_phrases(workspace: Workspace, selection: Selection, told: parses.Parses | None) -> None:
    """Let relation `phrase_at_work` stand for the phrases of the captions at work: marked, or the noun chunks told.

    Raises `UsageError` where there are none.
    """
    bind_words(workspace)
    if told is None:
        _check_marked(workspace, selection)
        workspace.bind("phrase_at_work", "annotated_phrase")
        return
    workspace.bind("text_at_work", "content_text")
    told.bind(workspace)
    workspace.bind("phrase_at_work", "chunk_phrase")
    if workspace.query("select image from phrase_at_work limit 1").is_empty():
        raise UsageError(
            f"{selection.label}: pipeline {told.pipeline} finds no noun chunks; "
            "it has to tell parts of speech and to parse"
        )


def bind_training(
    store: Store, workspace: Workspace, training: Sequence[Selection], told: parses.Parses | None, *, draws: bool
) -> None:
    """Bind relation `trained_mention`, where a task draws from it.

    Words are names that the training captions capitalise, whatever the tasks are, or else those at work.
    """
    if not training:
        return
    trained = content_at_work(store, training[0])
    for further in training[1:]:
        trained.append("content", "content_as_of", of=content_at_work(store, further))
    if draws:
        bind_phrases(trained, training[0], told)
        workspace.bind("trained_mention", "mention", of=trained)
    workspace.bind("name_word", "name_word", of=trained)


def _check_marked(workspace: Workspace, selection: Selection) -> None:
    marked = "select image from annotated semi join content using (image, slot) where len(phrases) > 0 limit 1"
    if workspace.query(marked).is_empty():
        raise UsageError(
            f"{selection.label}: has no mark-up of phrases, which says whom and what captions mention; "
            "files of format entities have it, and dataset flickr30k; "
            f"--pipeline {installed() or PIPELINES[-1]} takes the noun chunks of a spaCy pipeline for it: {INSTALL}"
        )
