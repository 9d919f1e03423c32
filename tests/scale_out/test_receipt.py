"""A receipt: scores are checked by it where nobody makes them again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import UNLIKE_CAPTIONS, ingest_rows
from polars.testing import assert_frame_equal

from auditor.cli.app import main
from auditor.errors import SourceError, UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds import bounds
from auditor.studies.verify import verify


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("receipt") / "audit.duckdb", write=True) as store:
        ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
        yield store


@pytest.fixture(params=["scores.parquet", "scores.csv"])
def scores(request: pytest.FixtureRequest, filled: Store, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    bounds(filled, "set", metrics=["bleu-1", "cider"], workers=1, file=path)
    return path


def receipt_of(scores: Path) -> Path:
    return scores.with_name(f"{scores.name}.receipt.json")


def test_scores_hold_in_the_store_they_come_from(filled: Store, scores: Path) -> None:
    found = verify(filled, receipt_of(scores))
    assert found.holds is True
    assert found.frame["holds"].to_list() == [True] * 4


def test_scores_hold_in_another_store(scores: Path) -> None:
    with Store.open(MEMORY) as store:
        found = verify(store, receipt_of(scores))
    assert found.holds is True
    assert found.frame["holds"].to_list() == [None, True, True, True]


def test_a_score_that_was_changed_is_told(filled: Store, scores: Path) -> None:
    rows = pl.read_parquet(scores) if scores.suffix == ".parquet" else pl.read_csv(scores)
    changed = rows.with_columns(value=pl.when(pl.int_range(pl.len()) == 0).then(0.125).otherwise("value"))
    changed.write_parquet(scores) if scores.suffix == ".parquet" else changed.write_csv(scores)
    found = verify(filled, receipt_of(scores))
    assert found.holds is False
    assert found.frame.filter(~pl.col("holds"))["check"].to_list() == ["scores", "sums"]


def test_a_receipt_that_was_changed_is_refused(filled: Store, scores: Path) -> None:
    receipt = receipt_of(scores)
    receipt.write_text(receipt.read_text().replace('"tokenizer": "bare"', '"tokenizer": "ptb"'))
    with pytest.raises(SourceError, match="was modified"):
        verify(filled, receipt)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"auditor.receipt/v1": {"plan_sha256": ""}}', pytest.param("[" * 100_000, id="deep")]
)
def test_what_is_no_receipt_is_refused(filled: Store, tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.parquet.receipt.json"
    path.write_text(text)
    with pytest.raises(SourceError, match="not a receipt"):
        verify(filled, path)


def test_receipt_with_a_value_of_another_type_is_none(filled: Store, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    bounds(filled, "set", metrics=["bleu-1"], workers=1, file=scores)
    name, written = "auditor.receipt/v1", receipt_of(scores).read_text()
    forged: list[object] = ["text", 5, None, {"rows": []}, {"rows": [-1]}, {"rows": [10**30]}, {"rows": ["1"]},
        {"sums": [1]}, {"sums": ["text"]}, {"files": []}, {"plan": {"version": None}}, {"plan": {"dataset": ["set"]}},
        {"plan": {"dataset": "\ud800"}}, {"plan": {"sql": ["bleu"]}}, {"plan": {"seq": True}}]  # fmt: skip
    for change in forged:
        fields = json.loads(written)[name]
        if isinstance(change, dict):
            fields["plan"] |= change.get("plan", {})
            fields |= {key: value for key, value in change.items() if key != "plan"}
        receipt_of(scores).write_text(json.dumps({name: fields if isinstance(change, dict) else change}))
        with pytest.raises(SourceError, match="not a receipt"):
            verify(filled, receipt_of(scores))
    receipt_of(scores).write_text('{"auditor.receipt/v1":' + "[" * 200_000)
    with pytest.raises(SourceError, match="not a receipt"):
        verify(filled, receipt_of(scores))


def test_scores_that_a_pipe_or_no_number_stands_for_are_an_error(filled: Store, tmp_path: Path) -> None:
    scores = tmp_path / "[s]cores.csv"  # a name, and no pattern
    bounds(filled, "set", metrics=["bleu-1"], workers=1, file=scores)
    assert verify(filled, receipt_of(scores)).holds
    scores.write_text("metric,image,slot,split,value\nbleu-1,a,0,,nan\n")
    with pytest.raises(SourceError, match="cannot be read as scores"):
        verify(filled, receipt_of(scores))
    scores.unlink()
    os.mkfifo(scores)
    with pytest.raises(SourceError, match="not a regular file"):
        verify(filled, receipt_of(scores))


def test_a_receipt_that_is_not_there_is_an_error(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        verify(filled, tmp_path / "scores.parquet.receipt.json")


def test_no_store_is_needed_to_check_scores(
    scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["store", "verify", str(receipt_of(scores)), "--store", "none.duckdb", "--json"])
    assert not ended.value.code
    assert [row["holds"] for row in json.loads(capsys.readouterr().out)["auditor.store-verify/v3"]["rows"]] == [
        None,
        *[True] * 3,
    ]
    assert not Path("none.duckdb").exists()


def test_scores_that_are_gone_are_an_error(filled: Store, scores: Path) -> None:
    scores.unlink()
    with pytest.raises(SourceError, match="cannot be read"):
        verify(filled, receipt_of(scores))


def test_no_folder_is_left_beside_the_store(filled: Store, scores: Path) -> None:
    assert scores.exists()
    assert [one for one in filled.path.parent.iterdir() if one.is_dir()] == []


def test_what_cannot_be_is_refused_before_anything_is_counted(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends with \.parquet or \.csv"):
        bounds(filled, "set", file=tmp_path / "scores.xlsx")
    with pytest.raises(UsageError, match="does not exist; create it"):
        bounds(filled, "set", file=tmp_path / "nowhere" / "scores.csv")
    with pytest.raises(UsageError, match="--address: only with --executor ray"):
        bounds(filled, "set", address="auto")
    with Store.open(MEMORY) as store, pytest.raises(UsageError, match="--work"):
        bounds(store, "set", executor="here")


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ({"candidates": ["intra"]}, "--candidate"),
        ({"draws": 2}, "--draws"),
        ({"seed": 2}, "--seed"),
        ({"references": 1}, "--references"),
        ({"distinct": True}, "--distinct"),
    ],
)
def test_what_needs_all_captions_at_once_is_refused_by_files(
    settings: dict[str, Any], refused: str, filled: Store
) -> None:
    with pytest.raises(UsageError, match=f"{refused}: only for bounds in the store; leave out for bounds by files"):
        bounds(filled, "set", executor="here", **settings)
    with pytest.raises(UsageError, match="bounds by files: expected one dataset, not 2"):
        bounds(filled, "set", "set", executor="here")


def test_bounds_by_files_are_those_in_memory(filled: Store) -> None:
    metrics = ["bleu-1", "cider"]
    in_memory = bounds(filled, "set", metrics=metrics, candidates=["human"], executor=None).frame
    by_files = bounds(filled, "set", metrics=metrics, executor="here").frame
    assert by_files.columns == in_memory.columns
    keys = ["metric", "level", "n", "mean", "sd", "min", "max"]
    assert_frame_equal(by_files.select(keys), in_memory.filter(pl.col("level") != "image-sd").select(keys))
