"""What a dataset's declaration names, as files that can be read: its own, those of its settings, its split lists."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Source
from auditor.sources import files


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
    """Say what is wrong with the first file that the dataset needs and that is not there; null where all are."""
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
