"""One table of datasets.toml, checked key by key, as a `Source`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from auditor.errors import UsageError
from auditor.model import Download, Kind, Option, Part, Source
from auditor.remote import address_of

_TEXTS = ("language", "license", "citation", "obtain", "split_suffix")

#: The key for the expected number of images, the location of their files, or both.
IMAGES = "images"

#: References that a set of ratings can leave out.
OWN_REFERENCES = "own-references"

_KEYS = {
    "kind", "format", "path", "parts", "options", "splits", "split_roles", "related", "url", "sha256", "bytes",
    "downloads", "captions", "leaves_out", "item", IMAGES, *_TEXTS,
}  # fmt: skip


def declared_source(where: str, name: str, table: Mapping[str, Any], data: Path, within: Path | None = None) -> Source:
    """Read one table; `where` names it in errors, paths start from the folder `data`.

    Downloads are not written outside of `within`, if it is given.

    Raises `UsageError` for an unknown key and for a value of the wrong type.
    """
    check = _Check(where)
    check.that("licence" not in table, "licence: use license")
    check.known(table, _KEYS)
    for key in ("format", *_TEXTS):
        check.that(isinstance(table.get(key, ""), str), f"{key} must be a string")
    check.that(
        "format" in table,
        'format must be given, such as format = "table" and path = "captions.csv"; see `auditor ingest --formats`',
    )
    check.that(("path" in table) != ("parts" in table), "either path or parts must be given")
    kinds = get_args(Kind)
    check.that(
        table.get("kind", "captions") in kinds, f"kind must be one of {', '.join(kinds)}, not {table.get('kind')!r}"
    )
    check.that(_is_count(table.get("captions", 0)), "captions must be a whole number")
    images, image_files = _images(check, table.get(IMAGES), data)
    check.that(_is_texts(table.get("related", [])), "related must be a list of datasets")
    splits = table.get("splits", {})
    check.that(
        isinstance(splits, dict) and all(isinstance(path, str) for path in splits.values()),
        "splits must map a split's name to the file that lists its images",
    )
    rule = table.get("leaves_out", OWN_REFERENCES)
    is_rated = table.get("kind") == "judgements" or "leaves_out" not in table
    check.that(rule == OWN_REFERENCES and is_rated, f'leaves_out must be "{OWN_REFERENCES}", of kind "judgements"')
    roles = table.get("split_roles", {})
    check.that(
        isinstance(roles, dict) and all(isinstance(role, str) for role in roles.values()),
        "split_roles must map a split's name to the split that it counts as",
    )
    item = table.get("item", "")
    is_word = isinstance(item, str) and (not item or re.fullmatch("[a-z]+", item) is not None)
    check.that(is_word, f'item must be a word such as "sound" or "video", not {item!r}')
    parts = _parts(check, table, data)
    return Source(
        dataset=name,
        kind=table.get("kind", "captions"),
        format=table["format"],
        parts=parts,
        language=table.get("language", ""),
        related=tuple(table.get("related", [])),
        splits={split: _below(data, path) for split, path in splits.items()},
        split_suffix=table.get("split_suffix", ""),
        split_roles=roles,
        images=images,
        captions=table.get("captions"),
        image_files=image_files,
        leaves_out=table.get("leaves_out", ""),
        item=item,
        license=table.get("license"),
        citation=table.get("citation"),
        downloads=_downloads(check, table, parts, data, within),
        obtain=table.get("obtain"),
    )


def declared_images(where: str, value: Any, data: Path) -> Path | None:
    """Read the location of image files from the `images` key of any table. Raises `UsageError`."""
    return _images(_Check(where), value, data)[1]


class _Check:
    def __init__(self, where: str) -> None:
        self._where = where

    def that(self, holds: bool, message: str) -> None:
        if not holds:
            raise UsageError(f"{self._where}: {message}")

    def known(self, table: Mapping[str, Any], keys: set[str]) -> None:
        unknown = ", ".join(sorted(set(table) - keys))
        self.that(not unknown, f"unknown key {unknown}; the keys are {', '.join(sorted(keys))}")


def _images(check: _Check, value: Any, data: Path) -> tuple[int | None, Path | None]:
    """Return the expected number of images (a number), the location of their files (a text), or both (a table)."""
    if value is None:
        return None, None
    if not isinstance(value, dict):
        value = {"path" if isinstance(value, str) else "count": value}
    message = f"{IMAGES} must be a whole number, a folder or pattern of image files, or both: {{ count = …, path = … }}"
    count, path = value.get("count"), value.get("path")
    check.that(bool(value) and set(value) <= {"count", "path"}, message)
    check.that(count is None or _is_count(count), message)
    check.that(path is None or (isinstance(path, str) and bool(path) and "\0" not in path), message)
    return count, None if path is None else data / path


def _parts(check: _Check, table: Mapping[str, Any], data: Path) -> tuple[Part, ...]:
    parts = table.get("parts", [{"path": table.get("path")}])
    check.that(isinstance(parts, list) and bool(parts), "parts must be a list of tables with a path each")
    return tuple(_part(check, part, table.get("options", {}), data) for part in parts)


def _part(check: _Check, part: Any, shared: Any, data: Path) -> Part:
    check.that(isinstance(part, dict), "parts must be a list of tables with a path each")
    check.known(part, {"path", "split", "options"})
    paths = [part["path"]] if isinstance(part.get("path"), str) else part.get("path")
    check.that(bool(paths) and _is_texts(paths), "path must be a file, a pattern, or a list of them")
    check.that(isinstance(part.get("split", ""), str), "split must be a string")
    options = {**_options(check, shared, data), **_options(check, part.get("options", {}), data)}
    return Part(tuple(_below(data, path) for path in paths), part.get("split"), options)


def _options(check: _Check, options: Any, data: Path) -> dict[str, Option]:
    """Read the options of a reader; one whose name ends in `_file` is a path below the data folder."""
    check.that(isinstance(options, dict), "options must be a table")
    read: dict[str, Option] = {}
    for name, value in options.items():
        if name.endswith("_file"):
            check.that(isinstance(value, str), f"options: {name} must be a path")
            read[name] = _below(data, value)
        elif isinstance(value, list):
            check.that(_is_texts(value), f"options: {name} must be a list of strings")
            read[name] = tuple(value)
        else:
            check.that(isinstance(value, str | int | bool), f"options: {name} must be a string, number or list")
            read[name] = value
    return read


def _downloads(
    check: _Check, table: Mapping[str, Any], parts: tuple[Part, ...], data: Path, within: Path | None
) -> tuple[Download, ...]:
    check.that(("url" in table) == ("sha256" in table), "url and sha256 belong together")
    check.that("url" in table or "bytes" not in table, "bytes is the size of the file at url: add url and sha256")
    entries = table.get("downloads", [])
    check.that(isinstance(entries, list), "downloads must be a list of tables with url, sha256 and path")
    downloads = []
    for entry in entries:
        check.that(isinstance(entry, dict), "downloads must be a list of tables with url, sha256 and path")
        check.known(entry, {"url", "sha256", "bytes", "path", "member"})
        for key in ("url", "sha256", "path"):
            check.that(isinstance(entry.get(key), str), f"downloads: {key} must be given, as a string")
        check.that(isinstance(entry.get("member", ""), str), "downloads: member must be a string")
        path, member, size = data / entry["path"], entry.get("member"), entry.get("bytes")
        downloads.append(Download(entry["url"], entry["sha256"], path, member, size, within))
    if "url" in table:
        check.that(isinstance(table["url"], str) and isinstance(table["sha256"], str), "url and sha256 must be strings")
        one_file = len(parts) == 1 and len(parts[0].paths) == 1
        check.that(one_file, "url fetches one file; list several as downloads = [{ url, sha256, path }, …]")
        path, size = parts[0].paths[0], table.get("bytes")
        downloads.append(Download(table["url"], table["sha256"], path, None, size, within))
    for download in downloads:
        _check_download(check, download, data)
    return tuple(downloads)


def _check_download(check: _Check, download: Download, data: Path) -> None:
    """Raise `UsageError` for a malformed url, hash or size, and for a path that data should not be written to."""
    check.that(
        download.url.startswith(("https://", "http://")), f"{download.url}: only http and https urls can be fetched"
    )
    path = download.path
    below = path.relative_to(data).parts if path.is_relative_to(data) else ()
    check.that(bool(below) and ".." not in below, f"{path}: a download must stay inside the data folder")
    plain = all(part.isprintable() and not part.startswith((".", "~")) for part in below)
    check.that(plain, f"{path}: a download path cannot have parts that begin with . or ~, or control characters")
    sha256, size = download.sha256, download.size
    check.that(len(sha256) == 64 and set(sha256) <= set("0123456789abcdef"), f"sha256 {sha256!r} is not 64 hex digits")
    check.that(size is None or (type(size) is int and size > 0), f"bytes must be a whole number, not {size!r}")


def _below(data: Path, path: str) -> Path:
    """Return a path below the data folder; an address stays as it is."""
    return Path(path) if address_of(Path(path)) else data / path


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
