"""The English Snowball stemmer ("Porter2") as it stood from 2007 to 2019, which is the one that METEOR 1.5 runs.

Later Snowball releases changed rules (`adding`, `evening`, `organic` and others stem otherwise), so current packages
do not give METEOR's stems. Source: snowballstem.org/algorithms/english/stemmer.html as of 2007; regions, steps and
exceptions bear its names.
"""

from __future__ import annotations

import re

from auditor.text.stemmers.porter import STEP_2, STEP_3, STEP_4, Rules, replaced

_VOWELS = "aeiouy"

_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")

_LONG_PREFIXES = ("gener", "commun", "arsen")

#: Words with a stem of their own, and words that are left as they are.
_EXCEPTIONS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
} | {word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")}

_KEPT_AFTER_STEP_1A = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))

#: Suffixes of steps 2, 3 and 4: those of Porter's stemmer, and a few others.
_STEP_2 = (
    *(rule for rule in STEP_2 if rule[0] != "eli"),
    *(("lessli", "less"), ("fulli", "ful"), ("bli", "ble"), ("ogi", "og"), ("li", "")),
)
_STEP_3 = (*STEP_3, ("ational", "ate"), ("tional", "tion"))
_STEP_4 = tuple(rule for rule in STEP_4 if rule[0] != "ou")

#: What must stand before some suffixes.
_BEFORE = {"ogi": ("l",), "li": tuple("cdeghkmnrt"), "ion": ("s", "t")}

_REGION = re.compile(f"[{_VOWELS}][^{_VOWELS}]")

_VOWEL = re.compile(f"[{_VOWELS}]")

_SHORT_SYLLABLE = re.compile(f"(?:[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxY]|^[{_VOWELS}][^{_VOWELS}])$")


def stem(word: str) -> str:
    """Stem one word. Letters other than a-z count as consonants; upper case is not folded."""
    if len(word) < 3:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    bare = word.removeprefix("'")
    marked = _mark_consonant_ys(bare)
    r1, r2 = _regions(marked)
    word = _step_1a(_step_0(marked))
    if word not in _KEPT_AFTER_STEP_1A:
        word = _stripped(_step_1c(_step_1b(word, r1)), _STEP_2, r1)
        word = _stripped(word, _STEP_3, r2 if word.endswith("ative") else r1)
        word = _step_5(_stripped(word, _STEP_4, r2), r1, r2)
    return word if marked == bare else word.replace("Y", "y")


def _mark_consonant_ys(word: str) -> str:
    """Write Y for a y that begins the word or follows a vowel, so that it counts as a consonant."""
    if "y" not in word:
        return word
    letters = list(word)
    for position, letter in enumerate(letters):
        if letter == "y" and (position == 0 or letters[position - 1] in _VOWELS):
            letters[position] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Find where R1 and R2 begin: each after the first consonant that follows a vowel, the second within the first."""
    start = next((len(prefix) for prefix in _LONG_PREFIXES if word.startswith(prefix)), -1)
    if start < 0:
        matched = _REGION.search(word)
        start = matched.end() if matched else len(word)
    again = _REGION.search(word, start)
    return start, again.end() if again else len(word)


def _step_0(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            return word[: -len(suffix)]
    return word


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            return word[: -len(suffix)] + "ee" if len(word) - len(suffix) >= r1 else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return _mended(rest, r1) if _VOWEL.search(rest) else word
    return word


def _mended(rest: str, r1: int) -> str:
    """Return back the e, or take the second of two letters, that an ending -ed or -ing had changed."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest.endswith(_DOUBLES):
        return rest[:-1]
    return rest + "e" if len(rest) <= r1 and _SHORT_SYLLABLE.search(rest) else rest


def _step_1c(word: str) -> str:
    ends_in_y = len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS
    return word[:-1] + "i" if ends_in_y else word


def _stripped(word: str, rules: Rules, region: int) -> str:
    """Apply the rule of the longest suffix, if it is in the region and follows what it must."""
    return replaced(
        word, rules, lambda rest: len(rest) >= region and rest.endswith(_BEFORE.get(word[len(rest) :], ("",)))
    )


def _step_5(word: str, r1: int, r2: int) -> str:
    rest = word[:-1]
    if word.endswith("e"):
        lost = len(rest) >= r2 or (len(rest) >= r1 and not _SHORT_SYLLABLE.search(rest))
        return rest if lost else word
    return rest if word.endswith("ll") and len(rest) >= r2 else word
