"""A world that several laws look at: asked once, in one worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from asked import Answer, ask, asked_of
from sizes import some
from worlds import WORLDS, World, put, world


class Asked(NamedTuple):
    """A world, the number that it was drawn with, what is answered about it, and its store and folder."""

    world: World
    number: int
    answers: Mapping[str, Answer]
    store: Path
    folder: Path


@pytest.fixture(
    scope="session", params=enumerate(some(WORLDS, 3)), ids=lambda param: "{0.images}x{0.captions}".format(param[1][0])
)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    nth, (shape, number) = request.param
    folder = tmp_path_factory.mktemp("world")
    drawn, path = world(shape, number), folder / "audit.duckdb"
    with put(drawn, folder=folder, path=path) as audit:
        answers = {command: ask(audit, command) for command in asked_of(nth)}
    return Asked(drawn, number, answers, path, folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "asked" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("laws"))
