"""Every study is asked by one kernel, which no study repeats: limits, choices, needs and forms are declared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from conftest import ROOT

from auditor.asking import forms, question
from auditor.errors import UsageError
from auditor.parameters import Parameter
from auditor.studies import STUDIES

Share = Annotated[float, Parameter("A share.", above=0, most=1)]
Seed = Annotated[int, Parameter("A seed.")]
Images = Annotated[int | None, Parameter("Images.", least=1, needs="level=image")]
Level = Annotated[str, Parameter("A level.", choices=("caption", "image"))]
BY = Parameter("What it is by.")


@dataclass(frozen=True)
class Settings:
    """Settings in a record."""

    share: Share = 0.5


@question
def asked(
    *refs: str, share: Share = 1.0, level: Level = "caption", images: Images = None, settings: Settings | None = None
) -> tuple[Any, ...]:
    """Return what was asked."""
    return refs, share, level, images, settings


@question
def by_length(ref: str, *, by: Annotated[Literal["length"], BY] = "length", share: Share = 0.5) -> str:
    """Answer by length."""
    return f"{ref} by {by}, {share}"


@question
def by_words(*refs: str, by: Annotated[Literal["words"], BY] = "words", seed: Seed = 1) -> str:
    """Answer by words."""
    return f"{' '.join(refs)} by {by}, {seed}"


@question
def with_other(*refs: str, other: Annotated[str, Parameter("Another.")], seed: Seed = 2) -> str:
    """Answer with another."""
    return f"{' '.join(refs)} with {other}, {seed}"


@forms(by_length, by_words, with_other, names=("--by length", "--by words", "--other"))
def spread() -> None:
    """Answer one of three questions."""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 0}, "--share 0: expected a number above 0, at most 1"),
        ({"share": float("nan")}, "--share nan: expected a number above 0, at most 1"),
        ({"share": "x"}, "--share x: expected a number above 0, at most 1"),
        ({"settings": Settings(2)}, "--share 2: expected a number above 0, at most 1"),
        ({"level": "imge"}, "--level imge: did you mean image? expected caption or image"),
        ({"images": 1.5, "level": "image"}, "--images 1.5: expected 1 or more"),
        ({"images": 5}, "--images: only with --level image"),
        ({"images": 0, "level": "image"}, "--images 0: expected 1 or more"),
    ],
)
def test_what_is_declared_is_kept(given: dict[str, Any], message: str) -> None:
    assert asked("a", images=1, level="image") == (("a",), 1.0, "image", 1, None)
    assert asked("a", share=None) == (("a",), 1.0, "caption", None, None)
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        asked("a", **given)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({}, "a by length, 0.5"),
        ({"by": "words"}, "a by words, 1"),
        ({"by": "words", "seed": 7, "share": None}, "a by words, 7"),
        ({"other": "b"}, "a with b, 2"),
    ],
)
def test_what_is_given_says_which_form_is_meant(given: dict[str, Any], answer: str) -> None:
    assert spread("a", **given) == answer


@pytest.mark.parametrize(
    ("refs", "given", "message"),
    [
        ("a", {"seed": 1}, "--seed: only for --by words or --other; leave out for --by length"),
        ("a", {"by": "words", "share": 0.5}, "--share: only for --by length; leave out for --by words"),
        ("a", {"other": "b", "by": "words"}, "--by: only for --by length or --by words; leave out for --other"),
        (
            "a",
            {"by": "words", "share": 0.5, "other": "b"},
            "--share: only for --by length; --by: only for --by length or --by words; leave out for --other",
        ),
        ("a", {"by": "size"}, "--by size: expected length or words"),
        ("ab", {}, "--by length: expected one dataset, not 2"),
    ],
)
def test_an_argument_of_another_form_is_refused(refs: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        spread(*refs, **given)


def test_every_study_is_asked_by_the_kernel() -> None:
    assert [name for name, study in STUDIES.items() if not hasattr(study.load(), "__wrapped__")] == []
    assert len((ROOT / "auditor" / "asking.py").read_text().splitlines()) <= 250


def test_no_study_says_by_hand_which_option_is_for_what() -> None:
    matrices = re.compile(r"refused \|?= ?\{|_READ = |_OPTIONS = \{|_refuse_unread|leave out \{', '\.join")
    files = (ROOT / "auditor" / "studies").rglob("*.py")
    assert [file.name for file in files if matrices.search(file.read_text(encoding="utf-8"))] == []
