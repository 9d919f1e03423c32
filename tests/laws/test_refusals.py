"""Law: a value beyond the limit of its option is refused, by the library as on the command line."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked import QUESTIONS, arguments_of
from worlds import Shape, put, world

from auditor.errors import UsageError
from auditor.parameters import Parameter
from auditor.studies import STUDIES


def beyond() -> Iterator[tuple[str, str, float]]:
    """List a value below and above the limits of each number of each question."""
    for command in QUESTIONS:
        study = STUDIES[command].load()
        for name, hint in typing.get_type_hints(study, include_extras=True).items():
            for parameter in (one for one in typing.get_args(hint)[1:] if isinstance(one, Parameter)):
                if parameter.least is not None:
                    yield command, name, parameter.least - 1
                if parameter.most is not None:
                    yield command, name, parameter.most + 1


@pytest.mark.xfail(strict=True, reason="Declared to the end, I: what may be asked")
def test_limits_hold_for_every_caller(tmp_path: Path) -> None:
    accepted = []
    with put(world(Shape(5, 3, 0.1), 1), folder=tmp_path) as audit:
        for command, name, value in beyond():
            named, said = arguments_of(command)
            is_whole = isinstance(inspect.signature(STUDIES[command].load()).parameters[name].default, int)
            try:
                getattr(audit, command.rpartition(" ")[2])(*named, **said | {name: int(value) if is_whole else value})
            except UsageError:
                continue
            except Exception as error:  # noqa: BLE001  any other end is listed
                accepted.append((command, name, value, repr(error)))
            else:
                accepted.append((command, name, value, "accepted"))
    assert accepted == []
