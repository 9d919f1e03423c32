"""METEOR's English word lists and tables, read from an installed `pycocoevalcap` under METEOR's license.

They are not shipped with `auditor`. On first use, the two files are checked against the sums of METEOR 1.5 and written
as Parquet tables to the user's cache (`AUDITOR_CACHE`, or the system's cache folder). Later runs read them in half a
second, without Java.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import MissingExtraError, SourceError
from auditor.files.folders import replacing_folder
from auditor.metrics.kernels.columns import offsets
from auditor.metrics.meteor import phrase_table
from auditor.metrics.meteor.phrase_table import PhraseTable
from auditor.text.meteor_normalizer import Normalizer

JAR = Path("meteor", "meteor-1.5.jar")

PARAPHRASES = Path("meteor", "data", "paraphrase-en.gz")

SHA256 = {
    JAR: "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2",
    PARAPHRASES: "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48",
}

_LAYOUT = 2  # of the tables in the cache

_SUMS = "SHA256SUMS"

_TABLES = ("word_list", "synset", "exception", "phrase_word", "phrase", "paraphrase")


@dataclass(frozen=True)
class Resources:
    """Word lists, WordNet's synsets and the paraphrase table.

    The synsets of word number n of the dictionary are `synset[synsets[n]:synsets[n + 1]]`. `exceptions` maps irregular
    forms to their bases, `phrase_words` maps words to their numbers in the tree of phrases.
    """

    normalizer: Normalizer
    function_words: frozenset[str]
    dictionary: Mapping[str, int]
    synsets: NDArray[np.int64]
    synset: NDArray[np.int64]
    exceptions: Mapping[str, tuple[str, ...]]
    phrase_words: Mapping[str, int]
    phrases: PhraseTable


def package() -> Path:
    """Return the folder of pycocoevalcap without importing it. Raises `MissingExtraError` if it is not installed."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if all((Path(folder) / file).is_file() for file in SHA256):
            return Path(folder)
    raise MissingExtraError("meteor: needs METEOR's word lists and tables; install them: pip install 'auditor[meteor]'")


def identity() -> str:
    """Return the hash of the source files of the word lists and the table: 12 hexadecimal digits."""
    return hashlib.sha256("".join(SHA256[file] for file in (JAR, PARAPHRASES)).encode()).hexdigest()[:12]


@functools.cache
def load() -> Resources:
    """Read the tables, once per process; create them first if the cache has none.

    Raises `MissingExtraError` if pycocoevalcap is not installed, `SourceError` if its files are not of METEOR 1.5.
    """
    folder = package()
    cached = _cache() / f"meteor-{_LAYOUT}-{SHA256[JAR][:12]}-{SHA256[PARAPHRASES][:12]}"
    frames = _read(cached)
    if frames is None:
        frames = _build(folder)
        with suppress(OSError, pl.exceptions.ComputeError):  # without a cache, the next run takes longer
            _write(frames, cached)
    return _resources(frames)


def _cache() -> Path:
    named = os.environ.get("AUDITOR_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("auditor")


def _read(cached: Path) -> dict[str, pl.DataFrame] | None:
    """Read the tables; none if one is missing, unreadable or changed: they are created again."""
    try:
        if (cached / _SUMS).read_text(encoding="utf-8") != _sums(cached):
            return None
        return {name: pl.read_ipc(cached / f"{name}.arrow") for name in _TABLES}
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return None


def _sums(folder: Path) -> str:
    """List the tables of a folder with the sha256 of each, as `sha256sum` does."""
    lines = ""
    for name in _TABLES:
        with (folder / f"{name}.arrow").open("rb") as file:
            lines += f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}.arrow\n"
    return lines


def _write(frames: Mapping[str, pl.DataFrame], cached: Path) -> None:
    """Write all tables or none: into a new folder, which then replaces the old one."""
    with replacing_folder(cached, force=True) as fresh:
        for name, frame in frames.items():
            frame.rechunk().write_ipc(fresh / f"{name}.arrow")
        (fresh / _SUMS).write_text(_sums(fresh), encoding="utf-8")


def _build(folder: Path) -> dict[str, pl.DataFrame]:
    for file, expected in SHA256.items():
        with (folder / file).open("rb") as opened:
            if hashlib.file_digest(opened, "sha256").hexdigest() != expected:
                raise SourceError(
                    f"{folder / file}: not the file of METEOR 1.5 (sha256 {expected[:12]}…); reinstall it"
                )
    with zipfile.ZipFile(folder / JAR) as jar:

        def lines(name: str) -> list[str]:
            return jar.read(name).decode().split("\n")

        listed = [line.split() for line in lines("nonbreaking/english.prefixes") if line.strip() and line[0] != "#"]
        kinds = [("numeric" if "#NUMERIC_ONLY#" in fields else "prefix", fields[0]) for fields in listed]
        kinds += [("function", line.strip()) for line in lines("function/english.words") if line.strip()]
        synsets, exceptions = (_in_pairs(lines(f"synonym/english.{name}")) for name in ("synsets", "exceptions"))
    return {
        "word_list": pl.DataFrame(kinds, schema=["kind", "word"], orient="row"),
        "synset": synsets.select("word", synset=pl.col("listed").cast(pl.List(pl.Int64))),
        "exception": exceptions.explode("listed")
        .group_by("listed", maintain_order=True)
        .agg("word")
        .select(form="listed", bases="word"),
        **phrase_table.build(folder / PARAPHRASES),
    }


def _in_pairs(lines: list[str]) -> pl.DataFrame:
    """Parse lines that alternate between a word and its list."""
    pairs = len(lines) // 2
    listed = pl.Series([line.split() for line in lines[1 : 2 * pairs : 2]], dtype=pl.List(pl.String))
    return pl.DataFrame({"word": [line.strip() for line in lines[: 2 * pairs : 2]], "listed": listed})


def _resources(frames: Mapping[str, pl.DataFrame]) -> Resources:
    lists = {kind: frozenset(words["word"]) for (kind,), words in frames["word_list"].group_by("kind")}
    synset = frames["synset"]
    return Resources(
        normalizer=Normalizer(lists["prefix"], lists["numeric"]),
        function_words=lists["function"],
        dictionary=dict(zip(synset["word"].to_list(), range(synset.height), strict=True)),
        synsets=offsets(synset["synset"].list.len().to_numpy()),
        synset=synset["synset"].explode().to_numpy(),
        exceptions={form: tuple(bases) for form, bases in frames["exception"].iter_rows()},
        phrase_words={word: number for number, word in enumerate(frames["phrase_word"]["word"].to_list())},
        phrases=phrase_table.table(frames),
    )
