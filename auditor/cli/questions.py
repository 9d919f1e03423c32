"""The command that answers a question: for `auditor help WORD`, a word that is not a command, and a removed command.

`questions.toml` is the table, from which docs/questions.md is made.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import pairwise, takewhile, zip_longest
from pathlib import Path
from typing import Any

from auditor.cli.reader import DEFAULT_STORE, READER
from auditor.errors import AuditorError, UsageError

#: The least ratio of two spellings of one word (difflib).
_ALIKE = 0.8

#: What remains of a word after the letters that it shares with another form of it.
_ENDING = re.compile("(?:e?s|e?d|e|y|ies|ings?|ions?|at(?:e[sd]?|ions?|ing)|ity|ous|ers?|al|ly|ic|age|able|ive|est)?")

#: The weight of a word that a row is given for, of one in its question or command, and of another form of either.
_GIVEN, _ASKED, _OTHER_FORM = 3.0, 2.0, 0.7

#: The least share of the best score that a listed row has, how many are listed, and how many an error shows.
_LEAST, _MOST, _SHOWN = 0.3, 8, 3

#: The datasets of the table that stand for one of the user; in SQL, their names are in quotes.
_OWN = re.compile(r"(?<![\w.'])(?:mine|items|ratings)(?![\w.'])")


@dataclass(frozen=True)
class Row:
    """A question with the command that answers it. `questions.toml` explains the fields."""

    question: str
    command: str
    answer: str
    words: str = ""
    kinds: str = ""

    def weight(self, word: str) -> float:
        """Return how well a word fits: 0 if the row lacks it."""
        texts = ((_GIVEN, self.words), (_ASKED, f"{self.question} {self.command}"))
        return max(weight * _likeness(word, known) for weight, text in texts for known in ("", *_words(text)))


@cache
def table() -> Mapping[str, Any]:
    """Return the table: `section`, each with a title, a word to ask by and rows; and `former` calls."""
    import tomllib  # most commands do not read the table

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def rows() -> Sequence[Row]:
    """List the rows of all sections."""
    return [Row(**row) for section in table()["section"] for row in section["row"]]


def found(words: Sequence[str]) -> list[Row]:
    """List the rows that fit a question, best first: a word of few rows counts more. If none fits, of similar words."""
    asked = [word for text in words for word in _words(text) if word not in table()["common"].split()]
    if not any(row.weight(word) for row in rows() for word in asked):
        asked = [near for word in asked for near in get_close_matches(word, _known(), 1, _ALIKE)]
    scores = dict.fromkeys(rows(), 0.0)
    for word in asked:
        weights = {row: weight for row in rows() if (weight := row.weight(word))}
        scores |= {row: scores[row] + weight / len(weights) for row, weight in weights.items()}
    least = max(scores.values()) * _LEAST
    return sorted((row for row in scores if scores[row] > least), key=lambda row: -scores[row])[:_MOST]


def refuse_unknown(name: str, words: Sequence[str], commands: Collection[str]) -> None:
    """Raise `UsageError` for a word that is not a command, with those that answer it; `words` are after it."""
    word, dataset = name.removeprefix("store "), _dataset(name, words)
    listed = [row for row in rows() if {dataset[1], "any"} & {*row.kinds.split()}] if dataset else found([word])
    near = [f"`auditor {each}`" for each in get_close_matches(name.lower(), commands, 2, _ALIKE)]
    what = "not a command"
    if dataset:
        what, words = "a dataset, not a command; questions about it", [name]
    elif near and (name.lower() in commands or word.lower() not in _known()):
        what, listed = f"not a command; did you mean {' or '.join(near)}?", []
    elif Path(word).is_dir():
        what, listed = f"a folder, not a command; `{shlex.join(['auditor', f'{word}/FILE'])}` audits a file", []
    elif len(listed) > _SHOWN:
        what += f"; it may be one of these, or of {len(listed)} that `{shlex.join(['auditor', 'help', word])}` lists"
    else:
        what += "; it may be one of these" if listed else ", and fits no question; `auditor help` explains how to ask"
    error = UsageError(f"{name} is {what}")
    own = shlex.quote(next((each for each in words[:1] if not each.startswith("-")), "mine"))
    for row in listed if dataset else listed[:_SHOWN]:
        error.add_note(f"  {row.question}")
        error.add_note(f"    {READER.text(_OWN.sub(lambda _: own, row.command, count=1))}")
    raise error


def refuse_former(name: str, words: Sequence[str]) -> None:
    """Raise `UsageError` with the new call for a removed command or option."""
    former = table()["former"]
    for word in (*_options(words), ""):
        old = f"{name} {word}".strip()
        renamed = {"call": f"{name} {{more}}"} if word == "--profile" and name not in former else None
        if (new := renamed or former.get(old)) is not None:
            raise UsageError(f"{old} is now: auditor {_filled(new, words)}")


def misused(error: Any, words: Sequence[str]) -> str:
    """Return what is wrong with a call by an error of typer, and a call that works; `words` are those of the call."""
    name = error.ctx.command_path.partition(" ")[2] if getattr(error, "ctx", None) else next(iter(words), "")
    param, message = getattr(error, "param", None), error.format_message().removesuffix(".")
    options = [getattr(error, "option_name", ""), *(param.opts if param else ())]
    option = next((each for each in options if each[:1] == "-"), "")
    if hasattr(error, "possibilities"):
        known = [each for one in error.ctx.command.params for each in one.opts]
        typed = next((word for word in words if len(word) > 2 and word[:2] != "--" and f"-{word}" in known), "")
        near = [f"-{typed}"] if typed else get_close_matches(option, known, 1, _ALIKE)
        message = f"{typed or option}: no such option"
        if near:
            return f"{message}; did you mean {near[0]}?"
    own = [row.command for row in rows() if f"{row.command} ".startswith(f"auditor {name} ")]
    calls = [each for each in own if not option or option in shlex.split(each)]
    help_of = f"`auditor {name}".rstrip() + " --help` lists all"
    return f"{message}; {f'for example `{calls[0]}`' if calls else help_of}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:-\w+)*", text.lower())


@cache
def _known() -> frozenset[str]:
    """List the words of questions, and those that rows are given for."""
    return frozenset(word for row in rows() for word in _words(f"{row.question} {row.words}"))


def _likeness(word: str, other: str) -> float:
    """Return 1 for the same word, less if only the endings differ, and 0 for another word."""
    stem = len([*takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))])
    is_form = stem >= 3 and all(_ENDING.fullmatch(each[stem:]) for each in (word, other))
    return 1.0 if word == other else _OTHER_FORM * is_form


def _dataset(ref: str, words: Sequence[str]) -> tuple[str, str] | None:
    """Return the name and kind of the dataset that a word refers to in the reader's store; null if there is none."""
    after = [after for word, after in pairwise(words) if word == "--store"]
    path = Path((after or [os.environ.get("AUDITOR_STORE") or str(DEFAULT_STORE)])[0])
    if not path.is_file():
        return None
    from auditor.store.connection import Store
    from auditor.store.versions import resolve

    try:
        with Store.open(path, wait=0.0, migrate=False) as store:
            version = resolve(store, ref).version
    except (AuditorError, OSError):
        return None
    READER.stand({"store": path})
    return version.dataset, version.kind


def _options(words: Sequence[str]) -> Iterator[str]:
    """Yield the options of a call: each alone, and with its value."""
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            yield option
            yield f"{option} {value if equals else after}"


def _filled(new: Mapping[str, Any], words: Sequence[str]) -> str:
    """Return the new call with the arguments and options of the old one."""
    if new.get("whole"):
        return str(new["call"])
    arguments, options, renamed = list[str](), list[str](), {"profile": "--tokenizer {value}", **new.get("options", {})}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        option, equals, value = word.partition("=")
        option = option.lstrip("-")
        if not equals and not option.startswith("no-") and option not in table()["switches"]:
            value = next(rest, "")
        given = [word] if equals or not value else [word, value]
        options.append(renamed[option].format(value=shlex.quote(value)) if option in renamed else shlex.join(given))
    named = [shlex.quote(each) for each in arguments]
    count = sum(f"{{{position}}}" in new["call"] for position in range(2))
    filled = (named + [each.upper() for each in ("dataset", "text")[len(named) :]])[:count]
    call, more, after = new["call"].partition("{more}")
    given_ones = {re.split("[ =]", each)[0].replace("--output", "-o") for each in options}
    call += more if given_ones & {*after.split()} else more + after
    call = call.format(*filled, more=" ".join(named[count:]))
    return " ".join(" ".join([call, *options]).split())
