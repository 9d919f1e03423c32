"""The words of the selected texts after METEOR's normalizer, and their entries in its word lists."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.metrics.kernels.columns import flat, offsets
from auditor.metrics.meteor.resources import Resources, load
from auditor.text.meteor_normalizer import CONTEXTS, Mode, context, edges
from auditor.text.stemmers.porter2 import stem as stem_of

#: WordNet's morphology (Princeton University, WordNet 3.0), in METEOR's order: an ending, and its replacement.
_DETACHMENTS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip


class Corpus(NamedTuple):
    """Texts as numbers of words: text t is `numbers[starts[t]:starts[t + 1]]`, word n is `words[n]`."""

    words: list[str]
    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]


class _Token(NamedTuple):
    """A token: its words in each context, its context for the token before, and the behavior of its edges."""

    forms: tuple[list[str], ...]
    context: int
    edges: tuple[bool, bool, bool]


@functools.lru_cache(maxsize=1 << 18)
def _token(token: str, mode: Mode) -> _Token:
    if token.isascii() and token.isalnum() and "DOTMULTI" not in token:
        word = token if mode == "none" else token.lower()
        return _Token(([word],) * len(CONTEXTS), context(token), (False, False, False))
    whole = edges(token) if mode in ("norm", "nopunct") else (False, False, False)
    return _Token(load().normalizer.forms(token, mode), context(token), whole)


def corpus(tokens: Sequence[str], numbers: NDArray[np.int64], starts: NDArray[np.int64], mode: Mode) -> Corpus:
    """Normalize texts: text t is tokens `numbers[starts[t]:starts[t + 1]]`, joined by spaces."""
    known = [_token(token, mode) for token in tokens]
    forms = [form for token in known for form in token.forms]
    following = np.zeros(len(numbers), dtype=np.int64)
    following[:-1] = np.array([token.context for token in known], dtype=np.int64)[numbers[1:]]
    ends = starts[1:][starts[1:] > starts[:-1]] - 1  # the last token of each text
    following[ends] = 0
    form = numbers * len(CONTEXTS) + following
    nothing = len(forms)
    forms.append([])
    for text in _judged_whole(known, numbers, starts, ends):
        first, last = starts[text], starts[text + 1]
        line = " ".join(tokens[number] for number in numbers[first:last])
        form[first:last] = nothing
        form[first] = len(forms)
        forms.append(load().normalizer.words(line, mode))
    words: dict[str, int] = {}
    every = np.array([words.setdefault(word, len(words)) for each in forms for word in each], dtype=np.int32)
    lengths = np.array([len(each) for each in forms], dtype=np.int64)
    places, bounds = _gathered(offsets(lengths), form)
    return Corpus(list(words), every[places], bounds[starts])


def _judged_whole(
    known: Sequence[_Token], numbers: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the texts whose tokens cannot be normalized one by one."""
    edge = np.array([token.edges for token in known], dtype=np.bool_).reshape(-1, 3)[numbers]
    suspect = edge[:, 2].copy()
    meets = edge[:-1, 1] & edge[1:, 0]
    suspect[:-1] |= meets
    if len(ends):
        last = ends[ends < len(numbers) - 1]
        suspect[last] = edge[last, 2]
    chosen: NDArray[np.int64] = np.unique(np.searchsorted(starts, np.flatnonzero(suspect), "right") - 1)
    return chosen


def _gathered(bounds: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the ranges `bounds[row]` to `bounds[row + 1]` of rows: all positions, and the start of each range."""
    lengths = bounds[rows + 1] - bounds[rows]
    begins = offsets(lengths)
    places = np.arange(begins[-1]) + np.repeat(bounds[rows] - begins[:-1], lengths)
    return places, begins


class Lexicon(NamedTuple):
    """The properties of each word: `kernels.meteor.matches.Words`, and its number in the tree of phrases (-1: none)."""

    key: NDArray[np.int32]
    stem: NDArray[np.int32]
    is_function: NDArray[np.bool_]
    synonyms: NDArray[np.int64]
    synonym: NDArray[np.int32]
    phrase_word: NDArray[np.int32]


def lexicon(words: Sequence[str]) -> Lexicon:
    """Look up words."""
    known = load()
    hashes = np.array([_hashes(word) for word in words], dtype=np.int64).reshape(-1, 2)
    key, stem = (np.unique(column, return_inverse=True)[1].astype(np.int32) for column in hashes.T)
    synonyms, synonym = _synonyms(words, key, known)
    return Lexicon(
        key,
        stem,
        np.array([word.lower() in known.function_words for word in words], dtype=np.bool_),
        synonyms,
        synonym,
        np.array([known.phrase_words.get(word, -1) for word in words], dtype=np.int32),
    )


@functools.lru_cache(maxsize=1 << 18)
def _hashes(word: str) -> tuple[int, int]:
    """Return the numbers by which METEOR compares words and stems: two words may share one (`or` and `q4`)."""
    return _java_hash(word), _java_hash(stem_of(word))


def _java_hash(word: str) -> int:
    """Java's String.hashCode: UTF-16 code units as digits to the base 31, modulo 2^32."""
    value = 0
    if word.isascii():
        for unit in word.encode():
            value = 31 * value + unit
        return value & 0xFFFFFFFF
    units = word.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + low + (high << 8)) & 0xFFFFFFFF
    return value


def _synonyms(
    words: Sequence[str], key: NDArray[np.int32], known: Resources
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Pair the words that share a synset but not a key: bounds by word, and the other words."""
    entries = [_entries(word) for word in words]
    owner = np.repeat(np.arange(len(words)), [len(each) for each in entries])
    rows = np.array([row for each in entries for row in each], dtype=np.int64)
    places, begins = _gathered(known.synsets, rows)
    senses = pl.DataFrame(
        {"word": np.repeat(owner, np.diff(begins)).astype(np.int32), "synset": known.synset[places]}
    ).with_columns(key=pl.Series(key)[pl.Series(np.repeat(owner, np.diff(begins)))])
    pairs = (
        senses.join(senses, on="synset", suffix="_other")
        .filter(pl.col("key") != pl.col("key_other"))
        .select("word", other="word_other")
        .unique()
        .sort("word", "other")
    )
    bounds = np.searchsorted(pairs["word"].to_numpy(), np.arange(len(words) + 1), "left")
    return bounds.astype(np.int64), flat(pairs["other"])


@functools.lru_cache(maxsize=1 << 18)
def _entries(word: str) -> tuple[int, ...]:
    """Return the dictionary entries with the synsets of a word: its own, and those of its base forms."""
    known = load()
    bases: Iterable[str] = known.exceptions[word] if word in known.exceptions else _detached(word, known.dictionary)
    return tuple({known.dictionary[base] for base in (word, *bases) if base in known.dictionary})


def _detached(word: str, dictionary: Mapping[str, int]) -> tuple[str, ...]:
    if word.endswith("ss") or len(word.encode("utf-16-le", "surrogatepass")) <= 4:
        return ()
    for ending, replacement in _DETACHMENTS:
        if word.endswith(ending):
            base = word.removesuffix(ending) + replacement
            if base in dictionary:
                return (base,)
    return ()
