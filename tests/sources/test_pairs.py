"""Captions of one origin of pairs: each sentence once for an image, from one file to the next."""

from __future__ import annotations

from auditor.sources.mat import captions
from auditor.sources.sides import JudgedCaption


def side(image: str, text: str | None, origin: str = "human") -> JudgedCaption:
    return JudgedCaption("pair", 1, image, text=text, identifier="1 B", pair={"origin": origin})


def test_each_sentence_of_an_origin_is_read_once_for_an_image() -> None:
    seen: set[tuple[str | None, str]] = set()
    first = [side("a", " a kite"), side("a", "a boat"), side("a", "a kite "), side("b", "a kite")]
    assert [one.left_out for one in captions(first, "human", seen)] == [None, None, "in an earlier pair", None]
    second = [side("a", "a boat"), side("a", "a mug", "system 2"), side("a", None)]
    made = list(captions(second, "human", seen))
    assert [one.left_out for one in made] == ["in an earlier pair", "origin system 2", None]
    assert [one.pair is None for one in made] == [True, True, False], "a refused pair is passed on as it is"
