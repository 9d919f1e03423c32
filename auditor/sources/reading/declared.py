"""Files that the declaration of a dataset names: its sources, those of its options, its split lists."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import SourceError
from auditor.files.folders import temporary
from auditor.model import Part, Source
from auditor.sources.reading import files

_SPLITS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "dev"} | {
    "test": "test", "testing": "test", "restval": "restval"
}  # fmt: skip


def named_files(source: Source) -> list[Path]:
    """Return every file that can change the captions of a dataset, each once.

    Raises `SourceError` for a missing file.
    """
    of_parts = [path for part in source.parts for path in files.expand(part)]
    of_options = [
        files.locate(value) for part in source.parts for value in part.options.values() if isinstance(value, Path)
    ]
    return list(dict.fromkeys([*of_parts, *of_options]))


def missing(source: Source) -> str | None:
    """Return the error about the first missing file of a dataset; null if all files exist."""
    try:
        named_files(source)
        for listed in source.splits.values():
            files.locate(listed)
    except SourceError as error:
        return str(error).partition(";")[0]
    return None


def split_lists(source: Source) -> dict[str, list[str]]:
    """Read the lists of images of the declared splits."""
    return {
        split: [image + source.split_suffix for image in files.read_list(path)] for split, path in source.splits.items()
    }


def by_file_names(source: Source) -> tuple[Source, str | None]:
    """Assign splits to files by their names, or by their folders' names; return a note about it.

    Files whose names contain no split, or all the same one, stay as they are. If only some contain a split, the note
    states that the splits are unknown.
    """
    if not all(part.unnamed for part in source.parts):
        return source, None
    paths = [path for part in source.parts for path in files.expand(part)]
    splits = {path: _split_of(path) for path in paths}
    names = list(dict.fromkeys(split for split in splits.values() if split))
    if len(paths) < 2 or not names:
        return source, None
    if len(names) < 2 or None in splits.values():
        first = next((path for path in paths if splits[path] is None), paths[0])
        return source, (
            f"{source.dataset}: only some file names contain a split ({first.name} does not), so none was assigned; "
            "name them: --from train=FILE --from test=FILE"
        )
    options = source.parts[0].options
    parts = tuple(Part((path,), None, options, named_split=split) for path, split in splits.items())
    return dataclasses.replace(source, parts=parts), (
        f"{source.dataset}: captions without a split got that of their file name: {', '.join(names)}"
    )


def _split_of(path: Path) -> str | None:
    """Return the split in a file name if it contains only one, else the split that its folder is named after."""
    splits = {_SPLITS[word] for word in re.split(r"[^a-z]+", path.name.lower()) if word in _SPLITS}
    return splits.pop() if len(splits) == 1 else _SPLITS.get(path.absolute().parent.name.lower())


@contextmanager
def with_standard_input(source: Source) -> Iterator[Source]:
    """Replace `-`, or the system's names of standard input, by a file with its content."""
    if not any(files.is_stdin(path) for part in source.parts for path in part.paths):
        yield source
        return
    with temporary() as folder:
        saved = files.save_stdin(folder)
        parts = tuple(
            dataclasses.replace(part, paths=tuple(saved if files.is_stdin(path) else path for path in part.paths))
            for part in source.parts
        )
        try:
            yield dataclasses.replace(source, parts=parts)
        except SourceError as error:
            raise SourceError(str(error).replace(str(saved), "standard input")) from error
