"""Our fields in a hub's Croissant file, whose own values stay."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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


pytestmark = pytest.mark.xdist_group("merged")  # one store is read by several tests


@pytest.fixture(autouse=True, scope="module")
def _search_for_what_is_in_the_rows() -> Iterator[None]:
    with searching_for("personal-data", "uneven-captions", "other-script"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a file, next to JSON that is not of Croissant."""
    made = tmp_path_factory.mktemp("merge")
    (made / "mine.csv").write_text("\n".join(ROWS) + "\n")
    assert run_auditor("ingest", "mine", "--from", "mine.csv", folder=made).returncode == 0
    (made / "other.json").write_text('{"conformsTo": "another"}')
    return made


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
        (["--merge-into", "other.json", "--format", "croissant"], 3, "not a Croissant file"),
        (["--merge-into", "other.json"], 2, "only for a card (--format card or croissant)"),
    ],
)
def test_wrong_files_have_one_line(folder: Path, options: list[str], code: int, said: str) -> None:
    ran = run_auditor("report", "mine", *options, folder=folder)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert said in ran.stderr
