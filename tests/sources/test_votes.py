"""Votes: every layout gives the same comparisons; what cannot count is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import votes


def read(path: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part((path,), options=options), "votes")))


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def compared(rows: pl.DataFrame, kind: str = "pair") -> list[tuple[Any, ...]]:
    """Image, text and annotation of each side."""
    kept = rows.filter(pl.col("image").is_not_null())
    return [(*texts, *side.values()) for *texts, side in kept.select("image", "text", kind).rows()]


def refused(rows: pl.DataFrame) -> list[tuple[int, str]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()


PAIR = [("x.jpg", "a café", 1, "B", None, None, 2), ("x.jpg", "two cats", 1, "C", None, None, 1)]
LAYOUTS = {
    "one vote a row": ("image,b,c,judge,choice", *(f"x.jpg,a café,two cats,w{n},{one}" for n, one in enumerate("BcB"))),
    "a column for each judge": ("image,b,c,judge_1,judge_2,judge_3,judge_4", "x.jpg,a café,two cats,B, C ,b,"),
    "counts": ("image;b;c;votes_b;votes_c", "x.jpg;a café;two cats;2;1"),
    "judges who are not named": ("image\tb\tc\tchoice", *(f"x.jpg\ta café\ttwo cats\t{one}" for one in "BCB")),
    "JSON lines": tuple(
        json.dumps({"image": "x.jpg", "b": "a café", "c": "two cats", "choice": one, "n": 7}) for one in ("B", "C", "B", None)
    ),
    "JSON lines with counts": ('{"image": "x.jpg", "b": "a café", "c": "two cats", "votes_b": 2, "votes_c": 1}',),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_says_the_same_and_is_guessed(tmp_path: Path, layout: str) -> None:
    path = written(tmp_path / "votes", *LAYOUTS[layout])
    assert compared(read(path)) == PAIR
    assert sources.guess(Part((path,))) == "votes"
    assert votes.describe(Part((path,))).kind == "pairs"


def test_columns_that_a_user_names_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "own.csv",
        "HIT,photo,said,left,right,first,second,type,who wrote it,Kind of C",
        "h1,x.jpg,a bus,a dog,two cats,C,B,HM,me,midge",
        "h2,x.jpg,a van,a dog,two cats,,C,,,",
    )
    named = {"image_col": "photo", "a_col": "said", "b_col": "left", "c_col": "right", "choice_col": "first,second"}
    rows = read(path, **named, task_col="HIT", category_col="type")
    assert compared(rows, "triplet") == [
        ("x.jpg", "a bus", 1, "A", "HM", None), ("x.jpg", "a dog", 1, "B", "HM", 1), ("x.jpg", "two cats", 1, "C", "HM", 1),
        ("x.jpg", "a van", 2, "A", None, None), ("x.jpg", "a dog", 2, "B", None, 0), ("x.jpg", "two cats", 2, "C", None, 1),
    ]  # fmt: skip
    pairs = {key: value for key, value in named.items() if key != "a_col"}
    rows = read(path, **pairs, task_col="HIT", origin_b_col="who wrote it", origin_c_col="Kind of C")
    assert compared(rows)[0] == ("x.jpg", "a dog", 1, "B", None, "me", 1)
    assert compared(rows)[1] == ("x.jpg", "two cats", 1, "C", None, "midge", 1)


def test_what_cannot_count_is_refused_with_its_line(tmp_path: Path) -> None:
    path = written(
        tmp_path / "votes.csv",
        "task,image,a,b,c,judge,choice,category",
        "t1,x.jpg,a bus,a dog,two cats,w1,B,HC",
        "t1,x.jpg,a bus,a dog,two cats,w1,C,HC",
        "t1,x.jpg,a bus,a dog,TWO cats,w2,C,HC",
        "t2,x.jpg,a bus,,two cats,w2,C,HC",
        "t3,x.jpg,a bus,a dog,two cats,w2,perhaps,HC",
        "t4,x.jpg,a bus,a dog,two cats,w2,C,HX",
        "t5,x.jpg,a bus",
        "t0123456789abcdef,x.jpg,a bus,a dog,two cats,w2,C,HC",
        "t6,,a bus,a dog,two cats,w2,C,HC",
        "t7,x.jpg,a bus,a dog,two cats,w2,,HC",
        "t8,y.jpg,a bus,a dog,two cats,w2,B,",
    )
    rows = read(path)
    assert refused(rows) == [
        (3, "judge w1 already voted on it at line 2"),
        (4, "task t1 has other texts at line 2"),
        (5, "b is empty"),
        (6, 'choice "perhaps"; expected B, C, their column or author, equal, or an empty cell'),
        (7, 'category "HX"; expected HC, HI, HM, MM or an empty cell'),
        (8, "3 fields; the header has 8"),
        (9, "task t0123456789abcdef does not match its texts: the image or a sentence has changed"),
        (10, "image is empty"),
    ]
    assert rows.filter(pl.col("left_out").is_not_null()).select("line", "left_out").rows() == [(11, "no vote")]
    assert [side[0] for side in compared(rows, "triplet")] == ["x.jpg"] * 3 + ["y.jpg"] * 3
    assert rows.row(by_predicate=pl.col("line") == 4, named=True)["raw"] == "t1,x.jpg,a bus,a dog,TWO cats,w2,C,HC"


def test_counts_are_whole_numbers_that_add_up(tmp_path: Path) -> None:
    path = written(
        tmp_path / "votes.csv",
        "image,b,c,votes_b,votes_c",
        "x,p,q,2,1",
        "x,q,p,4,0",
        "y,p,q,-1,1",
        "z,p,q,2,",
        "w,p,q,1.5,1",
    )
    rows = read(path)
    assert refused(rows) == [
        (4, 'votes_b "-1" is not a whole number from 0 to 4,294,967,295'),
        (6, 'votes_b "1.5" is not a whole number from 0 to 4,294,967,295'),
    ]
    assert [side[-1] for side in compared(rows)] == [2, 1 + 4, 2, 0]


@pytest.mark.parametrize("tie", ["equal", "Tie", "both", "B=C", "B and C", "me, midge", "neither"])
@pytest.mark.parametrize("chosen", ["B", "winner: B", "b_text", "me", "A dog"])
def test_tie_is_a_vote_for_both_and_a_name_a_vote_for_its_caption(tmp_path: Path, chosen: str, tie: str) -> None:
    path = written(
        tmp_path / "votes.csv",
        "image,b_text,c_text,origin_b,origin_c,judge,winner",
        *(f'x,a dog,two cats,me,midge,w{n},"{one}"' for n, one in enumerate([chosen, tie, "", "C"])),
        'y,a dog,two cats,me,me,w1,"me"',
    )
    rows = read(path, b_col="b_text", c_col="c_text")
    assert [side[-1] for side in compared(rows)] == [2, 2]
    assert refused(rows) == [(6, 'choice "me"; expected B, C, their column or author, equal, or an empty cell')]


def test_rows_of_other_raters_on_the_same_captions_add_up_in_any_order(tmp_path: Path) -> None:
    """The votes are counted again, plainly: each of a shuffled table, by the caption that it names."""
    votes = [("dog", "cat", "B"), ("cat", "dog", "B"), ("dog", "cat", "C"), ("cat", "dog", "C"), ("dog", "cat", "tie")]
    path = written(tmp_path / "votes.csv", "image,b,c,choice", *(f"x,{b},{c},{choice}" for b, c, choice in votes))
    plain = {"dog": 0, "cat": 0}
    for b, c, choice in votes:
        for side, text in (("B", b), ("C", c)):
            plain[text] += choice in (side, "tie")
    assert {side[1]: side[-1] for side in compared(read(path))} == plain


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("image,b,choice", "expected a column for c"),
        ("image,b,c,votes_b", "a column for the choice .set choice_col., or two"),
        ("image,b,c,choice,votes_b,votes_c", "not both"),
        ("image,b,c,judge,judge_1,judge_2", "one column of choices with judge_col"),
        ("", "expected a column for image .set image_col.; the columns are x.jpg"),
        ("image,b\rc", "expected a header"),
    ],
)
def test_file_without_the_columns_is_refused_whole(tmp_path: Path, header: str, says: str) -> None:
    path = written(tmp_path / "votes.csv", header, "x.jpg,p,q,B,C,B")
    with pytest.raises(SourceError, match=says):
        read(path)


def test_file_without_a_vote_and_a_key_that_is_none_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "votes.csv", "task,image,b,c,judge_1", "t1,x,p,q,", "t2,y,p,q,")
    with pytest.raises(SourceError, match=r"votes\.csv: none of its 2 questions has a vote"):
        read(path)
    written(path, "task,image,b,c,judge_1", "t1,x,p,q,B", "t2,y,p,q,C")
    head = "task,category,origin_b,origin_c,swapped"
    key = written(tmp_path / "key.csv", head, "t1,HM,midge,human,true")
    rows = read(path, key_file=key)
    assert refused(rows) == [(3, "task t2 is not in the key")]
    assert compared(rows) == [("x", "q", 1, "B", "HM", "human", 0), ("x", "p", 1, "C", "HM", "midge", 1)]
    for content, says in (
        (("task,swapped", "t1,true"), "no column category"),
        ((head, "t1,HM,a,b,yes"), "swapped is neither"),
        ((head, "t1,HM,a,b,true", "t1,HM,a,b,true"), "task t1 occurs twice"),
    ):
        with pytest.raises(SourceError, match=rf"key\.csv: not a key of questions: .*{says}"):
            read(path, key_file=written(key, *content))
    with pytest.raises(SourceError, match="no such file"):
        read(path, key_file=tmp_path / "nowhere.csv")


def test_votes_of_several_files_on_the_same_captions_add_up(tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", "image,b,c,judge,choice", "x,a dog,a cat,w1,B", "y,a bus,a car,w1,C")
    two = written(tmp_path / "two.csv", "image,b,c,judge,choice", "x,a cat,a dog,w2,C", "x,a dog,a cat,w1,C")
    frame = pl.concat(list(sources.read(Part((one, two)), "votes")))
    assert compared(frame)[:2] == [("x", "a dog", 1, "B", None, None, 2), ("x", "a cat", 1, "C", None, None, 0)]
    assert refused(frame) == [(3, "judge w1 already voted on it at line 2")]


@pytest.mark.parametrize(("author", "chosen"), [("model_", "model_b"), ("system_", "GPT"), ("origin_", "winner: gpt")])
def test_winner_is_named_by_its_author_or_the_column_of_the_author(tmp_path: Path, author: str, chosen: str) -> None:
    path = written(tmp_path / "own.csv", f"image,b,c,{author}b,{author}c,winner", f"x,a dog,a cat,GPT,LLaVA,{chosen}")
    assert [row[-1] for row in compared(read(path))] == [1, 0]


def test_comparisons_of_several_files_are_numbered_on(tmp_path: Path) -> None:
    paths = tuple(written(tmp_path / f"{name}.csv", "image,b,c,choice", f"{name},p,q,B") for name in "xy")
    rows = pl.concat(list(sources.read(Part(paths), "votes")))
    assert rows["pair"].struct.field("pair").to_list() == [1, 1, 2, 2]


def test_pascal50s_as_a_table_of_votes_is_what_its_own_file_says(data: Path, tmp_path: Path) -> None:
    part = Part((data / "pascal50s" / "pair_pascal.mat",), options={"basename": True})
    known = pl.concat(list(sources.read(part, "mat"))).select("image", "text", "pair")
    sides = known.unnest("pair")
    first, second = (sides.filter(side=side).drop("side") for side in "BC")
    table = first.join(second, on=["pair", "image", "category"], suffix="_c", maintain_order="left").rename(
        {"pair": "task", "text": "b", "text_c": "c", "votes": "votes_b", "origin": "origin_b"}
        | {"votes_c": "votes_c", "origin_c": "origin_c"}
    )
    table.write_csv(tmp_path / "votes.csv")
    assert read(tmp_path / "votes.csv").select("image", "text", "pair").equals(known)
