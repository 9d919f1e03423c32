"""The words of the selected texts after METEOR's normalizer, and their entries in its word lists."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

import polars as pl

from auditor.arrays import NDArray, np
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


#: Words that are remembered; with more, all are forgotten.
_MOST_KNOWN = 1 << 18


class Lexicon(NamedTuple):
    """The properties of each word: `kernels.meteor.matches.Words`, and its number in the tree of phrases (-1: none)."""

    key: NDArray[np.int32]
    stem: NDArray[np.int32]
    is_function: NDArray[np.bool_]
    synonyms: NDArray[np.int64]
    synonym: NDArray[np.int32]
    phrase_word: NDArray[np.int32]


class Corpus(NamedTuple):
    """Texts as numbers of words of the lexicon: text t is `numbers[starts[t]:starts[t + 1]]`."""

    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]
    lexicon: Lexicon


class _Token(NamedTuple):
    """A token: its words in each context, its context for the token before, and the behavior of its edges."""

    forms: tuple[list[str], ...]
    context: int
    edges: tuple[bool, bool, bool]


def _token(token: str, mode: Mode) -> _Token:
    if token.isascii() and token.isalnum() and "DOTMULTI" not in token:
        word = token if mode == "none" else token.lower()
        return _Token(([word],) * len(CONTEXTS), context(token), (False, False, False))
    whole = edges(token) if mode in ("norm", "nopunct") else (False, False, False)
    return _Token(load().normalizer.forms(token, mode), context(token), whole)


class _Forms(NamedTuple):
    """Tokens in each context: the words of all forms, how many each has, and context and edges of each token."""

    words: NDArray[np.int32]
    lengths: NDArray[np.int64]
    context: NDArray[np.int64]
    edges: NDArray[np.bool_]


class _Known:
    """Tokens and words in the order in which texts brought them: most are those of earlier buckets, candidates, draws.

    Arrays that were handed out do not change; longer ones replace them, by one thread at a time.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.words: dict[str, int] = {}
        self.tokens: dict[Mode, dict[str, int]] = {}
        self.forms: dict[Mode, _Forms] = {}
        self.lexicon: Lexicon | None = None

    def add(self, tokens: Sequence[str], mode: Mode) -> tuple[NDArray[np.int64], _Forms]:
        """Return the numbers of tokens, which are added if they are new, and the forms of all."""
        known, before = self.tokens.setdefault(mode, {}), self.forms.get(mode)
        new = [token for token in tokens if token not in known]
        if new or before is None:
            made = [_token(token, mode) for token in new]
            more = _Forms(
                *self.numbered([form for token in made for form in token.forms]),
                np.array([token.context for token in made], dtype=np.int64),
                np.array([token.edges for token in made], dtype=np.bool_).reshape(-1, 3),
            )
            columns: Any = zip(before or more, more, strict=True)
            self.forms[mode] = _Forms(*(np.concatenate(column) for column in columns)) if before else more
            known |= {token: number for number, token in enumerate(new, start=len(before.context) if before else 0)}
        return np.array([known[token] for token in tokens], dtype=np.int64), self.forms[mode]

    def numbered(self, forms: Sequence[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the words of forms as numbers, and how many each has."""
        words = self.words
        every = np.array([words.setdefault(word, len(words)) for form in forms for word in form], dtype=np.int32)
        return every, np.array([len(form) for form in forms], dtype=np.int64)


@functools.cache
def _known() -> _Known:
    return _Known()


def corpus(tokens: Sequence[str], numbers: NDArray[np.int64], starts: NDArray[np.int64], mode: Mode) -> Corpus:
    """Normalize texts: text t is tokens `numbers[starts[t]:starts[t + 1]]`, joined by spaces. Look up their words."""
    if len(_known().words) > _MOST_KNOWN:
        _known.cache_clear()
    known = _known()
    with known.lock:
        number_of, forms = known.add(tokens, mode)
        rows = number_of[numbers]
        following = np.zeros(len(numbers), dtype=np.int64)
        following[:-1] = forms.context[rows[1:]]
        ends = starts[1:][starts[1:] > starts[:-1]] - 1  # the last token of each text
        following[ends] = 0
        form = rows * len(CONTEXTS) + following
        whole = _judged_whole(forms.edges[rows], starts, ends)
        nothing, lines = len(forms.lengths), list[Sequence[str]]([()])
        for text in whole:
            first, last = starts[text], starts[text + 1]
            form[first:last] = nothing
            form[first] = nothing + len(lines)
            lines.append(load().normalizer.words(" ".join(tokens[at] for at in numbers[first:last]), mode))
        more_words, more_lengths = known.numbered(lines)
        if known.lexicon is None or len(known.lexicon.key) < len(known.words):
            known.lexicon = lexicon([*known.words])
        looked_up = known.lexicon
    places, bounds = _gathered(offsets(np.concatenate((forms.lengths, more_lengths))), form)
    return Corpus(np.concatenate((forms.words, more_words))[places], bounds[starts], looked_up)


def _judged_whole(edge: NDArray[np.bool_], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the texts whose tokens, with these edges, cannot be normalized one by one."""
    suspect = edge[:, 2].copy()
    meets = edge[:-1, 1] & edge[1:, 0]
    suspect[:-1] |= meets
    if len(ends):
        last = ends[ends < len(edge) - 1]
        suspect[last] = edge[last, 2]
    chosen: NDArray[np.int64] = np.unique(np.searchsorted(starts, np.flatnonzero(suspect), "right") - 1)
    return chosen


def _gathered(bounds: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the ranges `bounds[row]` to `bounds[row + 1]` of rows: all positions, and the start of each range."""
    lengths = bounds[rows + 1] - bounds[rows]
    begins = offsets(lengths)
    places = np.arange(begins[-1]) + np.repeat(bounds[rows] - begins[:-1], lengths)
    return places, begins


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
