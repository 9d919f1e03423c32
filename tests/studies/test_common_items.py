"""Sets are compared on what both have: who skips hard items does not win, and no name decides a number."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence

import make_gold_common
import polars as pl
import pytest
from conftest import ROOT, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from make_gold_printed import CAPTIONS
from sizes import examples

from auditor.errors import UsageError
from auditor.metrics.meteor import resources
from auditor.model import Kind
from auditor.statistics.common_items import Coverage
from auditor.store.connection import MEMORY, Store
from auditor.studies.compare import compare
from auditor.studies.objects import objects
from auditor.studies.score import score

IMAGES = [f"i{number:02}" for number in range(12)]

_WORDS = "a dog cat man runs sits near the red ball car on grass".split()


def caption(image: str, slot: int, words: int = 6) -> str:
    drawn = random.Random(f"{image} {slot}")
    return " ".join(drawn.choice(_WORDS) for _ in range(words))


@pytest.fixture(scope="module")
def shared() -> Iterator[Store]:
    """References, their objects, and systems that say the same of the images that they describe."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, [(image, slot, caption(image, slot)) for image in IMAGES for slot in range(3)], "refs")
        listed = [(image, 0, "cat" if number % 2 else "dog") for number, image in enumerate(IMAGES)]
        ingest_rows(store, listed, "list", "objects")
        system(store, "whole", IMAGES)
        yield store


def system(store: Store, name: str, images: Sequence[str], kind: Kind = "candidates", slots: int = 1) -> str:
    ingest_rows(
        store, [(image, slot, caption(image, slot + 9)) for image in images for slot in range(slots)], name, kind
    )
    return name


SUBSETS = st.lists(st.sampled_from(IMAGES), min_size=1, max_size=11, unique=True).map(sorted)

_NUMBER = iter(range(10**6))


def named() -> str:
    return f"part{next(_NUMBER)}"


def is_even(rows: pl.DataFrame, difference: str = "difference", p: str = "p") -> bool:
    known = rows.drop_nulls(difference)
    return known.height > 0 and set(known[difference]) == {0.0} and set(known[p]) == {1.0}


@examples(2)
@given(SUBSETS)
def test_who_skips_images_does_not_win_by_scores(shared: Store, images: list[str]) -> None:
    name = system(shared, named(), images)
    found = score(shared, "refs", candidates=["whole", name], metrics=["bleu-4", "cider"], resamples=100)
    assert is_even(found.table("means").frame)
    assert found.lead[0] == f"Warning: {name} and whole are compared on {len(images)} of 12 images."
    frame = score(shared, "refs", candidates=["whole", name], preset="sacrebleu", resamples=100).frame
    assert is_even(frame)
    assert set(frame["images"]) == {len(images)}
    assert frame.filter(candidate=name)["value"].to_list() == frame.filter(candidate="whole")["value"].to_list()


@examples(2)
@given(SUBSETS)
def test_who_skips_images_does_not_win_by_objects(shared: Store, images: list[str]) -> None:
    name = system(shared, named(), images)
    found = objects(shared, "whole", name, listing="list", resamples=100)
    assert is_even(found.frame.filter(pl.col("object").is_null()))
    assert found.lead[0] == f"Warning: {name} and whole are compared on {len(images)} of 12 images."


@examples(2)
@given(st.lists(st.sampled_from(IMAGES), min_size=4, max_size=11, unique=True).map(sorted))
def test_datasets_of_the_same_images_are_compared_on_common_ones(shared: Store, images: list[str]) -> None:
    """Equal captions of an image show that two datasets describe the same images."""
    a, b = (system(shared, named(), some, "captions", 3) for some in (IMAGES, images))
    found = compare(shared, a, b, metrics=["rouge-1"], resamples=100)
    tests = found.frame.filter(pl.col("difference").is_not_null())
    assert set(tests["statistic"]) >= {"upper", "homogeneity"}
    assert is_even(tests)
    assert f"Warning: {b} and {a} are compared on {len(images)} of 12 images." in found.lead


def test_common_items_are_scored_as_the_program_does(store: Store) -> None:
    """CIDEr weighs words by the compared images; with empty captions, by all."""
    gold = json.loads((ROOT / "tests" / "gold" / "common.json").read_text(encoding="utf-8"))
    rows = [(image, slot, text) for image, (some, *_) in CAPTIONS.items() for slot, text in enumerate(some)]
    ingest_rows(store, rows)
    for at, name in enumerate(("first", "second"), 1):
        images = CAPTIONS if name == "first" else make_gold_common.SOME
        ingest_rows(store, [(image, 0, str(CAPTIONS[image][at])) for image in images], name, "candidates")
    lacks = {name for name in ("METEOR",) if not _has_meteor()}

    def values(system: str, missing: str) -> Mapping[str, float]:
        frame = score(store, "set", candidates=["first", "second"], preset="coco", missing=missing, resamples=0).frame
        return dict(frame.filter(candidate=system).select("metric", "value").iter_rows())

    for system_name, missing in (("first", "common"), ("second", "common"), ("second", "empty")):
        expected = {name: one for name, one in gold[missing][system_name].items() if name not in lacks}
        assert values(system_name, missing) == pytest.approx(expected, abs=1e-10)


def _has_meteor() -> bool:
    try:
        resources.package()
    except Exception:  # noqa: BLE001  # whatever is missing
        return False
    return True


def test_three_systems_that_skip_different_images(shared: Store) -> None:
    a, b, c = (system(shared, named(), some) for some in (IMAGES[:9], IMAGES[3:], IMAGES[6:] + IMAGES[:2]))
    found = score(shared, "refs", candidates=[a, b, c], metrics=["cider:scale=x10"], resamples=100)
    means = found.table("means").frame.filter(metric="cider:scale=x10")
    assert means.select("candidate", "images", "difference", "p").rows() == [
        (a, 9, None, None), (b, 6, 0.0, 1.0), (c, 5, 0.0, 1.0),
    ]  # fmt: skip
    assert [line for line in found.lead if line.startswith("Warning")] == [
        f"Warning: {b} and {a} are compared on 6 of 12 images.",
        f"Warning: {c} and {a} are compared on 5 of 12 images.",
    ]


def test_empty_captions_stand_beside_and_say_whether_they_decide(shared: Store) -> None:
    name = system(shared, named(), IMAGES[:6])
    found = score(shared, "refs", candidates=["whole", name], metrics=["bleu-1"], resamples=100)
    beside = found.table("means").frame.filter(candidate=name).row(0, named=True)
    empty = score(shared, "refs", candidates=["whole", name], metrics=["bleu-1"], missing="empty", resamples=100)
    row = empty.table("means").frame.filter(candidate=name).row(0, named=True)
    assert beside["empty_difference"] == row["difference"]
    assert row["p"] is None  # twelve images are too few for a p
    assert row["difference"] < 0
    assert found.lead[1].startswith(
        f"With empty captions for what {name} lacks, the sign of the difference changes by bleu-1"
    )
    assert empty.lead == (f"Warning: {name} lacks 6 of 12 images, which count as empty captions.",)
    assert empty.frame.filter(candidate=name).height == 12


def test_sentence_names_what_lacks_images_whichever_is_first(shared: Store) -> None:
    name = system(shared, named(), IMAGES[:6])
    for order in (["whole", name], [name, "whole"]):
        found = score(shared, "refs", candidates=order, metrics=["bleu-1"], resamples=100)
        assert found.lead[1].startswith(f"With empty captions for what {name} lacks, ")


def test_what_cannot_be_compared_is_one_error(shared: Store) -> None:
    a, b = (system(shared, named(), some) for some in (IMAGES[:6], IMAGES[6:]))
    with pytest.raises(UsageError, match=f"{b}: no images in common with {a}; leave it out, or set --missing empty"):
        score(shared, "refs", candidates=[a, b], metrics=["bleu-1"])
    with pytest.raises(UsageError, match=f"{a}: 6 of 12 images are missing: i06, i07, i08, …; add them"):
        score(shared, "refs", candidates=["whole", a], metrics=["bleu-1"], missing="error")
    with pytest.raises(UsageError, match="--missing none: expected common, empty or error"):
        score(shared, "refs", candidates=[a], metrics=["bleu-1"], missing="none")


def test_one_common_image_has_scores_but_no_cider(shared: Store) -> None:
    name = system(shared, named(), IMAGES[:1])
    means = score(shared, "refs", candidates=["whole", name], metrics=["bleu-1", "cider"], resamples=100).table("means")
    rows = means.frame.filter(candidate=name).select("metric", "difference", "p").rows()
    assert rows[:2] == [("bleu-1", 0.0, 1.0), ("cider", None, None)]
    alone = score(shared, "refs", candidates=["whole", name], metrics=["cider"], resamples=0)
    assert any(line.startswith(f"{name}: no value for cider, cider:scale=x10: with one image") for line in alone.lead)
    row = score(shared, "refs", candidates=name, preset="coco", resamples=0).frame.filter(metric="CIDEr")
    assert row["value"].to_list() == [None]
    assert row["reason"][0].startswith("with one image")


def test_pairs_and_gaps() -> None:
    every = set("abcd")
    some = Coverage(every, {"one": set("abc"), "two": set("bcd"), "three": set("d") | set("a")})
    assert [some.pair(label) for label in some.of] == [("a", "b", "c"), ("b", "c"), ("a",)]
    assert Coverage(every, {"one": every, "two": set("bc")}).pair("one") == ("b", "c")
    together = Coverage(every, {"one": set("abc"), "two": set("bcd"), "three": every}, together=True)
    assert {together.pair(label) for label in together.of} == {("b", "c")}
    assert Coverage(every, {"one": every}).lead() == []


def test_no_number_of_a_preset_depends_on_a_name(shared: Store) -> None:
    other = system(shared, named(), IMAGES[2:], slots=1)
    twins = [system(shared, f"{name}-twin", IMAGES[1:9]) for name in ("a", "z")]
    a, z = (score(shared, "refs", candidates=[other, one], resamples=40, preset="sacrebleu").frame for one in twins)
    assert a.drop("candidate").equals(z.drop("candidate"))


def test_no_draw_of_datasets_depends_on_a_name(store: Store) -> None:
    """Captions of other datasets are drawn in the order of their versions."""
    sets = {
        name: [(f"{name}{n}", slot, caption(f"{name}{n}", slot)) for n in range(6) for slot in range(3)]
        for name in "abc"
    }
    for name, rows in sets.items():
        ingest_rows(store, rows, name)
        ingest_rows(store, rows, {"a": "z", "b": "y", "c": "x"}[name])
    found = [compare(store, *names, metrics=["rouge-1", "cider"], resamples=100).frame for names in ("abc", "zyx")]
    numbers = [frame.select(pl.exclude("dataset", "against", "drawn_from", "^rank.*$")) for frame in found]
    assert numbers[0].equals(numbers[1])


def test_a_rule_that_nothing_reads_is_refused(shared: Store) -> None:
    with pytest.raises(UsageError, match="--missing: only for --candidates or --preset"):
        score(shared, "refs", metrics=["bleu-1"], missing="empty")
    with pytest.raises(UsageError, match="--missing empty: compare needs what captions say"):
        compare(shared, "refs", system(shared, named(), IMAGES[:5]), metrics=["bleu-1"], missing="empty")
