"""How much of the tests runs: `pytest` what each change must pass, `pytest --all` everything, for half an hour.

Only `--all` runs tests marked `full`: real data at full size, Monte Carlo, growth of memory, long loops of kills. Each
has a smaller one beside it that always runs: `some` values, fewer `examples`, made captions. Only `--all` draws other
examples in each run. Without it, a test that is named on the command line runs all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

_Value = TypeVar("_Value")

_TIMES = 5  # as many examples

_is_all = False


def is_all() -> bool:
    """Return whether everything runs: real data at full size, and engines with as many threads as the machine has."""
    return _is_all


def examples(few: int) -> settings:
    """Return the settings of a property test: so few examples, or five times as many with `--all`."""
    return settings(max_examples=few * _TIMES if _is_all else few)


def some(values: Sequence[_Value], few: int) -> list[_Value]:
    """Return a few values of a list, evenly spread, or all of them with `--all`."""
    return [*values] if _is_all or len(values) <= few else [values[n * len(values) // few] for n in range(few)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="also run the tests marked `full`, with more examples of others"
    )


def pytest_configure(config: pytest.Config) -> None:
    global _is_all  # noqa: PLW0603  decorators ask before any fixture could
    _is_all = config.getoption("--all")
    settings.register_profile(
        "auditor",
        max_examples=25 * _TIMES if _is_all else 25,
        derandomize=not _is_all,  # a change is not refused for what other examples would find without it
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    settings.load_profile("auditor")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if _is_all or any("::" in argument for argument in config.args):
        return
    left = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=left)
