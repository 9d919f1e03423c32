"""Find image files by the id of their image, and shrink them to thumbnails without metadata.

Any file becomes a thumbnail or a message why it does not; files outside the folder are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from auditor.errors import MissingExtraError, SourceError
from auditor.model import Picture
from auditor.result import counted, listed
from auditor.sources.reading.files import is_folder, is_there
from auditor.sources.reading.json_records import COCO_FILE

#: The most bytes of an image file: enough for a photo of any camera.
_MOST_BYTES = 64 << 20

#: The endings of image files: other files can have the name of an image too.
ENDINGS = frozenset(
    (".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".avif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm")
)

_OF_COCO = re.compile(COCO_FILE)

#: The most files, and images without files, that messages name.
_NAMED = 8

EXTRA = "Pillow is not installed: pip install 'auditor[images]'"


def pictures(location: Path, images: Sequence[str]) -> tuple[dict[str, Picture], list[str]]:
    """Return a thumbnail of each image that has a file, and messages about the others.

    `location` is a folder, with its subfolders, or a pattern. The file of an image has its id as the path in the folder
    or as the name; else as the name without the ending; else as the number of a COCO file name. Of several files, the
    first by path is used.

    Raises `MissingExtraError` without Pillow, `SourceError` if the folder is missing or no file matches the pattern.
    """
    try:
        from auditor.sources.pictures.shrinking import small  # noqa: PLC0415  Pillow is an extra
    except ImportError as error:
        raise MissingExtraError(EXTRA) from error
    root, files = _listed(location)
    files_of = _files_of(root, files, images)
    made: dict[str, Picture] = {}
    several, wrong = list[str](), list[str]()
    for image in images:
        if not (of_image := files_of.get(image)):
            continue
        if len(of_image) > 1:
            names = listed([path.relative_to(root).as_posix() for path in of_image], _NAMED)
            several.append(f"{image} has {len(of_image):,} files; the first is shown: {names}")
        try:
            made[image] = small(_content(of_image[0], root))
        except UnreadableError as error:
            wrong.append(f"{of_image[0].relative_to(root).as_posix()} is left out: {error}")
    missing = [image for image in images if image not in files_of]
    none = f"no file found for {counted(len(missing), 'image', 'images')}: {listed(missing, _NAMED)}"
    return made, [*_first(wrong, "left out"), *_first(several, "of several files"), *([none] if missing else [])]


def _first(messages: list[str], what: str) -> list[str]:
    return messages if len(messages) <= _NAMED else [*messages[:_NAMED], f"and {len(messages) - _NAMED:,} more {what}"]


def _listed(location: Path) -> tuple[Path, Iterator[Path]]:
    """Return a folder, or the folder that a pattern begins with, and the files."""
    if is_folder(location):
        if not os.access(location, os.R_OK | os.X_OK):
            raise SourceError(f"{_short(location)}: no permission to read this folder")
        return location, (Path(folder) / name for folder, _, names in os.walk(location) for name in names)
    root, rest = Path(), location.parts
    while rest and not (set(rest[0]) & set("*?[") and not is_folder(root / rest[0])):
        root, rest = root / rest[0], rest[1:]
    if not rest:
        raise SourceError(f"{_short(location)}: no such folder")
    try:
        matches = [path for path in root.glob(str(Path(*rest))) if not is_folder(path)]
    except (OSError, ValueError) as error:
        raise SourceError(f"{_short(location)}: {getattr(error, 'strerror', None) or error}") from error
    if not matches:
        raise SourceError(f"{_short(location)}: no file matches this pattern")
    return root, iter(matches)


def _short(path: Path) -> str:
    """Return the end of a path: a shared report should not show the folders of its author."""
    return "/".join(path.parts[-2:])


def _files_of(root: Path, files: Iterator[Path], images: Sequence[str]) -> dict[str, list[Path]]:
    """Find the files of each image that match its id most closely, by path."""
    by_name: dict[tuple[int, str], list[str]] = {}
    for image in images:
        for way in (0, 1, 2):
            by_name.setdefault((way, image), []).append(image)
        if image.isascii() and image.isdigit():
            by_name.setdefault((3, image.lstrip("0") or "0"), []).append(image)
    met: dict[str, list[tuple[int, str, Path]]] = {}
    for path in files:
        inside = path.relative_to(root).as_posix()
        keys = [(0, inside), (1, path.name)]
        if path.suffix.lower() in ENDINGS:
            keys += [(2, path.stem)]
            keys += [(3, numbered[1])] if (numbered := _OF_COCO.fullmatch(path.name)) else []
        for way, key in keys:
            for image in by_name.get((way, key), ()):
                met.setdefault(image, []).append((way, inside, path))
    closest = {image: min(way for way, *_ in matches) for image, matches in met.items()}
    return {
        image: [path for way, _, path in sorted(matches) if way == closest[image]] for image, matches in met.items()
    }


def _content(path: Path, root: Path) -> bytes:
    try:
        if not path.resolve(strict=True).is_relative_to(root.resolve(strict=True)):
            raise UnreadableError("a link to a file outside the folder")
        if not is_there(path) or is_folder(path):
            raise UnreadableError("not a file")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except SourceError as error:
        raise UnreadableError("not a regular file") from error
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other
        raise UnreadableError(getattr(error, "strerror", None) or "links that lead to each other") from error
    if len(content) > _MOST_BYTES:
        raise UnreadableError(f"larger than {_MOST_BYTES >> 20} MiB")
    return content


class UnreadableError(Exception):
    """The fault of an image file, in a few words."""
