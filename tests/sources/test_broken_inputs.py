"""No input, however broken, ends in a traceback, takes the store with it, or is half read without a word.

`broken.CASES` is the table of inputs. Each ends in exit 3 (2 for a setting) with one line that names the file and what
is wrong, or is read with its broken records refused and counted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from broken import CASES
from broken.arrays import IDS
from broken.arrays import WHOLE as VECTORS
from broken.case import Broken, flickr
from broken.matlab import MAT
from broken.tables import ARROW, PACKED, PACKED_FILE, PARQUET
from broken.whole import SOUND
from conftest import ROOT
from running import run_apart
from sizes import some

from auditor import config, sources
from auditor.cli import app
from auditor.errors import AuditorError, SourceError, UsageError
from auditor.model import Part, Source
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.naming import settings
from auditor.studies.ingest.sources import MAX_REJECTED, ingest_sources

pytestmark = pytest.mark.store

MOST_MEMORY = 1 << 30
MOST_SECONDS = 20

ORDINARY = [case for case in CASES if not case.dangerous]

#: What goes the whole way of the command: mistakes in settings, names that need care, and some of everything else.
NEEDS_CARE = [case for case in ORDINARY if case.code == 2 or "control characters" in case.name]
SHOWN = [*NEEDS_CARE, *some([case for case in ORDINARY[::25] if case not in NEEDS_CARE], 16)]

KEPT = flickr(4)
BOM = b"\xef\xbb\xbf"


def named(cases: list[Broken]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that many broken inputs are read into, and that held a dataset before."""
    path = tmp_path_factory.mktemp("kept") / "kept.token"
    path.write_bytes(KEPT)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [Source("kept", "captions", "flickr", (Part((path,)),))])
        yield store


def held(store: Store) -> list[object]:
    """Say what is in a store: its log, and how much of everything."""
    tables = ("dataset", "membership", "caption", "caption_tokens", "vocabulary", "rejected", "annotation", "vector")
    counts = [store.query(f"select count(*) from {table}").item() for table in tables]
    return [*store.query("from version order by dataset, seq").rows(), *counts]


def take(store: Store, case: Broken, folder: Path, file_format: str | None = None, dataset: str = "broken") -> Result:
    """Ingest as the command does, into a store that is open already."""
    given = iter(argument.replace("@", f"{folder}/") for argument in case.arguments)
    arguments = dict(zip(given, given, strict=True))
    if case.declared:
        source = config.sources(Path(arguments["--config"]))["broken"]
    else:
        pairs = [arguments["--option"]] if "--option" in arguments else []
        options = settings(pairs, {"caption_col": arguments.get("--caption-col")})
        part = Part(tuple(case.paths(folder)), options=options)
        kind = "vectors" if case.format == "vectors" else "captions"
        source = Source(dataset, kind, case.format if file_format is None else file_format, (part,))
    return ingest_sources(store, [source], max_rejected=MAX_REJECTED if case.is_refused else 1.0)


@named([case for case in ORDINARY if case.is_refused and case.code == 3])
def test_input_is_refused_in_one_line_and_the_store_is_as_before(case: Broken, kept: Store, tmp_path: Path) -> None:
    case.write(tmp_path)
    before = held(kept)
    with pytest.raises(AuditorError) as refusal:
        take(kept, case, tmp_path)
    message = str(refusal.value)
    assert refusal.value.exit_code == 3
    assert re.search(case.says, message)
    assert any(name in message for name in (*case.files, *case.named, str(tmp_path), "broken: "))
    assert "\n" not in message.replace(str(tmp_path), "").replace("\n\r.token", "")
    assert held(kept) == before
    assert not Path("harm").exists()


@named([case for case in ORDINARY if not case.is_refused])
def test_broken_records_are_refused_counted_and_named(case: Broken, kept: Store, tmp_path: Path) -> None:
    case.write(tmp_path)
    row = take(kept, case, tmp_path, dataset=case.name).frame.row(0, named=True)
    refused = kept.query(
        "select source || ':' || line || ': ' || reason as said from rejected where dataset = $name",
        {"name": case.name},
    )
    kept_of_them = row["images"] if case.format == "vectors" else row["captions"]
    assert (kept_of_them, row["rejected"]) == (case.captions, case.rejected)
    assert refused.height == case.rejected
    assert all(re.search(case.says, said) for said in refused["said"])


@pytest.mark.parametrize("file_format", sorted({case.format for case in ORDINARY} - {"", "nope"}))
def test_guessing_what_a_broken_input_is_ends_well(file_format: str, kept: Store, tmp_path: Path) -> None:
    cases = [case for case in ORDINARY if case.format == file_format and case.code == 3]
    for number, case in enumerate(cases[::3]):
        folder = tmp_path / str(number)
        folder.mkdir()
        case.write(folder)
        with suppress(SourceError, UsageError):
            take(kept, case, folder, file_format="")


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store that holds a dataset."""
    path = tmp_path_factory.mktemp("filled") / "audit.duckdb"
    captions = path.with_name("kept.token")
    captions.write_bytes(KEPT)
    with Store.open(path, write=True) as store:
        ingest_sources(store, [Source("kept", "captions", "flickr", (Part((captions,)),))])
    return path


@pytest.fixture
def command(filled: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    shutil.copy2(filled, tmp_path / "audit.duckdb")

    def run(*arguments: str) -> Run:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            app.main([*arguments, "--store", str(tmp_path / "audit.duckdb"), "--json"])
        return Run(int(ended.value.code or 0), *capfd.readouterr())

    return run


@named(SHOWN)
def test_command_ends_with_its_code_and_one_line(
    case: Broken, command: Callable[..., Run], filled: Path, tmp_path: Path
) -> None:
    case.write(tmp_path)
    done = command(*case.command(tmp_path))
    if case.is_refused:
        assert (done.code, done.out) == (case.code, "")
        assert done.err.startswith("error: ")
        assert done.err.endswith("\n")
        assert done.err[:-1].isprintable()
        assert re.search(case.says, done.err)
        assert (tmp_path / "audit.duckdb").read_bytes() == filled.read_bytes()
    else:
        assert done.code == 0
        row = json.loads(done.out)["auditor.ingest/v3"]["rows"][0]
        kept = row["images"] if case.format == "vectors" else row["captions"]
        assert (kept, row["rejected"]) == (case.captions, case.rejected)


@named(some([case for case in CASES if case.dangerous], 5))
def test_input_that_would_take_all_there_is_gets_little(case: Broken, tmp_path: Path) -> None:
    case.write(tmp_path)
    arguments = [*case.command(tmp_path), "--store", "audit.duckdb"]
    started = os.times().elapsed
    done, peak = run_apart(*arguments, PYTHONPATH=str(ROOT))
    assert os.times().elapsed - started < MOST_SECONDS
    assert done.returncode == (case.code if case.is_refused else 0), done.stderr
    if case.is_refused:
        assert re.fullmatch(r"error: .*\n", done.stderr)
        assert re.search(case.says, done.stderr)
    assert peak < MOST_MEMORY
    for path in tmp_path.iterdir():
        if path.is_file():
            path.unlink()  # gigabytes, all of them together


TEXTS = sorted(name for name, sound in SOUND.items() if sound.content.isascii() and b"\0" not in sound.content)


@pytest.fixture(scope="module")
def as_it_is() -> dict[str, tuple[str, int, int]]:
    """What was ingested of the sound input of each format: its version, its captions, how many were refused."""
    return {}


@pytest.mark.parametrize("file_format", TEXTS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: BOM + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: BOM + text.replace(b"\n", b"\r\n"),
        lambda text: text.rstrip(b"\n"),
    ],
    ids=["BOM", "CRLF", "both", "no last line end"],
)
def test_byte_order_mark_and_windows_line_ends_lose_nothing(
    file_format: str,
    change: Callable[[bytes], bytes],
    kept: Store,
    as_it_is: dict[str, tuple[str, int, int]],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    sound = SOUND[file_format]

    def taken(content: bytes, dataset: str) -> tuple[str, int, int]:
        case = Broken("", file_format, {sound.name: content, **sound.beside}, "", 1, arguments=sound.arguments)
        case.write(tmp_path)
        row = take(kept, case, tmp_path, dataset=dataset).frame.row(0, named=True)
        return row["version"], row["captions"], row["rejected"]

    if file_format not in as_it_is:
        as_it_is[file_format] = taken(sound.content, f"sound {file_format}")
    assert taken(change(sound.content), request.node.name) == as_it_is[file_format]
    assert as_it_is[file_format][2] == 0


def test_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.token"
    path.write_bytes(flickr(6))
    captions = sources.read(Part((path,)), "flickr")
    next(captions)
    with path.open("ab") as file:
        file.write(flickr(2, first=6))
    with pytest.raises(SourceError, match=r"a\.token: changed while it was being read"):
        list(captions)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_may_not_be_read_is_named(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "a.token"
    path.write_bytes(flickr(6))
    closed = path if kind == "file" else folder
    closed.chmod(0)
    try:
        with pytest.raises(SourceError, match=r"a\.token: Permission denied"):
            list(sources.read(Part((path,)), "flickr"))
    finally:
        closed.chmod(0o700)


#: Reads files with flipped bits; one that ends the process ends the test.
FLIP = """
import random, sys
from pathlib import Path
from auditor import sources
from auditor.errors import AuditorError
from auditor.model import Part

whole, path = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2])
for seed in range(int(sys.argv[3])):
    chance = random.Random(seed)
    content = bytearray(whole)
    for _ in range(chance.randint(1, 3)):
        place = chance.choice([chance.randrange(len(content)), -chance.randrange(1, min(400, len(content)))])
        content[place] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    try:
        part = Part((path,))
        for _ in sources.vectors.read(part) if sys.argv[4] == "vectors" else sources.read(part, sys.argv[4]):
            pass
    except AuditorError:
        pass
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", PARQUET), ("a.arrow", ARROW), ("a.arrow", PACKED_FILE), ("a.arrows", PACKED), ("a.mat", MAT),
        *((name, content) for name, content, _ in VECTORS.values()),
    ],
    ids=["parquet", "arrow", "packed arrow", "packed stream", "mat", *(f"vectors as {kind}" for kind in VECTORS)],
)  # fmt: skip
def test_flipped_bits_never_end_the_process(name: str, content: bytes, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.write_bytes(content)
    file_format = "vectors" if name.startswith("v.") else "mat" if name == "a.mat" else "table"
    (tmp_path / "v.txt").write_bytes(IDS)
    done = subprocess.run(
        [sys.executable, "-c", FLIP, str(whole), str(tmp_path / name), "200", file_format],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
