"""Choose the columns of a table: those that options name, else those with common names."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from auditor.errors import SourceError, UsageError
from auditor.model import Option
from auditor.result import listed

#: How well a column suits a thing: not at all (0), by a field inside it (1), or as it is (2).
Fit = Literal[0, 1, 2]

_KNOWN: Mapping[str, tuple[str, ...]] = {
    "image": (
        "image", "image_id", "imageid", "img", "file_name", "filename", "image_name", "image_file", "image_path",
        "img_path", "filepath", "file_path", "img_id", "imgid", "cocoid", "url", "image_url", "key", "uid",
    ),
    "caption": (
        "caption", "captions", "caption_text", "sentence", "sentences", "text", "comment", "raw", "description",
        "descriptions", "prompt",
    ),
    "identifier": ("sentid", "sentids"),
    "split": ("split",),
    "annotator": ("comment_number",),
    "language": ("lang", "language", "locale"),
    "slot": (),
}  # fmt: skip

_OPTION = {
    "image": "image_col",
    "caption": "caption_col",
    "identifier": "caption_id_col",
    "split": "split_col",
    "annotator": "annotator_col",
    "language": "lang_col",
    "slot": "slot_col",
}

_CAPTION_LIKE = re.compile(r"(caption|sentence|text)s?[ _-]?\d*", re.IGNORECASE)

_NEEDED = ("image", "caption", "language")

_NUMBERED = re.compile(
    r"(captions?|sentences?|texts?|descriptions?|comments?|caption_text|raw|prompts?)[ _.-]?(\d{1,3})", re.IGNORECASE
)

_FLAGGED = ("image_col", "caption_col", "caption_id_col", "split_col", "slot_col")

_MOST_NAMES = 20

_LONGEST_NAME = 60


@dataclass(frozen=True)
class Wishes:
    """The options of a table; things without columns are guessed."""

    columns: Mapping[str, tuple[str, ...]]
    language: str | None = None
    delimiter: str | None = None


def wishes(options: Mapping[str, Option]) -> Wishes:
    """Read the options. Raises `UsageError` for a wrong value, and for lang_col without lang."""
    columns: dict[str, tuple[str, ...]] = {}
    for thing, option in _OPTION.items():
        given = options.get(option, ())
        names = given if isinstance(given, tuple) else (given,)
        if not all(isinstance(name, str) and name for name in names) or (len(names) > 1 and thing != "caption"):
            raise UsageError(
                f"{option} must be the name of {'a column' if thing != 'caption' else 'one or several columns'}"
            )
        columns[thing] = tuple(str(name) for name in names)
    language, delimiter = options.get("lang"), options.get("delimiter")
    if columns["language"] and language is None:
        raise UsageError("lang_col needs option lang, the language to read")
    delimiter = {"tab": "\t", "\\t": "\t"}.get(str(delimiter), delimiter)
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'):
        raise UsageError('delimiter must be one character, or "tab"')
    return Wishes(columns, None if language is None else str(language), delimiter)


def choose(where: str, names: Sequence[str], wanted: Wishes, fit: Callable[[str, str], Fit]) -> dict[str, str]:
    """Choose the column of each thing; `fit` returns how well a column suits it (thing, name).

    Several columns of captions are called `caption 0`, `caption 1`, …. Raises `SourceError` for a column that is
    missing, repeated or unsuitable, and if no column suits the image or the caption.
    """
    chosen: dict[str, str] = {}
    for thing, known in _KNOWN.items():
        if thing == "language" and wanted.language is None:
            continue
        requested = tuple(met for name in wanted.columns[thing] for met in named_by(name, names))
        if thing == "caption" and not requested:
            requested = numbered(names)
        if thing == "caption" and not requested:
            _check_unambiguous(where, names, fit)
        selected = requested or _guessed(thing, names, fit) or (known[:1] if thing in _NEEDED else ())
        for number, name in enumerate(selected):
            flag = _flag(thing)
            if name not in names:
                raise SourceError(f'{where}: no column "{name}"; the columns are {_listed(names)}; set {flag}')
            if names.count(name) > 1:
                raise SourceError(f'{where}: column "{name}" occurs {names.count(name)} times; rename one')
            if not fit(thing, name):
                raise SourceError(f'{where}: column "{name}" cannot be read as {thing}; set {flag} to another column')
            chosen[f"{thing} {number}" if len(selected) > 1 else thing] = name
    return chosen


def named_by(wish: str, names: Sequence[str]) -> Sequence[str]:
    """Return the columns that match a name or pattern (`caption_*`), by their numbers; else the name itself."""
    if wish in names or not any(sign in wish for sign in "*?["):
        return (wish,)
    return sorted(fnmatch.filter(names, wish), key=_by_number) or (wish,)


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of captions that differ only in a number, in order, if no other may hold captions.

    They hold the captions of an image: `caption_1`, `caption_2`, … or `caption1`, `caption2`, ….
    """
    matches = {name: match for name in names if (match := _NUMBERED.fullmatch(name))}
    stems = {name[: match.start(2)].lower() for name, match in matches.items()}
    places = {int(match[2]) for match in matches.values()}
    others = [name for name in names if name not in matches and _CAPTION_LIKE.fullmatch(name)]
    if len(matches) < 2 or len(stems) > 1 or len(places) < len(matches) or others:
        return ()
    return tuple(sorted(matches, key=_by_number))


def _by_number(name: str) -> tuple[int, str]:
    numbers = re.findall(r"\d{1,9}", name)
    return (int(numbers[-1]) if numbers else 0, name)


def _check_unambiguous(where: str, names: Sequence[str], fit: Callable[[str, str], Fit]) -> None:
    """Raise `SourceError` if several columns are named like captions: reading one would lose the others."""
    candidates = [name for name in names if _CAPTION_LIKE.fullmatch(name) and fit("caption", name)]
    if len(set(candidates)) > 1:
        raise SourceError(
            f"{where}: {_listed(candidates)} may all hold captions; set --caption-col to the columns to read"
        )


def kind_of(thing: str) -> str:
    """Return `caption` for `caption 0`, `caption 1`, …; else the thing itself."""
    return "caption" if thing.startswith("caption ") else thing


def recognized(names: Sequence[str]) -> bool:
    """Return whether the names of columns identify those of the image and the caption."""
    known = {thing: bool(_guessed(thing, names, lambda *_: 2)) for thing in ("image", "caption")}
    return known["image"] and (known["caption"] or bool(numbered(names)))


def _guessed(thing: str, names: Sequence[str], fit: Callable[[str, str], Fit]) -> tuple[str, ...]:
    lower = {name.lower(): name for name in reversed(names)}
    there = [lower[name] for name in _KNOWN[thing] if name in lower]
    best = max(there, key=lambda name: fit(thing, name), default=None)
    return () if best is None or not fit(thing, best) else (best,)


def _listed(names: Sequence[str]) -> str:
    return listed([name[:_LONGEST_NAME] for name in names], _MOST_NAMES)


def _flag(thing: str) -> str:
    option = _OPTION[thing]
    return f"--{option.replace('_', '-')}" if option in _FLAGGED else f"--option {option}=NAME"
