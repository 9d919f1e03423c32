"""Questions for people: what is asked, that nothing tells the candidates apart, and that votes come back as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows

from auditor.errors import UsageError
from auditor.model import Part, Source
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.tasks import key_of, tasks, write

REFERENCES = [(f"i{image:02}", slot, f"{slot} dogs at place {image}") for image in range(40) for slot in range(4)]
SYSTEM = [(f"i{image:02}", 0, f" a système at place {image}") for image in range(40)]


def filled(store: Store, references: Rows = REFERENCES, **systems: Rows) -> Store:
    ingest_rows(store, references, "set")
    for name, rows in systems.items():
        ingest_rows(store, rows, name, kind="candidates")
    return store


def as_named(frame: pl.DataFrame) -> pl.DataFrame:
    """Undo the draw: the texts of the first and of the second candidate."""
    swapped = pl.col("swapped")
    return frame.select(
        "image",
        "a",
        first=pl.when(swapped).then("c").otherwise("b"),
        second=pl.when(swapped).then("b").otherwise("c"),
        first_origin=pl.when(swapped).then("origin_c").otherwise("origin_b"),
    )


def test_every_caption_but_those_that_are_held_out_is_a_once(store: Store) -> None:
    frame = tasks(filled(store, system=SYSTEM), "set", candidates=["system"]).frame
    texts = pl.DataFrame(REFERENCES, schema=["image", "slot", "text"], orient="row")
    for image, rows in as_named(frame).group_by("image"):
        own = set(texts.filter(image=image[0])["text"])
        (held_out,) = rows["second"].unique()
        assert sorted(rows["a"]) == sorted(own - {held_out})
        assert held_out in own
        assert set(rows["first"]) == {SYSTEM[int(image[0][1:])][2].strip()}  # outer blanks would tell it
    assert set(frame["category"]) == {"HM"}
    assert frame["task"].n_unique() == frame.height == 120


@pytest.mark.parametrize(
    ("named", "category"),
    [([], "HC"), (["human", "intra"], "HI"), (["system", "other"], "MM"), (["intra", "system"], None)],
)
def test_kinds_are_those_of_who_wrote(store: Store, named: list[str], category: str | None) -> None:
    other = [(image, slot, f"{text} again") for image, slot, text in SYSTEM]
    frame = tasks(filled(store, system=SYSTEM, other=other), "set", candidates=named, form="pairs").frame
    assert frame["category"].unique().to_list() == [category]
    assert frame.height == 40
    if "intra" in named:
        strange = as_named(frame).with_columns(pl.col("first" if named[0] == "intra" else "second").alias("text"))
        assert all(
            int(text.rpartition(" ")[2]) != int(image[1:]) for image, text in strange.select("image", "text").rows()
        )


def test_three_systems_are_compared_two_by_two(store: Store) -> None:
    systems = {name: [(image, 0, f"{name} {image}") for image, _, _ in SYSTEM] for name in ("x", "y", "z")}
    frame = tasks(filled(store, **systems), "set", candidates=list(systems), form="pairs", images=7).frame
    assert frame["image"].n_unique() == 7
    pairs = as_named(frame).select(one=pl.col("first").str.head(1), other=pl.col("second").str.head(1))
    assert pairs.unique().sort("one", "other").rows() == [("x", "y"), ("x", "z"), ("y", "z")]
    assert frame.height == 21


def test_place_and_name_tell_nothing_of_who_wrote(store: Store) -> None:
    frame = tasks(filled(store, system=SYSTEM), "set", candidates=["system", "human"]).frame
    assert 40 < frame["swapped"].sum() < 80  # of 120
    assert set(as_named(frame)["first_origin"]) == {"system"}
    assert not {"origin_b", "swapped", "reference"} & set(write_of(frame, Path("t.csv")).columns)


def write_of(frame: pl.DataFrame, path: Path, judges: int = 3) -> pl.DataFrame:
    from auditor.result import Result

    write(Result("tasks", frame), path, judges, force=True)
    return pl.read_ndjson(path) if path.suffix == ".jsonl" else pl.read_csv(path, infer_schema=False)


def test_questions_depend_on_the_seed_and_the_captions_alone(store: Store) -> None:
    def asked(store: Store, seed: int) -> pl.DataFrame:
        return tasks(store, "set", candidates=["system", "human", "intra"], images=9, references=2, seed=seed).frame

    first = asked(filled(store, system=SYSTEM), 3)
    with Store.open(MEMORY) as second:
        second.execute("set threads = 1")
        ingest_rows(second, [("z", 0, "an unrelated caption"), ("z", 1, "and 1 dogs more")], "unrelated")
        filled(second, list(reversed(REFERENCES)), system=list(reversed(SYSTEM)))
        assert asked(second, 3).equals(first)
        assert not asked(second, 4).equals(first)
    fewer = tasks(store, "set", candidates=["system", "human", "intra"], images=4, references=2, seed=3).frame
    assert fewer.join(first, on=fewer.columns, how="anti", nulls_equal=True).is_empty()


@pytest.mark.parametrize("form", ["triplets", "pairs"])
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_votes_come_back_as_they_were_cast(store: Store, tmp_path: Path, form: str, ending: str) -> None:
    path = tmp_path / f"tasks{ending}"
    twins = [*REFERENCES, ("i00", 4, REFERENCES[0][2]), ("i00", 5, 'a "quoted" one,\nin two lines')]
    asked = tasks(filled(store, twins, system=SYSTEM), "set", candidates=["system"], form=form).frame
    shown = write_of(asked, path, judges=2)
    # The first judge always takes the system's caption, the second whatever is B, but for the first question.
    votes = shown.with_columns(
        judge_1=pl.when(asked["swapped"]).then(pl.lit("C")).otherwise(pl.lit("b")),
        judge_2=pl.when(pl.int_range(pl.len()) > 0).then(pl.lit("B")),
    ).sample(fraction=1, shuffle=True, seed=1)
    votes.write_csv(path) if ending == ".csv" else votes.write_ndjson(path)
    part = Part((path,), options={"key_file": key_of(path)})
    row = ingest_sources(store, [Source("mine", "triplets" if form == "triplets" else "pairs", "votes", (part,))]).frame
    assert row["rejected"].item() == 0
    view = "triplet_vote" if form == "triplets" else "pair_vote"
    found = store.query(
        f"select v.*, b.text as first, c.text as second from {view} as v"
        " join membership as mb on mb.dataset = 'mine' and mb.image = v.image and mb.slot = v.slot_b"
        " join caption as b on b.caption_id = mb.caption_id"
        " join membership as mc on mc.dataset = 'mine' and mc.image = v.image and mc.slot = v.slot_c"
        " join caption as c on c.caption_id = mc.caption_id where v.dataset = 'mine'"
    )
    expected = as_named(asked).with_columns(
        category=pl.lit("HM"),
        votes_b=(1 + (~asked["swapped"] & (pl.int_range(pl.len()) > 0)).cast(pl.UInt32)).cast(pl.UInt32),
        votes_c=(asked["swapped"] & (pl.int_range(pl.len()) > 0)).cast(pl.UInt32),
    )
    columns = ["image", "first", "second", "category", "votes_b", "votes_c"]
    assert found.select(columns).sort(columns).equals(expected.select(columns).sort(columns))
    if form == "pairs":
        assert set(found["origin_b"]) == {"system"}


def test_votes_on_pairs_are_those_of_the_other_readers(store: Store, tmp_path: Path) -> None:
    pairs = [("x.jpg", "a café", "two cats", 0), ("x.jpg", "a dog", "a dog", 1), ("y.jpg", " a mug", "a table", 1)]
    (tmp_path / "pairs.json").write_text(
        json.dumps({"HC": [{"image": image, "captions": [b, c], "label": label} for image, b, c, label in pairs]})
    )
    rows = [{"image": image, "b": b, "c": c, "choice": "BC"[label], "category": "HC"} for image, b, c, label in pairs]
    pl.DataFrame(rows).write_csv(tmp_path / "votes.csv")
    sources = [
        Source("one", "pairs", "triplets", (Part((tmp_path / "pairs.json",)),)),
        Source("two", "pairs", "votes", (Part((tmp_path / "votes.csv",)),)),
    ]
    assert ingest_sources(store, sources).frame["version"].n_unique() == 1


def test_a_changed_text_or_a_wrong_key_is_refused_with_its_line(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    shown = write_of(tasks(filled(store, system=SYSTEM), "set", candidates=["system"], images=5).frame, path)
    shown.with_columns(
        judge_1=pl.lit("B"), b=pl.when(pl.int_range(pl.len()) == 2).then(pl.lit("a better text")).otherwise("b")
    ).write_csv(path)
    part = Part((path,), options={"key_file": key_of(path)})
    ingest_sources(store, [Source("mine", "triplets", "votes", (part,))], max_rejected=0.1)
    ((line, reason),) = store.query("select line, reason from rejected").rows()
    assert line == 4
    assert reason.endswith("does not match its texts: the image or a sentence has changed")


def test_pairs_that_a_dataset_has_are_asked_about(store: Store, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(
        "image,b,c,votes_b,votes_c,category,origin_b,origin_c\n"
        "i00,one,two,1,0,MM,x,y\ni00,same,same,1,0,MM,x,y\ni01,three,four,2,1,,,\nelsewhere,p,q,1,0,,,\n"
    )
    ingest_sources(filled(store), [Source("pairs", "pairs", "votes", (Part((tmp_path / "votes.csv",)),))])
    result = tasks(store, "set", candidates=["pairs"], references=3)
    named = as_named(result.frame).unique(["first", "second", "first_origin"], maintain_order=True)
    assert named.select("image", "first", "second", "first_origin").rows() == [
        ("i00", "one", "two", "x"), ("i01", "three", "four", None)
    ]  # fmt: skip
    assert result.frame.height == 6
    assert "1 pair of equal captions skipped: they leave no choice" in result.sentences
    assert any(note.startswith("38 images do not have two candidates: i02, i03, i04, …") for note in result.sentences)
    with pytest.raises(UsageError, match="pairs: brings its own pairs; name it alone"):
        tasks(store, "set", candidates=["pairs", "human"])


def test_what_makes_no_question_is_said(store: Store) -> None:
    rows = [
        ("a", 0, "one caption"),
        ("b", 0, "twins"),
        ("b", 1, "twins"),
        ("c", 0, "un"),
        ("c", 1, "deux"),
        ("c", 2, "x"),
    ]
    system = [("a", 0, "an answer"), ("b", 0, ""), ("c", 0, "trois")]
    filled(store, rows, system=system)
    result = tasks(store, "set")
    assert set(result.frame["image"]) == {"c"}
    assert result.sentences == (
        "1 image does not have two candidates: a",
        "1 pair of equal captions skipped: they leave no choice",
    )
    result = tasks(store, "set", candidates=["system"])
    assert result.sentences == ("1 pair with an empty caption skipped", "1 image has no other captions: a")
    with pytest.raises(UsageError, match=r"set: no questions: .*2 images have fewer than 7 other captions: a, c"):
        tasks(store, "set", candidates=["system"], references=7)


@pytest.mark.parametrize(
    ("named", "settings", "says"),
    [
        (["set"], {}, "its captions are the references; use --candidates human for a held-out one of them"),
        (["system", "system"], {}, "system: named twice"),
        (["intra", "intra"], {}, "neither describes the image"),
        (["nothing"], {}, "nothing: not in"),
        (["elsewhere"], {}, "elsewhere: no image in common with set: its ids look like 'j', those of set like 'i00'"),
        ([], {"form": "quads"}, "--kind quads: expected triplets, pairs, sets"),
        ([], {"form": "pairs", "references": 2}, "without references"),
    ],
)
def test_bad_requests_are_refused_in_one_line(store: Store, named: list[str], settings: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        tasks(filled(store, system=SYSTEM, elsewhere=[("j", 0, "a kite")]), "set", candidates=named, **settings)


def test_votes_stand_until_the_new_questions_are_whole(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tasks(filled(store), "set")
    (tmp_path / "tasks.csv").write_text("votes")

    def half(frame: pl.DataFrame, file: Any) -> None:
        (file.write if hasattr(file, "write") else file.write_bytes)(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", half)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        write(result, tmp_path / "tasks.csv", 3, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.csv"]
    assert (tmp_path / "tasks.csv").read_text() == "votes"


def test_files_that_may_hold_votes_are_not_replaced(store: Store, tmp_path: Path) -> None:
    result = tasks(filled(store), "set")
    told = write(result, tmp_path / "tasks.csv", 3).sentences[-1]
    assert f"--format votes --option key_file={tmp_path}/tasks.key.csv" in told
    with pytest.raises(UsageError, match="already exists, and may hold votes"):
        write(result, tmp_path / "tasks.csv", 3)
    with pytest.raises(UsageError, match=r"with such an ending"):
        write(result, tmp_path / "tasks.xlsx", 3)
    with pytest.raises(UsageError, match="cannot be written"):
        write(result, tmp_path / "nowhere" / "tasks.csv", 3)


def test_lists_of_similar_images_come_back_as_votes_on_them(tmp_path: Path) -> None:
    animals = ("dog", "cat", "bird", "fish")
    references = [
        (f"{animal}{n}", slot, f"{slot} {animal}s here {n}")
        for animal in animals
        for n in range(5)
        for slot in range(4)
    ]
    system = [(image, 0, f"a système on {image}") for image in dict.fromkeys(image for image, *_ in references)]
    with Store.open(MEMORY) as store:
        filled(store, references, system=system)
        asked = tasks(store, "set", candidates=["system"], form="sets", file=tmp_path / "sets.csv").frame
        assert set(asked["kind"]) == {"sets"}
        assert asked.height == 20
        for image, question, b, c in asked.select("image", "question", "b", "c").iter_rows():
            named = question.partition("(")[2].rstrip(")").split(", ")
            assert named[0] == image
            assert sorted(named) == [f"{image[:-1]}{n}" for n in range(5)]
            assert all(f"({place})" in text for text in (b, c) for place in range(1, 6))
        votes = pl.read_csv(tmp_path / "sets.csv").with_columns(judge_1=pl.lit("B"))
        votes.write_csv(tmp_path / "sets.csv")
        key = str(key_of(tmp_path / "sets.csv"))
        part = Part((tmp_path / "sets.csv",), options={"key_file": key})
        ingest_sources(store, [Source("votes", "pairs", "votes", (part,), related=("set",))])
        counted = store.query(
            "select (pair).origin as origin, sum((pair).votes) as votes from annotation where dataset = 'votes' group by 1"
        )
        expected = asked.select(origin="origin_b").group_by("origin").len()
        assert dict(counted.cast({"votes": pl.Int64}).rows()) == dict(expected.rows())
    with pytest.raises(UsageError, match="--references: sets are shown with their images, without references"):
        tasks(store, "set", form="sets", references=2)
