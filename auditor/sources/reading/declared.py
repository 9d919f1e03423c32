"""What a dataset's declaration names, as files that can be read: its own, those of its settings, its split lists."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Part, Source
from auditor.sources.reading import files

_SPLITS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "dev"} | {
    "test": "test", "testing": "test", "restval": "restval"
}  # fmt: skip


def named_files(source: Source) -> list[Path]:
    """Find every file whose content can change the captions of a dataset, each once.

    Raises `SourceError` for one that is not there.
    """
    of_parts = [path for part in source.parts for path in files.expand(part)]
    of_options = [
        files.locate(value) for part in source.parts for value in part.options.values() if isinstance(value, Path)
    ]
    return list(dict.fromkeys([*of_parts, *of_options]))


def missing(source: Source) -> str | None:
    """Return what is wrong with the first file that the dataset needs and that is not there; null where all are."""
    try:
        named_files(source)
        for listed in source.splits.values():
            files.locate(listed)
    except SourceError as error:
        return str(error).partition(";")[0]
    return None


def split_lists(source: Source) -> dict[str, list[str]]:
    """Read the images of each split that is declared as a list."""
    return {
        split: [image + source.split_suffix for image in files.read_list(path)] for split, path in source.splits.items()
    }


def by_file_names(source: Source) -> tuple[Source, str | None]:
    """Return each file of undeclared splits that of its name, or of its folder's, and say so.

    Files none of which names a split, or that all name the same, stay as they are; where only some do, or several files
    name none, the sentence says that the splits are unknown.
    """
    if not all(part.unnamed for part in source.parts):
        return source, None
    paths = [path for part in source.parts for path in files.expand(part)]
    found = {path: _split_of(path) for path in paths}
    names = list(dict.fromkeys(split for split in found.values() if split))
    if len(paths) < 2 or not names:
        return source, None
    if len(names) < 2 or None in found.values():
        first = next((path for path in paths if found[path] is None), paths[0])
        return source, (
            f"{source.dataset}: only some of its files are named after splits ({first.name} is not): taken as files "
            "without splits; say which is of which: --from train=FILE --from test=FILE"
        )
    options = source.parts[0].options
    parts = tuple(Part((path,), None, options, named_split=split) for path, split in found.items())
    return dataclasses.replace(source, parts=parts), (
        f"{source.dataset}: captions of files that name no split are in that of the file's name: {', '.join(names)}"
    )


def _split_of(path: Path) -> str | None:
    """Find the split that a word of a file's name names, one alone, or else the whole name of its folder."""
    told = {_SPLITS[word] for word in re.split(r"[^a-z]+", path.name.lower()) if word in _SPLITS}
    return told.pop() if len(told) == 1 else _SPLITS.get(path.absolute().parent.name.lower())


@contextmanager
def with_standard_input(source: Source) -> Iterator[Source]:
    """Let `-`, or what the system calls it, stand for a file that holds standard input."""
    if not any(files.is_stdin(path) for part in source.parts for path in part.paths):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="auditor-") as folder:
        saved = files.save_stdin(Path(folder))
        parts = tuple(
            dataclasses.replace(part, paths=tuple(saved if files.is_stdin(path) else path for path in part.paths))
            for part in source.parts
        )
        try:
            yield dataclasses.replace(source, parts=parts)
        except SourceError as error:
            raise SourceError(str(error).replace(str(saved), "standard input")) from error
