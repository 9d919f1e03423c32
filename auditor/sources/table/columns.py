"""Choose the columns of a table: those that options name, else those with common names."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from auditor.errors import AdvisedError, SourceError, UsageError
from auditor.model import Option
from auditor.sources.format import column_names
from auditor.sources.table import content
from auditor.sources.table.by_content import (
    Fit,
    by_content,
    by_number,
    check_no_questions,
    judged,
    shown,
    slot_column,
    spelled,
    start_column,
)
from auditor.sources.table.content import Sampled

#: The column with the name of the object that a record of JSON is in.
KEY = "(key)"

#: The name of the image column that makes each row an image, in a table without images.
ROW = "row"

#: Names of columns in the spelling of `spelled`. The first group that a table has counts.
_KNOWN: Mapping[str, tuple[Sequence[str], ...]] = column_names("table")
#: Columns that hold captions (of generated images, of moments to find), or what a model was asked.
_ASKED = _KNOWN["caption"][-1]
_OPTION = {thing: f"{thing}_col" for thing in _KNOWN} | {"identifier": "caption_id_col", "language": "lang_col"}
_CAPTION_LIKE = re.compile(r"(caption|sentence|text)s?[ _-]?\d*", re.IGNORECASE)

_NEEDED = ("image", "caption", "language")

_NUMBERED = re.compile(
    r"(captions?|sentences?|texts?|descriptions?|comments?|caption_text|raw|prompts?)[ _.-]?(\d{1,3})", re.IGNORECASE
)

_FLAGGED = ("image_col", "caption_col", "split_col", "slot_col")


@dataclass(frozen=True)
class Wishes:
    """The options of a table; things without columns are guessed. `names` are those of a table without a header."""

    columns: Mapping[str, tuple[str, ...]]
    language: str | None = None
    delimiter: str | None = None
    names: tuple[str, ...] = ()


class Columns(dict[str, str]):
    """The column of each thing. `unread` are the other columns, `remarks` explain how similar columns were chosen."""

    unread: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


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
    given = options.get("columns", ())
    header = tuple(name.strip() for name in (given if isinstance(given, tuple) else str(given).split(",")))
    if header and (not all(header) or len(set(header)) < len(header)):
        raise UsageError("columns must be different names, one for each column: caption,url")
    return Wishes(columns, None if language is None else str(language), delimiter, header)


def choose(
    where: str, names: Sequence[str], wanted: Wishes, fit: Callable[[str, str], Fit], sampled: Sampled
) -> Columns:
    """Choose the column of each thing; `fit` returns how well a column suits it (thing, name).

    Of several columns with known names, the one with the most distinct values is chosen. `sampled` reads the first
    rows for that. Several columns of captions are called `caption 0`, `caption 1`, …. Raises `SourceError` for a column
    that is missing, repeated or unsuitable, and if no column suits the image or the caption.
    """
    try:
        return _chosen(where, names, wanted, fit, sampled)
    except AdvisedError:
        raise
    except SourceError as error:
        advised = content.advised(sampled())
        image, caption = (_guessed(thing, names, fit, sampled)[0] for thing in ("image", "caption"))
        if not advised and caption is not None and image is None and not wanted.columns["image"]:
            advised = {"image_col": ROW}
        raise AdvisedError(str(error), **advised) from error


def _chosen(
    where: str, names: Sequence[str], wanted: Wishes, fit: Callable[[str, str], Fit], sampled: Sampled
) -> Columns:
    chosen, remarks = Columns(), list[str]()
    for thing, known in _KNOWN.items():
        if thing == "language" and wanted.language is None:
            continue
        if thing == "image" and wanted.columns[thing] == (ROW,) and ROW not in names:
            continue
        selected = tuple(met for name in wanted.columns[thing] for met in named_by(name, names))
        if thing == "caption" and not selected:
            selected = numbered(names)
            if not selected:
                _check_unambiguous(where, names, fit, sampled)
        if not selected:
            selected, remark = _best(thing, names, chosen, wanted, fit, sampled)
            remarks += [remark] if remark else []
            selected = selected or (tuple(known[0][:1]) if thing in _NEEDED else ())
        for number, name in enumerate(selected):
            _check_readable(where, thing, name, names, fit)
            chosen[f"{thing} {number}" if len(selected) > 1 else thing] = name
    if not wanted.columns["caption"]:
        check_no_questions(where, names, chosen, sampled)
    remarks += judged(names, sampled)
    read = {*chosen.values()}
    chosen.unread, chosen.remarks = tuple(name for name in names if name not in read), tuple(remarks)
    return chosen


def _best(
    thing: str,
    names: Sequence[str],
    chosen: Mapping[str, str],
    wanted: Wishes,
    fit: Callable[[str, str], Fit],
    sampled: Sampled,
) -> tuple[tuple[str, ...], str | None]:
    """Return the columns of a thing by their names, else by what they hold, and a remark on the choice."""
    guessed, remark = None, None
    if thing == "slot":
        guessed = slot_column(names, chosen, sampled)
    elif thing != "start":
        guessed, remark = _guessed(thing, names, fit, sampled)
    elif not wanted.columns["image"]:
        guessed, remark = start_column(names, chosen, fit, sampled)
    if guessed is None and thing in ("image", "caption"):
        return by_content(thing, chosen, wanted.columns["caption"], fit, sampled)
    return ((guessed,) if guessed is not None else ()), remark


def _check_readable(where: str, thing: str, name: str, names: Sequence[str], fit: Callable[[str, str], Fit]) -> None:
    """Raise `SourceError` for a column that is missing, repeated or unsuitable."""
    flag = _flag(thing)
    if name not in names:
        raise SourceError(f'{where}: no column "{name}"; the columns are {shown(names)}; set {flag}')
    if names.count(name) > 1:
        raise SourceError(f'{where}: column "{name}" occurs {names.count(name)} times; rename one')
    if not fit(thing, name):
        raise SourceError(f'{where}: column "{name}" cannot be read as {thing}; set {flag} to another column')


def named_by(wish: str, names: Sequence[str]) -> Sequence[str]:
    """Return the columns that match a name or pattern (`caption_*`), by their numbers; else the name itself."""
    if wish in names or not any(sign in wish for sign in "*?["):
        return (wish,)
    return sorted(fnmatch.filter(names, wish), key=by_number) or (wish,)


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
    return tuple(sorted(matches, key=by_number))


def _check_unambiguous(where: str, names: Sequence[str], fit: Callable[[str, str], Fit], sampled: Sampled) -> None:
    """Raise `AdvisedError` if several columns are named like captions: reading one would lose the others.

    The advice is to read all of them, or the one with the most distinct values if an image has several rows.
    """
    candidates = [name for name in names if _CAPTION_LIKE.fullmatch(name) and fit("caption", name)]
    if len(set(candidates)) > 1:
        image, _ = _guessed("image", names, fit, sampled)
        values = sampled()
        rows = values.get(image or "", ())
        single = max(candidates, key=lambda name: content.distinct(values.get(name, ())))
        named = [single] if content.distinct(rows) < len(rows) else candidates
        raise AdvisedError(
            f"{where}: {shown(candidates)} may all hold captions; set --caption-col to the columns to read",
            **({"image_col": image} if image else {}),
            caption_col=named,
        )


def has_caption(names: Iterable[str]) -> bool:
    """Return whether one of the names is that of a column with captions."""
    known = {name for group in _KNOWN["caption"] for name in group if name not in _ASKED}
    return not known.isdisjoint(map(spelled, names)) or bool(numbered([*names]))


def kind_of(thing: str) -> str:
    """Return `caption` for `caption 0`, `caption 1`, …; else the thing itself."""
    return "caption" if thing.startswith("caption ") else thing


def recognized(names: Sequence[str]) -> bool:
    """Return whether the names of columns identify those of the image and the caption."""
    image, caption = (_guessed(thing, names, lambda *_: 2, None)[0] for thing in ("image", "caption"))
    return image is not None and (caption is not None or bool(numbered(names)))


def _guessed(
    thing: str, names: Sequence[str], fit: Callable[[str, str], Fit], sampled: Sampled | None
) -> tuple[str | None, str | None]:
    """Return the column of a thing by its name, and why it was chosen if others suit the thing as well."""
    held = {spelled(name): name for name in reversed(names)}
    held = {re.sub("(id|name|path|file|url)s$", r"\1", known): name for known, name in held.items()} | held
    groups = [[held[known] for known in group if known in held] for group in _KNOWN[thing]]
    best = max((fit(thing, name) for group in groups for name in group), default=0)
    fitting = next((some for group in groups if (some := [name for name in group if fit(thing, name) == best])), [])
    if not best or not fitting:
        return None, None
    if sampled is not None and spelled(fitting[0]) in _ASKED:
        prompts = sampled().get(fitting[0], ())
        if content.distinct(prompts) == 1 < len(prompts):  # one instruction for all images
            return None, None
    if len(fitting) == 1 or sampled is None:
        return fitting[0], None
    values = sampled()
    counts = {name: content.distinct(values.get(name, ())) for name in fitting}
    chosen = max(fitting, key=lambda name: counts[name])
    if counts[chosen] == counts[fitting[0]]:
        return fitting[0], None
    others = ", ".join(f"{name} has {counts[name]:,}" for name in fitting if name != chosen)
    return chosen, f"{thing} ← {chosen}, which has the most distinct values: {counts[chosen]:,}; {others}"


def _flag(thing: str) -> str:
    option = _OPTION[thing]
    return f"--{option.replace('_', '-')}" if option in _FLAGGED else f"--option {option}=NAME"
