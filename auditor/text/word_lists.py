"""Lists of words and phrases that say something by themselves: colors, numbers, spatial relations, negations."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files

import polars as pl

from auditor.text.function_words import LANGUAGE


@functools.cache
def listed() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Read the English lists of the package: by name, where each is from, and its phrases or those of its parts."""
    text = (files("auditor.text") / f"word_lists_{LANGUAGE}.toml").read_text(encoding="utf-8")
    lists = tomllib.loads(text)
    for name, load in lists.items():
        load.setdefault(
            "phrases", sorted(it for part in load.get("of", ()) for it in lists[f"{name}-{part}"]["phrases"])
        )
    return {name: (load["source"], tuple(load["phrases"])) for name, load in lists.items()}


def phrases() -> pl.DataFrame:
    """Return every phrase of the lists. Columns: list, phrase, words (its words)."""
    rows = [(name, phrase, phrase.split()) for name, (_, held) in listed().items() for phrase in held]
    return pl.DataFrame(
        rows, schema={"list": pl.String, "phrase": pl.String, "words": pl.List(pl.String)}, orient="row"
    )


@functools.cache
def english() -> pl.DataFrame:
    """Read the English words of the package, inflections included. Column: word, in lower case without apostrophes."""
    words = (files("auditor.text") / f"words_{LANGUAGE}.txt").read_text(encoding="utf-8").split()
    return pl.DataFrame({"word": words}, schema={"word": pl.String})
