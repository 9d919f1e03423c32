"""Each fault is told as its kind, as bad as documented, with captions; good captions are told nothing bad."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.api import Auditor
from auditor.errors import UsageError
from auditor.findings import CAPTION_KINDS, KINDS, severity, tally, told
from auditor.result import SEVERITIES, Finding, Result
from auditor.store.connection import Store
from auditor.studies.findings import findings
from auditor.studies.findings.captions import FINDERS
from auditor.studies.findings.cuts import cut_ends
from auditor.studies.ingest import ingest

WHO = ("man", "woman", "boy", "girl", "dog", "cat", "child", "rider")
DOES = ("runs", "sits", "waits", "sleeps", "stands", "plays", "rests", "jumps")
WHERE = ("park", "street", "garden", "kitchen", "field", "station", "forest", "harbour")

SAID = (
    "A {0} {1} in the {2}.",
    "In the {2} there is a {0} who {1}.",
    "The {0} in this {2} {1}.",
    "Some {2}, where one {0} {1} alone.",
    "One can see how the {0} {1} near a {2}.",
)

#: Sixty-four images of five captions, none like another, all whole.
CLEAN = [
    (
        f"{place:02d}.jpg",
        slot,
        SAID[(slot + place) % 5].format(WHO[place % 8], DOES[place // 8], WHERE[(place + place // 8) % 8]),
    )
    for place in range(64)
    for slot in range(5)
]


def asked(
    store: Store,
    rows: Sequence[tuple[str, int, str]],
    *,
    splits: dict[str, list[str]] | None = None,
    **settings: object,
) -> Result:
    ingest_rows(store, rows, kind="candidates", splits=splits)
    return findings(store, "set", **{"captions_only": True, **settings})  # type: ignore[arg-type]


def with_texts(*texts: str) -> list[tuple[str, int, str]]:
    """Put texts in the place of clean captions, one an image."""
    new = {(f"{place:02d}.jpg", 0): text for place, text in enumerate(texts)}
    return [(image, slot, new.get((image, slot), text)) for image, slot, text in CLEAN]


def one(result: Result, kind: str) -> Finding:
    (found,) = result.found(kind)
    return found


#: Kinds that the clean captions have, since they are made of five sentences.
OF_FIVE = {"common-openings", "common-skeletons", "formulaic"}


def test_clean_captions_are_told_nothing_bad(store: Store) -> None:
    result = asked(store, CLEAN)
    assert {found.kind for found in result.findings if found.severity in SEVERITIES[:2]} <= OF_FIVE


def test_captions_by_one_model_are_told_by_what_they_share_which_is_one_finding(store: Store) -> None:
    objects = [f"{one} {two}" for one in ("red", "old", "big", "wet") for two in WHO]
    rows = [
        (
            f"{place}",
            0,
            f"The image features a {what} with a hat in the {WHERE[place % 8]}, adding to the overall charm.",
        )
        for place, what in enumerate(objects)
    ]
    result = asked(store, rows)
    assert {found.kind for found in result.findings if found.severity == "error"} >= {
        "common-skeletons",
        "meta-sentences",
    }
    (openings,) = result.found("common-openings")
    assert (openings.severity, openings.values["share"]) == ("notice", 1.0)
    (whole,) = result.found("formulaic")
    assert (whole.severity, whole.values["share"]) == ("error", 1.0)
    assert "remarks on the image or its mood 100%" in whole.sentence
    first = result.table("dimensions").frame.row(0)
    assert first == ("like human captions", "100%", "Formulaic captions 100%")
    assert told(result.findings) == [one for one in result.findings if one.kind not in KINDS["formulaic"].parts]


@pytest.mark.parametrize(
    ("kind", "text", "bad"),
    [
        ("personal-data", "A man, call 555-123-4567.", "warning"),
        ("personal-data", "A man, write to a.person@example.org.", "warning"),
        ("web-address", "A man from www.harbour.example.com.", "notice"),
        ("file-names", "IMG_1234.jpg", "warning"),
        ("placeholders", "Image not available.", "warning"),
        ("placeholders", "A <unk> in the park.", "warning"),
        ("markup", "A man &amp; a dog in the park.<br>", "warning"),
        ("broken-characters", "A manâ€™s hat lies in the park.", "warning"),
        ("other-script", "Мужчина сидит на скамейке.", "warning"),
        ("repeated-words", "A man in a park in a park in a park.", "warning"),
        ("captions-without-word", "...", "notice"),
        ("assistant-texts", "Sure! Here is a caption for you: a man sits.", "warning"),
        ("refusals", "I'm sorry, but I can't assist with that request.", "warning"),
        ("api-errors", "Error 429: rate limit exceeded", "warning"),
        ("prompt-leaks", "Describe the image in one sentence.", "warning"),
        ("chat-tokens", "A man sits.<|im_end|>", "warning"),
        ("markdown-or-json", "**A man** sits.", "warning"),
        ("label-or-probability", "man: 0.98, dog: 0.01", "warning"),
        ("meta-sentences", "The image shows a man.", "notice"),
        ("leading-numbers", "2 men on a bench.", "notice"),
        ("guesses", "A man, possibly a sailor, appears to be asleep.", "notice"),
        ("loops", "A man waits here. It rains. A man waits here.", "warning"),
        ("sentence-fragments", "A man sits. The excitement of the game.", "warning"),
        ("mixed-language", "The man sits on a bench und liest in einem Buch mit der Frau.", "warning"),
    ],
)
def test_a_fault_is_told_as_its_kind_and_as_bad_as_documented(store: Store, kind: str, text: str, bad: str) -> None:
    result = asked(store, with_texts(text), kinds=[kind])
    found = one(result, kind)
    assert (found.severity, found.values["captions"], found.n) == (bad, 1, len(CLEAN))
    assert result.frame.filter(kind=kind).select("image", "slot", "text").rows() == [("00.jpg", 0, text)]


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("boilerplate", "{} and adds a touch of old charm to it.", ("notice", 16)),
        ("copied-captions", "Video not available.", ("warning", 15)),
        ("cut-at-limit", "{} beside an old and rather grey wall", ("warning", 16)),
    ],
)
def test_a_fault_of_many_captions_is_told(store: Store, kind: str, text: str, told: tuple[str, int]) -> None:
    """Sixteen of 320 captions have it, cut where it is long; the first copy is left."""
    most = 50 if kind == "cut-at-limit" else None
    rows = [
        (image, slot, text.format(said[:-1])[:most] if slot == 0 and image < "16" else said)
        for image, slot, said in CLEAN
    ]
    found = one(asked(store, rows, kinds=[kind]), kind)
    assert (found.severity, found.values["captions"]) == told


def test_captions_of_the_dataset_that_is_given_are_told(store: Store) -> None:
    ingest_rows(store, [("x", 0, "A woman waits in the old town hall"), ("x", 1, "A dog")], "other")
    rows = with_texts("Today a woman waits in the old town hall.")
    found = one(asked(store, rows, kinds=["contaminated-captions"], against="other"), "contaminated-captions")
    assert (found.severity, found.values["captions"]) == ("notice", 1)
    assert str(found.examples[0]["why"]).startswith("8 words of x#0 of other")


def test_a_fact_about_a_dataset_is_no_row_unless_it_is_named(store: Store) -> None:
    rows = [(f"{place}", 0, f"The bird has a {place} on its wing.") for place in range(20)]
    assert asked(store, rows).frame.filter(kind="common-openings").is_empty()
    assert asked(store, rows, kinds=["common-openings"]).frame.height == 20


def test_rejected_records_are_a_finding_with_lines_and_reasons(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "dirty.csv"
    file.write_text("image,caption\n" + "".join(f"{n},{'' if n % 5 == 0 else f'a dog {n}'}\n" for n in range(20)))
    ingest(store, "dirty", files=[file], max_rejected=1.0, config={})
    found = one(findings(store, "dirty", kinds=["rejected-records"]), "rejected-records")
    assert (found.severity, found.values, found.n) == ("error", {"records": 4, "share": 0.2}, 20)
    assert "empty caption 4. The first: dirty.csv:2, dirty.csv:7" in found.sentence
    assert found.examples[0]["image"] == "dirty.csv:2"


def test_paragraphs_alone_are_not_called_markdown(store: Store) -> None:
    """Paragraphs need no repair if a model may write them; marks of Markdown do."""
    paragraphs = "A man sits.\n\nA dog waits."
    alone = one(asked(store, with_texts(paragraphs), kinds=["markdown-or-json"]), "markdown-or-json").sentence
    both = one(asked(store, with_texts(paragraphs, "**A man** sits."), kinds=["markdown-or-json"]), "markdown-or-json")
    assert "set: captions of several paragraphs, without other signs of Markdown or JSON: 1 of" in alone
    assert "captions in Markdown or JSON, or of several paragraphs: 2 of" in both.sentence


def test_severity_needs_more_than_one_caption_of_many() -> None:
    assert [severity("placeholders", number, 685) for number in (1, 10, 100)] == ["notice", "warning", "error"]
    assert [severity("truncated-captions", number, 10_000) for number in (25, 60)] == ["notice", "warning"]


def test_misspellings_depend_on_the_version_alone(store: Store) -> None:
    rows = with_texts("A man waits in the hrabour.", "A man waits in the arbor.")
    alone = asked(store, rows, kinds=["misspellings"])
    ingest_rows(store, [(f"{place}", 0, "The hrabour") for place in range(9)], kind="candidates", dataset="beside")
    again = findings(store, "set", captions_only=True, kinds=["misspellings"])
    assert alone.frame["why"].to_list() == ["“hrabour”, perhaps “harbour”"] == again.frame["why"].to_list()


def test_captions_in_another_language_are_listed(store: Store) -> None:
    rows = with_texts("Ein alter Mann sitzt auf einer Bank im Garten und liest seine Zeitung.")
    result = asked(store, rows, kinds=["other-language"])
    assert "language de, others en" in one(result, "other-language").examples[0]["why"]


def test_captions_that_break_off_are_told_behind_a_word_and_inside_one(store: Store) -> None:
    rows = with_texts("A man runs in the", "A woman runs in the ki")
    result = asked(store, rows, kinds=["truncated-captions"])
    assert set(result.frame.filter(kind="truncated-captions")["text"]) == {
        "A man runs in the",
        "A woman runs in the ki",
    }


def test_captions_at_a_limit_of_characters_are_told(store: Store) -> None:
    rows = [(image, slot, f"{text[:-1]} beside an old and rather grey wall"[:50]) for image, slot, text in CLEAN]
    long = {(image, slot) for image, slot, text in rows if len(text) == 50}
    told = asked(store, rows, kinds=["truncated-captions"]).frame.select("image", "slot")
    assert len(long) >= 10
    assert long <= set(told.iter_rows())


def test_a_word_one_edit_from_a_frequent_one_is_told_with_it(store: Store) -> None:
    result = asked(store, with_texts("A man runs in the gaeden."), kinds=["misspellings"])
    assert one(result, "misspellings").examples[0]["why"] == "“gaeden”, perhaps “garden”"


def test_captions_that_slipped_by_an_image_are_listed(store: Store) -> None:
    right = [(f"{place:02d}.jpg", 0, f"a {WHO[place % 8]} with hat number {place}") for place in range(64)]
    asked(store, right, kinds=["shifted-captions"])
    slipped = [(image, slot, right[place + 1][2] if 20 <= place < 30 else text)
               for place, (image, slot, text) in enumerate(right)]  # fmt: skip
    found = one(asked(store, slipped, kinds=["shifted-captions"]), "shifted-captions")
    assert (found.severity, found.values["images"]) == ("error", 9)
    assert found.examples[0]["why"] == "has a caption of 21.jpg in set@v1"


def test_padded_images_are_counted_by_captions(store: Store) -> None:
    padded = [(image, slot, text if slot < 2 else "A thing.") for image, slot, text in CLEAN]
    found = one(asked(store, padded, kinds=["padded-images"]), "padded-images")
    assert (found.severity, found.values["captions"]) == ("error", 2 * 64)
    assert found.examples[0]["why"] == "the same words; 3 of 5 captions of the image are distinct"


def test_images_with_fewer_captions_are_told(store: Store) -> None:
    fewer = [row for row in CLEAN if row[1] < 3 or int(row[0][:2]) >= 16]
    found = one(asked(store, fewer, kinds=["uneven-captions"]), "uneven-captions")
    assert (found.severity, found.values["images"], found.n) == ("notice", 16, 64)
    assert found.examples[0]["why"] == "captions: 3; most images have 5"


@pytest.mark.parametrize(("split", "bad"), [("test", "error"), ("train", "warning")])
def test_an_image_under_two_ids_is_an_error_across_splits(store: Store, split: str, bad: str) -> None:
    copied = [*CLEAN, *(("copy.jpg", slot, text) for image, slot, text in CLEAN if image == "00.jpg")]
    images = sorted({image for image, _, _ in CLEAN})
    result = asked(
        store,
        copied,
        splits={split: ["copy.jpg"], "train": images} if split == "test" else {"train": [*images, "copy.jpg"]},
        kinds=["copied-images"],
    )
    found = one(result, "copied-images")
    assert (found.severity, found.values["images"]) == (bad, 2)
    assert "shares 5 of 5 captions with" in found.examples[0]["why"]


def test_one_path_in_several_spellings_is_told(store: Store) -> None:
    spelled = [(f"a/{image}", slot, text) for image, slot, text in CLEAN]
    found = one(
        asked(store, [*spelled, ("a\\00.JPG", 0, "A quiet lake.")], kinds=["images-under-several-names"]),
        "images-under-several-names",
    )
    assert (found.severity, found.values["images"], found.n) == ("warning", 1, 65)
    assert found.examples[0]["why"] == "the path of a/00.jpg"


def test_an_image_in_several_splits_is_told() -> None:
    rows = [{"image": image, "caption": text, "split": "train" if slot else "test"} for image, slot, text in CLEAN[:10]]
    with Auditor(write=True) as audit:
        audit.ingest("set", data=rows, config={})
        found = one(audit.findings("set", kinds=["images-in-several-splits"]), "images-in-several-splits")
    assert (found.severity, found.values["images"], found.examples[0]["why"]) == ("error", 2, "in splits test, train")


def test_a_slot_by_template_is_told(store: Store) -> None:
    rows = [(i, s, f"This image shows a {t.split()[1]}." if s == 2 and int(i[:2]) < 24 else t) for i, s, t in CLEAN]
    result = asked(store, rows, kinds=["templated-slots"])
    assert {(row[0], row[1]) for row in result.frame.select("image", "slot").iter_rows()} >= {
        (f"{place:02d}.jpg", 2) for place in range(24)
    }


def test_listed_words_are_looked_for_by_the_users_list(store: Store, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("Nitwit\n\n", encoding="utf-8")
    rows = with_texts("What a nitwit!")
    assert asked(store, rows, kinds=["listed-words", "file-names"]).found("listed-words") == ()
    found = one(findings(store, "set", words=words, captions_only=True, kinds=["listed-words"]), "listed-words")
    assert (found.severity, found.examples[0]["why"]) == ("warning", "contains “nitwit”")


def test_examples_are_at_most_three_and_differ_in_why(store: Store) -> None:
    rows = with_texts("IMG_1234.jpg", "IMG_1234.jpg", "IMG_1234.jpg", "DSC00012", "a.png")
    result = asked(store, rows, kinds=["file-names"])
    assert [example["why"] for example in one(result, "file-names").examples] == [
        "file name IMG_1234.jpg", "file name DSC00012", "file name a.png",
    ]  # fmt: skip


def test_findings_are_ranked_and_sentences_have_number_share_and_consequence(store: Store) -> None:
    rows = with_texts("IMG_1234.jpg", "see www.harbour.example.com")
    result = asked(store, rows, kinds=["file-names", "web-address", "common-openings"])
    ranks = [SEVERITIES.index(found.severity) for found in result.findings]
    assert ranks == sorted(ranks)
    assert one(result, "file-names").sentence == "set: captions with a file name: 1 of 320 (0.3%)"
    consequences = dict(result.table("findings").frame.select("kind", "consequence").iter_rows())
    assert consequences["file-names"] == KINDS["file-names"].consequence != ""


def test_kinds_are_asked_for_by_name(store: Store) -> None:
    rows = with_texts("IMG_1234.jpg", "see www.harbour.example.com")
    assert {found.kind for found in asked(store, rows, kinds=["web-address"]).findings} == {"web-address"}
    with pytest.raises(UsageError, match=r"--kind webaddress: did you mean web-address\? docs/findings.md lists"):
        findings(store, "set", kinds=["webaddress"])


@pytest.mark.parametrize(("limit", "holds"), [("error", None), ("warning", False), ("notice", False), (None, None)])
def test_fail_on_says_whether_the_result_holds(store: Store, limit: str | None, holds: bool | None) -> None:
    assert asked(store, with_texts("IMG_1234.jpg"), kinds=["file-names"], fail_on=limit).holds is holds


def test_a_tally_counts_the_worst_first_and_knows_plurals() -> None:
    ranks = ["info", "error", "error", "info", "notice"]
    assert tally(Finding("kind", "sentence", severity=rank) for rank in ranks) == "2 errors, 1 notice, 2 info"


def test_fail_on_an_unknown_severity_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="--fail-on bad: expected error"):
        asked(store, CLEAN, fail_on="bad", kinds=["file-names"])


def test_rows_say_where_what_and_why(store: Store) -> None:
    result = asked(store, with_texts("IMG_1234.jpg"), kinds=["file-names"])
    row = result.frame.drop("version").row(0, named=True)
    assert row == {
        "dataset": "set", "split": None, "kind": "file-names", "severity": "warning", "image": "00.jpg", "slot": 0,
        "text": "IMG_1234.jpg", "why": "file name IMG_1234.jpg", "other_image": None, "other_slot": None,
        "other_text": None,
    }  # fmt: skip


def test_every_documented_kind_of_captions_has_a_finder() -> None:
    assert FINDERS.keys() == CAPTION_KINDS.keys()


@pytest.mark.parametrize("kind", CAPTION_KINDS)
def test_severity_rises_with_the_share(kind: str) -> None:
    ranks = [SEVERITIES.index(severity(kind, round(share * 100_000), 100_000)) for share in (0.00001, 0.01, 0.5, 1.0)]
    assert ranks == sorted(ranks, reverse=True)


def test_words_of_models_are_offered_for_comparison_with_human_captions(store: Store) -> None:
    ingest_rows(store, [(f"{n:03}", 0, f"a dog number {n} runs") for n in range(100)], "human")
    rows = [(f"{n:03}", 0, f"The image shows a dog number {n} that runs.") for n in range(100)]
    ingest_rows(store, rows, "model", kind="candidates")
    store.execute("update dataset set related = ['human'] where dataset = 'model'")
    offered = "`auditor words model --against human` compares the words with human captions"
    assert offered in findings(store, "model", kinds=["meta-sentences"]).notes
    assert not any("auditor words" in note for note in findings(store, "human", kinds=["meta-sentences"]).notes)


def test_share_of_cuts_counts_captions_that_end_alike_each() -> None:
    """Ends that a cut surely made are a quarter of all here: ends that are rare otherwise are then probably cut too."""
    ends = pl.DataFrame({
        "before": [1, 2, 3], "word": [4, 5, 6], "size": [7, 7, 7], "is_at_limit": [True, False, False],
        "captions": [25, 60, 15], "chance": [0.0, 0.9, 0.1], "words": [400, 400, 400], "why": ["limit", "usual", "rare"],
        "is_told": [True, True, True],
    })  # fmt: skip
    assert cut_ends(ends)["why"].to_list() == ["limit", "rare"]
    assert cut_ends(ends.with_columns(captions=pl.lit(1)))["why"].to_list() == ["limit"]
