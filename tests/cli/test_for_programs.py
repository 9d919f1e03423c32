"""What programs call: brief JSON has the first of everything and the command for the rest; llms.txt is true to it."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, searching_for
from jsonschema import Draft202012Validator
from running import SCHEMAS, run_auditor

from auditor.reports.brief import MOST, brief
from auditor.result import SEVERITIES, Finding, Result
from auditor.result.document import Document, Section

LLMS = ROOT / "llms.txt"

Body = dict[str, Any]


def finding(number: int, examples: int = 3, text: str = "a dog") -> Finding:
    return Finding(
        "markup",
        f"{number} of 100 captions contain markup.",
        about={"dataset": "set", "version": "a" * 64, "split": None},
        values={"captions": number, "further": 1.0, "share": number / 100},
        severity="warning",
        examples=tuple({"image": f"{each}.jpg", "slot": 0, "text": text} for each in range(examples)),
    )


def result(rows: int, findings: int, *, text: str = "a dog") -> Result:
    frame = pl.DataFrame({"image": [f"{each}.jpg" for each in range(rows)], "text": [text] * rows})
    return Result("findings", frame, findings=tuple(finding(each, text=text) for each in range(findings)))


def report(sections: int) -> Document:
    made = [
        Section(f"s{each}", "Section", ("It is so.",), (result(500, 1),), commands=("auditor profile set",))
        for each in range(sections)
    ]
    return Document(
        "Audit", (), tuple(made), "auditor", None, statements={f"{each}.sql": "select 1" for each in range(999)}
    )


RESULTS: dict[str, Callable[[], Result | Document]] = {
    "small": lambda: result(3, 2),
    "rows": lambda: result(40_000, 2),
    "examples": lambda: result(0, 20, text="a dog runs " * 20),
    "findings": lambda: result(500, 60),
    "too many findings": lambda: result(500, 500),
    "a long text": lambda: result(1, 1, text="a dog runs " * 4_000),
    "signatures": lambda: Result("findings", pl.DataFrame(), signatures={f"m{each}": "x" * 90 for each in range(900)}),
    "a report": lambda: report(20),
}


def counted(shown: Any, whole: Any, counts: dict[str, list[int]], at: str = "") -> None:
    """Count the entries of the lists in `shown`, and of the same in `whole`. Each has the first of the other."""
    name = at.rpartition(".")[2]
    if isinstance(whole, dict) and name not in ("signatures", "sql", "about", "values"):
        assert shown.keys() == whole.keys(), at
        for key, each in whole.items():
            counted(shown[key], each, counts, f"{at}.{key}".lstrip("."))
    elif isinstance(whole, dict | list):
        count = counts.setdefault(at, [0, 0])
        count[:] = count[0] + len(shown), count[1] + len(whole)
        if isinstance(whole, dict):
            assert shown.items() <= whole.items(), at
        elif name in ("rows", "examples"):
            assert shown == whole[: len(shown)], at
        else:
            for one, other in zip(shown, whole, strict=False):
                counted(one, other, counts, f"{at}[]")
    else:
        assert shown == whole, at


def check_cut(body: Body, whole: Body) -> None:
    """Check that the key `cut` says what brief JSON lacks."""
    counts: dict[str, list[int]] = {}
    counted({key: each for key, each in body.items() if key != "cut"}, whole, counts)
    short = {at: {"shown": shown, "of": of} for at, (shown, of) in counts.items() if shown < of}
    assert body.get("cut", {"lists": {}})["lists"] == short


@pytest.mark.parametrize("name", RESULTS)
def test_brief_json_is_the_first_of_each_list(name: str) -> None:
    made = RESULTS[name]()
    text = brief(made, "auditor findings set --json")
    document, whole = json.loads(text), json.loads(made.to_json())
    ((key, body),) = document.items()
    assert len(text.encode()) <= MOST
    Draft202012Validator(json.loads((SCHEMAS / f"{key[8:-3]}.json").read_text())).validate(document)
    check_cut(body, whole[key])
    assert ("cut" in body) == (name != "small")


def test_findings_lose_examples_first_and_themselves_last() -> None:
    for name in ("rows", "examples", "findings"):
        made = RESULTS[name]()
        assert isinstance(made, Result)
        (body,) = json.loads(brief(made, "auditor findings set --json")).values()
        kept = [(one["kind"], one["severity"], one["values"]["share"], one["sentence"]) for one in body["findings"]]
        assert kept == [(one.kind, one.severity, one.values["share"], one.sentence) for one in made.findings], name
    (body,) = json.loads(brief(RESULTS["too many findings"](), "auditor findings set --json")).values()
    assert 0 < body["cut"]["lists"]["findings"]["shown"] == len(body["findings"]) < 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files of captions of the bundled sample, one of them with a refusal."""
    captions = sample()
    write(tmp_path / "captions.csv", [*captions[:60], ("faulty.jpg", "I'm sorry, but I can't describe this image.")])
    write(tmp_path / "other.csv", captions[60:120])
    return tmp_path


def sample() -> list[tuple[str, str]]:
    read = json.loads((ROOT / "auditor" / "sample" / "varied.json").read_text())
    return [(f"{one['image_id']}.jpg", one["caption"]) for one in read["annotations"]]


def write(file: Path, captions: list[tuple[str, str]]) -> None:
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([("image", "caption"), *captions])


def lines() -> list[list[str]]:
    """Return the command lines of llms.txt."""
    return [shlex.split(line) for line in re.findall("`(auditor [^`]+)`", LLMS.read_text())]


@pytest.mark.slow
@searching_for("refusals", "markup")
def test_each_line_of_llms_txt_runs_and_is_as_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.studies.export.repaired._REPORTED", ("refusals", "markup"))
    for _, *words in lines():
        if words[0] == "--help" or {"FILE", "WORD"} & {*words}:
            continue
        ran = run_auditor(*words, "--quiet", folder=folder)
        assert ran.returncode == 0, (words, ran.stderr)
        ((key, body),) = json.loads(ran.stdout).items()
        if "--brief" not in words and words[0] != "captions.csv":
            assert "cut" not in body, words
            continue
        assert len(ran.stdout.encode()) <= MOST, words
        assert [*map(SEVERITIES.index, severities(body))] == sorted(map(SEVERITIES.index, severities(body))), words
        if words[0] == "sql":
            whole = [word for word in words if word != "--brief"]
            assert shlex.split(body.get("cut", {}).get("command", ""))[1:] in ([], [*whole, "--quiet"])
            check_cut(body, json.loads(run_auditor(*whole, folder=folder).stdout)[key])
    assert (folder / "captions.csv.audit.html").exists()
    assert (folder / "fixed.changes.csv").exists()


def severities(body: Body) -> list[str]:
    return [one["severity"] for one in body.get("findings", [])]


@searching_for("refusals", "markup")
def test_exit_codes_are_those_of_llms_txt(folder: Path) -> None:
    (folder / "bad.sql").write_text("drop table captions")
    for arguments, code in [
        ("findings captions.csv --json --brief --fail-on info", 1),
        ("findings captions.csv --brief", 2),
        ("findings none.csv --json --brief", 3),
        ("findings mine --json --brief", 4),
        ("metrics no-such-metric --json --brief", 5),
    ]:
        ran = run_auditor(*shlex.split(arguments), "--quiet", folder=folder)
        assert ran.returncode == code, (arguments, ran.stderr)
        assert code == 1 or (ran.stdout, ran.stderr.splitlines()[-1][:7]) == ("", "error: ")


def test_a_file_of_brief_json_has_what_is_printed(tmp_path: Path) -> None:
    printed = run_auditor("metrics", "bleu-4", "--brief", "--json", "-q")
    run_auditor("metrics", "bleu-4", "--brief", "-o", "brief.json", "-q")
    assert (tmp_path / "brief.json").read_text() == printed.stdout


#: Captions with a fault, by the kind that finds it.
FAULTS = {
    "chat-tokens": "<|im_start|>assistant\nA brown dog runs across a wet field.<|im_end|>",
    "markup": "A man &amp; a woman sit on a <b>bench</b> in the park.",
    "markdown-or-json": "**A red kite** flies above the long beach.",
    "refusals": "I'm sorry, but I can't describe this image.",
    "meta-sentences": "Two boys play football on a lawn. The image conveys a sense of joy and freedom.",
}


class Client:
    """A program that knows llms.txt, runs its lines for other files, and reads JSON and exit codes alone."""

    def __init__(self, folder: Path) -> None:
        text = LLMS.read_text()
        self.folder, self.calls, self.read = folder, 0, len(text.encode())
        self.lines: dict[str, list[str]] = {}
        for line in re.findall("`(auditor [^`]+)`", text):
            _, command, *words = shlex.split(line)
            if "--brief" in words or "-o" in words:
                self.lines.setdefault(command, [word for word in words if not word.endswith(".csv") and word != "-o"])

    def call(self, command: str, *words: str) -> Body:
        ran = run_auditor(command, *words, *self.lines[command], "--quiet", folder=self.folder)
        assert ran.returncode == 0, ran.stderr
        self.calls, self.read = self.calls + 1, self.read + len(ran.stdout.encode())
        (body,) = json.loads(ran.stdout).values()
        assert isinstance(body, dict)
        return body


def kinds(body: Body) -> set[tuple[str, str]]:
    assert "findings" not in body.get("cut", {"lists": {}})["lists"]
    return {(one["about"]["dataset"], one["kind"]) for one in body["findings"]}


@pytest.mark.slow
@searching_for(*FAULTS, "common-openings", "captions-without-word")
def test_a_client_audits_repairs_and_audits_again_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.studies.export.repaired._REPORTED", tuple(FAULTS))
    planted = {"a.csv": [*FAULTS], "b.csv": ["markup"], "c.csv": ["refusals"]}
    for number, (name, faults) in enumerate(planted.items()):
        own = sample()[number * 70 : number * 70 + 70]
        write(tmp_path / name, [*own, *((f"{kind}.jpg", FAULTS[kind]) for kind in faults)])
    client = Client(tmp_path)
    before = kinds(client.call("findings", *planted))
    assert before >= {(name[0], kind) for name, faults in planted.items() for kind in faults}
    for file in planted:
        client.call("export", file, "-o", f"fixed-{file}")
    after = kinds(client.call("findings", *(f"fixed-{file}" for file in planted)))
    assert not {kind for _, kind in after} & {*FAULTS}
    assert client.calls <= 8
    assert client.read <= 60_000
