"""Work in stages: the same bytes whoever does it, in whatever order, however often it is stopped."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import MetricError, SourceError, StoreError, UsageError
from auditor.scoring.registry import requests
from auditor.scoring.scale_out import doing, rows, shuffle, summary
from auditor.scoring.scale_out.begun import begin
from auditor.scoring.scale_out.doing import files
from auditor.scoring.scale_out.executors import EXECUTORS, Force
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.processes import Process
from auditor.scoring.scale_out.tasks import ORDER, run
from auditor.scoring.scale_out.work import Work
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies import bounds, score

METRICS = ["bleu-4", "rouge-1", "cider", "cider-d:idf=none"]

#: A metric that needs all stages: enough where the claim is about who does the work, and how often it is stopped.
WEIGHED = ["cider"]
ONE, TWO = Force(1, 1 << 28), Force(2, 1 << 28)
WORDS = "a the dog cat man runs sits on of red blue beach café 日本 two hat boat looks".split()


EVERYBODY = [
    "here",
    "processes",
    pytest.param(
        "ray",
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'auditor[ray]'"),
            pytest.mark.filterwarnings("ignore"),  # Ray's own
        ],
    ),
]


def captions() -> list[tuple[str, int, str]]:
    """Images of one to six captions, twins and captions without a word or in another script among them."""
    drawn = random.Random(7)
    told = [
        (f"i{image:03}", slot, " ".join(drawn.choices(WORDS, k=drawn.randint(0, 9))))
        for image in range(40)
        for slot in range(drawn.randint(1, 6))
    ]
    return [*told, ("twin", 0, "a red boat on the beach"), ("twin", 1, "a red boat on the beach"), ("lone", 0, "alone")]


pytestmark = pytest.mark.xdist_group("stages")  # the work of one run is compared with that of others


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("filled") / "audit.duckdb", write=True) as store:
        ingest_rows(store, captions(), kind="candidates")  # which lets an empty caption in
        yield store


def begun(store: Store, folder: Path, names: list[str] | None = None) -> tuple[Plan, Work]:
    return begin(
        Captions(store, resolve(store, "set"), "bare"), requests(names or METRICS), lambda _: folder, at_once=30
    )


def do(plan: Plan, work: Work, name: str = "here", force: Force = ONE) -> dict[str, int]:
    with EXECUTORS[name](force, run) as execute:
        return doing.do(plan, work, execute)


def hashes(plan: Plan, work: Work) -> dict[tuple[str, int], str]:
    """Hash the bytes of every file that stages have made."""
    return {one: hashlib.sha256(work.path(*one).read_bytes()).hexdigest() for one in files(plan)}


@pytest.fixture(scope="module")
def finished(filled: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Work]:
    """Work that one thread has done without a break."""
    plan, work = begun(filled, tmp_path_factory.mktemp("finished") / "work")
    do(plan, work)
    return plan, work


@pytest.fixture(scope="module")
def weighed(filled: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Work]:
    """The same, by the metric that needs all stages."""
    plan, work = begun(filled, tmp_path_factory.mktemp("weighed") / "work", WEIGHED)
    do(plan, work)
    return plan, work


@pytest.fixture(scope="module")
def expected(weighed: tuple[Plan, Work]) -> dict[tuple[str, int], str]:
    return hashes(*weighed)


def test_summary_is_that_of_bounds(filled: Store, finished: tuple[Plan, Work]) -> None:
    plan, work = finished
    assert len(plan.buckets) > 4
    assert plan.partitions > 1
    found = summary.summary(plan.metrics, summary.sums_of(plan, work))
    wanted = bounds.bounds(filled, "set", metrics=METRICS, candidates=["human"]).frame.filter(
        pl.col("level") != "image-sd"
    )
    assert found.select("metric", "level", "n").equals(wanted.select("metric", "level", "n"))
    for column in ("mean", "sd", "min", "max"):
        assert found[column].to_list() == pytest.approx(wanted[column].to_list(), abs=1e-12, rel=0), column


@pytest.mark.parametrize("name", EVERYBODY[1:])
def test_bytes_are_the_same_whoever_does_the_work(
    filled: Store, tmp_path: Path, expected: dict[tuple[str, int], str], name: str
) -> None:
    plan, work = begun(filled, tmp_path / "work", WEIGHED)
    do(plan, work, name, TWO)
    assert hashes(plan, work) == expected


def test_threads_give_the_bytes_of_one(filled: Store, tmp_path: Path, finished: tuple[Plan, Work]) -> None:
    plan, work = begun(filled, tmp_path / "work")
    do(plan, work, "here", TWO)
    assert hashes(plan, work) == hashes(*finished)


def test_files_of_many_buckets_are_gathered(
    filled: Store, tmp_path: Path, weighed: tuple[Plan, Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, "FEW", 1)
    plan, work = begun(filled, tmp_path / "work", WEIGHED)
    did = do(plan, work)
    assert min(did["gathered-partial"], did["gathered-summed"]) > 1
    for number in range(len(plan.buckets)):
        assert work.path("scores", number).read_bytes() == weighed[1].path("scores", number).read_bytes()


def test_tasks_are_done_in_any_order_and_once(
    filled: Store, tmp_path: Path, expected: dict[tuple[str, int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at random ten times, the work is the same, and nothing is done twice that had its marker."""
    plan, work = begun(filled, tmp_path / "work", WEIGHED)
    drawn, put, made = random.Random(3), Work.put, list[tuple[str, int]]()

    def put_or_die(at: Work, stage: str, number: int, some: pl.DataFrame, groups: int = 1) -> object:
        if kills and drawn.random() < 0.6:
            kills.pop()
            if drawn.random() < 0.5:  # killed after the file and before its marker
                put(at, stage, number, some, groups)
                at.path(stage, number).with_suffix(".done").unlink()
            raise KeyboardInterrupt
        made.append((stage, number))
        return put(at, stage, number, some, groups)

    monkeypatch.setattr(Work, "put", put_or_die)
    kills = [None] * 10
    interrupted = 0
    while True:
        try:
            do(plan, work)
            break
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted == 10
    assert len(made) == len(set(made)) == len(expected)
    assert hashes(plan, work) == expected


@pytest.mark.parametrize("name", EVERYBODY[1:])
def test_what_a_killed_worker_had_to_do_is_done_by_another(
    filled: Store, tmp_path: Path, expected: dict[tuple[str, int], str], name: str
) -> None:
    plan, work = begun(filled, tmp_path / "work", WEIGHED)
    killed = list[int]()

    def kill_one() -> None:
        while not killed:
            time.sleep(0.02)
            if any(work.folder.glob(".auditor-*.temporary")):  # somebody is at a task
                killed.extend(workers()[:1])
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    do(plan, work, name, TWO)
    killer.join(10)
    assert killed
    assert hashes(plan, work) == expected


def test_worker_imports_nothing_from_the_working_folder(tmp_path: Path) -> None:
    for name in ("importlib", "shutil", "polars"):
        Path(f"{name}.py").write_text("raise SystemExit\n")
    worker = Process()
    try:
        with pytest.raises(UsageError, match="not a work folder"):
            worker.ask(run, tmp_path, "scores", 0, 1)
    finally:
        worker.end()


def test_ray_begins_elsewhere_since_its_workers_import_from_where_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[Path] = []

    def init(**_: object) -> None:
        began.append(Path.cwd())
        raise ConnectionError

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    here = Path.cwd()
    with pytest.raises(UsageError, match="Ray does not answer"), EXECUTORS["ray"](Force(1, 1), run):
        pass
    assert began == [Path(sys.prefix)]
    assert Path.cwd() == here


def workers() -> list[int]:
    """Give the processes that are at tasks: those that this one started, or those of Ray."""
    ours = [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if "auditor.scoring.scale_out.processes" in _text(path)
        and f"PPid:\t{os.getpid()}\n" in _text(path.with_name("status"))
    ]
    return ours or [
        int(path.parent.name) for path in Path("/proc").glob("[0-9]*/comm") if "ray::_in_folder" in _text(path)
    ]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return ""


def test_a_file_that_lost_its_marker_or_its_end_is_made_again(weighed: tuple[Plan, Work], tmp_path: Path) -> None:
    plan, work = weighed[0], Work(tmp_path / "work", ORDER)
    shutil.copytree(weighed[1].folder, work.folder)
    assert set(do(plan, work).values()) == {0}
    work.path("scores", 1).with_suffix(".done").unlink()
    work.path("sums", 2).write_bytes(b"PAR1")
    made = do(plan, work)
    assert made == {"partial": 0, "summed": 0, "scores": 1, "sums": 1}


@pytest.mark.parametrize(
    ("stage", "again"),
    [
        ("partial", {"partial": 1, "summed": 2, "scores": 9, "sums": 9}),
        ("scores", {"partial": 0, "summed": 0, "scores": 1, "sums": 9}),
        ("captions", {"partial": 9, "summed": 2, "scores": 9, "sums": 9}),
    ],
)
def test_a_file_with_another_bit_is_made_again_with_all_that_follows(
    filled: Store,
    weighed: tuple[Plan, Work],
    expected: dict[tuple[str, int], str],
    tmp_path: Path,
    stage: str,
    again: dict[str, int],
) -> None:
    shutil.copytree(weighed[1].folder, tmp_path / "work")
    damaged = Work(tmp_path / "work", ORDER).path(stage, 0)
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    plan, work = begun(filled, tmp_path / "work", WEIGHED)
    assert do(plan, work) == {
        name: min(many, {"summed": plan.partitions}.get(name, len(plan.buckets))) for name, many in again.items()
    }
    assert hashes(plan, work) == expected


def test_a_folder_of_other_work_is_refused(filled: Store, tmp_path: Path) -> None:
    begun(filled, tmp_path / "work")
    with pytest.raises(UsageError, match="another command"):
        begun(filled, tmp_path / "work", ["bleu-1"])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="other files"):
        begun(filled, tmp_path / "other")


def test_a_folder_that_cannot_be_written_is_an_error(filled: Store, tmp_path: Path) -> None:
    plan, work = begun(filled, tmp_path / "work")
    (work.folder / "partial").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        do(plan, work)


@pytest.mark.parametrize("metric", ["cider:idf=fold", "cider:idf=run", "cider:stem=true"])
def test_metrics_that_need_more_than_a_bucket_are_refused(filled: Store, tmp_path: Path, metric: str) -> None:
    with pytest.raises(MetricError, match="cannot be computed in stages"):
        begun(filled, tmp_path / "work", [metric])
    assert not (tmp_path / "work").exists()


def test_captions_without_references_are_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("b", 0, "a cat")])
        with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
            begun(store, tmp_path / "work", ["bleu-1"])


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_rows_are_the_scores_of_every_caption(
    filled: Store, finished: tuple[Plan, Work], tmp_path: Path, ending: str
) -> None:
    plan, work = finished
    path = tmp_path / f"scores{ending}"
    written = rows.write(plan, work, path)
    found = pl.read_parquet(path) if ending == ".parquet" else pl.read_csv(path)
    assert found.height == written
    keys = ["metric", "image", "slot"]
    wanted = score.score(filled, "set", metrics=METRICS).frame.sort(keys)
    assert (
        found.sort(keys)
        .select(*keys, "value")
        .equals(wanted.select(*keys, "value").cast(found.select(*keys, "value").schema))
    )
    first = path.read_bytes()
    rows.write(plan, work, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("planted", ["bytes", "link", "pipe", "marker"])
def test_work_folder_of_a_stranger_stops_and_leads_nowhere(tmp_path: Path, planted: str) -> None:
    work, victim = Work(tmp_path / "work", ORDER), tmp_path / "victim"
    work.begin("a plan")
    victim.write_text("mine")
    work.path("scores", 0).parent.mkdir()
    if planted == "bytes":
        (tmp_path / "work" / "plan.json").write_bytes(b"\xff")
    elif planted == "link":
        work.path("scores", 0).symlink_to(victim)
    elif planted == "pipe":
        os.mkfifo(work.path("scores", 0))
    else:
        work.path("scores", 0).with_suffix(".done").write_text("[" * 100_000)
        assert not work.whole("scores", 0)
        return
    with pytest.raises(SourceError, match=r"set another folder with --work, or remove this one"):
        work.begin("a plan")
    assert victim.read_text() == "mine"


def test_worker_ends_in_the_middle_of_a_task_when_its_caller_does(tmp_path: Path) -> None:
    (tmp_path / "partial").mkdir()
    os.mkfifo(tmp_path / "partial" / "000000.done")  # a task that waits for ever
    command = [sys.executable, "-P", "-m", "auditor.scoring.scale_out.processes"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        worker.stdin.write(json.dumps([run.__module__, str(tmp_path), "partial", 0, 1 << 28]) + "\n")
        worker.stdin.close()  # as the system does for a caller that is killed
        try:
            assert worker.wait(timeout=60) == 0
        finally:
            worker.kill()


def test_a_file_that_no_stage_wrote_is_named_though_its_marker_fits(filled: Store, tmp_path: Path) -> None:
    _, work = begun(filled, tmp_path / "work")
    content = b"PAR1" + bytes(64) + b"PAR1"
    work.path("captions", 0).write_bytes(content)
    with pytest.raises(SourceError, match=r"work: contains a file that no stage wrote: .*; set another folder"):
        run(work.folder, "partial", 0, 1 << 28)


def test_removal_that_is_killed_is_continued_as_the_same_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, removed = Work(tmp_path / "work", ORDER), list[Path]()
    work.begin("plan")
    for stage in ("captions", "words"):
        work.put(stage, 0, pl.DataFrame({"word": ["dog"]}))

    def killed(folder: Path, **_: object) -> None:
        removed.append(folder)
        if len(removed) > 1:
            raise KeyboardInterrupt
        rmtree(folder)

    rmtree = shutil.rmtree
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            work.remove()
    work.begin("plan")
    assert not work.whole("captions", 0)
    assert work.whole("words", 0)
    work.remove()
    assert [*tmp_path.iterdir()] == []
