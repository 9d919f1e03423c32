"""Law: the library, the command line, its JSON and its files say the same, and a quiet command nothing besides."""

from __future__ import annotations

import json

import polars as pl
import pytest
from asked import QUESTIONS, Result
from looked_at import Asked
from running import run_auditor

from auditor.errors import AuditorError

pytestmark = pytest.mark.slow

#: What is typed for a question after the names, where that is not nothing.
TYPED = {
    "templates": "--least 0.05",
    "words": "--against others",
    "bounds": "-m bleu-4 -m cider-d -m rouge-l",
    "compare": "-m bleu-4 -m cider-d --resamples 100",
    "score": "-m bleu-4 -m cider-d --resamples 100 --candidates first --candidates second --candidates third",
    "correlate": "-m bleu-4 -m cider-d -m rouge-l",
    "references": "-m bleu-1 --most 2",
    "probe": "-m bleu-1 --component order",
    "objects": "--objects things --resamples 100",
    "choices": "--against refs -m bleu-1 --folds 2",
    "agree": "--against refs -m bleu-4 -m cider-d -m rouge-l",
    "distractors": "--task replace-scene",
    "report": "-m bleu-1 --section facts --section scores --no-time",
    "export": "-o out --fix all --dry-run",
    "tasks": "--candidates first --candidates second --kind pairs",
}

#: Questions whose rows are written with -o as well; to ask all of them twice would take too long.
WITH_FILES = {"bounds", "agree", "profile", "words", "objects", "choices"}

EXCUSED = {
    "check": "its limits are in datasets.toml on the command line",
    "store info": "it measures the file, which each command may change",
    "store verify": "it checks what the file keeps, which each command may add to",
}


def test_command_line_and_library_say_the_same(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        if command in EXCUSED:
            continue
        typed = [*command.split(), *QUESTIONS[command].roles, *TYPED.get(command, "").split()]
        done = run_auditor(*typed, "--json", "--quiet", folder=asked.folder, AUDITOR_STORE=str(asked.store))
        if isinstance(answer, AuditorError):
            assert done.returncode == answer.exit_code, (command, done.stderr)
            continue
        assert (done.returncode in (0, 1), done.stderr) == (True, ""), (command, done.stderr)
        assert _body(done.stdout) == _body(answer.to_json()), command
        if command in WITH_FILES and isinstance(answer, Result):
            file = asked.folder / "rows.parquet"
            run_auditor(*typed, "-o", str(file), folder=asked.folder, AUDITOR_STORE=str(asked.store))
            assert pl.read_parquet(file).equals(answer.frame), command
            file.unlink()


def _body(text: str) -> object:
    (body,) = json.loads(text).values()
    body.pop("volatile")
    return body
