"""Faults that are planted into single captions, one kind each; what they are made of is written here or in the caption.

All is drawn by md5, so that every run plants the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

#: Captions in other languages and scripts, written for these benchmarks: none is from a dataset.
FOREIGN: dict[str, list[str]] = json.loads((Path(__file__).parent / "planted_foreign.json").read_text(encoding="utf-8"))

LISTED = ("dingbat", "nitwit", "blockhead")

_MAILS = ("{0}.{1}@mail.example.com", "{0}{2}@example.org", "{0}_{1}@uni-town.example.edu", "info@{0}-photos.co.uk")
_PHONES = (
    "555-{0:03d}-{1:04d}", "({0:03d}) 555-{1:04d}", "+1 {0:03d} 555 {1:04d}", "+49 30 {0:03d}{1:04d}", "555-{1:04d}",
    "+44 20 7946 {1:04d}", "1-800-555-{1:04d}", "{0:03d}.555.{1:04d}", "0171 {0:03d}{1:04d}", "{0:03d} 555 {1:04d}",
)  # fmt: skip
_PAGES = (
    "www.{0}-{1}.com", "http://{0}.example.org/{1}", "https://www.{0}{1}.net/p?id={2}", "{0}{1}.com",
    "{0}-{1}.de/bilder", "https://t.example/{2}x", "www.{0}.co.uk", "{0}.org/{1}.html",
)  # fmt: skip
_FILES = (
    "IMG_{0:04d}.jpg", "IMG_{0:04d}", "DSC{0:05d}.JPG", "DSCN{0:04d}", "DSC_{0:04d}.NEF", "{1}_{0}.png", "P{0:07d}.JPG",
    "{1}-{0}.jpeg", "photo{0}.gif", "image ({0}).jpg", "PICT{0:04d}", "frame_{0:05d}.png", "{1}{0}.mp4",
    "COCO_val2014_{0:012d}.jpg", "{1}/{0}.webp", "Screenshot_{0:06d}", "IMG-2019{0:04d}-WA0003",
)  # fmt: skip
_PLACEHOLDERS = (
    "N/A", "n.a.", "none", "None.", "null", "TODO", "TBD", "test", "Test caption", "XXXX", "[blank]", "<unk>", "asdf",
    "asdfasdf", "No caption available.", "no description", "Image not available.", "The image could not be loaded.",
    "Lorem ipsum dolor sit amet.", "Insert caption here", "description goes here", "placeholder", "caption", "untitled",
    "Unable to load image", "No image", "unknown", "same as above", "Same as before.", "see above", "ditto",
    "image missing", "Enter your description here", "Write a caption", "(no caption)", "[caption]", "cannot see image",
    "The picture does not load.", "I can't see the image.", "No comment", "dummy text", "error", "404 not found",
    "blah blah blah", "image failed to load",
)  # fmt: skip
_INSTEAD_OF_A_WORD = ("<unk>", "XXXX", "[UNK]", "<UNK>", "____", "[REDACTED]", "{object}", "[inaudible]", "<person>")
_MARKUP = (
    "<b>{0}</b>", "<p>{0}</p>", "{0}<br>", "{0}<br/>", "{1} &amp; {2}", "&quot;{0}&quot;", "<i>{1}</i> {2}",
    '<a href="/photos/12">{1}</a> {2}', "<span class='caption'>{0}</span>", "{1}&nbsp;{2}", "{1} &lt;3 {2}",
    "{0}</div>", "{1}\\n{2}", "[{1}](http://example.org/12) {2}", "{1}&#39;s {2}", "{0} <!-- checked -->",
    "{1} &#x2019; {2}", "<strong>{1}</strong> {2}", "<h1>{0}", '<font color="red">{0}</font>', "{1}<br />{2}",
    "<li>{0}</li>", "{1}\\u00e9 {2}", "<em>{1}</em> {2}", "&ldquo;{0}&rdquo;", "<td>{0}</td>", '<img src="a.jpg"> {0}',
)  # fmt: skip
_BROKEN = (
    "cafÃ©",
    "manâ€™s",
    "â€œstopâ€\x9d",
    "caf\ufffd",
    "Â ",
    "na\u00c3\u00afve",
    "it\x92s",
    "\ufeff",
    "dog\u200e",
    "â€“",
)
_TALK = (
    "I wish I was there right now.", "You have to see this to believe it!", "We went there last summer.",
    "I love this place so much.", "My cousin used to have one of these.", "Let me know what you think.",
    "I am so hungry now.", "You should never do that at home.", "We won, we won!", "Our team is the best.",
)  # fmt: skip
_WORDLESS = (".", "-", "...", "!!", "?", "--", ". .", "*", "…", "( )")

_SYNONYMS = {
    "man": "guy", "woman": "lady", "boy": "lad", "girl": "lass", "dog": "hound", "dogs": "hounds", "people": "persons",
    "street": "road", "walking": "strolling", "walks": "strolls", "small": "little", "big": "large",
    "young": "youthful", "running": "racing", "runs": "races", "jumping": "leaping", "jumps": "leaps", "child": "kid",
    "children": "kids", "standing": "waiting", "sits": "rests", "sitting": "resting", "holding": "carrying",
    "looking": "gazing", "red": "crimson", "photo": "picture", "picture": "photo", "couch": "sofa", "bike": "bicycle",
    "large": "big",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A fault of single captions: how many captions in a thousand have it, which can, and what becomes of one.

    `make` is given the caption, how many were made before, and a key to draw by. `also` are kinds that are right too.
    """

    name: str
    kind: str
    per_mille: float
    make: Callable[[str, int, str], str]
    least_words: int = 1
    also: tuple[str, ...] = ()

    def fits(self, text: str) -> bool:
        """Say whether the fault can be planted into a caption, and changes it."""
        return len(re.findall(r"[^\W\d_]+", text)) >= self.least_words and self.make(text, 0, text) != text


def number(why: str, key: str) -> int:
    """Draw a number by md5."""
    return int.from_bytes(hashlib.md5(f"{why} {key}".encode(), usedforsecurity=False).digest())


def pick(options: Sequence[T], why: str, key: str) -> T:
    """Draw one of several by md5."""
    return options[number(why, key) % len(options)]


def with_synonym(text: str) -> str:
    """Put a synonym in the place of the first word that has one here; the text itself where none has."""
    words = text.split()
    place = next((place for place, word in enumerate(words) if word.lower() in _SYNONYMS), None)
    if place is None:
        return text
    return " ".join([*words[:place], _SYNONYMS[words[place].lower()], *words[place + 1 :]])


def _foreign(language: str, place: int) -> str:
    return FOREIGN[language][place % len(FOREIGN[language])]


def _words(text: str) -> tuple[str, str]:
    said = [word.lower() for word in re.findall(r"[a-zA-Z]{3,}", text)] or ["photo"]
    return said[0], said[-1]


def _ended(text: str, more: str) -> str:
    return f"{text.rstrip(' .')} {more}"


def _mail(text: str, place: int, _: str) -> str:
    first, last = _words(text)
    return _ended(text, "contact " + _MAILS[place % len(_MAILS)].format(first, last, place))


def _phone(text: str, place: int, key: str) -> str:
    phone = _PHONES[place % len(_PHONES)].format(200 + number("a", key) % 700, number("b", key) % 10000)
    return _ended(text, f"call {phone} for prints")


def _page(text: str, place: int, _: str) -> str:
    return _ended(text, "from " + _PAGES[place % len(_PAGES)].format(*_words(text), 100 + place))


def _file(text: str, place: int, key: str) -> str:
    name = _FILES[place % len(_FILES)].format(1 + number("file", key) % 9998, _words(text)[1])
    return name if place % 2 else f"{name} {text}"


def _placeholder(_: str, place: int, __: str) -> str:
    return _PLACEHOLDERS[place % len(_PLACEHOLDERS)]


def _mark_in_text(text: str, place: int, key: str) -> str:
    words = text.split()
    at = 1 + number("mark", key) % (len(words) - 1)
    return " ".join([*words[:at], _INSTEAD_OF_A_WORD[place % len(_INSTEAD_OF_A_WORD)], *words[at + 1 :]])


def _marked_up(text: str, place: int, key: str) -> str:
    words = text.split()
    at = 1 + number("html", key) % (len(words) - 1)
    return _MARKUP[place % len(_MARKUP)].format(text, " ".join(words[:at]), " ".join(words[at:]))


def _broken(text: str, place: int, key: str) -> str:
    words = text.split()
    at = 1 + number("broken", key) % (len(words) - 1)
    return " ".join([*words[:at], _BROKEN[place % len(_BROKEN)], *words[at:]])


def _cut_behind_word(text: str, _: int, key: str) -> str:
    words = re.findall(r"\S+", text.rstrip(" ."))
    return " ".join(words[: 3 + number("cut", key) % max(len(words) - 4, 1)])


def _cut_in_word(text: str, _: int, key: str) -> str:
    inside = [one.end() for one in re.finditer(r"(?<=[a-zA-Z])(?=[a-zA-Z])", text) if text[: one.end()].count(" ") > 2]
    return text[: pick(inside, "cut", key)] if inside else text


def _misspelt(text: str, _: int, key: str) -> str:
    """Exchange, leave out, double or change a letter in a word of four letters or more."""
    words = text.split()
    places = [place for place, word in enumerate(words) if re.fullmatch("[a-z]{4,}", word)]
    if not places:
        return text
    place = pick(places, "word", key)
    word = words[place]
    at = number("letter", key) % (len(word) - 1)
    made = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + pick("abcdefghijklmnopqrstuvwxyz", "other", key) + word[at + 1 :],
    )
    wrong = next(one for one in (*made[number("edit", key) % 4 :], made[1]) if one != word)
    return " ".join([*words[:place], wrong, *words[place + 1 :]])


def _looped(text: str, place: int, key: str) -> str:
    words = text.rstrip(" .").split()
    span, times = 1 + place % 4, 3 + number("times", key) % 3
    at = number("loop", key) % max(len(words) - span, 1)
    loop = words[at : at + span]
    return " ".join([*words[:at], *loop * (times + (span == 1)), *words[at + span :]])


def _doubled(text: str, place: int, _: str) -> str:
    return f"{text.rstrip(' .')}{(' ', '. ', ', ')[place % 3]}{text}"


def _with_listed(text: str, place: int, key: str) -> str:
    words = text.split()
    at = number("listed", key) % len(words)
    return " ".join([*words[:at], LISTED[place % len(LISTED)], *words[at:]])


FAULTS: tuple[Fault, ...] = (
    Fault("e-mail addresses", "personal-data", 1, _mail),
    Fault("phone numbers", "personal-data", 1, _phone),
    Fault("URLs", "web-address", 1, _page),
    Fault("file names", "file-names", 1.5, _file),
    Fault("placeholders", "placeholders", 1.2, _placeholder),
    Fault("marks instead of a word", "placeholders", 1, _mark_in_text, 3),
    Fault("markup", "markup", 1.4, _marked_up, 3, ("file-names", "web-address")),
    Fault("broken characters", "broken-characters", 1, _broken, 3),
    Fault("German", "other-language", 1.5, lambda _, place, __: _foreign("german", place)),
    Fault("French", "other-language", 0.75, lambda _, place, __: _foreign("french", place)),
    Fault(
        "other scripts",
        "other-script",
        0.9,
        lambda _, place, __: _foreign("other scripts", place),
        1,
        ("other-language",),
    ),
    Fault("truncated after a word", "truncated-captions", 2.5, _cut_behind_word, 6),
    Fault("truncated inside a word", "truncated-captions", 2.5, _cut_in_word, 6, ("misspellings",)),
    Fault("misspelled by one edit", "misspellings", 5, _misspelt, 3),
    Fault("loops", "repeated-words", 1, _looped, 5),
    Fault("caption twice", "repeated-words", 1, _doubled, 3),
    Fault("first-person sentences", "first-person-captions", 1, lambda _, place, __: _TALK[place % len(_TALK)]),
    Fault("listed words", "listed-words", 1, _with_listed),
    Fault("no word", "captions-without-word", 1.2, lambda _, place, __: _WORDLESS[place % len(_WORDLESS)]),
)
