"""Law: the library, the command line, its JSON and its files say the same, and a quiet command nothing besides."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from asked import DEAR, QUESTIONS, Result, arguments_of
from looked_at import Asked
from polars.testing import assert_frame_equal
from running import run_auditor
from sizes import is_all

import auditor
from auditor.asked import options_of
from auditor.errors import AuditorError
from auditor.studies import STUDIES
from auditor.studies.findings.captions import FINDERS
from auditor.studies.findings.wanted import CHECKED

pytestmark = pytest.mark.slow

#: Questions whose rows are written with -o as well; to ask all of them twice would take too long.
WITH_FILES = {"bounds", "agree", "profile", "words", "objects", "choices"}

EXCUSED = {
    "check": "its limits are in datasets.toml on the command line",
    "store info": "it measures the file, which each command may change",
    "store verify": "it checks what the file keeps, which each command may add to",
}


def test_command_line_and_library_say_the_same(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        if command in EXCUSED or not _is_typed(command, asked):
            continue
        typed = typed_of(command)
        as_json = ["--format", "json"] if command == "report" else ["--json"]
        done = run_auditor(*typed, *as_json, "--quiet", folder=asked.folder, AUDITOR_STORE=str(asked.store))
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


def _is_typed(command: str, asked: Asked) -> bool:
    """Return whether a command is typed in this world: in one of three, a dear one where it is asked."""
    return is_all() or command in DEAR or [*QUESTIONS].index(command) % 3 == asked.number // 3 % 3


def typed_of(command: str) -> list[str]:
    """Return what is typed for a question: the names, and what is said, as options."""
    named, said = arguments_of(command)
    words = [*command.split(), *named]
    for option in options_of(STUDIES[command].load()):
        value = functools.reduce(lambda at, step: getattr(at, step, None), option.path[1:], said.get(option.path[0]))
        if value in (None, option.default):
            continue
        if isinstance(value, bool):
            words.append(option.option if value else f"--no-{option.option[2:]}")
        else:
            many = value if isinstance(value, list | tuple) else [value]
            words += [word for one in many for word in (option.option, str(one))]
    return words


def answer_of(make: Callable[[], Result]) -> Result | AuditorError:
    try:
        return make()
    except AuditorError as error:
        return error


def test_parts_on_disk_say_what_the_store_says(asked: Asked, tmp_path: Path) -> None:
    """Bounds by `--work`, and findings over shards."""
    if asked.number and not is_all():
        pytest.skip("one world is enough, except with --all")
    with auditor.open(asked.store) as audit:
        said: dict[str, Any] = {"metrics": ["bleu-1", "cider"], "tokenizer": "bare"}
        whole = answer_of(lambda: audit.bounds("refs", candidates=["human"], **said))
        parts = answer_of(lambda: audit.bounds("refs", work=tmp_path / "work", executor="here", **said))
        if isinstance(whole, Result) and isinstance(parts, Result):
            keys = ["metric", "level", "n", "mean", "sd", "min", "max"]
            frames = (one.frame.filter(pl.col("level").is_in(["caption", "image"])) for one in (whole, parts))
            assert_frame_equal(
                *(frame.select(keys).sort(keys[:2]) for frame in frames), check_exact=False, abs_tol=1e-12
            )
        else:
            assert type(whole) is type(parts), (whole, parts)
        shards = tmp_path / "shards"
        shards.mkdir()
        rows = pl.DataFrame(asked.world.rows["refs"], orient="row").drop("slot")
        for number in range(3):
            rows.filter(rows["image"].hash(1) % 3 == number).write_parquet(shards / f"{number}.parquet")
        one = audit.findings("refs", captions_only=True, tokenizer="bare")
        staged = audit.findings(
            f"{shards}/*.parquet", verdicts=tmp_path / "verdicts", executor="here", tokenizer="bare"
        )
    for kind in FINDERS.keys() & {*CHECKED}:
        told, wanted = ([(each.severity, each.n, each.values) for each in made.found(kind)] for made in (staged, one))
        assert told == wanted, kind


def _body(text: str) -> object:
    (body,) = json.loads(text).values()
    body.pop("volatile", None)
    return body
