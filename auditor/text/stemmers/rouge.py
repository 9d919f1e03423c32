"""The stemmer of ROUGE-1.5.5 (-m): WordNet's exceptions, else Porter 1980 as its script has it.

It differs from Porter's in step 4: -ement, -ment and -ent are tried one after another, so that "agreement" becomes
"agreem", and -ion only where no -ent was. Words of three characters or fewer stay as they are.
"""

from __future__ import annotations

import functools
import re
from importlib.resources import files

from auditor.text.stemmers.porter import STEP_2, STEP_3

_CONSONANTS = "[^aeiou][^aeiouy]*"

_VOWELS = "[aeiouy][aeiou]*"

_SOME_MEASURE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}[^aeiou]")  # m > 0

_MEASURE_ONE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$")  # m = 1

_MORE_MEASURE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}[^aeiou]")  # m > 1

_HAS_VOWEL = re.compile(f"^(?:{_CONSONANTS})?[aeiouy]")

_SHORT = re.compile(f"^{_CONSONANTS}[aeiouy][^aeiouwxy]$")

_DOUBLED = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = dict(rule for rule in (*STEP_2, ("bli", "ble"), ("logi", "log")) if rule[0] != "abli")

_STEP_3 = dict(STEP_3)

_STEP_4 = ("al|ance|ence|er|ic|able|ible|ant|ement|ou|ism|ate|iti|ous|ive|ize", "ment", "ent")


def stem(word: str) -> str:
    """Stem one word of lower case, as sub MorphStem does; one of three characters or fewer is its own stem."""
    if len(word) <= 3:
        return word
    return _exceptions().get(word) or porter(word)


def porter(word: str) -> str:
    """Strip suffixes, as sub stem does. A first y is a consonant."""
    stemmed = _step_1(f"Y{word[1:]}" if word[0] == "y" else word)
    for suffixes in (_STEP_2, _STEP_3):
        if match := re.search(f"(?:{'|'.join(suffixes)})$", stemmed):
            rest = stemmed[: match.start()]
            stemmed = rest + suffixes[match[0]] if _SOME_MEASURE.search(rest) else stemmed
    stemmed = _step_5(_step_4(stemmed))
    return f"y{stemmed[1:]}" if word[0] == "y" else stemmed


def _step_1(word: str) -> str:
    """Undo plurals, -ed and -ing, and make an i of a last y."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif re.search("[^s]s$", word):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _SOME_MEASURE.search(word[:-3]) else word
    elif (match := re.search("(?:ed|ing)$", word)) and _HAS_VOWEL.search(word[: match.start()]):
        word = word[: match.start()]
        if word.endswith(("at", "bl", "iz")) or (not _DOUBLED.search(word) and _SHORT.search(word)):
            word += "e"
        elif _DOUBLED.search(word):
            word = word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") and _HAS_VOWEL.search(word[:-1]) else word


def _step_4(word: str) -> str:
    for suffixes in _STEP_4:
        match = re.search(f"(?:{suffixes})$", word)
        if match and _MORE_MEASURE.search(word[: match.start()]):
            word = word[: match.start()]
    if not match and word.endswith(("sion", "tion")) and _MORE_MEASURE.search(word[:-3]):
        word = word[:-3]
    return word


def _step_5(word: str) -> str:
    """Drop a last e, a last l of two."""
    if word.endswith("e"):
        rest = word[:-1]
        if _MORE_MEASURE.search(rest) or (_MEASURE_ONE.search(rest) and not _SHORT.search(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _MORE_MEASURE.search(word) else word


@functools.cache
def _exceptions() -> dict[str, str]:
    """Read irregular forms and what they are forms of, one pair a line: WordNet 2.0, see the notice beside the file."""
    lines = (files("auditor.text") / "wordnet_exceptions.txt").read_text(encoding="ascii").splitlines()
    return dict(line.split(" ") for line in lines)
