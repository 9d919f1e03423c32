"""Law: systems that say the same of the images they share do not differ, whatever either leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from asked import QUESTIONS, Result, ask
from sizes import some
from worlds import SYSTEMS, Shape, World, put, world

pytestmark = pytest.mark.slow

#: Commands that compare systems, and `compare`, which compares datasets of the same images.
COMPARING = ("score", "objects", "compare")


def agreeing(shape: Shape, number: int) -> World:
    """A world whose systems, and whose second dataset, are parts of one."""
    drawn = world(shape, number)
    refs, first = drawn.rows["refs"], drawn.rows["first"]
    kept = {row["image"] for row in drawn.rows["third"]}
    rows = dict(drawn.rows)
    for role, of in ("second", first), ("third", first), ("others", refs):
        skipped = {refs[0]["image"]} if role == "second" else set()
        some_of = [row for row in of if row["image"] in kept and row["image"] not in skipped]
        rows[role] = some_of or of
    return replace(drawn, rows=rows)


@pytest.mark.parametrize("number", some(range(12), 2))
@pytest.mark.parametrize("images", [3, 11, 60])
def test_equal_on_common_images_is_no_difference(tmp_path: Path, images: int, number: int) -> None:
    with put(agreeing(Shape(images, 2, 0.2), number), folder=tmp_path) as audit:
        for command in COMPARING:
            answer = ask(audit, command)
            assert isinstance(answer, Result), answer
            for frame in (answer.frame, *(table.frame for table in answer.tables)):
                if {"difference", "p"} <= {*frame.columns}:
                    known = frame.drop_nulls("difference")
                    assert {*known["difference"]} <= {0.0}, (command, known)
                    assert {*known.drop_nulls("p")["p"]} <= {1.0}, (command, known)


def test_every_command_that_compares_systems_keeps_this_law() -> None:
    naming = {
        name for name, (_, roles, said) in QUESTIONS.items() if {*SYSTEMS} <= {*roles, *said.get("candidates", ())}
    }
    assert naming <= {*COMPARING}
