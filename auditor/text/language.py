"""The language of captions, by words: English by its most frequent ones, others by py3langid (Lui & Baldwin 2012)."""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np

#: Words of English that no other language often has. Half of English captions have one, of other languages almost none.
_ENGLISH = r"(?i)\b(the|and|with)\b"

_IS_ENGLISH = 1 / 3

#: Captions of fewer words, and fewer captions, do not identify a language.
_WORDS, _CAPTIONS = 3, 20

_MOST = 0.5

#: Fewer texts take less time one by one than the kernel takes to load.
FEW = 10_000

#: Languages that English captions are often mistaken for, and `zxx`: not a language.
LIKE_ENGLISH = ("pcm", "sco", "zxx", "la")


@dataclass(frozen=True)
class Known:
    """A language as an ISO 639 code, null if it is unclear; `why` names the captions that decided, or their number."""

    language: str | None
    why: str


def of_captions(texts: pl.Series) -> Known:
    """Return the language of most captions of a sample."""
    words = texts.str.count_matches(r"\p{L}+")
    sample = texts.filter(words >= _WORDS)
    if len(sample) < _CAPTIONS:
        return Known(None, f"{len(sample)} captions of {_WORDS} words or more are too few to detect it")
    english = int(sample.str.contains(_ENGLISH).sum())
    if english >= _IS_ENGLISH * len(sample):
        return Known("en", f"{len(sample):,} captions, {english:,} of them with “the”, “and” or “with”")
    numbered = sample.str.contains(r"\p{N}")
    sample = sample.filter(~numbered).append(_without_numbers(sample.filter(numbered)).unique(maintain_order=True))
    if len(sample) < _CAPTIONS:
        return Known(None, f"{len(sample)} captions that differ in more than numbers are too few to detect it")
    counts = Counter(classified(sample)["language"])
    (language, most), *_ = counts.most_common(1)
    if language in LIKE_ENGLISH:
        language, most = "en", sum(counts[code] for code in ("en", *LIKE_ENGLISH))
    if most < _MOST * len(sample):
        return Known(None, f"no language has half of {len(sample):,} captions")
    return Known(language, f"{most:,} of {len(sample):,} captions")


def classified(texts: pl.Series, *, at_once: bool | None = None) -> pl.DataFrame:
    """Return the most likely language of each text, as py3langid decides by words. Columns: language, probability.

    The kernel, which decides `at_once`, differs from one by one in the last digits of probabilities; null: by number.
    """
    texts = _without_numbers(texts)
    if not (len(texts) >= FEW if at_once is None else at_once and len(texts)):
        told = [_identifier().classify(text) for text in texts]
        return pl.DataFrame(told, schema={"language": pl.String, "probability": pl.Float64}, orient="row")
    from auditor.text.kernels.bayes import classify  # noqa: PLC0415  # numba

    spelled = [_as_the_model_reads(text) for text in texts]
    starts = np.cumsum([0, *map(len, spelled)], dtype=np.int64)
    names, model = _model()
    best, probability = classify(np.frombuffer(b"".join(spelled), np.uint8), starts, *model)
    _identifier.cache_clear()  # the model takes 130 MB
    return pl.DataFrame({"language": names.gather(best), "probability": probability})


def _without_numbers(texts: pl.Series) -> pl.Series:
    return texts.str.replace_all(r"\p{N}+", "")


def _as_the_model_reads(text: str) -> bytes:
    return unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode()


@functools.cache
def _identifier() -> Any:
    from py3langid import langid  # noqa: PLC0415  # unpacking its model takes a second, and few datasets need it

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def _model() -> tuple[pl.Series, tuple[NDArray[Any], ...]]:
    """Return the names of the languages, and the arrays of the model that py3langid brings."""
    model = _identifier()
    return pl.Series("language", model.nb_classes, pl.String), (
        np.asarray(model.tk_nextmove),
        np.asarray(model.tk_row),
        np.asarray(model.tk_output, np.int32),
        model.nb_ptc.astype(np.float32),
        model.nb_pc,
        np.asarray(model._alias_pairs, np.int64).reshape(-1, 2),
    )
