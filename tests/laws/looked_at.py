"""A world that several laws look at: asked once, in one worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from asked import Answer, Report, ask, asked_of
from sizes import some
from worlds import WORLDS, World, put, world


class Asked(NamedTuple):
    """A world, the number that it was drawn with, what is answered about it and on the way, its store and folder."""

    world: World
    number: int
    answers: Mapping[str, Answer]
    reports: Mapping[str, Sequence[Report]]
    store: Path
    folder: Path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take the worlds when tests are listed: this module is read before it is known whether all are wanted."""
    if _looks(metafunc.definition):
        worlds = [*enumerate(some(WORLDS, 3))]
        names = [f"{shape.images}x{shape.captions}" for _, (shape, _) in worlds]
        metafunc.parametrize("asked", worlds, ids=names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    nth, (shape, number) = request.param
    folder = tmp_path_factory.mktemp("world")
    drawn, path = world(shape, number), folder / "audit.duckdb"
    with put(drawn, folder=folder, path=path) as audit:
        reports: dict[str, list[Report]] = {command: [] for command in asked_of(nth)}
        answers = {command: ask(audit, command, reports=reported) for command, reported in reports.items()}
    return Asked(drawn, number, answers, reports, path, folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _looks(item):
            item.add_marker(pytest.mark.xdist_group("laws"))


def _looks(item: pytest.Item) -> bool:
    """Return whether a test is of a law and looks at the worlds; elsewhere a parameter may have the same name."""
    return item.path.parent == Path(__file__).parent and "asked" in getattr(item, "fixturenames", ())
