"""How much there is to learn: lines of help are short, and each option is read."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest
from running import run_auditor

from auditor.cli import app, derived
from auditor.studies import STUDIES


@pytest.mark.parametrize("name", app.LISTED)
def test_help_line_is_one_short_imperative(name: str) -> None:
    _, line = app.LISTED[name]
    assert len(line) <= 60
    assert line.endswith((".", "?"))
    verb = line.partition(" ")[0]
    assert verb[0].isupper()
    assert not verb.endswith(("s", "ed", "ing")), f"{line}: begins with a verb in the imperative"


def test_help_shows_the_commands_to_begin_with_and_all_of_them_when_asked() -> None:
    brief, whole, bare = (run_auditor(*words).stdout for words in (["--help"], ["--help", "--all"], []))

    def listed(text: str) -> list[str]:
        names = re.findall(r"^(?:│ |  )(\S+) {2}", text, re.MULTILINE)
        return [name for name in names if name in app.LISTED or name == "store"]

    assert listed(brief) == listed(bare) == [*app.FIRST]
    assert "auditor --help --all" in brief
    assert {*listed(whole)} == {name.partition(" ")[0] for name in app.LISTED}
    assert run_auditor("--all", "--help").stdout == whole


def test_metrics_are_named_at_once_or_one_by_one() -> None:
    from auditor.parameters import each_metric

    assert each_metric(["bleu-4,cider:n=1,idf=none,ter", "rouge-l"]) == [
        "bleu-4", "cider:n=1,idf=none", "ter", "rouge-l",
    ]  # fmt: skip
    for whole in ("sql:a,b.sql", "python:m.f", "cider:idf=file:a,b.csv"):
        assert each_metric([whole]) == [whole]


def test_wrong_name_of_a_metric_names_the_nearest() -> None:
    done = run_auditor("metrics", "bleu4")
    assert done.returncode == 5
    assert done.stderr == "error: bleu4: unknown metric; did you mean bleu-4? `auditor metrics` lists them all\n"


@functools.cache
def tree(function: Any) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:  # a method that dataclasses has made
        return ast.Module([], [])


def named(function: FunctionType, node: ast.expr) -> Any:
    """Return what a name or an attribute of a module means in a function, where that can be known."""
    if isinstance(node, ast.Name):
        return inspect.getclosurevars(function).nonlocals.get(node.id, function.__globals__.get(node.id))
    if isinstance(node, ast.Attribute):
        of = named(function, node.value)
        return getattr(of, node.attr, None) if isinstance(of, ModuleType | type) else None
    return None


def ours(found: Any) -> FunctionType | None:
    """Return a function of this package, without what is wrapped around it."""
    found = inspect.unwrap(found) if callable(found) else found
    is_ours = isinstance(found, FunctionType) and found.__module__.startswith("auditor.")
    return found if is_ours and "<lambda>" not in found.__name__ else None


def reads(function: FunctionType, parameter: str, seen: frozenset[Any] = frozenset()) -> bool:
    """Return whether a function uses a parameter for more than to hand it to functions that do not use it."""
    if (function, parameter) in seen:
        return False
    seen |= {(function, parameter)}
    handed: set[int] = set()
    for call in (node for node in ast.walk(tree(function)) if isinstance(node, ast.Call)):
        callee = ours(named(function, call.func))
        if callee is None:
            continue
        of_callee = inspect.signature(callee).parameters
        places = [name for name, one in of_callee.items() if one.kind is not inspect.Parameter.KEYWORD_ONLY]
        given = [*zip(places, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
        for name, value in given:
            if isinstance(value, ast.Name) and value.id == parameter:
                handed.add(id(value))
                further = name not in of_callee  # goes on among further keywords
                if further or reads(callee, name, seen):
                    return True
    loads = (one for one in ast.walk(tree(function)) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    return any(one.id == parameter and id(one) not in handed for one in loads)


def reached(function: FunctionType, seen: set[Any]) -> Iterator[ast.AST]:
    """List the code that a function may run: its own, and that of functions and classes it names."""
    if function in seen:
        return
    seen.add(function)
    yield tree(function)
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Name | ast.Attribute):
            found = named(function, node)
            methods = vars(found).values() if inspect.isclass(found) and "auditor." in found.__module__ else [found]
            for one in methods:
                if (further := ours(getattr(one, "fget", one))) is not None:
                    yield from reached(further, seen)


@functools.cache
def settings_read(study: FunctionType) -> set[str]:
    """List the attributes that a study, or what it may run, reads of anything."""
    return {
        node.attr
        for code in reached(study, set())
        for node in ast.walk(code)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


@pytest.mark.parametrize("name", STUDIES)
def test_each_option_of_a_study_is_read(name: str) -> None:
    function = inspect.unwrap(STUDIES[name].load())
    assert isinstance(function, FunctionType)
    for option in derived.options_of(function):
        if len(option.asked.path) == 1:
            assert reads(function, option.name), f"--{option.name} of {name} changes nothing"
        else:
            assert option.name in settings_read(function), f"--{option.name} of {name} changes nothing"


def test_an_option_that_nothing_reads_is_found() -> None:
    def deeper(value: int) -> int:
        return 1

    def study(used: int, handed: int, dead: int) -> int:
        return deeper(handed) + used

    deeper.__module__ = study.__module__ = "auditor.studies.invented"
    assert [reads(study, name) for name in ("used", "handed", "dead")] == [True, False, False]
