"""The SELECTs that a section names are those that the engine ran for it, whether rows are counted now or were kept."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from running import run_auditor
from worlds import Shape, put, world

from auditor.store import engine
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue
from auditor.store.versions import resolve_all
from auditor.studies.report.request import ReportContext, ReportSettings
from auditor.studies.report.sections import SECTIONS, section_of

pytestmark = pytest.mark.slow

_METRICS = ReportSettings(metrics=("bleu-1", "cider-d"))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ingest captions in two versions, another dataset, ratings and items."""
    folder = tmp_path_factory.mktemp("stored")
    path, drawn = folder / "audit.duckdb", world(Shape(14, 3, 0.1, has_splits=True), 5)
    with put(drawn, folder=folder, roles=("refs", "others", "stars", "items"), path=path) as audit:
        changed = [dict(row, caption=f"{row['caption']} again") for row in drawn.rows["refs"]]
        audit.ingest("refs", data=changed, config={})
    with Store.open(path, write=True) as store:
        store.execute("update dataset set related = ['refs'] where dataset in ('stars', 'items')")
    assert run_auditor("store", "gc", "--all", "--store", str(path)).returncode == 0
    return path


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_names_the_selects_that_ran(
    name: str, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ran = tmp_path / "audit.duckdb", set[str]()
    shutil.copy2(stored, path)
    rows_of, execute = engine.rows_of, Store.execute

    def noted(statement: str) -> None:
        ran.update(re.findall(r"-- name: (\w+)\n", statement))

    def traced_rows(connection: object, statement: str, params: dict[str, object] | None) -> object:
        noted(statement)
        return rows_of(connection, statement, params)  # type: ignore[arg-type]

    def traced(store: Store, statement: str, params: dict[str, object] | None = None) -> int:
        noted(statement)
        return execute(store, statement, params)

    monkeypatch.setattr(engine, "rows_of", traced_rows)
    monkeypatch.setattr(Store, "execute", traced)

    def named() -> tuple[str, ...]:
        with Store.open(path) as store:
            selections = resolve_all(store, ["refs", "others"], None)
            return store.recorded(
                lambda: section_of(ReportContext(store, selections, _METRICS, resamples=40), name)
            ).sql

    cold = named()
    choosing = {catalogue()[each].place for each in ("script_count", "script")}  # of the tokenizer
    assert {*cold} - choosing == {catalogue()[each].place for each in ran & catalogue().keys()} - choosing
    assert cold
    assert named() == cold, "what was kept names the same SELECTs"
