"""A repair may not damage: it changes only what is listed, writes only what is whole, and does so once."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from sizes import some

from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.export import export
from auditor.studies.export.repaired import FIXABLE, NAMED, repaired
from auditor.studies.export.sound import sound
from auditor.studies.findings import findings

KEYS = ["image", "slot"]

#: Correct captions, some of which look like a fault.
GOOD = [
    "A sign reads “CAFÉ” above the door", "Schild „MENÜ“ am Tor", "A board of 3×½ inch", "«\xa0CAFÉ\xa0»",
    "A mass of 10\xa0×\xa011\xa0cm", "“MAÇÃ” on a crate", "A can of NESTLÉ® milk", "Øl – 5 kr", "Straße…", "Ålesund “harbour”",
    "a family 👨\u200d👩\u200d👧 waves", "می\u200cخواهم", "שלום\u200f!", "the people at the back of the photo are missing",
    "the first image has a cart and the second image does not", "a painted sign that says 404 error page not found",
    "lemon cake with sugar on top {recipe}", "campfire at night, stock photo, Code: 400-01234567", "404 error neon sign",
    "a shirt with the word error on it", "a <unk> bus near a wall", "the left picture shows a man, the right one does not",
    "in the before photo there is a car", "The postoperative image shows the screw", "The second image shows a red car",
    "The low quality recording features a ballad song", "The black and white photo shows a street",
    "Note the red car in the corner.", "Note that the lesion is gone in this image.", "Digestive System: a drawing of it",
    "A man. AI: the letters on a wall", "Treatment response: the mass is smaller", "# reacts after a third period",
    "The picture shows how it is made", "A soft melody, creating a calm atmosphere with a piano", "C:\\new is on the screen",
    "6\"\" x 4\"\" board", "AT&T and Tom & Jerry", "10<sup>5</sup> cells", "😀",
    "a man in striped socks is using an object I can't identify properly", "Two people hold some food, I cannot see what it is",
    "A road. The scene suggests a rainy day in a mountainous region.", "in this picture you can see threw a window",
    "A man runs. The scene depicts a casual atmosphere and his joy.", "A bath with a plant, adding a touch of greenery to the space.",
]  # fmt: skip

#: Faulty captions, and what they become: null if nothing usable remains.
BAD = [
    ("a cafÃ© noir", "a café noir"), ("A manâ€™s hat", "A man’s hat"), ("CAFÃ‰ ROYAL", "CAFÉ ROYAL"), ("25Â°C", "25°C"),
    ("Ð½Ð° ÑƒÐ»Ð¸Ñ†Ðµ", "на улице"), ("РџСЂРёРІРµС‚", "Привет"), ("donΓÇÖt", "don’t"), ("na\xc3\u0192\xc2\xafve", "naïve"),
    ("maÅ‚y piÄ™kny", "mały piękny"), ("a Â  red dogÂ  runs", "a red dog  runs"), ("two\u200bdogs", "two dogs"), ("made \u200b\u200bof straw", "made of straw"),
    ("a soft\xadball", "a softball"), ("锘縯wo cats", "two cats"),
    ("<think>I see a dog. It runs.</think>A dog runs.", "A dog runs."), ("<thinking>Hm</thinking>\nA cat.", "A cat."),
    ("I look at it.</think> A cat sits.", "A cat sits."), ("A dog. <reasoning>It may", "A dog."), ("<think>Hm, a dog", None),
    ("<start> a dog runs <end>", "a dog runs"), ("startseq a dog runs endseq", "a dog runs"), ("[CLS] a dog [SEP]", "a dog"),
    ("<s>A dog.</s>", "A dog."), ("<bos>A dog<eos>.<pad><pad>", "A dog."), ("A dog.<|endoftext|>", "A dog."),
    ("The image is missing", None), ("{{title}}", None), ("N/A", None), ("<unk>", None),
    ("The image shows a man. The scene captures the excitement of the game.", "A man."),
    ("The image features a man. The scene also includes a red car.", "A man. There is a red car."),
    ("A man runs. The image also shows two dogs.", "A man runs. There are two dogs."),
    ("A man runs. In the image, we can see a dog.", "A man runs. There is a dog."),
    ("I'm sorry, but I can't assist with that. A dog.", None),
    ("A dog runs on the grass. I cannot identify the people in the image.", "A dog runs on the grass."),
    ("HTTP 500 Internal Server Error", None), ("openai.error.RateLimitError: Rate limit reached for gpt-4o", None), ("Error 429: Too Many Requests", None),
    ("a dog &amp; a cat", "a dog & a cat"), ("<p>A man</p><p>sits</p>", "A man sits"), ('say \\"hi\\" to all', 'say "hi" to all'),
    ('a ""red"" boat', 'a "red" boat'), ('"A ""STOP"" sign."', 'A "STOP" sign.'), ("a boat<br/>at sea", "a boat at sea"), ("two dogs run , two dogs run .", "two dogs run"), (" ".join(["Images are missing"] * 6), None), ("[a boat](http://a.org/b)", "a boat"),
    ("caf\\u00e9 &eacute; &#233;", "café é é"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _reporting_kinds_with_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search for the kinds that could be fixed in what is left; the list of all is in the tests of `--fix`."""
    monkeypatch.setattr("auditor.studies.export.repaired._REPORTED", ("prompt-leaks", *FIXABLE))


def rows_of(texts: list[str]) -> list[tuple[str, int, str]]:
    return [(f"{place:02}.jpg", 0, text) for place, text in enumerate(texts)]


def after(store: Store, texts: list[str], kinds: list[str]) -> list[str | None]:
    ingest_rows(store, rows_of(texts), kind="candidates")
    made = dict(repaired(store, resolve(store, "set"), kinds, None).captions.select("image", "text").iter_rows())
    return [made.get(image) for image, _, _ in rows_of(texts)]


def test_correct_captions_stay(store: Store) -> None:
    assert after(store, GOOD, ["all"]) == GOOD


def test_faulty_captions_are_repaired(store: Store) -> None:
    assert after(store, [text for text, _ in BAD], ["all"]) == [made for _, made in BAD]


@pytest.mark.parametrize(
    ("kind", "before", "made"),
    [
        ("markup", "a &#0; b", "a \ufffd b"),
        ("meta-sentences", "The image shows how it is", "How it is"),
        ("chat-tokens", "A dog (a <eos> b)", "A dog (a b"),
        ("meta-sentences", "A dog in the image", "A dog in the"),
        ("assistant-texts", "Sure, a dog", "a frog"),
        ("markdown-or-json", '*A* "dog"', 'A "dog'),
    ],
)
def test_what_would_come_out_broken_is_not_written(kind: str, before: str, made: str) -> None:
    assert not sound(kind, before, made)


_PARTS = [
    *(f"{text} " for text in GOOD), *(f"{text} " for text, _ in BAD), "The image shows ", "a dog", " runs. ", "<|im_end|>",
    "**", "*", "ASSISTANT: ", "\nUSER: ", '{"caption": "', '"}', "\n- ", "  ", "In this photo, ", "&lt;b&gt;", "<think>", "Sure! ",
    "</think>", '"', "(", "Ã", "\xa0", "â€", "É", "”", "\u200b", "The scene captures the essence of ", "I'm sorry, I can't assist",
]  # fmt: skip


@pytest.mark.parametrize("seed", some([*range(5)], 1))
def test_laws_of_repair(seed: int) -> None:
    """Only listed captions change, a second repair changes nothing, and what is listed afterwards was reported."""
    drawn = random.Random(seed)
    texts = ["".join(drawn.choices(_PARTS, k=drawn.randint(1, 4))) for _ in range(90)]
    with Store.open(MEMORY, write=True) as store:
        ingest_rows(store, [(image, slot, text) for image, slot, text in rows_of(texts)], kind="candidates")
        once = repaired(store, resolve(store, "set"), ["all"], None)
        listed = findings(store, "set", kinds=FIXABLE, captions_only=True).frame.select(KEYS).unique()
        before = content(store, resolve(store, "set")).select(*KEYS, "text")
        unlisted = before.join(listed, on=KEYS, how="anti")
        assert unlisted.join(once.captions, on=[*KEYS, "text"], how="anti").is_empty()
        if once.captions.is_empty():
            return
        ingest_rows(store, once.captions.select(*KEYS, "text").rows(), kind="candidates", dataset="clean")
        again = repaired(store, resolve(store, "clean"), ["all"], None)
        assert again.changes.rows() == []
        found = findings(store, "clean", kinds=FIXABLE, captions_only=True).findings
        reported = dict(once.left.select("kind", "captions").iter_rows())
        assert {one.kind: one.values["captions"] for one in found if one.kind not in NAMED} == {
            kind: number for kind, number in reported.items() if kind in FIXABLE and kind not in NAMED
        }


def test_repeats_and_whitespace_are_fixed_only_by_name(store: Store) -> None:
    ingest_rows(store, [("a", 0, "A dog  runs."), ("a", 1, "A dog  runs."), ("b", 0, "A cat.")])
    fixed = {
        kind: repaired(store, resolve(store, "set"), [kind], None).captions["text"].to_list()
        for kind in ("all", "whitespace", "padded-images")
    }
    assert fixed["all"] == ["A dog  runs.", "A dog  runs.", "A cat."]
    assert fixed["whitespace"] == ["A dog runs.", "A dog runs.", "A cat."]
    assert fixed["padded-images"] == ["A dog  runs.", "A cat."]


def test_a_caption_that_is_changed_and_left_out_counts_once(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of(["Sure! Here is a caption: **N/A**", "**A dog** runs."]), kind="candidates")
    notes = export(store, "set", tmp_path / "x.csv", fix=["all"]).notes
    assert any("1 caption changed (markdown-or-json 1), 1 caption left out (" in note for note in notes)
    changes = pl.read_csv(tmp_path / "x.changes.csv")
    assert changes.columns == ["image", "slot", "kind", "before", "after"]
    assert changes["before"].null_count() == 0
    assert any("; version " in note and " was exported" in note for note in notes)
