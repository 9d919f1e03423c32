"""A word gets the command that answers it, and a dataset of any kind commands that run: all from one table."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, ingest_rows, searching_for
from running import run_auditor

from auditor.cli.app import LISTED
from auditor.cli.questions import found, rows, table
from auditor.store.connection import Store

#: Words of other programs, of papers and of plain questions, each with the command that comes first.
PLAIN = {
    "leaks": "findings mine -k near-duplicate-across-splits",
    "stats": "profile",
    "lint": "findings",
    "fix": "export mine --fix all",
    "clean": "export mine -f csv -o clean.csv --without findings",
    "card": "report mine --format card",
    "hallucination": "objects",
    "chair": "objects",
    "blind": "choices",
    "bleu": "score mine --candidates system --preset coco",
    "plot": "compare mine other -o figure.pdf",
    "cite": "bounds mine -m cider --verbose",
    "delete": "store drop",
    "browse": "sql",
    "significance": "score mine --candidates system --candidates system2",
    "ceiling": "bounds mine -c human",
    "drift": "diff mine@v1 mine --depth drift",
    "ci": "check",
    "contamination": "findings mine -k near-duplicate-across-splits",
    "language": "findings mine -k other-language",
    "dedup": "duplicates",
    "ttr": "diversity",
    "kappa": "agree",
    "gpt": "findings",
    "html": "report mine -o audit.html",
    "list": "datasets",
    "import": "ingest mine --from captions.csv",
    "download": "fetch",
    "which model is better": "score mine --candidates system --candidates system2",
    "how many images": "profile",
    "what changed": "diff",
    "human performance": "bounds",
    "homogeneous": "compare mine other",
    "remove bad captions": "export mine -f csv -o clean.csv --without findings",
    "do annotators agree": "agree",
    "hallucinate": "objects",
    "leks": "findings mine -k near-duplicate-across-splits",
}


@pytest.mark.parametrize("asked", PLAIN)
def test_plain_question_finds_its_command_first(asked: str) -> None:
    first = found(asked.split())[0].command
    assert first.startswith(f"auditor {PLAIN[asked]}"), first


def test_help_prints_questions_and_commands_that_exist() -> None:
    printed = run_auditor("help", "bleu", "per", "caption").stdout
    assert printed.startswith("CIDEr per caption, BLEU per caption\n  auditor score mine -m cider -o scores.csv\n")
    for asked in PLAIN:
        lines = run_auditor("help", *asked.split()).stdout.splitlines()
        assert 2 <= len(lines) <= 18
        for line in lines[1::2]:
            words = line.removeprefix("  auditor ").split()
            assert {" ".join(words[:2]), words[0]} & {*LISTED, "mine.csv"} or not line.startswith("  "), line


def test_every_word_that_help_offers_finds_its_section() -> None:
    printed = run_auditor("help").stdout
    for section in table()["section"]:
        assert f"auditor help {section['ask']} " in printed
        assert found([section["ask"]])[0].question in {row["question"] for row in section["row"]}


def test_help_of_a_command_is_that_of_the_command() -> None:
    assert run_auditor("help", "findings").stdout == run_auditor("findings", "--help").stdout
    assert run_auditor("help", "store", "tag").stdout == run_auditor("store", "tag", "--help").stdout


def test_word_of_no_question_is_an_error_that_explains_how_to_ask() -> None:
    done = run_auditor("help", "xyzzy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`auditor help` lists words" in done.stderr


def test_help_reads_no_store_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom auditor.cli.app import main\n"
        "try:\n    main(['help', 'leaks'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'polars', 'duckdb', 'numpy'} & set(sys.modules)\nprint('heavy:', sorted(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "heavy: []\n"


def test_page_of_questions_is_the_table() -> None:
    docs = ROOT / "docs"
    if not docs.exists():
        pytest.skip("docs/ is not here")
    made = runpy.run_path(str(docs / "make_questions.py"))["page"]()
    assert (docs / "questions.md").read_text(encoding="utf-8") == made, "run: python docs/make_questions.py"


def test_every_command_has_a_question_and_every_former_call_a_command() -> None:
    answered = {name for name in LISTED for row in rows() if f"{row.command} ".startswith(f"auditor {name} ")}
    assert {*LISTED} - answered <= {"demo", "store gc"}
    for new in table()["former"].values():
        words = new["call"].split()
        assert {words[0], " ".join(words[:2])} & {*LISTED}, new


@pytest.mark.parametrize("kind", ["captions", "candidates", "corpus", "wordlist"])
def test_dataset_gets_commands_that_run(kind: str, tmp_path: Path) -> None:
    own = tmp_path / "own.duckdb"
    with Store.open(own, write=True) as store:
        captions = [(image, slot, f"a {image} {slot} dog runs") for image in ("ape", "bee") for slot in (0, 1)]
        ingest_rows(store, captions, "mine", kind=kind)  # type: ignore[arg-type]
    done = run_auditor("mine@v1", "--store", "own.duckdb")
    assert done.returncode == 2
    assert done.stderr.startswith("error: mine@v1 is a dataset, not a command; questions about it\n")
    commands = re.findall(r"^    auditor (.*)$", done.stderr, re.MULTILINE)
    assert len(commands) >= {"captions": 5, "candidates": 5}.get(kind, 1)
    with searching_for("placeholders"):
        for command in commands if kind == "captions" else commands[:2]:
            assert run_auditor(*shlex.split(command)).returncode == 0, command
