"""Where files are, and what goes with them: names, folders, split lists, bundles, settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from broken.case import Broken, Content, flickr
from broken.whole import COCO, CSV, as_json

CAPTIONS = pl.DataFrame(
    {"image": ["a", "a"], "slot": [0, 1], "split": [None, "test"], "text": ["A kite .", "A mug ."]},
    schema={"image": pl.String, "slot": pl.UInt32, "split": pl.String, "text": pl.String},
)


def _bundle(folder: Path, change: Callable[[dict[str, Any]], Any] = lambda manifest: None) -> None:
    """Write a bundle that holds what it says but for its version."""
    folder.mkdir()
    captions = folder / "captions.parquet"
    CAPTIONS.write_parquet(captions)
    manifest: dict[str, Any] = {
        "format": "auditor.bundle/1", "dataset": "set", "kind": "captions", "language": "en", "related": [],
        "version": "0" * 64, "images": 1, "captions": 2, "note": None,
        "files": {"captions.parquet": {"rows": 2, "sha256": hashlib.sha256(captions.read_bytes()).hexdigest()}},
    }  # fmt: skip
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def _kept(name: str, change: Callable[[dict[str, Any]], Any], says: str) -> Broken:
    return Broken(f"bundle: {name}", "bundle", {"set": lambda path: _bundle(path, change)}, says)


def _spoilt(name: str, spoil: Callable[[Path], Any], says: str) -> Broken:
    def make(path: Path) -> None:
        _bundle(path)
        spoil(path)

    return Broken(f"bundle: {name}", "bundle", {"set": make}, says)


def _rehashed(path: Path, content: bytes) -> None:
    """Put another content into a bundle, with its hash."""
    (path / "captions.parquet").write_bytes(content)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["files"]["captions.parquet"]["sha256"] = hashlib.sha256(content).hexdigest()
    (path / "manifest.json").write_text(json.dumps(manifest))


BUNDLES: tuple[Broken, ...] = (
    _kept("a version that it does not hold", lambda manifest: None, "the files hold version .*names"),
    _kept("a format of tomorrow", lambda manifest: manifest.update(format="auditor.bundle/9"), "this version reads"),
    _kept("no version", lambda manifest: manifest.pop("version"), "version must be 64 hex digits"),
    _kept("a count that is a text", lambda manifest: manifest.update(images="1"), "images must be a whole number"),
    _kept("a count below zero", lambda manifest: manifest.update(images=-1), "images must be a whole number"),
    _kept("a count that is true", lambda manifest: manifest.update(captions=True), "captions must be a whole number"),
    _kept("a kind that is none", lambda manifest: manifest.update(kind="songs"), "kind must be one of"),
    _kept("a kind that is a list", lambda manifest: manifest.update(kind=["captions"]), "kind must be one of"),
    _kept("related that is a text", lambda manifest: manifest.update(related="other"), "related must be a list"),
    _kept("a note that is a number", lambda manifest: manifest.update(note=7), "note must be a string or null"),
    _kept("no files", lambda manifest: manifest.update(files={}), "files must name captions.parquet"),
    _kept("files that are a list", lambda manifest: manifest.update(files=[]), "files must name captions.parquet"),
    _kept("a file outside", lambda manifest: manifest["files"].update({"../x": {"rows": 1, "sha256": "0" * 64}}), "leads out of the folder"),
    _kept("a file of another name", lambda manifest: manifest["files"].update({"x.pkl": {"rows": 1, "sha256": "0" * 64}}), "is not a file of a bundle"),
    _kept("a hash that is none", lambda manifest: manifest["files"]["captions.parquet"].update(sha256="x"), "must have sha256 and rows"),
    _spoilt("a manifest that is no JSON", lambda path: (path / "manifest.json").write_text("{"), r"manifest\.json: not JSON"),
    _spoilt("a manifest in Latin-1", lambda path: (path / "manifest.json").write_bytes(b'{"note": "caf\xe9"}'), r"manifest\.json: not JSON"),
    _spoilt("a manifest nested 200,000 deep", lambda path: (path / "manifest.json").write_text("[" * 200_000), r"manifest\.json: not JSON"),
    _spoilt("a manifest of 2 MB", lambda path: (path / "manifest.json").write_text(" " * (2 << 20)), r"manifest\.json: larger than"),
    _spoilt("not the manifest", lambda path: (path / "manifest.json").unlink(), r"manifest\.json: no such file"),
    _spoilt("no captions", lambda path: (path / "captions.parquet").unlink(), r"captions\.parquet: missing from the bundle"),
    _spoilt("a file too many", lambda path: (path / "x").touch(), "not part of the bundle"),
    _spoilt("captions that were altered", lambda path: (path / "captions.parquet").write_bytes(b"PAR1"), "damaged: its hash differs from manifest.json"),
    _spoilt("captions that are no Parquet", lambda path: _rehashed(path, b"PAR1" * 9), r"captions\.parquet: .*(damaged|cannot be read as a Parquet file)"),
    _spoilt("captions that are a folder", lambda path: ((path / "captions.parquet").unlink(), (path / "captions.parquet").mkdir()), "damaged: its hash differs from manifest.json"),
    Broken("bundle: two at once", "bundle", {"one": _bundle, "two": _bundle}, "a bundle is a whole version", named=("one", "two")),
    Broken("bundle: a file that is none", "bundle", {"a.csv": CSV}, r"a\.csv"),
)  # fmt: skip

CONFIG = '[broken]\nkind = "captions"\nformat = "flickr"\npath = "a.token"\nsplits = {{ train = "train.txt", test = "test.txt" }}\n{more}\n[settings]\ndata = "."\n'


def _declared(
    name: str, says: str, files: Mapping[str, Content] = {}, more: str = "", code: int = 3, captions: int = 0
) -> Broken:
    """Read a declared dataset with split lists."""
    there: dict[str, Content] = {
        "datasets.toml": CONFIG.format(more=more).encode(), "a.token": flickr(6), "train.txt": b"0.jpg\n", "test.txt": b"1.jpg\n",
    }  # fmt: skip
    return Broken(
        f"splits: {name}",
        "",
        {**there, **files},
        says,
        captions,
        arguments=("--config", "@datasets.toml"),
        declared=True,
        code=code,
    )


SPLITS: tuple[Broken, ...] = (
    _declared("an image in two lists", r"test\.txt: image 0\.jpg is in split train already", {"test.txt": b"0.jpg\n"}),
    _declared("a list that is not there", r"none\.txt: no such file", {"datasets.toml": CONFIG.format(more="").replace("test.txt", "none.txt").encode()}),
    _declared("a list with a broken byte", r"test\.txt: not a list of names in UTF-8", {"test.txt": b"caf\xe9.jpg\n"}),
    _declared("a list in UTF-16", r"test\.txt: not a list of names in UTF-8", {"test.txt": "1.jpg\n".encode("utf-16")}),
    _declared("a list that is a folder", r"test\.txt: Is a directory", {"test.txt": lambda path: path.mkdir()}),
    _declared("a list that is a web page", r"test\.txt: a web page", {"test.txt": b"<html><body>404</body></html>"}),
    _declared("a list that is a gzip cut short", r"test\.txt: damaged compressed file", {"test.txt": b"\x1f\x8b\x08\0"}),
    _declared("a table of an unknown key", "unknown key color", more='color = "red"', code=2),
    _declared("a path with a NUL", r"null byte|no such file", {"datasets.toml": CONFIG.format(more="").replace('"a.token"', '"a\\u0000.token"').encode()}),
    _declared("a pattern with a NUL", r"null byte|no file matches|no such file", {"datasets.toml": CONFIG.format(more="").replace('"a.token"', '"a\\u0000*.token"').encode()}),
    _declared("a configuration that is no TOML", "not TOML", {"datasets.toml": b"[broken\n"}, code=2),
)  # fmt: skip

NAMES: tuple[Broken, ...] = (
    Broken("a name of 300 characters", "flickr", {}, "no such file", named=("a" * 300,)),
    Broken("a name of 300 characters, guessed", "", {}, "no such file", named=("a" * 300,)),
    Broken("a name of 254 characters", "flickr", {}, "no such file", named=("a" * 254,)),
    Broken("a path of 5000 characters", "flickr", {}, "no such file", named=("a/" * 2500 + "b",)),
    Broken("a pattern of 300 characters", "flickr", {}, "no file matches|no such file|too long", named=("a" * 300 + "*",)),
    Broken("a pattern that meets nothing", "flickr", {}, "no file matches this pattern", named=("*.token",)),
    Broken("a pattern that meets folders only", "flickr", {"x.token": lambda path: path.mkdir()}, "no file matches this pattern", named=("*.token",)),
    Broken("a pattern that is broken", "flickr", {}, "no file matches this pattern|no such file", named=("[",)),
    Broken("a pattern of two stars", "flickr", {}, "no file matches this pattern", named=("**",)),
    Broken("a file as a folder", "flickr", {"a.token": flickr(2)}, "no such file", named=("a.token/b.token",)),
    Broken("the folder itself", "flickr", {}, "a folder; format .* reads files", named=(".",)),
    Broken("the root", "flickr", {}, "a folder; format .* reads files", named=("//",)),
    Broken("a folder that no format knows", "", {"a": lambda path: path.mkdir()}, "a folder that no format fits; name a file in it"),
    Broken("an empty file that no format knows", "", {"a": b""}, "is empty|unknown format"),
    Broken("bytes that no format knows", "", {"a": bytes(range(256)) * 9}, "unknown format"),
    Broken("a name with control characters", "flickr", {"a\x1b[31m\n\r.token": b"nothing\n"}, "not of format"),
    Broken("a name that is not UTF-8", "flickr", {"caf\udce9.token": b"nothing\n"}, "not of format"),
    Broken("/dev/null", "flickr", {}, "neither a file nor a folder", named=("/dev/null",)),
    Broken("/dev/zero", "", {}, "neither a file nor a folder", named=("/dev/zero",), dangerous=True),
    Broken("a file of the kernel", "flickr", {}, "/proc/self/mem", named=("/proc/self/mem",), dangerous=True),
    Broken("an unknown format", "nope", {"a.token": flickr(2)}, "nope: unknown format; `auditor ingest --formats.*` lists all; CSV, JSON and Parquet need none", code=2),
    Broken("an unknown option", "flickr", {"a.token": flickr(2)}, 'format "flickr" has no option color', arguments=("--option", "color=red"), code=2),
    Broken("an option of another format", "flickr", {"a.token": flickr(2)}, 'format "flickr" has no option delimiter', arguments=("--option", "delimiter=;"), code=2),
    Broken("a kind that is none", "flickr", {"a.token": flickr(2)}, "unknown kind", arguments=("--kind", "songs"), code=2),
    Broken("a share of refusals beyond 1", "flickr", {"a.token": flickr(2)}, "expected 0 to 1", arguments=("--max-rejected", "7"), code=2),
    Broken("a share of refusals that is NaN", "flickr", {"a.token": flickr(2)}, "expected 0 to 1", arguments=("--max-rejected", "nan"), code=2),
    Broken("more refusals than may be", "flickr", {"a.token": flickr(6) + b"no tab\n"}, r"1 of 7 records were rejected, more than 1\.00%.*a\.token:7: no tab"),
    Broken("a split_key of COCO that is true", "coco", {"a.json": as_json(COCO)}, "split_key", arguments=("--option", "split_key=true")),
)  # fmt: skip

CASES = (*BUNDLES, *SPLITS, *NAMES)
