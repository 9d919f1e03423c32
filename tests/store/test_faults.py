"""What a store survives: SIGKILL at any moment, a full disk, another writer, damaged bytes. Nothing is lost or hidden."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import ingest_rows

from auditor.errors import StoreError
from auditor.store import migrations, verification, versions
from auditor.store.connection import Store
from auditor.studies.bounds import bounds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog is running"), ("b", 0, "a café"), ("b", 1, "日本")]

#: Runs commands in children that have everything imported, so that a kill meets work and not the start of Python.
NURSERY = """
import json, os, sys
from auditor import config, reports
from auditor.cli import app
from auditor.studies import ingestion, upkeep
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        app.main(json.loads(line))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

#: Runs commands, and says of each how it ended and what it printed.
SEVERAL = """
import contextlib, io, json, resource, sys
from auditor.cli import app
commands, limit = json.loads(sys.argv[1]), int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
told = []
for command in commands:
    out, err, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app.main(command)
        except SystemExit as end:
            code = end.code or 0
    out.flush()
    told.append([code, out.buffer.getvalue().decode(), err.getvalue()])
sys.stdout.write(json.dumps(told))
"""

Told = tuple[int, str, str]


def run(path: Path, *commands: list[str], limit: int = 0) -> list[Told]:
    """Run commands on a store in one process whose files may not grow over `limit` bytes; none may crash or be a bug."""
    full = [["-q", *command, "--store", str(path)] for command in commands]
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL, json.dumps(full), str(limit)], capture_output=True, text=True, cwd=path.parent
    )
    assert done.returncode == 0, done.stderr
    told = [(code, out, err) for code, out, err in json.loads(done.stdout)]
    for command, (code, out, err) in zip(commands, told, strict=True):
        assert code in (0, 4), (command, code, out, err)
        assert "Traceback" not in err, (command, err)
        if code:
            assert err.startswith(f"error: {path}"), (command, err)
            assert err.count("\n") == 1, (command, err)
    return told


def token_file(path: Path, number: int, images: int = 900) -> Path:
    lines = (
        f"i{i}.jpg#{slot}\tcaption {number} of {i * 7 % 1000} {slot}\n" for i in range(images) for slot in range(4)
    )
    path.write_text("".join(lines))
    return path


def ingest(name: str, file: Path) -> list[str]:
    return ["ingest", name, "--from", str(file), "--format", "flickr"]


def held_versions(path: Path) -> dict[str, str]:
    """Open a store, which must be sound, and say which version of each dataset it holds."""
    with Store.open(path) as store:
        assert verification.legible(store)["faults"].sum() == 0
        assert verification.check(store)["faults"].sum() == 0
        oldest_first = reversed(versions.log(store))
        return {version.dataset: version.version for version in oldest_first}


def copy(template: Path, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    remove(path)
    shutil.copy(template, path)


def remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        if file.is_file():
            file.unlink()


class Killer:
    """Runs commands on a store, and kills them at random moments of their work."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.killed = 0
        self._chance = random.Random(1)
        self._duration = 0.0
        path.parent.mkdir(exist_ok=True)
        self._nursery = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=path.parent
        )

    def finish(self, command: list[str]) -> None:
        """Let a command end by itself. How long it takes is the measure for the moments of the kills."""
        self._begin(command)
        began = time.monotonic()
        assert self._end() == 0
        self._duration = time.monotonic() - began

    def kill(self, command: list[str]) -> None:
        """Begin a command and kill it, unless it ends before."""
        child = self._begin(command)
        time.sleep(self._chance.uniform(0, 1) * self._duration)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        self.killed += self._end() == -signal.SIGKILL

    def close(self) -> None:
        self._nursery.communicate()

    def _begin(self, command: list[str]) -> int:
        assert self._nursery.stdin is not None
        self._nursery.stdin.write(json.dumps(["-q", *command, "--store", str(self.path)]) + "\n")
        self._nursery.stdin.flush()
        return int(self._told())

    def _end(self) -> int:
        return int(self._told())

    def _told(self) -> str:
        assert self._nursery.stdout is not None
        return self._nursery.stdout.readline()


@pytest.fixture
def killer(path: Path) -> Iterator[Killer]:
    with closing(Killer(path)) as opened:
        yield opened
        assert opened.killed, "at least one of the commands was killed before it ended"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "audit.duckdb"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two versions of one dataset, with counts of both. Tests work on a copy."""
    path = tmp_path_factory.mktemp("filled") / "filled.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS, dataset="kept")
        ingest_rows(store, [(f"i{i}", slot, f"words {i} {slot}") for i in range(300) for slot in range(3)])
        ingest_rows(store, [(f"i{i}", slot, f"words {i} {slot}") for i in range(290) for slot in range(3)])
    for ref in ("set@v1", "set@v2"):
        with Store.open(path) as store:
            bounds(store, [ref], ["bleu-1", "cider"])
    return path


def of_old_schema(filled: Path, schema: int) -> Path:
    """Write the facts of a store of today as an auditor of an older schema would have."""
    path = filled.with_name(f"schema-{schema}.duckdb")
    with duckdb.connect(str(path)) as connection:
        migrations.apply(connection, up_to=schema)
        connection.execute(f"attach '{filled}' as filled (read_only)").complete()
        tables = connection.execute(
            "select c.table_name, list(c.column_name) from duckdb_columns() as c"
            " semi join duckdb_tables() as t using (database_name, schema_name, table_name)"
            " where c.database_name = current_database() and c.schema_name = 'main' and c.table_name <> 'migration'"
            " group by c.table_name"
        ).fetchall()
        for table, columns in tables:
            names = ", ".join(columns)
            connection.execute(f"insert into {table} ({names}) select {names} from filled.{table}").complete()
    return path


def test_killed_first_ingest_leaves_no_version_or_a_whole_one(killer: Killer, path: Path, tmp_path: Path) -> None:
    command = ingest("big", token_file(tmp_path / "big.token", 0))
    killer.finish(command)
    after = held_versions(path)
    remove(path)
    for _ in range(12):
        killer.kill(command)
        try:
            held = held_versions(path)
        except StoreError as error:
            assert re.search("no store here|nothing was ingested yet", str(error))  # noqa: PT017
            continue
        assert held in ({}, after)
        if held:
            remove(path)
    killer.finish(command)
    assert held_versions(path) == after


def test_killed_ingest_loses_nothing(killer: Killer, path: Path, tmp_path: Path) -> None:
    """The store holds the version before or the one after; another dataset is not touched."""
    with Store.open(path, write=True) as store:
        kept = ingest_rows(store, ROWS, dataset="kept").version.version
    commands = [ingest("big", token_file(tmp_path / f"{number}.token", number)) for number in range(2)]
    states = []
    for command in commands:
        killer.finish(command)
        states.append(held_versions(path))
    assert states[0] != states[1]
    for number in range(13):
        killer.kill(commands[number % 2])
        held = held_versions(path)
        assert held in states
        assert held["kept"] == kept


@pytest.mark.parametrize("old", range(1, migrations.newest()))
def test_killed_migration_leaves_the_old_store_or_the_new_one(
    killer: Killer, path: Path, filled: Path, old: int
) -> None:
    before = held_versions(filled)
    template = of_old_schema(filled, old)
    backup = migrations.backup_of(path)
    copy(template, path)
    killer.finish(["store", "migrate"])
    for _ in range(-(-13 // (migrations.newest() - 1))):
        copy(template, path)
        killer.kill(["store", "migrate"])
        if backup.exists():
            with duckdb.connect(str(backup), read_only=True) as connection:
                assert migrations.current(connection) == old
                assert connection.execute("select count(*) from membership").fetchall() == [(904,)]
        assert held_versions(path) == before


def test_killed_gc_touches_no_fact(killer: Killer, path: Path, filled: Path) -> None:
    before = held_versions(filled)
    copy(filled, path)
    killer.finish(["store", "gc"])
    for _ in range(12):
        copy(filled, path)
        killer.kill(["store", "gc"])
        assert held_versions(path) == before
    killer.finish(["store", "gc"])
    assert held_versions(path) == before
    assert [file.name for file in path.parent.glob("audit.duckdb*")] == ["audit.duckdb"]


def test_full_disk_refuses_an_ingest_in_one_line_and_keeps_the_store(path: Path, tmp_path: Path) -> None:
    big, small = token_file(tmp_path / "big.token", 1), token_file(tmp_path / "small.token", 2, images=2)
    path.parent.mkdir()
    for limit in (4_000, 12_000, 40_000, 200_000):
        ((code, _, told),) = run(path, ingest("small", small), limit=limit)
        assert code == 4
        assert "no room left on the disk" in told
    run(path, ingest("small", small))
    before = held_versions(path)
    codes = set()
    for room in (-1_000_000, 0, 50_000, 100_000_000):
        ((code, _, told),) = run(path, ingest("big", big), limit=path.stat().st_size + room)
        assert not code or "no room left on the disk" in told
        held = held_versions(path)
        assert {name: version for name, version in held.items() if name != "big"} == before
        assert not code or "big" not in held or room > 0
        codes.add(code)
    assert codes == {0, 4}


def test_full_disk_leaves_no_part_of_a_copy(path: Path, filled: Path) -> None:
    before = held_versions(filled)
    for command, template in ((["store", "gc"], filled), (["store", "migrate"], of_old_schema(filled, 1))):
        copy(template, path)
        ((code, _, told),) = run(path, command, limit=1_000_000)
        assert code == 4
        assert "no room left on the disk" in told
        assert [file.name for file in path.parent.glob("*.duckdb*") if file.suffix != ".wal"] == [path.name]
        assert held_versions(path) == before


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk in memory. A test that needs one is skipped where it may not be had."""
    folder.mkdir()
    try:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"no disk can be mounted: {error}")
    if done.returncode:
        pytest.skip(f"no disk can be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_really_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    big, small = token_file(tmp_path / "big.token", 1, images=9000), token_file(tmp_path / "small.token", 2, images=2)
    with small_disk(tmp_path / "disk", "5m") as disk:
        path = disk / "audit.duckdb"
        run(path, ingest("small", small))
        before = held_versions(path)
        ((code, _, told),) = run(path, ingest("big", big))
        assert code == 4
        assert "No space left on device" in told
        assert held_versions(path) == before
        (disk / "fill").write_bytes(bytes(shutil.disk_usage(disk).free - 4096))
        for name in ("csv", "json", "parquet", "txt"):
            question = ["sql", "select n, repeat('x', 100) as x from range(1000) as t (n)"]
            done = command_line(*question, "--store", str(path), "-o", str(disk / f"out.{name}"))
            assert done.returncode in (2, 3, 4)
            assert done.stderr.startswith(f"error: {disk / f'out.{name}'}: cannot be written")
            assert done.stderr.count("\n") == 1
        assert held_versions(path) == before


def command_line(*arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    full = [sys.executable, "-m", "auditor", *arguments]
    return subprocess.run(full, **{"capture_output": not streams, "text": True, "check": False, **streams})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["table", "json"])
def test_standard_output_that_is_full_is_no_bug(filled: Path, form: str) -> None:
    with Path("/dev/full").open("w") as full:
        arguments = ("datasets", "--store", str(filled), "--format", form)
        done = command_line(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert re.fullmatch("error: no room left on the disk.*\n", done.stderr)


def test_spilling_to_a_full_disk_is_told_as_such(filled: Path) -> None:
    spill = (
        "import resource, sys\nfrom pathlib import Path\nfrom auditor.store.connection import Store\n"
        "with Store.open(Path(sys.argv[1])) as store:\n"
        "    store.execute('set memory_limit = '20MB'')\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "    try:\n"
        "        store.execute('create temp table t as select n, random() as r from range(3000000) as x(n) order by r')\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error)\n"
        "    print(store.query('select count(*) from caption').item())\n"
    )
    done = subprocess.run([sys.executable, "-c", spill, str(filled)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"StoreError {filled}: no room left on the disk")
    assert done.stdout.splitlines()[-1] == "904"


HOLDER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_second_writer_waits_says_so_and_goes_on_or_ends(path: Path, filled: Path, tmp_path: Path) -> None:
    copy(filled, path)
    small = token_file(tmp_path / "small.token", 2, images=2)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    command = (*ingest("small", small), "--store", str(path))
    ended = command_line(*command, "--wait", "0.3")
    assert ended.returncode == 4
    waits, error = ended.stderr.splitlines()
    assert waits == f"{path}: another process is using the store; waiting up to 0.3 s"
    assert error.startswith(f"error: {path}: another process is using the store; waited 0.3 s")
    release = threading.Timer(2, holder.communicate)
    release.start()
    went_on = command_line(*command, "--wait", "60")
    release.join()
    assert went_on.returncode == 0
    assert went_on.stderr.splitlines()[0] == f"{path}: another process is using the store; waiting up to 60 s"
    assert set(held_versions(path)) == {"kept", "set", "small"}


def test_two_writers_at_once_both_get_their_turn(path: Path, tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "auditor", "-q", *ingest(name, token_file(tmp_path / name, number)),
             "--store", str(path), "--wait", "60"],
            stdout=subprocess.DEVNULL,
        )
        for number, name in enumerate(("one", "two"))
    ]  # fmt: skip
    assert [writer.wait() for writer in writers] == [0, 0]
    assert set(held_versions(path)) == {"one", "two"}


READING = [
    ["datasets", "--json"],
    ["log", "set", "--json"],
    ["diff", "set@v1", "set@v2", "--depth", "text", "--json"],
    ["diff", "set@v1", "set@v2", "--depth", "vocabulary", "--json"],
    ["profile", "set", "--json"],
    ["score", "set", "-m", "cider", "--json"],
    ["sql", "select * from captions order by all", "--json"],
    ["sql", "select gram, occurrences from ngram_frequency order by all", "--json"],
    ["store", "info", "--json"],
    ["verify", "--json"],
]
WRITING = [["bounds", "set", "--json"], ["store", "gc"], ["store", "gc", "--all"]]


def truncated(share: float) -> Callable[[Path, random.Random], None]:
    return lambda path, _: os.truncate(path, int(path.stat().st_size * share))


def overwritten(at: float) -> Callable[[Path, random.Random], None]:
    """Overwrite bytes at a place: a number of bytes, or a share of the file."""

    def damage(path: Path, chance: random.Random) -> None:
        with path.open("r+b") as file:
            file.seek(int(at if at > 1 else at * path.stat().st_size))
            file.write(chance.randbytes(2000))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        *(truncated(share) for share in (0, 0.001, 0.3, 0.7, 0.98)),
        *(overwritten(at) for at in (0, 5_000, 9_000, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)),
    ],
)
def test_damaged_file_is_told_in_one_line_and_never_gives_other_numbers(
    path: Path, filled: Path, damage: Callable[[Path, random.Random], None]
) -> None:
    copy(filled, path)
    sound = run(path, *READING)
    assert not any(code for code, _, _ in sound)
    damage(path, random.Random(1))
    told = run(path, *READING, *WRITING, ingest("small", token_file(path.with_name("small.token"), 2, images=2)))
    for (code, out, _), (_, expected, _) in zip(told, sound, strict=False):
        assert code or out == expected
    if any(code for code, _, _ in told):
        assert told[len(READING) - 1][0] == 4, "verify knows of the damage"
