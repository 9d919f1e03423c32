"""Law: words decide nothing. With every sentence and title scrambled, pages and terminals place the same things."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from asked import QUESTIONS, ask
from worlds import Shape, put, world

import auditor
from auditor import findings, reports
from auditor.errors import AuditorError
from auditor.reports import terminal
from auditor.reports.terminal.document import show
from auditor.result import Figure, Finding, Result, Sentence, Table, sentences
from auditor.result.document import Document, Section
from auditor.studies.report.request import ReportSettings

pytestmark = pytest.mark.slow

#: The fields of records that are sentences or titles.
_WORDED: dict[type, tuple[str, ...]] = {
    Finding: ("sentence", "headline"),
    Table: ("title", "caption"),
    Figure: ("title", "caption", "x_label", "y_label"),
    Section: ("title", "absent"),
    Document: ("title",),
    findings.Kind: ("title", "meaning", "consequence", "fix"),
}

_SETTINGS = ReportSettings(metrics=("bleu-1", "cider-d"))

#: The datasets of reports: two, one with its references, one without, items.
_REPORTED = (("refs", "others"), ("refs",), ("first",), ("items",))

_SCRAMBLED = re.compile(r"ʘ\w*ʘ")


def scrambled(text: str) -> str:
    """Replace every letter of a text once: numbers, signs and what is scrambled already stay."""
    parts = re.split(r"(ʘ\w*ʘ|[^\W\d_]+)", text)
    return "".join(
        part if not number % 2 or _SCRAMBLED.fullmatch(part) else f"ʘ{'x' * (len(part) % 7 + 1)}ʘ"
        for number, part in enumerate(parts)
    )


@contextmanager
def scrambling(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scramble the words of all records that are made in a block."""
    with monkeypatch.context() as patch:
        for record, names in _WORDED.items():
            patch.setattr(record, "__init__", _worded(record.__init__, names))
        make = Sentence.__new__

        def sentence(of: type[Sentence], text: str, *more: Any, **named: Any) -> Sentence:
            return make(of, scrambled(text), *more, **named)

        patch.setattr(Sentence, "__new__", sentence)
        patch.setattr(sentences, "LABELS", {role: scrambled(label) for role, label in sentences.LABELS.items()})
        patch.setattr(AuditorError, "__str__", lambda error: scrambled(str(error.args[0]) if error.args else ""))
        findings._kinds.cache_clear()
        try:
            yield
        finally:
            findings._kinds.cache_clear()


def _worded(init: Callable[..., None], names: tuple[str, ...]) -> Callable[..., None]:
    def made(self: Any, *args: Any, **named: Any) -> None:
        init(self, *args, **named)
        for name in names:
            if isinstance(text := getattr(self, name), str):
                object.__setattr__(self, name, scrambled(text))

    return made


class _Skeleton(HTMLParser):
    """The elements of a page, with the attributes that decide its look, and the numbers between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[object] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(
            (tag, [(name, value) for name, value in attrs if name in ("id", "class", "width", "d", "href")])
        )

    def handle_data(self, data: str) -> None:
        self.parts += numbers(data)


def numbers(text: str) -> list[str]:
    """List the numbers of a text, without clocks."""
    return re.findall(r"\d[\d.,%]*", re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+", "", text))


def placed(answer: object) -> list[object]:
    """Return what a reader sees of an answer without its words: on a terminal, and on a page."""
    if isinstance(answer, AuditorError):
        return [type(answer)]
    assert isinstance(answer, Result | Document)
    drawn = io.StringIO()
    screen = terminal.Screen(drawn, color=False, endless=True)
    if isinstance(answer, Result):
        terminal.show(answer, screen)
        page = reports.TEXT_FORMATS["html"](answer)
        decided: list[object] = [(one.kind, one.severity) for one in answer.findings]
        decided += [sentences.with_role(text, "note").role for text in (*answer.lead, *answer.notes)]
    else:
        show(answer, screen)
        page = reports.DOCUMENT_FORMATS["html"](answer)
        decided = [(one.name, one.absent is None, one.commands, one.sql) for one in answer.sections]
        decided += [(one.kind, one.severity) for one in answer.cards]
    lines = [numbers(line) for line in drawn.getvalue().splitlines()]
    return [*decided, *lines, *_Skeleton(page).parts]


def answers(audit: auditor.Auditor) -> Iterator[tuple[str, object]]:
    """Yield what every command answers, then the reports."""
    for command in QUESTIONS:
        if command not in ("report", "reproduce", "syntax", "store info"):
            yield command, placed(ask(audit, command))
    for named in _REPORTED:
        made = audit.report(*named, settings=_SETTINGS, resamples=40, timed=False, config={})
        yield f"report {' '.join(named)}", placed(made)


def test_words_decide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = world(Shape(14, 3, 0.2, has_splits=True), 5)
    with put(drawn, folder=tmp_path, path=tmp_path / "plain.duckdb") as audit:
        plain = dict(answers(audit))
    (tmp_path / "again").mkdir()
    with (
        put(drawn, folder=tmp_path / "again", path=tmp_path / "again" / "plain.duckdb") as audit,
        scrambling(monkeypatch),
    ):
        other = dict(answers(audit))
    assert {command for command in plain if plain[command] != other[command]} == set()
