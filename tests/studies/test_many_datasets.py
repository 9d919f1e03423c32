"""A store of many datasets answers as one of few does: the engine plans small joins with large tables otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from asked import QUESTIONS, arguments_of
from conftest import ingest_rows
from sizes import some

import auditor

NAMED = [f"set{number}" for number in range(60)]

#: The roles of a question, by what stands for them in this store.
NAMES = {**dict(zip(("refs", "others", "first", "second", "third"), NAMED, strict=False)), "items": "bench"}

#: What needs a pipeline, what asks the same counts in many samples or parts, what asks the others, what writes.
TESTED_ELSEWHERE = {"syntax", "diversity", "probe", "report", "check", "reproduce", "export"}

#: What is about ratings, about phrases, and about the file.
APART = {"agree", "distractors", "store info"}

#: Questions about another object, which are always asked.
ALWAYS = ["choices", "objects"]


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
@pytest.mark.parametrize(
    "name", [*some([name for name in QUESTIONS if name not in {*TESTED_ELSEWHERE, *APART, *ALWAYS}], 6), *ALWAYS]
)
def test_question_has_an_answer_where_there_are_many_datasets(name: str, audit: auditor.Auditor) -> None:
    named, said = arguments_of(name, NAMES)
    answer = getattr(audit, name.rpartition(" ")[2])(*named, **said)
    assert answer.frame.height
