"""Law: names of datasets, the order of their lines and imports, and a stranger in the store change nothing but names."""

from __future__ import annotations

import pytest
from asked import ask, told
from looked_at import Asked
from worlds import ROLES, Shape, put, world

pytestmark = pytest.mark.slow

#: Names in another order than the roles, and like no word of an answer.
OTHER = dict(zip(ROLES, ("zebra7", "apple7", "zz9", "mid7", "aa1", "nine9", "quizz", "inventory"), strict=True))

EXCUSED = dict.fromkeys(("datasets", "store info", "store verify"), "it is about all datasets of the store")


def test_names_order_and_strangers_change_nothing(asked: Asked) -> None:
    stranger = world(Shape(40, 5, 0.1), 99).rows["refs"]
    with put(asked.world.shuffled(asked.number), OTHER, folder=asked.folder, roles=ROLES[::-1]) as again:
        again.ingest("stranger", data=stranger, config={})
        for command, answer in asked.answers.items():
            if command not in EXCUSED:
                assert told(ask(again, command, OTHER), OTHER) == told(answer), command
