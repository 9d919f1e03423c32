"""Files instead of datasets: a dataset is given by its name in the store, or as files, for every caller."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from auditor.errors import UsageError

#: The option whose files can be given next to datasets of the store.
CANDIDATES = "candidates"

#: The kind of dataset that a parameter names, if it is another than captions.
_KINDS = {"listing": "objects", "synonyms": "synonyms"}

_SIGNS = re.compile(r"[*?[]")

#: A dataset in a metric: `cider-d:idf=of:flickr8k@v1:test`.
_DOCUMENTS = re.compile(r"(?<=idf=of:)[^,]+")

_ZIPPED = (".gz", ".zst")

#: Endings that a dataset's name cannot have: a name with one is a file, even if the file does not exist.
_OF_FILES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".arrow")


@dataclass(frozen=True)
class Places:
    """Files that are named instead of datasets, and the datasets of a store next to them, by new names.

    `outputs` are the names of candidates. `values` are the arguments with these names.
    """

    files: Mapping[str, str]
    stored: Mapping[str, str]
    outputs: Sequence[str]
    values: Mapping[str, Any]


def places(values: Mapping[str, Any], datasets: Sequence[str]) -> Places | None:
    """Return the files that the parameters `datasets` are given, and what is named next to them; null without files.

    Raises `UsageError` if other datasets are given by their names in the store, unless the files are candidates.
    """
    files = named_apart(values, datasets)
    if not files:
        return None
    weighed = [ref for text in _texts(values.get("metrics")) for ref in _DOCUMENTS.findall(text)]
    weighed = [ref for ref in weighed if dataset_of(ref) not in files]
    stored = stored_beside({**values, "weighed": weighed}, [*datasets, "weighed"], files)
    new = {name: renamed(values[name], files, stored) for name in datasets}
    if weighed:  # a copy has only one version
        new["metrics"] = [*map(_unversioned, _listed(values["metrics"]))]
    return Places(files, stored, [name for name in _texts(new.get(CANDIDATES)) if name in files], {**values, **new})


def _unversioned(metric: Any) -> Any:
    named = lambda found: re.sub("@[^:]*", "", found[0])  # noqa: E731
    return _DOCUMENTS.sub(named, metric) if isinstance(metric, str) else metric


def is_place(text: str) -> bool:
    """Return whether a dataset argument is a file, a folder, a pattern or a URL, rather than a name in the store."""
    suffix = PurePosixPath(text).suffix
    return "/" in text or bool(_SIGNS.search(text)) or suffix in _OF_FILES or (bool(suffix) and Path(text).is_file())


def named_apart(values: Mapping[str, Any], datasets: Iterable[str]) -> dict[str, str]:
    """Return the files that the options `datasets` give as datasets, in order: file by new name.

    Raises `UsageError` if other datasets are given by their names in the store, unless the files are candidates.
    """
    given = [text for option in datasets for text in _texts(values[option])]
    files = list(dict.fromkeys(text for text in given if is_place(text)))
    stored = [text for text in given if text not in files]
    outputs = _texts(values.get(CANDIDATES))
    other = next((file for file in files if file not in outputs), None)
    if other is not None and stored:
        from auditor.called import call  # noqa: PLC0415  # and with it Polars

        name = _name(other)
        kind = next((kind for option, kind in _KINDS.items() if other in _texts(values.get(option))), None)
        keep = call("ingest", name, files=[other], kind=kind)
        raise UsageError(
            f"{stored[0]} is a dataset in the store, but {other} is a file; run `{keep}` first, then name both"
        )
    named: dict[str, str] = dict.fromkeys((dataset_of(ref) for ref in stored), "")
    for file in files:
        name, number = _name(file), 2
        while name in named:
            name, number = f"{_name(file)}-{number}", number + 1
        named[name] = file
    return {name: file for name, file in named.items() if file}


def stored_beside(values: Mapping[str, Any], datasets: Iterable[str], files: Mapping[str, str]) -> dict[str, str]:
    """Return the datasets of the store that are given next to files: the reference by the name of its dataset.

    Raises `UsageError` if two references name different versions of a dataset.
    """
    stored: dict[str, str] = {}
    for ref in (text for option in datasets for text in _texts(values[option]) if text not in files.values()):
        whole = ref.partition(":")[0]
        if stored.setdefault(dataset_of(ref), whole) != whole:
            raise UsageError(f"{whole} and {stored[dataset_of(ref)]}: name one version of a dataset next to a file")
    return stored


def dataset_of(ref: str) -> str:
    """Return the name of the dataset in a reference such as `name@v2:test`."""
    return re.split("[@:]", ref, maxsplit=1)[0]


def renamed(value: Any, names: Mapping[str, str], stored: Collection[str] = ()) -> Any:
    """Replace files by the names of their datasets in the value of an option; `stored` datasets lose their version."""
    by_file = {file: name for name, file in names.items()}

    def new(text: str) -> str:
        if text in by_file or dataset_of(text) not in stored:
            return by_file.get(text, text)
        return re.sub("@[^:]*", "", text, count=1)

    if isinstance(value, str | Path):
        return new(str(value))
    return [new(str(text)) for text in value] if isinstance(value, list | tuple) else value


def _texts(value: Any) -> list[str]:
    """Return the texts of a value: names, and paths of files."""
    return [str(one) for one in _listed(value) if isinstance(one, str | Path)]


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list | tuple) else [value]


def _name(file: str) -> str:
    """Return the name of a dataset: its file without endings, its folder, or the folder of its pattern."""
    of_web = re.match(r"https?://", file)
    path = PurePosixPath(urlsplit(file).path if of_web else file.partition("://")[2] or file)
    if _SIGNS.search(path.name):
        whole = [part for part in path.parent.parts if not _SIGNS.search(part) and part not in ("/", ".", "..")]
        word = whole[-1] if whole else Path.cwd().name
    else:
        path = path.with_suffix("") if path.suffix in _ZIPPED else path
        word = path.stem
    return re.sub(r"[^A-Za-z0-9._-]+", "-", word).strip("-._") or "captions"
