"""Law: names of datasets, the order of lines and imports, threads, and a stranger in the store change nothing but names.

Names that sort as the roles do leave every row at its place, too: so it is in every second world.
"""

from __future__ import annotations

import pytest
from asked import ask, told
from looked_at import Asked
from worlds import ROLES, Shape, put, world

pytestmark = pytest.mark.slow

#: Names in another order than the roles, and like no word of an answer.
OTHER = dict(zip(ROLES, ("zebra7", "apple7", "zz9", "mid7", "aa1", "nine9", "quizz", "inventory"), strict=True))

SORTED_ALIKE = dict(zip(sorted(ROLES), sorted(OTHER.values()), strict=True))

EXCUSED = dict.fromkeys(("datasets", "store info", "store verify"), "it is about all datasets of the store")


def test_names_order_and_strangers_change_nothing(asked: Asked) -> None:
    in_order = asked.number % 2 == 1
    names = SORTED_ALIKE if in_order else OTHER
    stranger = world(Shape(40, 5, 0.1), 99).rows["refs"]
    with put(asked.world.shuffled(asked.number), names, folder=asked.folder, roles=ROLES[::-1]) as again:
        again.ingest("stranger", data=stranger, config={})
        again.store.execute("set threads = 1")
        for command, answer in asked.answers.items():
            if command not in EXCUSED:
                found = told(ask(again, command, names), names, in_order=in_order)
                assert found == told(answer, in_order=in_order), command
