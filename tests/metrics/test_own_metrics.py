"""Metrics of a user's own: functions of a text and its references, signed by their source, kept nowhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, UNLIKE_CAPTIONS, ingest_rows
from running import run_auditor
from test_own_statements import SHARED, scored, written

import auditor
from auditor.errors import MetricError
from auditor.model import Source
from auditor.scoring import registry
from auditor.scoring.registry import References, are_ours, request, requests
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.studies.agree import agree
from auditor.studies.bounds import bounds
from auditor.studies.choices import choices
from auditor.studies.compare import compare
from auditor.studies.correlate import correlate
from auditor.studies.metrics import metric_cards
from auditor.studies.probe import probe
from auditor.studies.references import enough_references
from auditor.studies.report import ReportSettings, report
from auditor.studies.score import score
from auditor.text import AT_INGEST


@pytest.fixture(autouse=True)
def _finds_modules_for_this_test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


def shared(candidate: str, references: list[str]) -> float:
    """Say what share of the candidate's words some reference has."""
    words = candidate.lower().split()
    return sum(any(word in one.lower().split() for one in references) for word in words) / max(1, len(words))


def test_function_gets_texts_as_they_are_written_and_the_references_by_slot(store: Store) -> None:
    seen = {}

    @auditor.metric
    def sees(candidate: str, references: list[str]) -> float:
        seen[candidate] = references
        return 0.5

    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    assert set(scored(store, "sees").values()) == {0.5}
    assert seen["A dog runs."] == ["a dog sits", "the dog"]
    assert seen["日本 猫"] == ["two cats", ""]
    assert seen[""] == ["two cats", "日本 猫"]
    assert "alone" not in seen


def test_columns_rows_and_a_statement_give_the_same_scores(store: Store) -> None:
    @auditor.metric(name="by-row")
    def by_row(candidate: str, references: list[str]) -> float:
        return len(candidate) / (1 + max(map(len, references)))

    @auditor.metric(name="by-column", columns=True)
    def by_column(candidates: pl.Series, references: pl.Series) -> pl.Series:
        return candidates.str.len_chars() / (1 + references.list.eval(pl.element().str.len_chars()).list.max())

    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    told = scored(store, "by-row")
    assert told == scored(store, "by-column")
    longest = "list_max(list_transform(reference_texts, lambda one: len(one)))"
    asked = written(f"select id, len(text) / (1 + {longest}) as score from candidates", "by_statement.sql")
    assert told == pytest.approx(scored(store, asked), abs=1e-12)
    assert len(told) == 6, "a caption without a reference has no score"


def test_references_of_a_system_are_all_captions_of_the_image(store: Store) -> None:
    met = []

    @auditor.metric
    def met_by(candidate: str, references: list[str]) -> float:
        met.append((candidate, len(references)))
        return 1.0

    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    ingest_rows(store, [("a", 0, "made"), ("lone", 0, "up")], dataset="system", kind="candidates")
    score(store, "set", candidates="system", metrics=["met-by"])
    assert {("made", 3), ("up", 1)} <= set(met)


def test_every_question_of_scores_takes_a_function_and_a_statement(store: Store) -> None:
    auditor.metric(name="shared")(shared)
    statement = written(SHARED)
    rows = [(f"i{n}", slot, f"a {w} dog {n % 7} runs {slot}") for n in range(12) for slot, w in enumerate("abcd")]
    ingest_rows(store, rows)
    ingest_rows(store, [(image, slot, text[::-1]) for image, slot, text in rows], dataset="other")
    signatures = {name: str(request(one).signature("bare", References()))
                  for name, one in (("shared", "shared"), ("word-share", statement))}  # fmt: skip
    asked = ["shared", statement]
    for result in (
        bounds(store, "set", metrics=asked),
        compare(store, "set", "other", metrics=asked, resamples=40),
        correlate(store, "set", metrics=asked),
        score(store, "set", metrics=asked),
        score(store, "set", metrics=asked, rank=True),
        probe(store, "set", metrics=asked, components=["order"]),
        enough_references(store, "set", metrics=asked),
    ):
        for name, signature in signatures.items():
            assert signature in result.signatures[name], result.command
    document = report(store, "set", settings=ReportSettings(metrics=("shared", statement)), sections=["bounds"])
    assert set(signatures.values()) <= set(document.signatures.values())


def test_function_is_taken_as_by_its_name_decorated_or_not(store: Store) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS)
    plain = bounds(store, "set", metrics=[shared, "bleu-1"], candidates=["human"])
    assert plain.signatures.keys() == {"shared", "bleu-1"}
    assert scored(store, shared) == scored(store, "shared")
    decorated = auditor.metric(name="words-met")(shared)
    (signature,) = score(store, "set", metrics=[decorated]).signatures.values()
    assert signature.startswith("words-met|")
    assert ReportSettings(metrics=[shared, "bleu-1"]).metrics == ("words-met", "bleu-1")


def test_what_is_no_metric_and_functions_of_one_name_are_refused(store: Store) -> None:
    ingest_rows(store, UNLIKE_CAPTIONS)

    def made(number: float) -> Callable[[str, list[str]], float]:
        def score(_candidate: str, _references: list[str]) -> float:
            return number

        return score

    with pytest.raises(MetricError, match=r"score: two functions have this name"):
        bounds(store, "set", metrics=[made(0.1), made(0.2)])
    with pytest.raises(MetricError, match="3: not a metric"):
        bounds(store, "set", metrics=[3])
    with pytest.raises(MetricError, match="invalid metric name"):
        bounds(store, "set", metrics=[lambda _candidate, _references: 1.0])


def test_metrics_whose_names_begin_alike_have_a_figure_each(store: Store) -> None:
    for name in ("my-first", "my-second", "Größe"):
        auditor.metric(name=name)(shared)
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    result = bounds(store, "set", metrics=["my-first", "my-second", "Größe", "bleu-1"], candidates=["human"])
    assert [figure.name for figure in result.figures] == ["my-first", "my-second", "Größe", "figure-1", "bounds-1"]
    assert all(f"Upper bound: {name}" in result._repr_html_() for name in ("my-first", "my-second", "Größe"))


def test_ratings_and_forced_choice_take_it(store: Store) -> None:
    auditor.metric(name="shared")(shared)
    ingest_rows(store, [(f"i{n}", slot, f"a {w} dog {n}") for n in range(9) for slot, w in enumerate("abcd")])
    sides = [(n, side, f"a dog {n if side == 'right' else 'x'}") for n in range(9) for side in ("right", "wrong")]
    items = pl.DataFrame(
        {
            "image": [f"i{n}" for n, _, _ in sides],
            "slot": [int(side == "wrong") for _, side, _ in sides],
            "text": [text for *_, text in sides],
            "pair": [
                {"pair": n + 1, "side": side, "category": "swap", "origin": f"x{n}", "votes": None}
                for n, side, _ in sides
            ],
        }
    )
    rated = items.drop("pair").with_columns(
        judgements=pl.Series(
            [[{"judge": "a", "score": float(n % 4 + (s == "right")), "votes": 1}] for n, s, _ in sides]
        )
    )
    for name, kind, frame in (("items", "choices", items), ("rated", "judgements", rated)):
        placed = frame.with_columns(source=pl.lit("made"), unit=pl.lit("line"), line=pl.int_range(1, pl.len() + 1))
        ingestion.write(store, Source(name, kind, "literal", ()), iter([complete(placed)]), {}, AT_INGEST, "0" * 64)
    told = choices(store, "items", against="set", metrics=["shared"]).frame.filter(scorer="shared", part="swap")
    assert told["accuracy"].to_list() == [1.0]
    result = agree(store, "rated", against="set", metrics=["shared"])
    assert "shared|" in result.signatures["shared"]


def test_signature_names_the_source_and_another_source_is_another_signature(store: Store) -> None:
    signatures = set()
    for _ in range(2):
        auditor.metric(name="mine")(shared)
        signatures.add(str(request("mine").signature("bare", References())))

    @auditor.metric(name="mine")
    def other(candidate: str, references: list[str]) -> float:
        return 0.0

    signatures.add(str(request("mine").signature("bare", References())))
    assert len(signatures) == 2
    assert all(one.startswith("mine|tok:none|refs:loo|source:") and one.endswith("|v:1") for one in signatures)
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    assert set(scored(store, "mine").values()) == {0.0}


def test_nothing_of_it_is_kept(tmp_path: Path) -> None:
    called = []

    @auditor.metric
    def counted(candidate: str, references: list[str]) -> float:
        called.append(candidate)
        return float(len(called))

    path = tmp_path / "kept.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    for times in (1, 2):
        with Store.open(path, write=True) as store:
            bounds(store, "set", metrics=["counted", "bleu-1"], candidates=["human"])
        assert len(called) == 6 * times
    with Store.open(path) as store:
        tables = store.query("select table_name from duckdb_tables() where schema_name = 'cache'")["table_name"]
        assert not [name for name in tables if "own" in name or "counted" in name]
        kept = store.query("select relation from cache.entry")["relation"].unique().to_list()
    assert "bleu" in kept
    assert not {"score", "study_result"} & set(kept)
    assert not are_ours(requests(["counted"]))


def test_function_whose_source_nobody_sees_says_so(store: Store) -> None:
    space: dict[str, object] = {}
    exec("def unseen(candidate, references): return 1.0", space)
    auditor.metric(space["unseen"])
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    result = bounds(store, "set", metrics=["unseen"], candidates=["human"])
    assert "|source:unknown|" in result.signatures["unseen"]
    assert any("unseen: its source is not available" in note for note in result.notes)


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        (None, "returned None, not a finite number"),
        (float("nan"), "returned nan, not a finite number"),
        (float("inf"), "returned inf, not a finite number"),
        ("high", "returned 'high', not a finite number"),
        (1j, "returned 1j, not a finite number"),
    ],
)
@pytest.mark.parametrize("columns", [False, True])
def test_what_is_no_score_names_metric_image_and_slot(store: Store, gives: object, words: str, columns: bool) -> None:
    def odd(candidate: object, references: object) -> object:
        if isinstance(candidate, str):
            return gives if candidate == "日本 猫" else 1
        return [gives if one == "日本 猫" else 1 for one in candidate]

    auditor.metric(columns=columns)(odd)
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    with pytest.raises(MetricError, match=f"^odd: image b, slot 1: {words}$".replace("(", r"\(")):
        scored(store, "odd")


@pytest.mark.parametrize("columns", [False, True])
def test_what_it_raises_names_the_caption_and_the_message(store: Store, columns: bool) -> None:
    def fails(candidate: object, references: object) -> object:
        texts = [candidate] if isinstance(candidate, str) else list(candidate)
        scores = [1 / len(one) for one in texts]
        return scores[0] if isinstance(candidate, str) else scores

    auditor.metric(columns=columns)(fails)
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    with pytest.raises(MetricError, match=r"^fails: image b, slot 2: ZeroDivisionError: division by zero$") as caught:
        scored(store, "fails")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_columns_that_fail_only_together_say_so(store: Store) -> None:
    @auditor.metric(columns=True)
    def crowd(candidates: pl.Series, references: pl.Series) -> pl.Series:
        if len(candidates) > 4:
            raise ValueError("too many")
        return candidates.str.len_chars()

    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    with pytest.raises(
        MetricError, match=r"crowd: image a, slot 0: ValueError: too many; raised for 6 captions together"
    ):
        scored(store, "crowd")


def test_scores_for_other_captions_than_asked_are_an_error(store: Store) -> None:
    auditor.metric(name="short", columns=True)(lambda candidates, references: [1.0])
    ingest_rows(store, UNLIKE_CAPTIONS, kind="candidates")
    with pytest.raises(MetricError, match="short: returns 1 scores for 6 captions"):
        scored(store, "short")


def test_names_that_are_taken_or_none_are_refused() -> None:
    with pytest.raises(MetricError, match="bleu-1: a metric of auditor, or of a package has this name"):
        auditor.metric(name="bleu-1")(shared)
    with pytest.raises(MetricError, match="<lambda>: invalid metric name"):
        auditor.metric(lambda candidate, references: 1.0)
    with pytest.raises(MetricError, match="a:b: invalid metric name"):
        auditor.metric(name="a:b")(shared)
    assert auditor.metric(name="shared")(shared) is shared
    with pytest.raises(MetricError, match="'x'"):
        request("shared:x=1")


def test_card_tells_what_the_function_says_of_itself() -> None:
    auditor.metric(name="shared")(shared)
    card = metric_cards("shared")
    told = dict(card.tables[0].frame.iter_rows())
    assert told["summary"] == "Say what share of the candidate's words some reference has."
    assert told["counts"] == "sql/scoring/candidate_texts.sql, aligned by a kernel"
    assert "shared" not in registry.defaults()


MODULE = """
import auditor
LIMIT = 3
def overlap(candidate, references):
    return float(len(candidate))
@auditor.metric(name="declared", columns=True, lower_is_better=True)
def other(candidates, references):
    return candidates.str.len_chars()
def odd(candidate, references):
    raise KeyError(candidate)
"""


PLACE = {"AUDITOR_STORE": "s.duckdb"}


def run(*arguments: str) -> tuple[int, str, str]:
    around = {**os.environ, "PYTHONPATH": str(ROOT), **PLACE}
    asked = [sys.executable, "-c", "from auditor.cli.app import main; main()", *arguments]
    done = subprocess.run(asked, env=around, check=False, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def forgets_modules() -> Iterator[None]:
    """What commands import of the working folder in this process is not there for the next test."""
    yield
    for name in ("mine", "breaks"):
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.usefixtures("forgets_modules")
def test_command_line_takes_a_function_of_a_module_of_the_working_folder() -> None:
    Path("mine.py").write_text(MODULE)
    Path("breaks.py").write_text("import no_such_thing\n")
    Path("c.csv").write_text("image,caption\na,one dog\na,two dogs\nb,three\nb,four cats\n")
    assert run_auditor("ingest", "set", "--from", "c.csv", **PLACE).returncode == 0
    code, out, error = run("score", "set", "-m", "python:mine.overlap", "-m", "python:mine.other", "--json")
    assert code == 0, error
    body = json.loads(out)["auditor.score/v3"]
    assert {row["metric"] for row in body["rows"]} == {"mine.overlap", "declared"}
    assert body["signatures"]["mine.overlap"].startswith("mine.overlap|tok:none|refs:loo|source:")
    for name, words in {
        "mine.nope": "has no function nope; it has overlap, other, odd",
        "mine.LIMIT": "LIMIT of module mine",
        "nothere.f": "module nothere not found, neither installed nor in the working folder",
        "breaks.f": "module breaks cannot be imported: No module named 'no_such_thing'",
        "alone": "expected python:MODULE.FUNCTION",
        "mine.odd": "mine.odd: image a, slot 0: KeyError: 'one dog'",
    }.items():
        done = run_auditor("score", "set", "-m", f"python:{name}", **PLACE)
        assert (done.returncode, done.stdout) == (5, ""), done.stderr
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    Path("datasets.toml").write_text('[check]\nhomogeneity."python:mine.overlap".high.max = 1\n')
    done = run_auditor("check", "set", "--config", "datasets.toml", **PLACE)
    assert done.returncode == 2
    assert "python:mine.overlap: would run code, which a file must not request" in done.stderr


def test_working_folder_is_looked_into_only_for_a_module_that_is_not_installed() -> None:
    assert request("python:textwrap.dedent").label == "textwrap.dedent"
    assert str(Path.cwd()) not in sys.path
    Path("mine_here.py").write_text("def f(candidate, references):\n    return 1.0\n")
    assert request("python:mine_here.f").label == "mine_here.f"
    for odd in ("python:..f", "python:__main__.nothing", "python:mine_here..f"):
        with pytest.raises(MetricError, match="python:"):
            request(odd)
