"""What the patterns of `sql/facts/signs.toml` find, and what they leave: texts of `signs.toml` beside this file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.store.connection import Store
from auditor.store.signs import signs
from auditor.studies.findings import findings

TEXTS = tomllib.loads(Path(__file__).with_name("signs.toml").read_text(encoding="utf-8"))


def test_every_kind_that_is_looked_for_by_patterns_has_texts() -> None:
    assert {one["kind"] for one in signs()} - {None} == set(TEXTS)


@pytest.mark.parametrize("kind", TEXTS)
def test_patterns_find_what_they_should_and_say_why(store: Store, kind: str) -> None:
    found, none = TEXTS[kind]["found"], TEXTS[kind]["none"]
    ingest_rows(store, [(f"{place:02}", 0, text) for place, text in enumerate([*found, *none])])
    listed = findings(store, "set", kinds=[kind], captions_only=True).frame
    assert dict(listed.select("text", "why").iter_rows()) == found
