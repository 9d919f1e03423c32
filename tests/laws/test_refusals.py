"""Law: a value beyond the limit of its option is refused alike by the library and on the command line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asked import QUESTIONS, arguments_of
from worlds import Shape, put, world

from auditor.asked import Asked, options_of
from auditor.cli.app import main
from auditor.errors import UsageError
from auditor.studies import STUDIES

#: Commands with options.
LIMITED = [name for name in QUESTIONS if options_of(STUDIES[name].load())]


def beyond(option: Asked) -> Iterator[Any]:
    """Yield values that an option does not accept: beyond each limit, no number, no choice."""
    parameter = option.parameter
    for limit, step in ((parameter.least, -1), (parameter.most, 1), (parameter.above, 0), (parameter.below, 0)):
        if limit is not None:
            yield limit + step
    if parameter.limits:
        yield float("nan")
    if option.choices:
        yield "nothing-of-the-kind"


def refusal(audit: Any, command: str, option: Asked, value: Any) -> str:
    """Return why the library refuses a value, or how else the call ends."""
    named, said = arguments_of(command)
    argument: Any = [value] if "Sequence" in str(option.kind) else value
    for record, name in zip(reversed(option.records), reversed(option.path[1:]), strict=True):
        argument = record(**{name: argument})
    try:
        getattr(audit, command.rpartition(" ")[2])(*named, **said | {option.path[0]: argument})
    except UsageError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  any other end is listed
        return f"ended with {error!r}"
    return "was accepted"


def test_limits_and_choices_hold_for_every_caller(tmp_path: Path) -> None:
    wrong = []
    with put(world(Shape(5, 3, 0.1), 1), folder=tmp_path) as audit:
        for command in LIMITED:
            for option in options_of(STUDIES[command].load()):
                for value in beyond(option):
                    why = refusal(audit, command, option, value)
                    if not why.startswith(f"{option.option} "):
                        wrong.append(f"{command} {option.option} {value}: {why}")
    assert not wrong, "\n".join(wrong)


def test_the_command_line_refuses_in_the_same_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = 0
    with put(world(Shape(5, 3, 0.1), 1), folder=tmp_path) as audit:
        for command in LIMITED:
            options = options_of(STUDIES[command].load())
            needed = [one for one in options if one.default is inspect.Parameter.empty or one.variadic]
            said = [word for one in needed for word in ([] if one.parameter.metavar else [one.option]) + ["x"]]
            for option, value in ((one, value) for one in options for value in beyond(one) if value == value):
                with pytest.raises(SystemExit) as ended:
                    main([*command.split(), *said, f"{option.option}={value}"])
                why = refusal(audit, command, option, value)
                assert (ended.value.code, capsys.readouterr().err) == (2, f"error: {why}\n"), (command, option, value)
                told += 1
    assert told > len(LIMITED)
