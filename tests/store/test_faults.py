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
from running import run_auditor
from sizes import some

from auditor.errors import StoreError
from auditor.store import migrations, verification, versions
from auditor.store.connection import Store
from auditor.studies.bounds.study import bounds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog is running"), ("b", 0, "a café"), ("b", 1, "日本")]

#: Runs commands in children that have everything imported: a kill meets work and not the start of Python. Told on a line
#: each: the number of the child, then how it ended with what each command returned and printed.
NURSERY = """
import contextlib, io, json, os, resource, sys
from auditor import config, reports
from auditor.cli import app
from auditor.store import migrations
from auditor.studies import ingest, profile, score, versions
from auditor.studies.upkeep import sql, store

def told(command):
    out, err, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app.main(command)
        except SystemExit as end:
            code = end.code or 0
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()

for line in sys.stdin:
    order = json.loads(line)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        migrations.steps = lambda: order["steps"]
        if order["limit"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (order["limit"], order["limit"]))
        with os.fdopen(write, "w") as answer:
            json.dump([told(command) for command in order["commands"]], answer)
        os._exit(0)
    print(child, flush=True)
    os.close(write)
    with os.fdopen(read) as answer:
        answers = answer.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, json.loads(answers) if code == 0 else []]), flush=True)
"""

Told = tuple[int, str, str]
Damage = Callable[[Path, random.Random], None]


class Nursery:
    """Runs commands on a store, those of a call in one process, and can kill it at a random moment of its work."""

    def __init__(self, folder: Path) -> None:
        self._duration = 0.0
        self._chance = random.Random(1)
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
        )

    def run(self, path: Path, *commands: list[str], limit: int = 0) -> list[Told]:
        """Run commands, none of which may crash, be a bug, or say more than one line of an error.

        Where `limit` is given, no file of theirs may grow over so many bytes.
        """
        began = time.monotonic()
        self._begin(path, *commands, limit=limit)
        ended, told = self._end()
        self._duration = time.monotonic() - began
        assert ended == 0
        for command, (code, _, err) in zip(commands, told, strict=True):
            assert code in (0, 4), (command, code, err)
            assert not code or re.fullmatch(f"error: {re.escape(str(path))}.*\n", err), (command, err)
        return told

    def kill(self, path: Path, command: list[str]) -> bool:
        """Kill a command, and say whether it was still at work. The moment lies in the time that the last run took."""
        child = self._begin(path, command)
        time.sleep(self._chance.uniform(0, 1) * self._duration)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return self._end()[0] == -signal.SIGKILL

    def close(self) -> None:
        self._process.communicate()

    def _begin(self, path: Path, *commands: list[str], limit: int = 0) -> int:
        assert self._process.stdin is not None
        full = [["-q", *command, "--store", str(path)] for command in commands]
        order = {"commands": full, "limit": limit, "steps": migrations.steps()}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def _end(self) -> tuple[int, list[Told]]:
        code, told = json.loads(self._line())
        return code, [(status, out, err) for status, out, err in told]

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with closing(Nursery(tmp_path_factory.mktemp("nursery"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two versions of one dataset, with counts of both, and another dataset. Tests work on a copy."""
    path = tmp_path_factory.mktemp("filled") / "filled.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS, dataset="kept")
        ingest_rows(store, [(f"i{i}", slot, f"words {i} {slot}") for i in range(300) for slot in range(3)])
        ingest_rows(store, [(f"i{i}", slot, f"words {i} {slot}") for i in range(290) for slot in range(3)])
    for ref in ("set@v1", "set@v2"):
        with Store.open(path) as store:
            bounds(store, ref, metrics=["bleu-1", "cider"], candidates=["human", "intra"])
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test's own store is made, in a folder of its own."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "audit.duckdb"


def token_file(path: Path, number: int, images: int = 400) -> Path:
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
    remove(path)
    shutil.copy2(template, path)


def remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        if file.is_file():
            file.unlink()


def test_killed_first_ingest_leaves_no_version_or_a_whole_one(nursery: Nursery, path: Path, tmp_path: Path) -> None:
    command = ingest("big", token_file(tmp_path / "big.token", 0))
    nursery.run(path, command)
    after = held_versions(path)
    remove(path)
    killed = 0
    for _ in some(range(12), 5):
        killed += nursery.kill(path, command)
        try:
            held = held_versions(path)
        except StoreError as error:
            assert re.search("no store here|nothing was ingested yet", str(error))  # noqa: PT017
            continue
        assert held in ({}, after)
        if held:
            remove(path)
    assert killed
    nursery.run(path, command)
    assert held_versions(path) == after


def test_killed_ingest_loses_nothing(nursery: Nursery, path: Path, tmp_path: Path) -> None:
    """The store holds the version before or the one after; another dataset is not touched."""
    with Store.open(path, write=True) as store:
        kept = ingest_rows(store, ROWS, dataset="kept").version.version
    commands = [ingest("big", token_file(tmp_path / f"{number}.token", number)) for number in range(2)]
    states = []
    for command in commands:
        nursery.run(path, command)
        states.append(held_versions(path))
    assert states[0] != states[1]
    killed = 0
    for number in range(len(some(range(14), 6))):
        killed += nursery.kill(path, commands[number % 2])
        held = held_versions(path)
        assert held in states
        assert held["kept"] == kept
    assert killed


def test_killed_migration_leaves_the_old_store_or_the_new_one(
    nursery: Nursery, path: Path, filled: Path, second_schema: str
) -> None:
    copy(filled, path)
    before = held_versions(path)
    backup = migrations.backup_of(path)
    copy(filled, path)
    nursery.run(path, ["datasets"])
    killed = 0
    for number in range(20):
        if number > 1 and killed:
            break
        copy(filled, path)
        killed += nursery.kill(path, ["datasets"])
        if backup.exists():
            with duckdb.connect(str(backup), read_only=True) as connection:
                assert migrations.current(connection) == 1
                assert connection.execute("select count(*) from membership").fetchall() == [(904,)]
        assert held_versions(path) == before
    assert killed


def test_killed_gc_touches_no_fact(nursery: Nursery, path: Path, filled: Path) -> None:
    before = held_versions(filled)
    copy(filled, path)
    nursery.run(path, ["store", "gc"])
    killed = 0
    for _ in some(range(12), 5):
        copy(filled, path)
        killed += nursery.kill(path, ["store", "gc"])
        assert held_versions(path) == before
    assert killed
    nursery.run(path, ["store", "gc"])
    assert held_versions(path) == before
    assert [file.name for file in path.parent.glob("audit.duckdb*")] == ["audit.duckdb"]


def test_full_disk_refuses_an_ingest_in_one_line_and_keeps_the_store(
    nursery: Nursery, path: Path, tmp_path: Path
) -> None:
    big, small = token_file(tmp_path / "big.token", 1), token_file(tmp_path / "small.token", 2, images=2)
    for limit in (4_000, 12_000, 15_000):
        ((code, _, told),) = nursery.run(path, ingest("small", small), limit=limit)
        assert code == 4
        assert "the disk is full" in told
    nursery.run(path, ingest("small", small))
    before = held_versions(path)
    codes = set()
    for limit in (30_000, 100_000, path.stat().st_size, 100_000_000):
        ((code, _, told),) = nursery.run(path, ingest("big", big), limit=limit)
        assert not code or "the disk is full" in told
        held = held_versions(path)
        assert {name: version for name, version in held.items() if name != "big"} == before
        codes.add(code)
    assert codes == {0, 4}
    assert "big" in held_versions(path)


@pytest.mark.parametrize("command", ["store gc", "datasets"])
def test_full_disk_leaves_no_part_of_a_copy(
    nursery: Nursery, path: Path, filled: Path, command: str, request: pytest.FixtureRequest
) -> None:
    before = held_versions(filled)
    copy(filled, path)
    if command == "datasets":  # which migrates
        request.getfixturevalue("second_schema")
    ((code, _, told),) = nursery.run(path, command.split(), limit=500_000)
    assert code == 4
    assert "the disk is full" in told
    assert {file.name for file in path.parent.iterdir()} - {"audit.duckdb.wal"} == {"audit.duckdb"}
    assert held_versions(path) == before


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk in memory. A test that needs one is skipped where it may not be had."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"no disk can be mounted: {error}")
    if done.returncode:
        pytest.skip(f"no disk can be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_disk_that_is_really_full_is_told_in_one_line(nursery: Nursery, tmp_path: Path) -> None:
    small, big = (token_file(tmp_path / f"{images}.token", 2, images=images) for images in (2, 9000))
    with small_disk(tmp_path / "disk", "4m") as disk:
        path = disk / "audit.duckdb"
        outs = [disk / f"out.{name}" for name in ("csv", "json", "parquet", "txt")]
        for out in outs:
            out.write_text("good")
        nursery.run(path, ingest("small", small))
        before = held_versions(path)
        ((code, _, told),) = nursery.run(path, ingest("big", big))
        assert code == 4
        assert "No space left on device" in told
        held = held_versions(path)
        assert held | before == held, "the captions may be stored where only the cache found no room"
        with suppress(OSError), (disk / "fill").open("wb", buffering=0) as fill:
            while fill.write(bytes(4096)):
                pass
        for out in outs:
            done = run_auditor(
                "sql", "select text, repeat('x', 999) from captions limit 99", "--store", str(path), "-o", str(out)
            )
            assert done.returncode == 2
            assert re.fullmatch(f"error: {re.escape(str(out))}: cannot be written: .*\n", done.stderr)
            assert out.read_text() == "good"
        assert not list(disk.glob(".*"))
        assert held_versions(path) == held


def fill(disk: Path) -> None:
    """Leave no byte of a disk."""
    with suppress(OSError), (disk / "fill").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


#: Commands that write, each with what it replaces. `{disk}` is full.
ON_A_FULL_DISK = {
    "export set@v1 -o {disk}/out --force": "out/manifest.json",
    "export set@v1 --format hf -o {disk}/hub --force": "hub/README.md",
    "export set@v1 -o {disk}/out.csv --force": "out.csv",
    "export set@v1 --fix all -o {disk}/fixed.jsonl --force": "fixed.jsonl",
    "findings set@v1 --captions-only -o {disk}/list.csv": "list.csv",
    "findings set@v1 --captions-only --baseline {disk}/known.json --write-baseline": "known.json",
    "score set@v1 -m bleu-1 -o {disk}/scores.parquet": "scores.parquet",
    "bounds set@v1 -m bleu-1 --scores {disk}/by.csv --work {disk}/work": "by.csv",
    "bounds set@v1 -m bleu-1 -o {disk}/bounds.svg": "bounds.svg",
    "tasks set@v1 --candidates intra -o {disk}/tasks.csv --force": "tasks.csv",
    "report set@v1 --section facts --no-time -o {disk}/page.html": "page.html",
    "report set@v1 --format card -o {disk}/card.md": "card.md",
    "ingest set --from {disk}/../big.token --format flickr": "audit.duckdb",
    "store gc": "audit.duckdb",
}


@pytest.mark.full
@pytest.mark.parametrize("command", ON_A_FULL_DISK)
def test_full_disk_ends_each_writing_command_in_one_line_and_keeps_what_was_there(
    tmp_path: Path, filled: Path, command: str
) -> None:
    token_file(tmp_path / "big.token", 1, images=9000)
    with small_disk(tmp_path / "disk", "32m") as disk:
        store = disk / "audit.duckdb"
        shutil.copy2(filled, store)
        words = command.format(disk=disk).split()
        if not command.startswith(("ingest", "store")):
            assert run_auditor(*words, "--store", str(store)).returncode == 0
        kept = disk / ON_A_FULL_DISK[command]
        before, versions_before = kept.read_bytes(), held_versions(store)
        fill(disk)
        with suppress(FileNotFoundError):
            shutil.rmtree(disk / "work")
        done = run_auditor(*words, "--store", str(store))
        assert done.returncode in (2, 3, 4), done.stdout
        assert done.stderr.count("error: ") == 1, done.stderr
        assert re.search("No space left on device|disk is full", done.stderr)
        assert kept == store or kept.read_bytes() == before
        assert not [*disk.rglob(".auditor-*"), *disk.rglob("*.partial*")]
        assert held_versions(store) == versions_before


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_signal_leaves_no_temporary_store(tmp_path: Path, end: signal.Signals) -> None:
    rows = "".join(f"i{i},a dog runs {i} times and a cat {i % 7} sits\n" for i in range(4000))
    (tmp_path / "c.csv").write_text(f"image,caption\n{rows}")
    held, env = tmp_path / "tmp", {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    held.mkdir()
    command = [sys.executable, "-m", "auditor", "c.csv", "--quiet"]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not [*held.glob("auditor-*.temporary/*")]:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(end)
        assert running.wait(60) == (-end if end is signal.SIGKILL else 128 + end)
    if end is signal.SIGKILL:
        assert [*held.iterdir()]
        subprocess.run([*command[:3], "fetch", "nothing"], env=env, capture_output=True, check=False)
    assert not [*held.iterdir()]
    assert not (tmp_path / "c.csv.audit.html").exists()


def command_line(*arguments: str, stdout: Any = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "auditor", *arguments]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", some(["table", "json"], 1))
def test_standard_output_that_is_full_is_no_bug(filled: Path, form: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = command_line("datasets", "--store", str(filled), "--format", form, stdout=full)
    assert done.returncode == 3
    assert re.fullmatch("error: the disk, or that of standard output, is full.*\n", done.stderr)


SPILL = """
import resource, sys
from pathlib import Path
from auditor.store.connection import Store
with Store.open(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        store.execute("create temp table spilled as select n, random() as r from range(4000000) as x (n) order by r")
    except Exception as error:
        print(type(error).__name__, error)
    print(store.query("select count(*) from membership").item())
"""


def test_spilling_to_a_full_disk_is_told_as_such(filled: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPILL, str(filled)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "AUDITOR_MEMORY": "30MB"},
    )
    assert done.stdout.startswith(f"StoreError {filled}: the disk is full")
    assert done.stdout.splitlines()[-1] == "904"


HOLDER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_second_writer_waits_says_so_and_goes_on_or_ends(path: Path, filled: Path, tmp_path: Path) -> None:
    copy(filled, path)
    command = (*ingest("small", token_file(tmp_path / "small.token", 2, images=2)), "--store", str(path))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    ended = run_auditor(*command, "--wait", "0.3")
    assert ended.returncode == 4
    waits, error = ended.stderr.splitlines()
    assert waits == f"{path}: another process is using the store; waiting up to 0.3 s"
    assert error.startswith(f"error: {path}: another process is using the store; waited 0.3 s")
    release = threading.Timer(2, holder.communicate)
    release.start()
    went_on = run_auditor(*command, "--wait", "60")
    release.join()
    assert went_on.returncode == 0
    assert set(held_versions(path)) == {"kept", "set", "small"}


def test_two_writers_at_once_both_get_their_turn(path: Path, tmp_path: Path) -> None:
    writers = []
    for number, name in enumerate(("one", "two")):
        command = ["-q", *ingest(name, token_file(tmp_path / name, number)), "--store", str(path), "--wait", "60"]
        writers.append(subprocess.Popen([sys.executable, "-m", "auditor", *command], stdout=subprocess.DEVNULL))
    assert [writer.wait() for writer in writers] == [0, 0]
    assert set(held_versions(path)) == {"one", "two"}


READING = [
    ["store", "verify", "--json"],
    ["datasets", "--json"],
    ["datasets", "set", "--json"],
    ["diff", "set@v1", "set@v2", "--depth", "text", "--json"],
    ["profile", "set", "--json"],
    ["score", "set", "-m", "cider", "--json"],
    ["sql", "select dataset, image, slot, text from captions order by all", "--json"],
    ["sql", "select gram, occurrences from ngram_frequency('set') order by all", "--json"],
]


@pytest.fixture(scope="module")
def undamaged(nursery: Nursery, filled: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What reading commands print of a sound store."""
    path = tmp_path_factory.mktemp("undamaged") / "audit.duckdb"
    copy(filled, path)
    told = nursery.run(path, *READING)
    assert not any(code for code, _, _ in told)
    return [out for _, out, _ in told]


def truncated(share: float) -> Damage:
    return lambda path, _: os.truncate(path, int(path.stat().st_size * share))


def overwritten(share: float) -> Damage:
    def overwrite(path: Path, chance: random.Random) -> None:
        with path.open("r+b") as file:
            file.seek(int(share * path.stat().st_size))
            file.write(chance.randbytes(4000))

    return overwrite


DAMAGES = {f"truncated to {share}": truncated(share) for share in (0, 0.4, 0.98)} | {
    f"overwritten at {share}": overwritten(share) for share in (0, 0.001, 0.1, 0.4, 0.6, 0.9)
}


@pytest.mark.parametrize("damage", some([*DAMAGES], 2))
def test_damaged_file_is_told_in_one_line_and_never_gives_other_numbers(
    nursery: Nursery, path: Path, filled: Path, undamaged: list[str], tmp_path: Path, damage: str
) -> None:
    copy(filled, path)
    DAMAGES[damage](path, random.Random(1))
    writing = [["store", "gc"], ingest("small", token_file(tmp_path / "small.token", 2, images=2))]
    told = nursery.run(path, *READING, *writing)
    for (code, out, _), expected in zip(told[1:], undamaged[1:], strict=False):
        assert code or out == expected
    verified, reading = told[0][0], [code for code, _, _ in told[1 : len(READING)]]
    assert verified or not any(reading), "verify knows of every damage that another command meets"


@pytest.mark.full
def test_damaged_cache_is_told_from_damaged_facts_and_swept(nursery: Nursery, path: Path, filled: Path) -> None:
    copy(filled, path)
    with duckdb.connect(str(path), read_only=True) as connection:
        (block,) = connection.execute(
            "select max(block_id) from pragma_storage_info('cache.ngram_frequency') where segment_type = 'UHUGEINT'"
        ).fetchall()[0]
        others = connection.execute(
            "select count(*) from pragma_storage_info('membership') where block_id = $block", {"block": block}
        ).fetchall()
    assert others == [(0,)]
    with path.open("r+b") as file:
        file.seek(3 * 4096 + block * 262144 + 1000)
        file.write(random.Random(1).randbytes(1000))
    ((code, _, error),) = nursery.run(path, ["store", "verify"])
    assert code == 4
    assert "auditor store gc --all" in error
    (swept, verified) = nursery.run(path, ["store", "gc", "--all"], ["store", "verify"])
    assert (swept[0], verified[0]) == (0, 0)
    assert held_versions(path) == held_versions(filled)
