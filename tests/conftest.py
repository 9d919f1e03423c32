"""What tests share: a store in memory, captions from literals, the real data where it is at hand."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import fills
import polars as pl
import pytest
from changes import tests_an_unchanged_kernel, tests_what_changed

from auditor.cli.app import main
from auditor.cli.reader import READER
from auditor.cli.verbosity import VERBOSITY, Verbosity
from auditor.model import Kind, Source
from auditor.reports.escaping import OF_CI
from auditor.scoring import candidates, counting
from auditor.scoring.registry import METRICS
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion, migrations
from auditor.store.connection import MEMORY, Store
from auditor.store.sqlfiles import declared
from auditor.store.workspace import Workspace
from auditor.text import AT_INGEST
from auditor.text.spacy import pipelines

pytest_plugins = ["buckets", "costs", "sizes", "templates", "looked_at"]

ROOT = Path(__file__).parents[1]

Rows = Sequence[tuple[str, int, str]]

#: What metrics of a user's own are asked of: an empty caption, another script, and a caption that nothing is beside.
UNLIKE_CAPTIONS: Rows = (
    ("a", 0, "A dog runs."),
    ("a", 1, "a dog sits"),
    ("a", 2, "the dog"),
    ("b", 0, "two cats"),
    ("b", 1, "日本 猫"),
    ("b", 2, ""),
    ("lone", 0, "alone"),
)


@pytest.fixture(autouse=True)
def _work_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the caller's folder, or obeys the caller's settings."""
    monkeypatch.chdir(tmp_path)
    for name in ("AUDITOR_STORE", "AUDITOR_CONFIG", "AUDITOR_DATA", "COLUMNS", *OF_CI):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _talk_as_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test goes on talking as another has asked for on its command line."""
    for name, value in vars(Verbosity()).items():
        monkeypatch.setattr(VERBOSITY, name, value)
    READER.stand({})


@pytest.fixture(autouse=True, scope="session")
def _check_relation_types() -> Iterator[None]:
    """What any test binds has the types that `sql/relations.toml` declares; binding itself checks columns only."""
    hold = Workspace._hold

    def checked(at_work: Workspace, relation: str, statement: str, params: dict[str, Any], *rows: str) -> None:
        hold(at_work, relation, statement, params, *rows)
        if relation in declared():
            found = at_work._store.connection.table(at_work._held[relation].table)
            types = {
                name: str(kind).lower().replace('"', "") for name, kind in zip(found.columns, found.types, strict=True)
            }
            kept = {name: kind for name, kind in declared()[relation].columns.items() if name in types}
            assert {name: types[name] for name in kept} == kept, relation

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Workspace, "_hold", checked)
        yield


Bound = Callable[[str], pl.DataFrame]


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> Bound:
    """Run a statement over the candidates that were bound last, of which it has rows."""
    at_work: list[Workspace] = []
    bind = candidates.bind_candidates

    def noted(workspace: Workspace, sets: Sequence[candidates.CandidateSet]) -> None:
        bind(workspace, sets)
        at_work.append(workspace)

    for module in (candidates, counting):
        monkeypatch.setattr(module, "bind_candidates", noted)
    return lambda statement: next(rows for one in reversed(at_work) if (rows := one.query(statement)).height)


@pytest.fixture(autouse=True)
def _register_for_this_test_alone() -> Iterator[None]:
    """What a test registers as a metric is none for the next."""
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(MEMORY) as opened:
        yield opened


@pytest.fixture
def second_schema(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the newest schema be a made-up version 2, and return what makes it."""
    step = "alter table dataset add column licence varchar; create view licensed as select licence from dataset;"
    steps = [*migrations.steps(), step]
    monkeypatch.setattr(migrations, "steps", lambda: steps)
    return step


@pytest.fixture(scope="session")
def maker() -> ModuleType:
    """The program that makes the pages of commands, with its examples."""
    file = ROOT / "docs" / "make_commands.py"
    if not file.exists():
        pytest.skip("docs/ is not here")
    spec = importlib.util.spec_from_file_location("make_commands", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look their annotations up
    spec.loader.exec_module(module)
    return module


def _find_data() -> Path | None:
    named = os.environ.get("AUDITOR_DATA")
    places = [Path(named)] if named else [ROOT / "data", ROOT.parent / "shared" / "data"]
    return next((place for place in places if (place / "flickr8k").is_dir()), None)


DATA = _find_data()


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real datasets; a test that needs them is skipped where they are not."""
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    monkeypatch.setenv("AUDITOR_DATA", str(DATA))
    return DATA


@pytest.fixture
def english_pipeline() -> str:
    """The name of an installed English pipeline that tags and parses; a test that needs one is skipped without it."""
    name = pipelines.installed()
    if name is None:
        pytest.skip(f"no spaCy pipeline is installed: {pipelines.INSTALL}")
    return name


@contextmanager
def searching_for(*kinds: str) -> Iterator[None]:
    """Let findings, and reports and cards, search for these kinds where none is named.

    All kinds are 280 statements. This is for tests of what is done with findings, not of what is found; it decorates
    them as well.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("auditor.studies.findings.study.searched_by_default", lambda: kinds)
        yield


def forget_results(path: Path) -> None:
    """Leave of what a store keeps the counts alone, so that a study is asked anew and counts nothing."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("delete from cache.entry where relation = 'study_result'").complete()


def ingest_rows(
    store: Store,
    rows: Rows,
    dataset: str = "set",
    kind: Kind = "captions",
    splits: dict[str, list[str]] | None = None,
    note: str | None = None,
) -> ingestion.Ingest:
    """Ingest literal (image, slot, text) rows."""

    def ingest() -> ingestion.Ingest:
        frame = pl.DataFrame(
            {
                "source": "literal",
                "unit": "line",
                "line": range(1, len(rows) + 1),
                "image": [image for image, _, _ in rows],
                "slot": [slot for _, slot, _ in rows],
                "text": [text for _, _, text in rows],
            }
        )
        source = Source(dataset, kind, "literal", (), splits=dict.fromkeys(splits or {}, Path("list")))
        return ingestion.write(store, source, iter([complete(frame)]), splits or {}, AT_INGEST, "0" * 64, note)

    key = (tuple(map(tuple, rows)), dataset, kind, repr(splits), note)
    return fills.filled(store, dataset, key, ingest)


#: The folders whose tests ask a store, with or without the fixture.
ASK_A_STORE = tuple(
    str(ROOT / "tests" / folder) + os.sep for folder in ("cli", "papers", "remote", "scale_out", "store", "studies")
)


def asked(*arguments: str) -> int:
    """Run the command line in this process; give its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return code or 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs real data, a browser or a store by its fixtures; begin with the slow, for no worker to end alone.

    What tests a changed file is not marked for its store, so that `make quick` runs it.
    """
    for item in items:
        needs = {"data", "browser", "store"}.intersection(getattr(item, "fixturenames", ()))
        if str(item.path).startswith(ASK_A_STORE) or item.name.startswith("test_case_holds["):
            needs.add("store")
        if tests_an_unchanged_kernel(item):
            item.add_marker("kernel")
        for marker in sorted(needs - {"store"} if tests_what_changed(item) else needs):
            item.add_marker(marker)
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in ("slow", "full")))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument: archives hold the time at which they were made, and workers must agree on names."""
    return argname if isinstance(val, bytes) else None
