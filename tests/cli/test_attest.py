"""What leaves with a dataset: an in-toto statement that `store verify` checks, and our fields in a hub's Croissant file."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, searching_for
from running import run_auditor

ROWS = [
    "image,caption",
    *(f"{n}.jpg,a dog number {n % 7} runs over grass {n}" for n in range(20)),
    *(f"{n}.jpg,the dog is running {n}" for n in range(20)),
    "5.jpg,日本 猫",
    "6.jpg,write to ann@example.org about it",
]


pytestmark = pytest.mark.xdist_group("attested")  # one card is read by several tests


@pytest.fixture(autouse=True, scope="module")
def _search_for_what_is_in_the_rows() -> Iterator[None]:
    with searching_for("personal-data", "uneven-captions", "other-script"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a file, and a statement about it."""
    made = tmp_path_factory.mktemp("attest")
    (made / "mine.csv").write_text("\n".join(ROWS) + "\n")
    assert run_auditor("ingest", "mine", "--from", "mine.csv", folder=made).returncode == 0
    options = ("-m", "bleu-1", "--format", "card", "-o", "card.md", "--attest", "mine.intoto.json")
    ran = run_auditor("report", "mine", *options, folder=made)
    assert ran.returncode == 0, ran.stderr
    return made


def test_statement_is_one_of_in_toto(folder: Path) -> None:
    text = (folder / "mine.intoto.json").read_text()
    assert "a dog number" not in text
    statement = pytest.importorskip("in_toto_attestation.v1.statement", reason="no in-toto-attestation")
    from google.protobuf import json_format

    read = json.loads(text)
    json_format.ParseDict(read, statement.spb.Statement())
    subjects = [json_format.ParseDict(one, statement.ResourceDescriptor().pb) for one in read["subject"]]
    statement.Statement(subjects, read["predicateType"], read["predicate"]).validate()


def test_verify_checks_numbers_and_source(folder: Path) -> None:
    ran = run_auditor("store", "verify", "mine.intoto.json", "--json", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "the file itself is not read" in " ".join(ran.stderr.split())
    rows = json.loads(ran.stdout)["auditor.store-verify/v2"]["rows"]
    assert rows[0] | {"dataset": "", "version": ""} == {
        "dataset": "", "version": "", "split": None, "number": "source", "meaning": "sha256 of the source",
        "signature": None, "published": None, "now": None, "holds": True, "why": None,
    }  # fmt: skip
    assert all(row["holds"] for row in rows)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("subject", 0, "digest", "sha256"), "0" * 64, "1 do not: source"),
        (("predicate", "additionalProperty", 5, "value"), 12345, "1 do not: "),
    ],
)
def test_verify_finds_a_changed_statement(
    folder: Path, tmp_path: Path, path: tuple[str | int, ...], value: Any, said: str
) -> None:
    read = json.loads((folder / "mine.intoto.json").read_text())
    inside: Any = read
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    (tmp_path / "changed.json").write_text(json.dumps(read))
    ran = run_auditor("store", "verify", str(tmp_path / "changed.json"), folder=folder)
    assert ran.returncode == 1
    assert said in ran.stdout + ran.stderr


GOLD = json.loads((ROOT / "tests" / "gold" / "card.croissant.json").read_text())

HUB = {
    "@context": {key: value for key, value in GOLD["@context"].items() if key != "rai"},
    "@type": "sc:Dataset",
    "name": "mine",
    "description": "As the hub wrote it.",
    "conformsTo": "http://mlcommons.org/croissant/1.0",
    "url": "https://example.org/mine",
    "rai:dataBiases": ["Annotated by students."],
}


def test_a_hubs_croissant_file_keeps_its_values_and_gets_ours(folder: Path) -> None:
    (folder / "hub.json").write_text(json.dumps(HUB))
    options = ("-m", "bleu-1", "--format", "croissant", "--merge-into", "hub.json", "-o", "merged.json")
    ran = run_auditor("report", "mine", *options, folder=folder)
    assert ran.returncode == 0, ran.stderr
    merged = json.loads((folder / "merged.json").read_text())
    assert {key: merged[key] for key in ("name", "description", "url")} == {
        key: HUB[key] for key in ("name", "description", "url")
    }
    assert merged["conformsTo"] == ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
    assert merged["@context"] == {"rai": "http://mlcommons.org/croissant/RAI/", **HUB["@context"]}  # type: ignore[dict-item]
    assert merged["rai:dataBiases"][0] == "Annotated by students."
    assert any("e-mail" in words for words in merged["rai:personalSensitiveInformation"])
    assert {"propertyID", "value"} < {*merged["additionalProperty"][-1]}
    again = (*options[:-3], "merged.json", "-o", "twice.json")
    assert run_auditor("report", "mine", *again, folder=folder).returncode == 0
    assert json.loads((folder / "twice.json").read_text()) == merged
    if importlib.util.find_spec("mlcroissant") is None:
        pytest.skip("no mlcroissant, which validates Croissant files")
    validate = [sys.executable, "-m", "mlcroissant.scripts.validate", "--jsonld", str(folder / "merged.json")]
    done = subprocess.run(validate, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--merge-into", "mine.csv", "--format", "croissant"], 3, "--merge-into mine.csv: cannot be read"),
        (["--merge-into", "mine.intoto.json", "--format", "croissant"], 3, "not a Croissant file"),
        (["--merge-into", "mine.intoto.json"], 2, "write it with --format croissant"),
        (["--attest", "audit.duckdb"], 2, "audit.duckdb: cannot be written: it is the store in use"),
    ],
)
def test_wrong_files_have_one_line(folder: Path, options: list[str], code: int, said: str) -> None:
    ran = run_auditor("report", "mine", *options, folder=folder)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert said in ran.stderr
