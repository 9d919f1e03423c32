"""Law: a printed command runs where the reader stands; one for the reader to fill in has options that belong together."""

from __future__ import annotations

import html
import inspect
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from asked import told
from conftest import ROOT
from looked_at import Asked
from running import Run, run_auditor
from sizes import some
from worlds import Shape, put, world

from auditor.asked import arguments
from auditor.asking import held_of
from auditor.cli import derived
from auditor.cli.app import LISTED
from auditor.findings import KINDS
from auditor.store.connection import MEMORY, Store

pytestmark = pytest.mark.slow

_CODE = re.compile(r"`(auditor [^`]+)`")

_TEXT = re.compile(r'"(auditor (?:[^"\\]|\\.)+)"')

#: What stands for a word that only the reader knows, if it is not a file.
_FILLED = {
    "DATASET": "refs", "NAME": "refs", "A": "refs", "B": "others", "OTHER": "others", "SYSTEM": "first",
    "RATINGS": "stars", "METRIC": "cider", "K": "2", "mine": "refs", "other": "others", "system": "first", "ratings": "stars",
}  # fmt: skip

#: What the reader must fill in: words in capitals, and the datasets of the table of questions.
_TO_FILL = re.compile(r"[A-Z]+(\.\w+)*|mine|other|system2?|ratings|coco-(objects|synonyms)")

#: The commands that ran, each with its folder.
_RUN = set[tuple[Path, str]]()

SAMPLE = ROOT / "auditor" / "sample"


def printed(text: str) -> set[str]:
    """Return the commands in a text or a page: the code of its sentences, its lines of code, and texts of JSON."""
    lines = (line.strip() for line in html.unescape(re.sub("<[^>]+>", "\n", text)).split("\n"))
    texts = (json.loads(f'"{one}"') for one in _TEXT.findall(text))
    whole = (one for one in (*lines, *texts) if one.startswith("auditor ") and one.split()[1] in (*LISTED, "store"))
    return {*_CODE.findall(text), *whole}


def run_printed(said_by: str, commands: Iterable[str], folder: Path, **environment: str) -> None:
    """Run commands where they were printed. What the reader must fill in or obtain first is read up to its study."""
    for command in sorted({*commands} - {command for there, command in _RUN if there == folder}):
        _RUN.add((folder, command))
        before = [*folder.iterdir()]
        for part in command.split(" && "):
            words = shlex.split(part)[1:]
            if " ".join(words) in LISTED or words[0].startswith("-"):
                continue  # the name of a command
            to_fill = [word for word in words if _TO_FILL.fullmatch(word)]
            to_obtain = words[0] == "fetch" or (words[0] == "ingest" and "--from" not in words)
            typed = run_held if to_fill or to_obtain else run_auditor
            done = typed(*(_FILLED.get(word, word) for word in words), folder=folder, **environment)
            assert done.returncode in (0, 1), (said_by, command, done.stderr)
        for written in (path for path in folder.iterdir() if path not in before):
            shutil.rmtree(written) if written.is_dir() else written.unlink()


def run_held(*words: str, folder: Path, **environment: str) -> Run:
    """Read a command up to the call of its study."""

    def held(function: Callable[..., Any], options: Any, values: dict[str, Any], given: set[str]) -> None:
        positional, keywords = arguments([one.asked for one in options if one.name in given], values)
        keywords |= {"card": True} if values.get("format_name") == "card" else {}
        with ExitStack() as opened:
            stores = "store" in inspect.signature(function).parameters
            path = values["store"] if stores and values["store"].exists() else MEMORY
            store = [opened.enter_context(Store.open(path))] if stores else []
            held_of(function)(*store, *positional, **keywords)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derived, "_run", held)
        return run_auditor(*words, folder=folder, **environment)


def test_commands_of_answers_run(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        said = printed(json.dumps(told(answer), ensure_ascii=False))
        run_printed(command, said, asked.folder, AUDITOR_STORE=str(asked.store))


@pytest.fixture(scope="session")
def worldly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Put a world into the store `named.duckdb` of a folder."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "datasets.toml").write_text("[check]\ncaptions_per_image.min = 1\n")
    drawn = world(Shape(6, 3, 0.2), 3)
    (folder / "others.json").write_text(json.dumps(drawn.rows["others"]))
    with put(drawn, folder=folder, path=folder / "named.duckdb"):
        return folder


@pytest.mark.parametrize("ending", ["html", "md", "json", "txt"])
def test_commands_of_a_report_name_its_store(ending: str, worldly: Path) -> None:
    typed = ["refs", "others", "items", "-m", "bleu-1", "--store", "named.duckdb", "-o", f"page.{ending}"]
    assert run_auditor("report", *typed, folder=worldly).returncode == 0
    said = printed((worldly / f"page.{ending}").read_text())
    assert len(said) > 10
    run_printed(ending, said, worldly)


@pytest.mark.parametrize("kind", [kind for kind, entry in KINDS.items() if "`auditor " in entry.fix])
def test_advice_runs(kind: str, worldly: Path) -> None:
    dataset = "items" if "choices" in KINDS[kind].commands else "refs"
    said = _CODE.findall(KINDS[kind].fix.replace("DATASET", dataset))
    run_printed(kind, said, worldly, AUDITOR_STORE="named.duckdb")


@pytest.mark.parametrize(
    "typed",
    [
        "findings nothing", "ingest nothing", "ingest", "refs", "find", "diff refs refs@v2", "agree refs", "agree stars",
        "choices refs", "choices items --train refs", "compare refs", "bounds first", "score first -m bleu-1", "objects first",
        "words first", "words refs --by training", "metrics nothing", "sql 'delete from caption'", "sql 'from nothing'",
        "store tag refs x --delete", "store verify refs.json", "check", "correlate others -m nothing", "report refs -m x",
        "findings refs -k contaminated-captions", "tasks first --candidates intra --kind triplets", "outliers first",
        "score refs --candidates others.json", "compare refs others.json", "reproduce clipscore2021", "outliers refs",
        "export refs -o out.json", "findings refs --fail-on x", "references first", "distractors refs --task swap-object",
    ],
)  # fmt: skip
def test_commands_of_refusals_run(typed: str, worldly: Path) -> None:
    store = ["--store", "named.duckdb"] if typed.split(" ", 1)[0] in (*LISTED, "store") else []
    done = run_auditor(*shlex.split(typed), *store, folder=worldly)
    assert done.returncode in (0, 1, 2, 3, 5), done.stderr
    run_printed(typed, printed(done.stdout + done.stderr), worldly)


def of_rows(rows: list[dict[str, str]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


_SINGLE = [
    {"photo": f"{n}.jpg", "words": f"The image shows a {color} dog number {n}. The scene is lively."}
    for n, color in enumerate(("red", "blue", "brown") * 20)
]

_ITEMS = [
    {"item": f"i{n}", "image": one["photo"], "right": one["words"], "wrong": f"No {one['words']}"}
    for n, one in enumerate(_SINGLE)
]

FILES = {
    "flawed.json": ((SAMPLE / "flawed.json").read_bytes, []),
    "unnamed.jsonl": (lambda: of_rows([{**one, "others": one["words"].swapcase()} for one in _SINGLE]), []),
    "named.jsonl": (lambda: of_rows(_SINGLE), ["--image-col", "photo", "--caption-col", "words"]),
    "clean.csv": (lambda: b"image,caption\n" + b"".join(b"%d.jpg,A &amp; B\n" % n for n in range(9)) + b"x.jpg,\n", []),
    "items.jsonl": (lambda: of_rows(_ITEMS), []),
}


@pytest.mark.parametrize("name", FILES)
def test_commands_about_a_file_name_it(name: str, tmp_path: Path) -> None:
    content, options = FILES[name]
    (tmp_path / name).write_bytes(content())
    done = run_auditor(name, *options, folder=tmp_path, COLUMNS="2000")
    page = tmp_path / f"{name}.audit.html"
    assert page.exists() == (name != "unnamed.jsonl"), done.stderr
    written = page.read_text() if page.exists() else ""
    run_printed(name, printed(f"{done.stdout}\n{done.stderr}\n{written}"), tmp_path)


def test_demo_leads_on_where_the_reader_stands_and_its_page_in_its_folder(tmp_path: Path) -> None:
    shown = run_auditor("demo", folder=tmp_path).stdout
    lines = shown.partition("Next:\n")[2].splitlines()
    assert lines[0] == "  cd auditor-demo"
    folder = tmp_path / "auditor-demo"
    for line in lines[1:]:
        typed = shlex.split(line.partition("    ")[0] if line[4:].count("    ") else line)[1:]
        assert run_auditor(*typed, folder=folder).returncode == 0, line
    run_printed("demo", some(sorted(printed((folder / "audit.html").read_text())), 12), folder)
