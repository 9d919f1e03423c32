"""Choose columns of a table by what they hold: columns with other names, the start of segments, questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from auditor.errors import AdvisedError
from auditor.result import listed
from auditor.sources.table import content
from auditor.sources.table.content import Sampled

#: How well a column suits a thing: not at all (0), by a field inside it (1), or as it is (2).
Fit = Literal[0, 1, 2]

#: Names of the columns with the start and the end of a segment.
_UNIT = r"(_(time|timestamp|s|sec|secs|seconds|ms|frame))?"
_START = re.compile(r"(start|begin|onset|t_start)" + _UNIT)
_STOP = re.compile(r"(end|stop|offset|t_end|dur|duration|length)" + _UNIT)
_SPAN = re.compile(r"(time)?stamps?|times?|ts|segments?|spans?|intervals?|moments?")
_RECORDED = re.compile("vid|clip|movie|film|youtube|yt_?id|audio|sound|episode")

#: Columns next to questions: of answers, and of their numbers.
_ANSWER = re.compile("labels?|answers?|gt|gt_answer|ground_truth|target")
_ASKS = re.compile(rf"question_?id|{_ANSWER.pattern}")

_SOME = 1_000

_MOST_NAMES = 20

_LONGEST_NAME = 60


def by_content(
    thing: str, chosen: Mapping[str, str], given: Sequence[str], fit: Callable[[str, str], Fit], sampled: Sampled
) -> tuple[tuple[str, ...], str | None]:
    """Return the only column whose values are those of a thing, or numbered ones of captions, and why it was chosen."""
    values = {name: column for name, column in sampled().items() if fit(thing, name) == 2}
    texts = sorted(content.caption_columns(values), key=by_number)
    if thing == "image":
        without = given or texts
        found = [name for name in content.file_columns(values) if name not in without]
        if not found and len(values) == len(texts) + 1:
            found = [name for name in (content.image_column(values, without),) if name is not None]
    else:
        found = [name for name in texts if name != chosen.get("image") and content.distinct(values[name]) > 1]
        stems = {re.sub(r"\d+", "", name) for name in found}
        if len(found) > 1 and len(stems) == 1 and content.distinct(values.get(chosen.get("image", ""), ())):
            return tuple(found), f"{thing} ← {shown(found)}: numbered columns of texts"
    if len(found) != 1:
        return (), None
    return (found[0],), f"{thing} ← {found[0]}, the only column of {'files or ids' if thing == 'image' else 'texts'}"


def check_no_questions(where: str, names: Sequence[str], chosen: Mapping[str, str], sampled: Sampled) -> None:
    """Raise `AdvisedError` for a column of questions next to one of answers: those are not captions."""
    caption, image = chosen.get("caption", ""), chosen.get("image", "")
    others = [name for name in names if name != caption]
    if not caption or not any(_ASKS.fullmatch(spelled(name)) for name in others):
        return
    answer = next((name for name in others if _ANSWER.fullmatch(spelled(name))), None)
    asked = {"image_col": image, "question_col": caption, "answer_col": answer}
    read_as: dict[str, Any] = {"image_col": image, "caption_col": [caption]}
    if answer is not None:
        read_as = {"file_format": "choices", "options": [f"{option}={name}" for option, name in asked.items()]}
    texts = [value for value in sampled().get(caption, ())[:_SOME] if value]
    if 2 * sum(value.rstrip().endswith("?") for value in texts) > len(texts):
        raise AdvisedError(
            f"{where}: {caption} holds questions, not captions; to read them as captions, set --caption-col {caption}",
            **read_as,
        )


def judged(names: Sequence[str], sampled: Sampled) -> list[str]:
    """Remark on the columns of VSR, whose captions are in part false by design."""
    known = {spelled(name): name for name in names}
    if not known.keys() >= {"label", "relation"}:
        return []
    labels = {str(value).lower() for value in sampled().get(known["label"], ())}
    is_vsr = labels in ({"0", "1"}, {"false", "true"})
    return [f"looks like VSR: column {known['label']} marks false captions, which are imported, too"] * is_vsr


def slot_column(names: Sequence[str], chosen: Mapping[str, str], sampled: Sampled) -> str | None:
    """Return column `slot`, if its first values are whole numbers that differ in all rows of an image."""
    name = next((name for name in names if spelled(name) == "slot"), None)
    if name is None or "caption" not in chosen:
        return None
    values = sampled()
    slots = [str(value) for value in values.get(name, ())]
    keys = [*zip(map(str, values.get(chosen["image"], ())), slots, strict=False)]
    return name if slots and all(map(str.isdecimal, slots)) and len({*keys}) == len(keys) else None


def start_column(
    names: Sequence[str], chosen: Mapping[str, str], fit: Callable[[str, str], Fit], sampled: Sampled
) -> tuple[str | None, str | None]:
    """Return the column with the start of a segment, if a column has the end, or videos, and images have several.

    Also returns what that makes of the image.
    """
    start = next((name for name in names if _START.fullmatch(spelled(name)) and fit("start", name)), None)
    recorded = _RECORDED.search(spelled(chosen.get("image", "")))
    if start is None or not (recorded or any(_STOP.fullmatch(spelled(name)) for name in names)):
        start = next((name for name in names if _SPAN.fullmatch(spelled(name)) and fit("start", name) == 2), None)
    if start is None or "image" not in chosen:
        return None, None
    values = sampled()
    images, starts = [[*map(str, values.get(name, ()))] for name in (chosen["image"], start)]
    if _SPAN.fullmatch(spelled(start)) and not all(value[:1] == "[" for value in starts):
        return None, None
    several = all(value[:2] == "[[" for value in starts) and isinstance(chosen.get("caption"), str)
    if len({*zip(images, starts, strict=False)}) <= len({*images}) and not several:
        return None, None
    return start, f"{start} is the start of a segment: the image is {chosen['image']}@{start}"


def by_number(name: str) -> tuple[int, str]:
    """Return what orders numbered columns: the last number in the name."""
    numbers = re.findall(r"\d{1,9}", name)
    return (int(numbers[-1]) if numbers else 0, name)


def spelled(name: str) -> str:
    """Return the name of a column in lower case, with `_` for other separators: `image/key` is `image_key`."""
    return re.sub(r"[\s/.:-]+", "_", name.strip().lower())


def shown(names: Sequence[str]) -> str:
    """Return the names of columns for a sentence: not too many, and none too long."""
    return listed([name[:_LONGEST_NAME] for name in names], _MOST_NAMES)
