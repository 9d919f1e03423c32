"""`auditor tasks` and `auditor ingest --format votes`, one after the other, as a user types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.cli import app
from auditor.scoring.references import references_of
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.ingest import naming

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    rows = [(f"i{image}", slot, f"{slot} dogs at {image}") for image in range(4) for slot in range(3)]
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, rows, "set")

    def typed(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            app.main([*arguments, "--store", str(tmp_path / "audit.duckdb"), "--json"])
        return int(ended.value.code or 0), *capfd.readouterr()

    return typed


def test_questions_go_out_and_votes_come_in(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("tasks", "set", "--judges", "1", "--images", "3", "-o", "t.csv")
    rows = json.loads(out)["auditor.tasks/v3"]["rows"]
    assert (code, len(rows)) == (0, 3)
    code, _, told = run("tasks", "set", "-o", "t.csv")
    assert (code, told) == (
        2, "error: t.csv: already exists, and may hold votes; name another, or replace it with --force\n"
    )  # fmt: skip
    code, _, told = run("ingest", "mine", "--from", "t.csv")
    assert (code, "none of its 3 questions has a vote" in told) == (3, True)
    pl.read_csv("t.csv", infer_schema=False).with_columns(judge_1=pl.lit("B")).write_csv("t.csv")
    code, out, _ = run("ingest", "mine", "--from", "t.csv", "--option", "key_file=t.key.csv")
    document = json.loads(out)["auditor.ingest/v3"]
    assert (code, document["rows"][0]["captions"]) == (0, 9)
    assert document["versions"][0]["kind"] == "triplets"
    with Store.open(tmp_path / "audit.duckdb") as store:
        assert references_of(Captions(store, resolve(store, "mine"), "bare"))[0].label == "set"
    assert any(note["text"].startswith('mine: detected format "votes": task ← task;') for note in document["notes"])


def test_kind_is_that_of_the_columns(tmp_path: Path) -> None:
    for columns, kind in (("image,a,b,c,choice", "triplets"), ("image,b,c,choice", "pairs")):
        path = tmp_path / f"{kind}.csv"
        path.write_text(f"{columns}\nx,{'p,' if kind == 'triplets' else ''}q,r,B\n")
        for named in ("votes", None):
            assert naming.wanted(["mine"], files=[path], file_format=named)[0].kind == kind
        assert naming.wanted(["mine"], files=[path], kind="pairs")[0].kind == "pairs"
