"""Metrics of a user's own in SQL: one SELECT a file, signed by its text, asked of texts and of nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from conftest import UNLIKE_CAPTIONS, ingest_rows

from auditor.errors import MetricError
from auditor.parameters import MetricName
from auditor.scoring.registry import References, are_ours, request, requests
from auditor.store.connection import Store
from auditor.studies.metrics import metric_cards
from auditor.studies.score import score

SHARED = """\
-- name: word-share
-- summary: Share of the candidate's words that some reference has.
with one as (select id, unnest(string_split(lower(text), ' ')) as word, reference_texts from candidates)
select id, avg(list_contains(flatten([string_split(lower(r), ' ') for r in reference_texts]), word)::integer) as score
from one group by id
"""


def written(text: str, name: str = "word_share.sql") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return f"sql:{name}"


def scored(store: Store, metric: MetricName) -> dict[tuple[str, int], float]:
    frame = score(store, "set", metrics=[metric]).frame
    return {(image, slot): value for image, slot, value in frame.select("image", "slot", "value").iter_rows()}


def test_signature_names_the_text_of_the_file(store: Store) -> None:
    signatures = [
        str(request(written(text)).signature("bare", References())) for text in (SHARED, SHARED, f"{SHARED}-- other\n")
    ]
    assert signatures[0] == signatures[1] != signatures[2]
    assert signatures[0].startswith("word-share|tok:none|refs:loo|source:")
    assert not are_ours(requests([written(SHARED)]))


def test_comments_name_it_and_say_where_less_is_better(store: Store) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    asked = written("-- lower_is_better: true\nselect id, len(text) as score from candidates", "length.sql")
    assert set(scored(store, asked)) == {(image, slot) for image, slot, _ in UNLIKE_CAPTIONS if image != "lone"}
    told = dict(metric_cards(asked).tables[0].frame.iter_rows())
    assert told["better"] == "lower"
    assert told["source"].startswith("length.sql, sha256 ")
    assert dict(metric_cards(written(SHARED)).tables[0].frame.iter_rows())["summary"].startswith("Share of")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("select 'one' as id, 1 as score from candidates", "column id is String, not a number"),
        ("select id, no_such as score from candidates", 'Referenced column "no_such" not found'),
        ("copy candidates to 'x.csv'", "the store is read-only here"),
        ("select 1 as id, 1 as score; select 2", "expected one statement, found 2"),
        ("", "expected one statement, found 0"),
        ("select * from read_csv('x.csv')", "read_csv() in FROM is refused"),
        ("select * from 'x.csv'", "x.csv"),
        ("select text from candidates", "returns no column id and no score, but text"),
        ("select id, text as score from candidates", "column score is String, not a number"),
        ("select id, $x as score from candidates", "x"),
        ("selec", "syntax error"),
    ],
)
def test_file_without_such_a_select_is_refused_before_anything_is_scored(text: str, words: str) -> None:
    with pytest.raises(MetricError) as caught:
        request(written(text, "odd.sql"))
    assert str(caught.value).startswith("odd.sql: ")
    assert words in str(caught.value)
    assert not Path("x.csv").exists()


def test_files_that_are_none_are_named() -> None:
    Path("binary.sql").write_bytes(b"\xff\xfe\x00")
    Path("folder.sql").mkdir()
    for name, words in {
        "nope.sql": "No such file",
        "binary.sql": "not UTF-8 text",
        "folder.sql": "directory",
    }.items():
        with pytest.raises(MetricError, match=f"^{name}: .*{words}"):
            request(f"sql:{name}")
    with pytest.raises(MetricError, match="bleu-1: a metric of auditor, or of a package has this name"):
        request(written("-- name: bleu-1\nselect id, 1 as score from candidates"))
    with pytest.raises(MetricError, match="two words: invalid metric name"):
        request(written("-- name: two words\nselect id, 1 as score from candidates"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("select id, text::integer as score from candidates", r"^odd: image a, slot 0: .*Could not convert string"),
        (
            "select id, 1 as score from candidates where id > 3",
            r"^odd.sql: returns no row for 4 of 6 candidates: id 0, 'A dog runs.'",
        ),
        ("select id, null::int as score from candidates", r"^odd: image a, slot 0: returned None, not a finite number"),
        (
            "select id, 'nan'::double as score from candidates",
            r"^odd: image a, slot 0: returned nan, not a finite number",
        ),
        ("select id, 1 as score from candidates, range(2)", r"^odd.sql: returns 12 scores for 6 candidates"),
        (
            "select id + 6 as id, 1 as score from candidates",
            r"^odd.sql: returns a score for id \d+, which no candidate has",
        ),
    ],
)
def test_what_is_no_score_names_the_file_or_the_caption(store: Store, text: str, words: str) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    with pytest.raises(MetricError, match=words):
        scored(store, written(text, "odd.sql"))


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("select id, (select count(*) from dataset) as score from candidates", "dataset"),
        ("with one as (from main.caption) select id, 1 as score from candidates, one", "caption"),
        ("select id, 1 as score from candidates, captions('set')", "captions()"),
        ("select id, 1 as score from candidates where text in (select gram from ngram_frequency)", "ngram_frequency"),
    ],
)
def test_select_that_would_read_the_store_is_refused(statement: str, read: str) -> None:
    with pytest.raises(MetricError, match=f"^peep.sql: reads {re.escape(read)}; a metric can read only candidates"):
        request(written(statement, "peep.sql"))


def test_names_of_its_own_with_are_no_tables_of_the_store() -> None:
    asked = "with caption as (from candidates), two as (from caption) select id, 1 as score from two"
    assert request(written(asked, "own.sql")).metric.name == "own"


def test_texts_come_as_they_are_written(store: Store) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    asked = written("select id, (text = 'A dog runs.' and reference_texts = ['a dog sits', 'the dog'])::int as score"
                    " from candidates", "sees.sql")  # fmt: skip
    assert {place for place, value in scored(store, asked).items() if value} == {("a", 0)}


def test_rows_of_any_order_and_integer_type_are_matched_by_id(store: Store) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    plain = scored(store, written("select id, len(text) as score from candidates", "plain.sql"))
    turned = "select id::utinyint as id, len(text)::decimal(9, 3) as score from candidates order by id desc"
    assert scored(store, written(turned, "turned.sql")) == plain
    assert isinstance(next(iter(plain.values())), float)
    assert pl.Series(list(plain.values())).sum() > 0
