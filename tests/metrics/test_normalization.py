"""Rewritten tokens are counted as if the captions had been written so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import ingest_rows

from auditor.scoring.candidates import HUMAN
from auditor.scoring.counting import count
from auditor.scoring.registry import request
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

ROWS = [("a", 0, "a café"), ("a", 1, "the x_y café"), ("a", 2, "日本"), ("b", 0, "the caf"), ("b", 1, "caf 2 dogs")]
REWRITTEN = [("a", 0, "a caf"), ("a", 1, "the x y caf"), ("a", 2, "!"), ("b", 0, "the caf"), ("b", 1, "caf 2 dogs")]


@pytest.mark.parametrize("metric", ["cider", "cider-d"])
def test_rewritten_tokens_count_as_if_they_had_been_written(metric: str) -> None:
    asked = request(metric)
    with Store.open(MEMORY) as store:
        ingest_rows(store, ROWS, "as they are")
        ingest_rows(store, REWRITTEN, "rewritten")
        plain = count(Captions(store, resolve(store, "rewritten"), "bare"), [HUMAN], [asked.counting])
        rouge = replace(asked.counting, normalization="rouge")
        both = count(Captions(store, resolve(store, "as they are"), "bare"), [HUMAN], [asked.counting, rouge])
    assert both["human", rouge].equals(plain["human", asked.counting])
    assert not both["human", rouge].equals(both["human", asked.counting])
