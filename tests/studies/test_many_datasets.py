"""A store of many datasets answers as one of few does: the engine plans small joins with large tables otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from conftest import ingest_rows
from sizes import some
from test_every_question import APART, ASKED, NAMES

import auditor
from auditor.studies import STUDIES

NAMED = [*NAMES, *(f"set{number}" for number in range(60 - len(NAMES)))]

#: What needs a pipeline, and what asks the same counts in many samples or parts.
TESTED_ELSEWHERE = {"syntax", "diversity"}


#: Questions with another object.
SAID: Mapping[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "choices": (["bench"], {"against": NAMES[0]}),
    "objects": (NAMES[:1], {"listing": "things"}),
}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[auditor.Auditor]:
    """A store of 60 datasets with 15,000 captions and 100,000 words.

    Also a list of objects, and three forced-choice items of captions far apart in it.
    """
    path = tmp_path_factory.mktemp("many") / "audit.duckdb"
    items = path.with_name("bench.jsonl")
    with auditor.Auditor(path, write=True) as written:
        for name in NAMED:
            said = [f"the {number % 7} dogs of {name} see {number % 343}" for number in range(250)]
            said[1] = said[0]
            ingest_rows(written.store, [(f"{n // 5}.jpg", n % 5, text) for n, text in enumerate(said)], name)
            with items.open("a") as file:
                if name in NAMED[::29]:
                    file.write(json.dumps({"item": name, "image": "0.jpg", "right": said[0], "wrong": said[9]}) + "\n")
        words = [" ".join(f"w{n}x{word}" for word in range(10)) for n in range(10_000)]
        ingest_rows(written.store, [(f"{n}", 0, text) for n, text in enumerate(words)], "words", kind="corpus")
        things = path.with_name("things.json")
        things.write_text(json.dumps({f"{n}.jpg": ["dog", "the dog"] for n in range(50)}))
        written.ingest("things", files=[things], file_format="mapping", kind="objects", config={})
        written.ingest("bench", files=[items], file_format="choices")
    with auditor.Auditor(path) as opened:
        yield opened


@pytest.mark.xdist_group("many datasets")
@pytest.mark.parametrize("name", [*some([name for name in STUDIES if name not in APART | TESTED_ELSEWHERE], 6), *SAID])
def test_question_has_an_answer_where_there_are_many_datasets(name: str, audit: auditor.Auditor) -> None:
    named, said = SAID.get(name) or ASKED.get(name, (NAMES[:1], {}))
    answer = getattr(audit, name.rpartition(" ")[2])(*named, **said)
    assert answer.frame.height
