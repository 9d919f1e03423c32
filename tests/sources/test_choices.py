"""Forced-choice items, as benchmarks publish them: a right and a wrong caption of an image."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import AdvisedError
from auditor.model import Part
from auditor.sources.choices import reading
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest import ingest

SUGAR = {"filename": "000000565045.jpg", "caption": "A dog on a bed.", "negative_caption": "A bed on a dog."}
FOIL = {
    "dataset": "visual7w",
    "linguistic_phenomena": "existence",
    "image_file": "v7w_1.jpg",
    "caption": "There are no animals.",
    "foil": "There are animals.",
    "mturk": {"foil": 0, "caption": 3, "other": 0},
}
PLUS = {
    "id": 0,
    "filename": "000000331352.jpg",
    "caption": "A tan toilet in a small room.",
    "caption2": "A small room has a tan toilet.",
    "negative_caption": "A white toilet in a small room.",
}
ITEM = {"item": "swap/1", "part": "swap", "image": "a.jpg", "right": "a dog sees a cat", "wrong": "a cat sees a dog"}


def read(*paths: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part(paths, options=options), "choices")))


def write(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records))
    return path


def sides(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    return [(image, text, *side.values()) for image, text, side in rows.select("image", "text", "pair").iter_rows()]


def test_object_of_items_names_parts_by_files_and_items_by_keys(tmp_path: Path) -> None:
    swap, add = write(tmp_path / "swap_obj.json", {"0": SUGAR}), write(tmp_path / "add.json", {"0": SUGAR, "7": SUGAR})
    swap.with_suffix(".json.gz").write_bytes(gzip.compress(swap.read_bytes()))
    assert sources.guess(Part((swap,))) == "choices"
    rows = read(swap.with_suffix(".json.gz"), add)
    assert sides(rows)[:2] == [
        ("000000565045.jpg", "A dog on a bed.", 1, "right", "swap_obj", "swap_obj/0", None),
        ("000000565045.jpg", "A bed on a dog.", 1, "wrong", "swap_obj", "swap_obj/0", None),
    ]
    assert [one["origin"] for one in rows["pair"]][2:] == ["add/0", "add/0", "add/7", "add/7"]


def test_option_names_the_image_of_items_without_a_format(tmp_path: Path) -> None:
    asked = {"pic": "a.jpg", "question": "Is it?", "options": ["a", "b"], "answer": "b"}
    path = write(tmp_path / "x.json", [asked])
    assert sources.guess(Part((path,), options={"image_col": "pic"})) == "choices"
    assert read(path, image_col="pic")["image"].unique().to_list() == ["a.jpg"]
    assert sources.guess(Part((path,), options={"image_col": "pic", "caption_col": "question"})) == "table"


@pytest.mark.parametrize(
    "record", [SUGAR, {"photo": "a.jpg", "question": "Is it?", "options": ["a", "b"], "answer": "b"}]
)
def test_list_in_an_object_is_read_as_the_list(tmp_path: Path, record: dict[str, Any]) -> None:
    rows = read(alone := write(tmp_path / "x.json", [record, record]))
    alone.write_text(json.dumps({"version": "1", "info": {"by": "x"}, "items": [record, record]}, indent=1))
    assert sources.guess(Part((alone,))) == "choices"
    assert read(alone).equals(rows)


@pytest.mark.parametrize(
    ("name", "number"), [("000000565045.jpg", "565045"), ("val2014/COCO_val2014_000000000042.jpg", "42")]
)
def test_images_of_coco_are_named_by_their_numbers_where_asked(tmp_path: Path, name: str, number: str) -> None:
    rows = read(write(tmp_path / "x.json", {"0": {**SUGAR, "filename": name}}), coco_ids=True)
    assert set(rows["image"]) == {number}


def test_votes_of_people_who_checked_an_item_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "existence.json", {"existence_0": FOIL})
    assert sources.guess(Part((path,))) == "choices"
    assert [(one["side"], one["votes"], one["category"]) for one in read(path)["pair"]] == [
        ("right", 3, "existence"),
        ("wrong", 0, "existence"),
    ]


def test_second_right_caption_of_sugarcrepe_plus_plus_is_kept(tmp_path: Path) -> None:
    one = write(tmp_path / "replace_att.json", [PLUS, {**PLUS, "id": 1, "caption2": PLUS["caption"]}])
    other = write(tmp_path / "replace_rel.json", [PLUS])
    assert sources.guess(Part((one,))) == "choices"
    with Store.open(MEMORY) as store:
        read = ingest(store, "plus", files=[one, other]).frame.row(0, named=True)
        rows = store.query("select item, slot_right, slot_right2, slot_wrong from choice order by item").rows()
        texts = store.query("select slot, text from captions order by slot limit 3").rows()
    assert (read["read"], read["captions"], read["rejected"]) == (3, 9, 0)
    # Each file numbers its own items: a number is a name within its part.
    assert rows == [("replace_att/0", 0, 1, 2), ("replace_att/1", 3, 4, 5), ("replace_rel/0", 6, 7, 8)]
    assert texts == [(0, PLUS["caption"]), (1, PLUS["caption2"]), (2, PLUS["negative_caption"])]


def test_items_of_two_splits_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """Each part of a source numbers its items from 1."""
    train, test = write(tmp_path / "train.json", [ITEM]), write(tmp_path / "test.json", [{**ITEM, "item": "swap/2"}])
    with Store.open(MEMORY) as store:
        ingest(store, "mine", files=[Path(f"train={train}"), Path(f"test={test}")])
        assert store.query("select item, slot_right, slot_wrong from choice order by item").rows() == [
            ("swap/1", 0, 1),
            ("swap/2", 2, 3),
        ]


@pytest.mark.parametrize("form", ["list.json", "lines.jsonl", "table.csv", "table.tsv"])
def test_same_items_are_read_from_every_form(tmp_path: Path, form: str) -> None:
    records = [ITEM, {**ITEM, "item": "swap/2", "image": "b.jpg", "wrong": 'a cat, "Tom", sees a dog'}]
    path = tmp_path / form
    match path.suffix:
        case ".json":
            write(path, records)
        case ".jsonl":
            path.write_text("".join(json.dumps(one) + "\n" for one in records))
        case suffix:
            pl.DataFrame(records).write_csv(path, separator="," if suffix == ".csv" else "\t", quote_style="always")
    assert sources.guess(Part((path,))) == "choices"
    assert sides(read(path)) == [
        ("a.jpg", "a dog sees a cat", 1, "right", "swap", "swap/1", None),
        ("a.jpg", "a cat sees a dog", 1, "wrong", "swap", "swap/1", None),
        ("b.jpg", "a dog sees a cat", 2, "right", "swap", "swap/2", None),
        ("b.jpg", 'a cat, "Tom", sees a dog', 2, "wrong", "swap", "swap/2", None),
    ]


ASKED = {"image": "a.jpg", "question": "what is it", "options": ["a dog", "a cat", "a cow"], "answer": "B"}
CHAT = {
    "vid": "a.mp4",
    "messages": [
        {"content": [{"text": "Question: What is it?\n(A) a dog\n(B) a cat"}]},
        {"content": [{"text": "(", "reference": "B"}]},
    ],
}


@pytest.mark.parametrize("answer", ["B", "(B)", "b", 1, "1", "a cat"])
def test_options_are_numbered_by_their_place_and_the_answer_is_found(tmp_path: Path, answer: Any) -> None:
    path = write(tmp_path / "kinds.json", [{**ASKED, "answer": answer}])
    assert sources.guess(Part((path,))) == "choices"
    assert [(text, side) for _, text, _, side, *_ in sides(read(path))] == [
        ("what is it", "question"), ("a dog", "wrong1"), ("a cat", "right"), ("a cow", "wrong3"),
    ]  # fmt: skip


def test_options_are_columns_or_lines_of_the_question_or_yes_and_no(tmp_path: Path) -> None:
    table = tmp_path / "asked.csv"
    table.write_text("video,question,answer,a0,a1,a2\na.mp4,what is it,2,a dog,a cat,a cow\n")
    columns = read(table, options_col="a0,a1,a2")
    chat = read(
        write(tmp_path / "chat.json", [CHAT]), image_col="vid", question_col="messages.0.content.0.text",
        answer_col="messages.1.content.0.reference",
    )  # fmt: skip
    truth = {"set": "x", "no": 7, "caption": "a dog runs", "label": 0}
    stated = read(
        write(tmp_path / "true.json", [truth]), image_col="set,no", question_col="caption", answers="false,true"
    )
    assert [[(image, text, side) for image, text, _, side, *_ in sides(rows)] for rows in (columns, chat, stated)] == [
        [("a.mp4", "what is it", "question"), ("a.mp4", "a dog", "wrong1"), ("a.mp4", "a cat", "wrong2"),
         ("a.mp4", "a cow", "right")],
        [("a.mp4", "What is it?", "question"), ("a.mp4", "a dog", "wrong1"), ("a.mp4", "a cat", "right")],
        [("x/7", "a dog runs", "question"), ("x/7", "false", "right"), ("x/7", "true", "wrong")],
    ]  # fmt: skip


def test_every_lettered_column_is_an_option_and_so_is_every_key(tmp_path: Path) -> None:
    table = tmp_path / "asked.tsv"
    table.write_text("image\tquestion\tA\tB\tC\tD\tE\tanswer\na\twhat\tone\ttwo\tthree\tfour\tfive\tE\n")
    keyed = {
        "image": "a",
        "question": "what",
        "choices": dict(zip("ABCDE", ("one", "two", "three", "four", "five"), strict=True)),
    }
    expected = [("what", "question"), ("one", "wrong1"), ("two", "wrong2"), ("three", "wrong3"), ("four", "wrong4"),
                ("five", "right")]  # fmt: skip
    files = [table, *(write(tmp_path / f"{answer}.json", [{**keyed, "gt": answer}]) for answer in ("E", "five"))]
    for path in files:
        assert sources.guess(Part((path,))) == "choices"
        assert [(text, side) for _, text, _, side, *_ in sides(read(path))] == expected


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"answer": "D"}, "the answer 'D' is none of the 3 options"),
        ({"answer": "a horse"}, "the answer 'a horse' is none of the 3 options"),
        ({"options": []}, "expected a list of 2 to 10 options"),
        ({"options": ["a dog", " "]}, "right is empty"),
        ({"options": None, "answer": "maybe"}, "the answer is 'maybe'; expected no or yes, or options beside it"),
        ({"question": 7}, "question is missing, or not a string"),
    ],
)
def test_question_that_is_none_is_refused_with_the_reason(tmp_path: Path, broken: dict[str, Any], reason: str) -> None:
    rows = read(write(tmp_path / "x.json", [{**ASKED, **broken}, ASKED]))
    assert [why.partition(": ")[2] for why in rows["reason"].drop_nulls()] == [reason]
    assert rows.height == 5


def test_columns_named_right_and_wrong_are_advised_as_choices(tmp_path: Path) -> None:
    """The advice for a table would import the wrong captions only."""
    own, known = tmp_path / "own.csv", tmp_path / "known.csv"
    rows = "".join(f"add,{number}.jpg,a dog runs on grass,a cat runs on grass\n" for number in range(3))
    own.write_text(f"category,file,gold_text,foil_text\n{rows}")
    with pytest.raises(AdvisedError) as advised:
        sources.reading(Part((own,)), "table")
    named = {"image_col": "file", "right_col": "gold_text", "wrong_col": "foil_text"}
    options = [f"{of}={it}" for of, it in named.items()]
    assert advised.value.arguments == {"file_format": "choices", "options": options}
    known.write_text(f"category,file,true_caption,false_caption\n{rows}")
    assert sources.guess(Part((known,))) == "choices"
    assert sides(read(own, **named)) == sides(read(known))


def test_columns_of_other_names_are_read_where_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("picture,yes,no,kind\na.jpg,a dog,a cat,animals\n")
    rows = read(path, image_col="picture", right_col="yes", wrong_col="no", part_col="kind")
    assert [(one["side"], one["category"], one["origin"]) for one in rows["pair"]] == [
        ("right", "animals", "animals/1"),
        ("wrong", "animals", "animals/1"),
    ]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"wrong": ""}, "wrong is missing, or not a string"),
        ({"right": 7}, "right is missing, or not a string"),
        ({"image": None}, "image is missing, or not a string"),
        ({"votes_right": "many"}, "are not whole numbers"),
        ({"right2": 7}, "right2 is missing, or not a string"),
    ],
)
def test_item_that_is_none_is_refused_with_its_place_and_takes_no_other_along(
    tmp_path: Path, broken: dict[str, Any], reason: str
) -> None:
    rows = read(write(tmp_path / "x.json", [{**ITEM, **broken}, {**ITEM, "item": "swap/2"}]))
    refused = rows.filter(pl.col("reason").is_not_null())
    assert refused["line"].to_list() == [1]
    assert reason in refused["reason"].item()
    assert rows.height == 3


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({**ITEM, "wrong": " a dog sees a cat "}, "the right and the wrong caption are the same"),
        ({**ITEM, "right2": "a cat sees a dog"}, "the second right and the wrong caption are the same"),
        ({**ASKED, "options": ["a dog"]}, "it has a single option"),
        ({**ASKED, "options": ["a dog ", "a dog", " a dog"], "answer": "B"}, "its options are the same"),
    ],
)
def test_item_without_a_choice_is_left_out_and_is_no_fault_of_the_file(
    tmp_path: Path, item: dict[str, Any], reason: str
) -> None:
    """One in two items: more than the share of records that may be rejected."""
    path = write(tmp_path / "x.json", [item, ITEM])
    rows = read(path)
    assert rows["reason"].null_count() == rows.height == 3
    assert reason in rows["left_out"].drop_nulls().item()
    with Store.open(MEMORY) as store:
        result = ingest(store, "own", files=[path], max_rejected=0.0)
    assert result.frame["read"].item() == 1
    assert [
        "1 record skipped: their right and wrong captions are the same" in finding.sentence
        for finding in result.findings
    ] == [True]


@pytest.mark.parametrize("answer", [" yes it is", "yes it is ", "A", 0])
@pytest.mark.parametrize("options", [[" yes it is", "no it is not "], {"A": " yes it is", "B ": "no it is not "}])
def test_blanks_around_options_and_answers_do_not_matter(tmp_path: Path, answer: object, options: object) -> None:
    rows = read(write(tmp_path / "x.json", [{**ASKED, "options": options, "answer": answer}]))
    assert {text.strip(): side for _, text, _, side, *_ in sides(rows)}["yes it is"] == "right"


def test_rejected_items_name_their_keys_and_their_places(tmp_path: Path) -> None:
    items = {"12": SUGAR, "13": {**SUGAR, "negative_caption": ""}, "15": {**SUGAR, "filename": None}, "17": []}
    rows = read(write(tmp_path / "swap_obj.json", items)).filter(pl.col("reason").is_not_null())
    assert rows.select("line", "reason").rows()[:2] == [
        (2, "item swap_obj/13: wrong is missing, or not a string"),
        (3, "item swap_obj/15: image is missing, or not a string"),
    ]
    assert rows["reason"][2].startswith("item 17: not an object")


def test_an_item_is_rejected_as_a_whole_and_counts_once(tmp_path: Path) -> None:
    path = write(tmp_path / "plus.json", [PLUS, {**PLUS, "id": 1, "caption2": "\u200b"}, {**PLUS, "caption2": None}])
    with Store.open(MEMORY) as store:
        row = ingest(store, "mine", files=[path], max_rejected=0.7).frame.row(0, named=True)
        reasons = store.query("select reason from rejected order by line")["reason"].to_list()
    assert (row["read"], row["captions"], row["rejected"]) == (3, 3, 2)
    assert reasons == [
        "the second right caption of item plus/1: empty caption",
        "the right caption of item plus/0 occurs before",
    ]


def test_items_stay_through_the_store_and_a_second_version_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "swap.json", [ITEM, {**ITEM, "item": "swap/2", "image": "b.jpg"}])
    with Store.open(MEMORY) as store:
        first = ingest(store, "mine", files=[path]).frame.row(0, named=True)
        again = ingest(store, "mine", files=[path]).frame.row(0, named=True)
        kind, held = store.query("select kind, (select count(*) from choice) from dataset").row(0)
        rows = store.query("select item, image, part, slot_right, slot_wrong, votes_right from choice order by item")
    assert (kind, held, again["status"]) == ("choices", 2, "unchanged")
    assert first["captions"] == 4
    assert rows.rows() == [("swap/1", "a.jpg", "swap", 0, 1, None), ("swap/2", "b.jpg", "swap", 0, 1, None)]


def test_item_that_is_named_twice_is_refused_the_second_time(tmp_path: Path) -> None:
    path = write(tmp_path / "swap.json", [ITEM, {**ITEM, "right": "a dog hears a cat"}, {**ITEM, "item": "swap/3"}])
    with Store.open(MEMORY) as store:
        ingest(store, "mine", files=[path], max_rejected=1)
        assert store.query("select item from choice order by all")["item"].to_list() == ["swap/1", "swap/3"]
        reasons = store.query("select reason from rejected")["reason"].to_list()
    assert all("swap/1" in reason for reason in reasons), reasons


def test_sugarcrepe_is_read_whole_and_its_right_captions_are_those_of_coco(data: Path) -> None:
    with Store.open(MEMORY) as store:
        ingest(store, "sugarcrepe", "coco-val2017")
        parts = dict(store.query("select part, count(*) from choice group by all").iter_rows())
        found = store.query(
            "select count(distinct item) from choice as o join membership as r on r.dataset = o.dataset and r.image = "
            "o.image and r.slot = o.slot_right join membership as c on c.dataset = 'coco-val2017' and c.image = o.image "
            "and c.caption_id = r.caption_id"
        ).item()
    assert parts == {
        "add_att": 692,
        "add_obj": 2_062,
        "replace_att": 788,
        "replace_obj": 1_652,
        "replace_rel": 1_406,
        "swap_att": 666,
        "swap_obj": 245,
    }
    assert found == 7_511


@pytest.mark.parametrize(
    ("name", "items", "options"),
    [
        ("vitatecs", 13_838, {2: 13_838}),
        ("tvbench", 2_525, {2: 942, 3: 225, 4: 1_358}),
        ("hallusionbench", 1_129, {2: 1_129}),
        ("pope-popular", 3_000, {2: 3_000}),
        ("vsr-zeroshot", 1_222, {2: 1_222}),
        ("nextqa", 4_996, {5: 4_996}),
    ],
)
def test_benchmarks_are_read_whole_as_published(data: Path, name: str, items: int, options: dict[int, int]) -> None:
    with Store.open(MEMORY) as store:
        row = ingest(store, name).frame.row(0, named=True)
        counted = store.query(
            "select options, count(*) from (select (pair).origin, count(*) filter ((pair).side <> 'question') as options "
            "from annotation where to_seq is null group by 1) group by 1"
        ).rows()
    assert (row["read"], row["rejected"], dict(counted)) == (items, 0, options)


def test_ingest_names_the_columns_of_items_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("picture,yes,no,kind,seen\na.jpg,A dog.,A cat.,swap,2\n")
    options = {"image_col": "picture", "right_col": "yes", "wrong_col": "no", "part_col": "kind"}
    found = reading(Part((path,), options=options))
    assert found.places == {"right": "yes", "wrong": "no", "image": "picture", "part": "kind"}
    assert found.unread == ("seen",)
