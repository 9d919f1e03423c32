"""Read text files in other encodings than UTF-8, and guess their encoding."""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import SourceError, UsageError
from auditor.files.folders import temporary
from auditor.model import Option, Part, Source
from auditor.sources.reading import files

_BLOCK = 1 << 20

_SAMPLE = 1 << 18

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

_HIGH = re.compile(rb"[\x80-\xff]+")

#: The guess if bytes above 127 are single, between ASCII letters.
_ALONE = "cp1252"

#: Encodings of one byte per letter, whose words are runs of such bytes.
_ONE_BYTE = ("cp1251", "koi8-r", "cp1253")

#: Other encodings, with their most frequent letters.
_FREQUENT = (
    ("shift_jis", re.compile(r"[\u3041-\u3093\u30a1-\u30f6\u3001\u3002]")),
    ("euc-jp", re.compile(r"[\u3041-\u3093\u30a1-\u30f6\u3001\u3002]")),
    ("gb18030", re.compile("[的一是在不了有和人这中大上个着男女狗子，。]")),
    ("big5", re.compile("[的一是在不了有和人這中大上個著男女狗子，。]")),
    ("cp1251", re.compile("[оеаинтсрвлк]")),
    ("koi8-r", re.compile("[оеаинтсрвлк]")),
    ("cp1253", re.compile("[αοιετσνηυρ]")),
    ("euc-kr", re.compile("[가-힣]")),
)

_LIKELY = 0.2


def codec(option: Option | None) -> str | None:
    """Return the name of an encoding. Raises `UsageError` for an unknown one."""
    if option is None:
        return None
    try:
        name = codecs.lookup(str(option)).name
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"--encoding {option}: unknown encoding; try cp1252, latin-1, utf-16, gb18030, big5, shift_jis, euc-kr or "
            "cp1251"
        ) from error
    return name


def decoded(head: bytes, option: Option | None) -> bytes:
    """Return the head of a file as UTF-8."""
    name = codec(option)
    return head if name is None else head.decode(name, errors="ignore").removeprefix("\ufeff").encode()


def mixed(path: Path) -> str | None:
    """Name a line in UTF-8 and one that is not, if other letters are single bytes; null without such lines."""
    head = files.head(path, _SAMPLE)
    lines = head.split(b"\n")[: -1 if len(head) == _SAMPLE else None]  # the sample may end within a letter
    found: dict[bool, int] = {}
    alone: list[bool] = []
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        is_utf8 = line.decode("utf-8", "ignore").encode() == line
        found.setdefault(is_utf8, number)
        alone += [] if is_utf8 else [len(run) == 1 for run in _HIGH.findall(line)]
    if len(found) < 2 or 2 * sum(alone) <= len(alone):
        return None
    return (
        f"line {found[True]} is UTF-8 and line {found[False]} is not: convert these lines, as no --encoding fits both"
    )


def guess(path: Path) -> str | None:
    """Guess the encoding of a file that is not UTF-8, by its first bytes; null without evidence."""
    if mixed(path):
        return None
    head = files.head(path, _SAMPLE)
    for mark, name in _BOMS:
        if head.startswith(mark):
            return None if name == "utf-8" else name
    if head.count(0) > len(head) // 8:
        return "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
    sample = head[: head.rfind(b"\n") + 1] or head
    runs = [run.group() for run in _HIGH.finditer(sample)]
    if not runs:
        return None
    alone = 2 * sum(len(run) == 1 for run in runs) > len(runs)
    merits = {name: _merit(sample, name, frequent) for name, frequent in _FREQUENT if not (alone and name in _ONE_BYTE)}
    best = max(merits, key=lambda name: merits[name])
    return best if merits[best] >= _LIKELY else _ALONE if alone else None


def _merit(sample: bytes, name: str, frequent: re.Pattern[str]) -> float:
    """Return the share of frequent letters among those that are not ASCII."""
    try:
        text = sample.decode(name)
    except UnicodeDecodeError:
        return 0.0
    letters = [sign for sign in text if sign > "\x7f"]
    return len(frequent.findall("".join(letters))) / max(1, len(letters))


@contextmanager
def as_utf8(source: Source) -> Iterator[Source]:
    """Replace files with an encoding by copies in UTF-8; errors name the original files."""
    if not any("encoding" in part.options for part in source.parts):
        yield source
        return
    with temporary() as folder:
        copies: dict[Path, Path] = {}
        parts = tuple(_converted(part, folder, copies) for part in source.parts)
        try:
            yield dataclasses.replace(source, parts=parts)
        except SourceError as error:
            message = str(error)
            for copy, path in copies.items():
                message = message.replace(str(copy), str(path))
            raise SourceError(message) from error


def _converted(part: Part, folder: Path, copies: dict[Path, Path]) -> Part:
    name = codec(part.options.get("encoding"))
    if name is None:
        return part
    paths = []
    for path in files.expand(part):
        copy = folder / str(len(copies)) / path.absolute().parent.name / path.name  # the folder may name the split
        copy.parent.mkdir(parents=True)
        _convert(path, copy, name)
        copies[copy] = path
        paths.append(copy)
    options = {key: value for key, value in part.options.items() if key != "encoding"}
    return dataclasses.replace(part, paths=tuple(paths), options=options)


def _convert(path: Path, copy: Path, name: str) -> None:
    if path.is_dir():
        raise SourceError(f"{path}: a folder; --encoding is for text files")
    decoder = codecs.getincrementaldecoder(name)()
    line, wide = 1, name.startswith(("utf-16", "utf-32"))
    with files.open_bytes(path) as file, copy.open("w", encoding="utf-8", newline="") as out:
        while True:
            block = file.read(_BLOCK)
            if b"\0" in block and not wide:
                raise SourceError(f"{path}: not a text file, or in UTF-16; remove --encoding, or use --encoding utf-16")
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                line += error.object[: error.start].count(b"\n")
                guessed = guess(path)
                advice = f"try --encoding {guessed}" if guessed not in (None, name) else "try another encoding"
                raise SourceError(
                    f"{path}:{line}: not {name} (byte 0x{error.object[error.start]:02x}); {advice}"
                ) from error
            except UnicodeError as error:
                raise SourceError(
                    f"{path}:1: not {name}: {error}; set the byte order: {name}-le or {name}-be"
                ) from error
            line += text.count("\n")
            out.write(text.removeprefix("\ufeff"))
            if not block:
                return
