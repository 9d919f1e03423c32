"""`auditor diversity` on the command line: the same rows in every format, studies chosen by options."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from conftest import ingest_rows
from typer.testing import CliRunner

from auditor.cli.app import app
from auditor.store.connection import Store


def test_rows_are_the_same_in_json_and_csv_and_options_choose_the_study(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(
            store, [("a", 0, "a dog runs"), ("a", 1, "dogs"), ("b", 0, "two cats"), ("b", 1, "cats sit")], "people"
        )
        ingest_rows(store, [("a", 0, "a dog"), ("b", 0, "a dog")], "system", kind="candidates")
    common = ["system", "--against", "people", "--eval", "people", "--store", str(path)]

    def run(*options: str, command: str = "diversity") -> str:
        done = CliRunner().invoke(app, ["-q", command, *common, *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    rows = json.loads(run("--segment", "2", "--curve", "4", "--json"))["auditor.diversity/v3"]["rows"]
    run("--segment", "2", "--curve", "4", "-o", str(tmp_path / "r.csv"))
    table = pl.read_csv(tmp_path / "r.csv", infer_schema_length=None)
    assert table.columns == [*rows[0]]
    assert table["value"].to_list() == [row["value"] for row in rows]
    assert {"coverage": round(2 / 7, 12), "novel": 1.0}.items() <= {
        row["statistic"]: row["value"] for row in rows
    }.items()
    assert {row["statistic"] for row in rows} >= {"recall-5", "precision", "mbleu-4"}
    by_training = ("--by", "training", "--number", "1", "--json")
    omitted = json.loads(run(*by_training, command="words"))["auditor.words/v3"]["rows"]
    assert [(row["word"], row["trained"], row["rank"]) for row in omitted] == [("cats", 2, 1)]
    common[3:5] = []
    wanted = ("--by", "image", "--number", "1", "--importance", "1", "--json")
    missed = json.loads(run(*wanted, command="words"))["auditor.words/v3"]["rows"]
    common[1] = "--eval"
    assert [row["word"] for row in missed if row["ranking"] == "absolute"] == ["dogs"]
    moved = json.loads(run("--robustness", "--json"))["auditor.diversity/v3"]["rows"]
    assert {row["factor"] for row in moved} >= {"ptb"}
