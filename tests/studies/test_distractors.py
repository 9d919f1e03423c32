"""Forced-choice items: what is exchanged, replaced and shared, that distractors differ, and that a seed makes the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import UsageError
from auditor.model import Part, Source
from auditor.store.connection import MEMORY, Store
from auditor.store.workspace import Workspace
from auditor.studies.distractors import COLUMNS, TASKS, distractors
from auditor.studies.distractors.phrases import bind_words
from auditor.studies.distractors.study import examples as examples_of
from auditor.studies.ingest.sources import ingest_sources

ASKED = [
    "[/EN#1/people A nurse] in [/EN#2/clothing a green coat] helps [/EN#3/people an African farmer] in [/EN#4/scene a barn] .",
    "[/EN#1/people African farmers] rest near [/EN#4/scene a barn] .",
    "[/EN#1/people A nurse] talks to [/EN#3/people a farmer] [/EN#5/scene outside] .",
    "[/EN#1/people A man] watches [/EN#6/people another man] .",
    "[/EN#6/people A group] of [/EN#7/people singers] in [/EN#8/clothing hats] and [/EN#9/clothing scarves] watches [/EN#1/people a nurse] .",
]
TRAINED = [
    "[/EN#1/people A farmer] feeds hens in [/EN#2/scene the old barn] .",
    "[/EN#1/people A tall singer] bows on [/EN#2/scene a stage] .",
    "[/EN#1/people Two painters] rest in [/EN#2/scene a park] .",
    "[/EN#1/people A nurse] sees [/EN#3/people African singers] at [/EN#2/scene a lake] .",
]


def filled(
    store: Store, folder: Path, asked: list[str] = ASKED, trained: list[str] = TRAINED, train: str = "train"
) -> Store:
    """Ingest one image to ask about, and twelve for each training caption."""
    sentences = folder / "Sentences"
    sentences.mkdir(parents=True, exist_ok=True)
    described = {str(201 + place): trained[place % len(trained)] for place in range(12 * len(trained))}
    for name, text in {"101": "\n".join(asked), **described}.items():
        (sentences / f"{name}.txt").write_text(text, encoding="utf-8")
    splits = {"val": folder / "val.txt", train: folder / "train.txt"}
    splits["val"].write_text("101")
    splits[train].write_text("\n".join(described))
    source = Source("set", "captions", "entities", (Part((sentences,)),), splits=splits, split_suffix=".jpg")
    ingest_sources(store, [source])
    return store


def made(store: Store, *tasks: str, **settings: Any) -> list[tuple[str, str]]:
    return distractors(store, "set:val", tasks=tasks, **settings).frame.select("right", "wrong").rows()


def test_every_task_of_the_paper_has_items(store: Store, tmp_path: Path) -> None:
    result = distractors(filled(store, tmp_path), "set:val")
    assert set(result.frame["part"]) == set(TASKS)
    assert result.frame["item"].is_unique().all()
    assert (result.frame["right"] != result.frame["wrong"]).all()


def test_switched_people_keep_the_bag_of_words(store: Store, tmp_path: Path) -> None:
    items = made(filled(store, tmp_path), "switch-people")
    assert ("A nurse in a green coat helps an African farmer in a barn .",
            "An African farmer helps a nurse in a green coat in a barn .") in items  # fmt: skip
    for right, wrong in items:
        assert Counter(right.lower().split()) == Counter(wrong.lower().split())


NOUNS = st.sampled_from(["nurse", "farmer", "African farmer", "small child", "étudiante", "Éire fan"])
LINKS = st.sampled_from(["helps", "and", "with", "is talking to", "holds up", ", ", "waves at", "is kissing"])


@examples(6)
@given(first=NOUNS, link=LINKS, other=NOUNS, opening=st.sampled_from(["", "Here ", '" ']))
def test_any_pair_is_left_out_or_keeps_its_words(
    tmp_path_factory: pytest.TempPathFactory, first: str, link: str, other: str, opening: str
) -> None:
    article = "A" if not opening else "a"
    text = f"{opening}[/EN#1/people {article} {first}] {link} [/EN#2/people the {other}] ."
    with Store.open(MEMORY) as store:
        filled(store, tmp_path_factory.mktemp("pairs"), [text, "[/EN#1/people A nurse] helps [/EN#2/people a child] ."])
        items = distractors(store, "set:val", tasks=["switch-people"]).frame
    plain = re.sub(r"\[/EN#\d/people ([^\]]+)\]", r"\1", text)
    assert set(items["right"]) <= {plain, "A nurse helps a child ."}
    assert (first == other or link not in ("helps", "holds up", "waves at")) == (plain not in set(items["right"]))
    for right, wrong in items.select("right", "wrong").rows():
        assert Counter(right.lower().split()) == Counter(wrong.lower().split())
        assert right[0].isupper() == wrong[0].isupper()


def test_capital_letters_go_with_the_sentence_and_names_keep_theirs(store: Store, tmp_path: Path) -> None:
    asked = [
        "[/EN#1/people African farmers] help [/EN#2/people nurses] .",
        "Here [/EN#1/people an African farmer] waves .",
    ]
    items = made(filled(store, tmp_path, asked), "switch-people")
    assert items == [("African farmers help nurses .", "Nurses help African farmers .")]


@pytest.mark.parametrize("kind", ["person", "scene"])
def test_replacement_is_a_mention_of_the_training_split_with_another_word(
    store: Store, tmp_path: Path, kind: str
) -> None:
    result = distractors(filled(store, tmp_path), "set:val", tasks=[f"replace-{kind}"])
    texts = {re.sub(r"\[/EN#\d/\w+ ([^\]]+)\]", r"\1", text) for text in TRAINED}
    drawn = {"person": ("singer", "painters", "singers"), "scene": ("stage", "park", "lake")}[kind]
    for right, wrong, source in result.frame.select("right", "wrong", "drawn_from").rows():
        new = set(wrong.lower().split()) - set(right.lower().split())
        assert new & set(drawn), wrong
        assert source.partition("#")[0].startswith("2")
        assert any(new <= set(text.lower().split()) for text in texts)


def test_replaced_people_keep_number_and_clothes_go_with_them(store: Store, tmp_path: Path) -> None:
    items = made(filled(store, tmp_path), "replace-person")
    assert "A tall singer helps an African farmer in a barn ." in {wrong for _, wrong in items}
    wrong = {wrong for right, wrong in items if right.startswith("African farmers")}
    assert wrong <= {"Two painters rest near a barn .", "African singers rest near a barn ."}
    assert not any(
        "hats" in wrong or "scarves" in wrong for right, wrong in items if wrong.endswith("watches a nurse .")
    )


def test_drawn_phrases_are_each_once(store: Store, tmp_path: Path) -> None:
    asked = [f"[/EN#{place}/people A child] waves ." for place in range(1, 41)]
    trained = ["[/EN#1/people A man] sings ."] * 9 + ["[/EN#1/people A tall man] sings ."]
    filled(store, tmp_path, asked, trained)
    drawn = {
        draw: Counter(wrong for _, wrong in made(store, "replace-person", draw=draw))
        for draw in ("mentions", "phrases")
    }
    assert drawn["mentions"]["A man waves ."] > 30
    assert 10 <= drawn["phrases"]["A man waves ."] <= 30
    assert drawn["phrases"].keys() == {"A man waves .", "A tall man waves ."}


def test_what_is_drawn_is_in_the_signature_and_changes_replacements_alone(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path)
    mentions, phrases = (distractors(store, "set:val", draw=draw) for draw in ("mentions", "phrases"))
    assert "|draw:mentions|" in mentions.signatures["distractors"]
    assert "|draw:phrases|" in phrases.signatures["distractors"]
    replaced = pl.col("part").str.starts_with("replace-")
    assert phrases.frame.filter(~replaced).equals(mentions.frame.filter(~replaced))
    assert distractors(store, "set:val").frame.equals(mentions.frame)


def test_shared_sentence_has_the_word_and_another_image(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path)
    assert {wrong for _, wrong in made(store, "share-scene", "just-scene-plus")} == {
        "A farmer feeds hens in the old barn ."
    }
    assert ("a barn", "A farmer feeds hens in the old barn .") in made(store, "just-scene-plus")
    persons = {wrong for right, wrong in made(store, "share-person") if right.startswith("A nurse")}
    assert persons == {"A nurse sees African singers at a lake ."}


def test_training_captions_of_an_image_are_never_its_distractors(store: Store, tmp_path: Path) -> None:
    result = distractors(filled(store, tmp_path), "set:train")
    drawn = result.frame.filter(pl.col("drawn_from").is_not_null())
    assert drawn.height
    assert (drawn["image"] != drawn["drawn_from"].str.split("#").list.first()).all()


def test_mention_alone_is_a_part_of_its_caption(store: Store, tmp_path: Path) -> None:
    items = made(filled(store, tmp_path), "just-person", "just-scene")
    assert all(wrong in right for right, wrong in items)
    assert "A group of singers in hats and scarves" in {wrong for _, wrong in items}


def test_items_depend_on_the_seed_and_the_captions_alone(store: Store, tmp_path: Path) -> None:
    frame = distractors(filled(store, tmp_path / "one"), "set:val", seed=3).frame
    with Store.open(MEMORY) as second:
        second.execute("set threads = 1")
        ingest_rows(second, [("z", 0, "an unrelated caption")], "unrelated")
        filled(second, tmp_path / "two")
        assert distractors(second, "set:val", seed=3).frame.equals(frame)
        assert any(
            not distractors(second, "set:val", seed=seed).frame.drop("seed").equals(frame.drop("seed"))
            for seed in (4, 5)
        )
        few = distractors(second, "set:val", tasks=["share-person"], seed=3).frame
        assert few.equals(frame.filter(part="share-person"))


def test_rules_are_counted(store: Store, tmp_path: Path) -> None:
    result = distractors(filled(store, tmp_path), "set:val")
    counts = result.table("counts").frame
    assert dict(counts.filter(pl.col("is") == "kept").select("task", "items").iter_rows()) == dict(
        result.frame.group_by("part").len().iter_rows()
    )
    dropped = counts.filter(pl.col("is") == "dropped").select("task", "rule", "items").rows()
    assert ("switch-people", "talk goes both ways", 1) in dropped
    assert ("switch-people", "near-identical", 1) in dropped
    assert ("replace-scene", "a time, an adverb or any place", 1) in dropped


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_file_has_the_items(store: Store, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"items{ending}"
    frame = distractors(filled(store, tmp_path), "set:val", file=path).frame
    read = pl.read_ndjson(path) if ending == ".jsonl" else pl.read_csv(path)
    assert tuple(read.columns) == COLUMNS
    assert (
        read.select("item", "right", "wrong", "drawn_from").rows()
        == frame.select("item", "right", "wrong", "drawn_from").rows()
    )
    assert set(read["split"]) == {"val"}
    if ending == ".jsonl":
        assert json.loads(path.read_text().splitlines()[0])["slot"] == 0
    with pytest.raises(UsageError, match="already exists"):
        distractors(store, "set:val", file=path)
    distractors(store, "set:val", tasks=["just-scene"], file=path, force=True)
    assert len(path.read_text().splitlines()) < read.height


def test_what_training_splits_count_as_is_declared(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path, train="restval")
    with pytest.raises(
        UsageError,
        match=r"set: replace-person needs training captions, but no split counts as train: its splits are restval, val",
    ):
        distractors(store, "set:val")
    declared = {"set": Source("set", "captions", "entities", (), split_roles={"restval": "train"})}
    by_role = distractors(store, "set:val", config=declared).frame
    assert by_role.equals(distractors(store, "set:val", train="restval").frame)
    assert by_role.equals(distractors(store, "set:val", train="set:restval").frame)
    assert made(store, "just-scene", "switch-people")


@pytest.mark.parametrize(
    ("asked", "settings", "says"),
    [
        (["A nurse waves ."], {}, "set:val: has no annotated phrases"),
        (
            ["[/EN#1/other A kite] flies ."],
            {},
            "set:val: no items: .*no caption of set:val mentions a person; .*a scene",
        ),
        (
            ["[/EN#1/people A man] waves ."],
            {"tasks": ["just-scene"]},
            "just-scene: no caption of set:val mentions a scene",
        ),
        (
            ["[/EN#1/people A man] waves ."],
            {"tasks": ["switch-people"]},
            "no caption of set:val mentions two persons",
        ),
        (["[/EN#1/people A man]"], {"tasks": ["just-person"]}, "just-person: rules leave out every item of set:val"),
        (ASKED, {"tasks": ["swap"]}, "--task swap: expected switch-people, replace-person"),
        (ASKED, {"draw": "words"}, "--draw words: expected mentions or phrases"),
        (ASKED, {"train": "dev"}, "dev: not in"),
        (ASKED, {"train": "plain"}, "plain: has no annotated phrases"),
        (ASKED, {"file": Path("items.txt")}, "items are written as .csv or .jsonl"),
        (ASKED, {"file": Path("nowhere/items.csv")}, "the folder nowhere does not exist"),
    ],
)
def test_bad_requests_are_refused_in_one_line(
    store: Store, tmp_path: Path, asked: list[str], settings: Any, says: str
) -> None:
    filled(store, tmp_path, asked)
    ingest_rows(store, [("z", 0, "a caption without phrases")], "plain")
    with pytest.raises(UsageError, match=says) as refused:
        distractors(store, "set:val", **settings)
    assert "\n" not in str(refused.value)


def test_a_task_without_items_is_told_beside_the_others(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path, ["[/EN#1/people A nurse] waves ."])
    result = distractors(store, "set:val")
    assert set(result.frame["part"]) == {"replace-person", "share-person", "just-person"}
    assert result.notes == (
        "switch-people: no caption of set:val mentions two persons",
        "replace-scene, share-scene, just-scene, just-scene-plus: no caption of set:val mentions a scene",
    )


def test_no_word_is_listed_twice(store: Store) -> None:
    at_work = Workspace(store)
    bind_words(at_work)
    words = at_work.query("select if(class = 'misread', class || sort, class) as class, word from word_class")
    assert words.is_unique().all()


@pytest.mark.full
def test_counts_on_flickr30k_are_near_the_published_ones(store: Store, data: Path) -> None:
    from auditor.config import sources

    ingest_sources(store, [(sources(None) or {})["flickr30k"]])
    frame = distractors(store, "flickr30k:val").frame
    phrases = distractors(store, "flickr30k:val", tasks=["replace-person", "replace-scene"], draw="phrases").frame
    published = {
        "replace-person": 5816, "replace-scene": 2513, "share-person": 4595, "share-scene": 2620,
        "just-person": 5811, "just-scene": 2624, "just-scene-plus": 2620,
    }  # fmt: skip
    counts = dict(frame.group_by("part").len().iter_rows())
    for task, number in published.items():
        assert counts[task] == pytest.approx(number, rel=0.15)
    for task, number in phrases.group_by("part").len().iter_rows():
        assert number == pytest.approx(published[task], rel=0.15)
    assert 150 <= counts["switch-people"] <= 296  # the published ones were pruned by hand
    switched = frame.filter(part="switch-people")
    assert all(
        Counter(a.lower().split()) == Counter(b.lower().split()) for a, b in switched.select("right", "wrong").rows()
    )


def test_a_replacement_leaves_no_half_of_a_phrase_behind(store: Store, tmp_path: Path) -> None:
    asked = [
        "[/EN#1/people A man] in [/EN#2/clothing a hat] and [/EN#3/other a cane] walks .",
        "[/EN#1/people A man] in [/EN#2/clothing a hat] and [/EN#3/people a child] walk .",
        '[/EN#1/people A man] reads " [/EN#4/people Boss] " .',
        "Tired [/EN#5/people guest] sleeps .",
    ]
    result = distractors(filled(store, tmp_path, asked), "set:val", tasks=["replace-person"])
    assert result.frame.select("slot", "item").rows() == [
        (slot, f"replace-person/101.jpg#{slot}/{mention}") for slot, mention in ((1, 0), (1, 1), (2, 0))
    ]
    rules = set(result.table("counts").frame["rule"].drop_nulls())
    assert rules == {"half of a list of clothes", "in quotation marks", "no article: half of a longer phrase"}


def test_a_scene_keeps_its_preposition_and_a_pronoun_its_person(store: Store, tmp_path: Path) -> None:
    asked = ["[/EN#1/people A child] washes his hands in [/EN#2/scene a river] ."]
    trained = [
        "[/EN#1/people A woman] sits in [/EN#2/scene a park] .",
        "[/EN#1/people A man] sits on [/EN#2/scene a roof] .",
    ]
    items = made(filled(store, tmp_path, asked, trained), "replace-person", "replace-scene")
    assert [wrong for _, wrong in items] == [
        "A man washes his hands in a river .",
        "A child washes his hands in a park .",
    ]


@pytest.mark.parametrize(("items", "caption"), [(1, None), (2, "1 more: -o FILE.csv or FILE.jsonl writes them")])
def test_examples_show_one_item_and_count_the_others(items: int, caption: str | None) -> None:
    rows = [{"part": "just-scene", "image": str(n), "right": "a", "wrong": "b"} for n in range(items)]
    assert examples_of(pl.DataFrame(rows)).caption == caption
