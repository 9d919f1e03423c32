"""Calls of commands that are gone: one line names the call that gives the same rows, which the old command once gave."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT
from running import Run, run_auditor

SAMPLE = ROOT / "auditor" / "sample"

#: By old call, rows that the command gave before it went; what names versions is left out.
GOLD: dict[str, list[dict[str, Any]]] = json.loads((ROOT / "tests" / "gold" / "former_commands.json").read_text())


def run(folder: Path, call: str) -> Run:
    return run_auditor(*shlex.split(call), folder=folder)


pytestmark = pytest.mark.xdist_group("former commands")  # one store is asked by most tests


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the bundled sample, an invented system and invented votes, with scores and a card beside it."""
    folder = tmp_path_factory.mktemp("former")
    shutil.copytree(SAMPLE, folder / "sample", ignore=shutil.ignore_patterns("*.lock"))
    captions: dict[str, list[str]] = {}
    for one in json.loads((SAMPLE / "varied.json").read_text())["annotations"]:
        captions.setdefault(str(one["image_id"]), []).append(one["caption"])
    said = [{"image_id": image, "caption": " ".join(captions[image][0].split()[:7])} for image in sorted(captions)]
    (folder / "system.json").write_text(json.dumps(said))
    for call in (
        "ingest sample-narrow sample-varied sample-flawed --config sample/datasets.toml",
        "ingest system --from system.json --format list --kind candidates",
        "bounds sample-varied -m bleu-1 --scores scores.csv",
        "report sample-flawed --format card -m bleu-1 -o card.md",
        "tasks sample-varied --candidates human --candidates intra --kind pairs --images 9 -o votes.csv",
    ):
        assert run(folder, call).returncode == 0, call
    vote(folder)
    return folder


def vote(folder: Path) -> None:
    """Let three invented judges answer questions: two take the image's own caption, the third each second time."""
    key, questions = (pl.read_csv(folder / name) for name in ("votes.key.csv", "votes.csv"))
    own = pl.when(origin_b="human").then(pl.lit("B")).otherwise(pl.lit("C"))
    other = pl.when(origin_b="human").then(pl.lit("C")).otherwise(pl.lit("B"))
    third = pl.when(pl.int_range(pl.len()) % 2 == 1).then(own).otherwise(other)
    said = questions.join(key.select("task", "origin_b"), on="task", maintain_order="left").with_columns(
        judge_1=own, judge_2=own, judge_3=third
    )
    said.drop("origin_b").write_csv(folder / "votes.csv")
    done = run(folder, "ingest votes --from votes.csv --format votes --option key_file=votes.key.csv")
    assert done.returncode == 0, done.stderr


def new_call(folder: Path, old: str) -> str:
    """Return the call that takes the place of an old one."""
    done = run(folder, old)
    assert (done.returncode, done.stdout) == (2, "")
    line, _, call = done.stderr.rstrip("\n").partition(" is now: auditor ")
    assert line.startswith("error: ")
    assert "\n" not in call
    return call


@pytest.mark.parametrize("old", GOLD)
def test_former_call_names_the_one_that_gives_its_rows(old: str, stored: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    shutil.copytree(stored, folder)
    if old.startswith(("note", "log", "drop")):
        for before in ("tag sample-narrow camera-ready", "note sample-narrow sent")[
            : 1 if old.startswith("note") else 2
        ]:
            run(folder, new_call(folder, before))
    done = run(folder, f"{new_call(folder, old)} --json")
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout).values()
    for row in GOLD[old]:
        alike = [each for each in answer["rows"] if {name: each.get(name) for name in row} == pytest.approx(row)]
        assert len(alike) == 1, row


@pytest.mark.parametrize(
    ("option", "gold"),
    [
        ("", "card.md"),
        ("--format md", "card.md"),
        ("--format croissant", "card.croissant.json"),
    ],
)
def test_former_card_names_the_call_that_writes_the_same_file(option: str, gold: str, stored: Path) -> None:
    new = new_call(stored, f"card sample-flawed -m bleu-1 -m cider-d --config sample/datasets.toml {option}")
    done = run(stored, new)
    assert done.stdout == (ROOT / "tests" / "gold" / gold).read_text(encoding="utf-8"), done.stderr


def test_former_card_keeps_its_file_and_its_format(stored: Path) -> None:
    assert new_call(stored, "card a --format html") == "report a -o card.html --format card"
    assert new_call(stored, "card a --format=latex --output b.tex") == "report a --format card --output b.tex"
    assert new_call(stored, "card a -o b.json") == "report a --format card -o b.json"
