"""Which columns of a table hold what: those that settings name, else those with names that the field uses."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from auditor.errors import SourceError, UsageError
from auditor.model import Option
from auditor.result import listed

#: How well a column serves: not at all, by something inside it, or as it stands.
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
    """What the settings say of a table; a thing without columns is to be guessed."""

    columns: Mapping[str, tuple[str, ...]]
    language: str | None = None
    delimiter: str | None = None


def wishes(options: Mapping[str, Option]) -> Wishes:
    """Read the settings. Raises `UsageError` for one that is no name, or that lacks its companion."""
    columns: dict[str, tuple[str, ...]] = {}
    for thing, option in _OPTION.items():
        given = options.get(option, ())
        names = given if isinstance(given, tuple) else (given,)
        if not all(isinstance(name, str) and name for name in names) or (len(names) > 1 and thing != "caption"):
            raise UsageError(f"{option} must be the name of a column{'' if thing != 'caption' else ', or several'}")
        columns[thing] = tuple(str(name) for name in names)
    language, delimiter = options.get("lang"), options.get("delimiter")
    if columns["language"] and language is None:
        raise UsageError("lang_col needs lang, the language whose rows are read")
    delimiter = {"tab": "\t", "\\t": "\t"}.get(str(delimiter), delimiter)
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'):
        raise UsageError('delimiter must be one character, or "tab"')
    return Wishes(columns, None if language is None else str(language), delimiter)


def choose(where: str, names: Sequence[str], wanted: Wishes, fit: Callable[[str, str], Fit]) -> dict[str, str]:
    """Choose the column of each thing; `fit` says how well a column (its thing, its name) serves.

    Several columns of captions are called `caption 0`, `caption 1`, …. Raises `SourceError` for a column that is not
    there, occurs twice or cannot serve, and where nothing serves as image or as caption.
    """
    chosen: dict[str, str] = {}
    for thing, known in _KNOWN.items():
        if thing == "language" and wanted.language is None:
            continue
        asked = tuple(met for name in wanted.columns[thing] for met in named_by(name, names))
        if thing == "caption" and not asked:
            asked = numbered(names)
        if thing == "caption" and not asked:
            _check_unambiguous(where, names, fit)
        found = asked or _guessed(thing, names, fit) or (known[:1] if thing in _NEEDED else ())
        for place, name in enumerate(found):
            flag = _flag(thing)
            if name not in names:
                raise SourceError(f'{where}: no column "{name}"; it has {_listed(names)}; name it with {flag}')
            if names.count(name) > 1:
                raise SourceError(f'{where}: column "{name}" occurs {names.count(name)} times; rename one')
            if not fit(thing, name):
                raise SourceError(f'{where}: column "{name}" cannot be read as {thing}; name another with {flag}')
            chosen[f"{thing} {place}" if len(found) > 1 else thing] = name
    return chosen


def named_by(wish: str, names: Sequence[str]) -> Sequence[str]:
    """Return the columns that a name or a pattern (`caption_*`) means, by their numbers; itself where it means none."""
    if wish in names or not any(sign in wish for sign in "*?["):
        return (wish,)
    return sorted(fnmatch.filter(names, wish), key=_by_number) or (wish,)


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of captions that differ in a number alone, by it, where no other may hold captions.

    `caption_1`, `caption_2`, … or `caption1`, `caption2`, …: the captions of one image.
    """
    told = {name: match for name in names if (match := _NUMBERED.fullmatch(name))}
    stems = {name[: match.start(2)].lower() for name, match in told.items()}
    places = {int(match[2]) for match in told.values()}
    others = [name for name in names if name not in told and _CAPTION_LIKE.fullmatch(name)]
    if len(told) < 2 or len(stems) > 1 or len(places) < len(told) or others:
        return ()
    return tuple(sorted(told, key=_by_number))


def _by_number(name: str) -> tuple[int, str]:
    found = re.findall(r"\d{1,9}", name)
    return (int(found[-1]) if found else 0, name)


def _check_unambiguous(where: str, names: Sequence[str], fit: Callable[[str, str], Fit]) -> None:
    """Raise `SourceError` where several columns are called captions: to read one of them would lose the others."""
    alike = [name for name in names if _CAPTION_LIKE.fullmatch(name) and fit("caption", name)]
    if len(set(alike)) > 1:
        raise SourceError(
            f"{where}: {_listed(alike)} may all hold captions; name the one to read with --caption-col, or each of them"
        )


def kind_of(thing: str) -> str:
    """Return `caption` for `caption 0`, `caption 1`, …; else the thing itself."""
    return "caption" if thing.startswith("caption ") else thing


def recognized(names: Sequence[str]) -> bool:
    """Return whether names of columns alone tell which holds the image and which the caption."""
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
