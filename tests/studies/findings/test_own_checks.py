"""Checks of one's own in datasets.toml: found in a store, a file and shards, in gates and on the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from running import run_auditor

from auditor.config import checks
from auditor.errors import AuditorError, UsageError
from auditor.findings import KINDS, declare, not_kept
from auditor.store.connection import MEMORY, Store
from auditor.studies.check import check
from auditor.studies.export import export
from auditor.studies.findings import findings, read_summary
from auditor.studies.ingest import ingest


class Own(NamedTuple):
    """A check as curators ask for it: its lines, and a caption that it finds."""

    lines: str
    bad: str
    severity: str = "warning"


OWN = {
    "stock-photos": Own(
        "where = \"text ilike '%shutterstock%'\"\nseverity = 'error'\ntitle = 'Stock photo credits'",
        "A dog runs on a beach, via ShutterStock 12.",
        "error",
    ),
    "too-short": Own('where = "words < 4"', "A dog."),
    "beyond-the-encoder": Own('where = "words > 20"', f"A dog {'on a long and sandy beach ' * 4}runs."),
    "capitals": Own('where = "text = upper(text) and text <> lower(text)"', "A DOG RUNS ON A BEACH."),
    "no-full-stop": Own("requires = '[.!?]$'", "A dog runs along a beach"),
    "hashtags": Own("pattern = '#\\w+'\nseverity = 'error'", "A dog runs on a beach #dogs.", "error"),
    "prices": Own("pattern = '[$€£] ?\\d'", "A dog runs on a beach for $9."),
    "file-of-test": Own("where = \"split = 'test' and image like 'scan%'\"", "A dog runs over a beach."),
    "long-lines": Own('where = "length > 110 and words < 20"', f"A dog runs on a {'very' * 30} long beach."),
    "trigger-word": Own("requires = '(?i)\\bdog\\b'\nseverity = 'notice'", "A cat runs on a beach.", "notice"),
}

CLEAN = [f"A dog {verb} {place}." for verb in ("sits", "waits") for place in ("on a red chair", "near the water")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checks, gates on each, and the captions as a file."""
    made = tmp_path_factory.mktemp("own")
    tables = [f"[finding.{name}]\n{own.lines}" for name, own in OWN.items()]
    gates = [f"findings.{name}.max = 0" for name in OWN]
    (made / "datasets.toml").write_text("\n".join([*tables, "[check]", *gates]), encoding="utf-8")
    rows = [(f"scan-{place}" if name == "file-of-test" else f"photo-{place}", own.bad)
            for place, (name, own) in enumerate(OWN.items())]  # fmt: skip
    rows += [(f"clean-{place}", text) for place, text in enumerate(CLEAN)]
    frame = pl.DataFrame(rows, schema=["image", "caption"], orient="row").with_columns(split=pl.lit("test"))
    frame.write_parquet(made / "captions.parquet")
    return made


@pytest.fixture(scope="module")
def faces(folder: Path) -> Mapping[str, Any]:
    """What each face has of the checks, asked once."""
    toml, left = folder / "datasets.toml", folder / "left.csv"
    with Store.open(MEMORY, write=True) as store:
        ingest(store, "mine", files=[folder / "captions.parquet"], config={})
        stored = findings(store, "mine", captions_only=True, config=toml)
        gates = check(store, "mine", config=toml).frame
        export(store, "mine", left, without=["notice"], config=toml)
    shards = ("findings", "./captions.parquet", "--verdicts", "verdicts", "--without", "notice")
    commands = (shards, ("captions.parquet", "--json"), ("findings", "captions.parquet", "-o", "findings.sarif"))
    answers = [run_auditor(*command, folder=folder) for command in commands]
    assert [answer.returncode for answer in answers] == [0, 0, 0], answers
    return {
        "stored": stored.frame,
        "gates": dict(gates.select("statistic", "verdict").iter_rows()),
        "kept": {*pl.read_csv(left)["image"]},
        "verdicts": pl.read_parquet(folder / "verdicts" / "captions.parquet"),
        "summary": read_summary(folder / "verdicts").findings,
        "file": json.loads(answers[1].stdout)["auditor.findings/v3"]["findings"],
        "page": (folder / "captions.parquet.audit.html").read_text(encoding="utf-8"),
        "sarif": json.loads((folder / "findings.sarif").read_text(encoding="utf-8"))["runs"][0],
    }


@pytest.mark.parametrize("name", OWN)
def test_a_check_is_a_kind_for_every_face(name: str, faces: Mapping[str, Any]) -> None:
    image = f"{'scan' if name == 'file-of-test' else 'photo'}-{[*OWN].index(name)}"
    own = faces["stored"].filter(kind=name)
    assert own.select("image", "severity").rows() == [(image, OWN[name].severity)]
    assert faces["gates"][name] == "failed"
    assert image not in faces["kept"]
    assert faces["verdicts"].filter(pl.col("kind").list.contains(name))["id"].to_list() == [image]
    assert [one["severity"] for one in faces["file"] if one["kind"] == name] == [OWN[name].severity]
    assert [one.severity for one in faces["summary"] if one.kind == name] == [OWN[name].severity]
    title = KINDS[name].title
    assert title in faces["page"]
    assert title in [rule["shortDescription"]["text"] for rule in faces["sarif"]["tool"]["driver"]["rules"]]
    assert name in [result["ruleId"] for result in faces["sarif"]["results"]]


def test_store_and_shards_keep_the_same_rows(faces: Mapping[str, Any]) -> None:
    kept = faces["verdicts"].filter("keep")
    assert {*kept["id"]} == faces["kept"] == {f"clean-{place}" for place in range(len(CLEAN))}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "where = 'captoin = 1'",
            r"datasets\.toml:2: \[finding\.bad\]: where: .*captoin.* text, words, length, image, split",
        ),
        ("where = 'text in (select text from caption)'", "subselect"),
        ("where = 'sum(words) > 3'", "aggregates"),
        ("where = 'row_number() over () > 3'", "a window"),
        ("where = 'true) limit (1'", "a clause"),
        ('where = "true); drop table caption; select (1"', "expected one"),
        ("where = \"text = (from read_text('/etc/passwd'))\"", "read_text"),
        ("where = 'words >'", "syntax error"),
        ("pattern = '(dog'", r"datasets\.toml:2: \[finding\.bad\]: pattern: .*missing \)"),
    ],
)
def test_wrong_expression_names_its_place_and_the_columns(tmp_path: Path, lines: str, said: str) -> None:
    toml = tmp_path / "datasets.toml"
    toml.write_text(f"[finding.bad]\n{lines}\n", encoding="utf-8")
    pl.DataFrame({"image": ["a"], "caption": ["a dog"]}).write_parquet(tmp_path / "captions.parquet")
    with Store.open(MEMORY, write=True) as store:
        ingest(store, "mine", files=[tmp_path / "captions.parquet"], config={})
        with pytest.raises(AuditorError, match=said):
            findings(store, "mine", captions_only=True, config=toml)
        with pytest.raises(AuditorError, match=said):
            findings(store, str(tmp_path / "*.parquet"), verdicts=tmp_path / "verdicts", config=toml)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "[finding.bad]\nseverity = 'error'",
            r"datasets\.toml:1: \[finding\.bad\]: write exactly one of where, pattern",
        ),
        ("[finding.bad]\nwhere = 'true'\npattern = 'x'", "exactly one"),
        ("[finding.bad]\npattern = 'x'\nsevere = 'error'", "severe = 'error'; expected texts: pattern"),
        ("[finding.bad]\npattern = 'x'\nseverity = 'info'", "severity = 'info'; expected"),
        ("[finding.bad]\npattern = 3", "pattern = 3; expected"),
        ("[finding.Bad]\npattern = 'x'", "exactly one"),
        ("[finding.markup]\npattern = 'x'", "choose another name"),
        ("[finding]\nbad = 'x'", "write exactly one"),
    ],
)
def test_wrong_declaration_is_refused_with_its_line(tmp_path: Path, table: str, said: str) -> None:
    toml = tmp_path / "datasets.toml"
    toml.write_text(table, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        declare(checks(toml))


def test_a_check_of_another_file_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "datasets.toml").write_text("[finding.mine]\npattern = 'x'\n", encoding="utf-8")
    own = declare(checks(tmp_path / "datasets.toml"))
    assert "mine" in not_kept(["error", "mine"], own)
    with pytest.raises(UsageError, match="--without mine: "):
        not_kept(["mine"])
    assert "mine" not in [*KINDS]
