"""What people read is plain English: the field's words, short sentences, one word per concept.

`tests/plain_english.toml` lists the words that are not used, what to write instead, and the few exceptions.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_type_hints

import pytest

from auditor.parameters import Parameter
from auditor.studies import STUDIES

_ROOT = Path(__file__).parents[1]

_RULES = tomllib.loads((_ROOT / "tests" / "plain_english.toml").read_text(encoding="utf-8"))

#: Words per sentence.
_IN_FINDINGS, _IN_DOCS = 20, 25

#: Written by programs from what is checked elsewhere.
_GENERATED = ("docs/commands/", "docs/findings.md")


def _strings(held: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(held, dict):
        for name, value in held.items():
            yield from _strings(value, f"{where}: {name}")
    elif isinstance(held, str):
        yield where, held


def _kinds() -> Iterator[tuple[str, str]]:
    path = _ROOT / "auditor" / "findings" / "kinds.toml"
    for code, kind in tomllib.loads(path.read_text(encoding="utf-8")).items():
        yield from _strings({name: kind[name] for name in kind if name not in ("example", "tested")}, code)


def _help() -> Iterator[tuple[str, str]]:
    for name, study in STUDIES.items():
        function = study.load()
        yield name, study.line
        yield name, _paragraphs(inspect.getdoc(function) or "")
        for option, hint in get_type_hints(function, include_extras=True).items():
            for parameter in getattr(hint, "__metadata__", ()):
                if isinstance(parameter, Parameter):
                    yield f"{name} --{option}", parameter.help


def _paragraphs(docstring: str) -> str:
    """Return a docstring without its examples."""
    return re.sub(r"\nExamples?: .*", "", docstring, flags=re.DOTALL)


def _docs() -> Iterator[tuple[str, str]]:
    for path in [_ROOT / "README.md", _ROOT / "CHANGELOG.md", *sorted((_ROOT / "docs").rglob("*.md"))]:
        where = str(path.relative_to(_ROOT))
        if not where.startswith(_GENERATED):
            text = re.sub(r"```.*?```|`[^`]*`|<[^>]*>", "X", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#>] ?)|\|", text):
                yield where, " ".join(re.sub(r"\]\([^)]*\)", "]", paragraph).split())


@cache
def _python() -> list[tuple[Path, ast.Module]]:
    return [
        (path.relative_to(_ROOT), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted((_ROOT / "auditor").rglob("*.py"))
    ]


def _docstrings() -> Iterator[tuple[str, str]]:
    for path, tree in _python():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (text := ast.get_docstring(node)):
                yield f"{path}:{getattr(node, 'lineno', 1)}", text


def _messages() -> Iterator[tuple[str, str]]:
    """List the sentences of the code: errors, notes, findings."""
    for path, tree in _python():
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 2
            if is_text and id(node) not in docstrings:
                yield f"{path}:{node.lineno}", node.value


def _comments() -> Iterator[tuple[str, str]]:
    """List the comments of SQL, of Python and of datasets.toml."""
    for pattern, mark in (("sql/**/*.sql", "--"), ("auditor/**/*.py", "#"), ("datasets.toml", "#")):
        for path in sorted(_ROOT.glob(pattern)):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                _, found, comment = line.partition(f"{mark} ")
                if found and "noqa" not in comment:
                    yield f"{path.relative_to(_ROOT)}:{number}", comment


_TEXTS = {
    "kinds": _kinds,
    "help": _help,
    "docs": _docs,
    "messages": _messages,
    "docstrings": _docstrings,
    "comments": _comments,
}


def _allowed(where: str, text: str) -> bool:
    return any(where.startswith(e["where"]) and e["text"] in text for e in _RULES["exceptions"])


@pytest.mark.parametrize("source", _TEXTS)
def test_no_word_of_the_old_dialect(source: str) -> None:
    banned = {re.compile(pattern, re.IGNORECASE): instead for pattern, instead in _RULES["words"].items()}
    wrong = [
        f"{where}: {match[0]!r} in {text[max(0, match.start() - 40) : match.end() + 40]!r}: {instead}"
        for where, text in _TEXTS[source]()
        for pattern, instead in banned.items()
        for match in pattern.finditer(text)
        if not _allowed(where, text)
    ]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:200])


@pytest.mark.parametrize(("source", "most"), [("kinds", _IN_FINDINGS), ("help", _IN_FINDINGS), ("docs", _IN_DOCS)])
def test_sentences_are_short(source: str, most: int) -> None:
    wrong = [
        f"{where}: {len(words)} words: {sentence}"
        for where, text in _TEXTS[source]()
        for sentence in re.split(r"(?<=[.!?:;])\s+|\n\s*(?:\n|- )", re.sub(r"`[^`]*`", "X", text))
        if len(words := re.findall(r"[\w'’%./-]+", sentence)) > most and not _allowed(where, sentence)
    ]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:200])


@pytest.mark.parametrize("name", STUDIES)
def test_help_lines_fit(name: str) -> None:
    assert len(STUDIES[name].line) <= 60


def test_exceptions_are_few_and_explained() -> None:
    assert len(_RULES["exceptions"]) <= 20
    assert all(exception["reason"] for exception in _RULES["exceptions"])
