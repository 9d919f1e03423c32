"""The language of a whole set of captions: by frequent words of English, else by a model, else unclear."""

from __future__ import annotations

import polars as pl
import pytest

from auditor.text.language import classified, of_captions

ENGLISH = ["A man rides the horse.", "two dogs run along a beach", "a red bus stops", "the cat sleeps on a mat"]
GERMAN = ["Ein Hund läuft über die Wiese.", "Zwei Männer sitzen auf einer Bank.", "eine Frau mit einem roten Hut"]
SPANISH = ["Un perro corre por la playa.", "dos hombres sentados en un banco", "una mujer con un sombrero rojo"]
RUSSIAN = ["чёрная собака прыгает через барьер", "двое детей играют в снегу", "красный автобус на дороге"]


@pytest.mark.parametrize(("captions", "language"), [(ENGLISH, "en"), (GERMAN, "de"), (SPANISH, "es"), (RUSSIAN, "ru")])
def test_language_of_most_captions_is_named_with_their_number(captions: list[str], language: str) -> None:
    known = of_captions(pl.Series((captions * 10)[:25]))
    assert known.language == language
    assert "25 captions" in known.why


def test_few_short_or_mixed_captions_name_no_language() -> None:
    assert of_captions(pl.Series(GERMAN * 6)).language is None
    assert of_captions(pl.Series(["ein Hund"] * 100)).language is None
    assert of_captions(pl.Series([*GERMAN, *SPANISH, *RUSSIAN] * 5)).language is None


def test_languages_of_a_column_are_those_of_the_package_text_by_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from py3langid import langid

    package = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    captions = [*ENGLISH, *GERMAN, *SPANISH, *RUSSIAN]
    words = [word for caption in captions for word in caption.split()]
    pairs = [f"{first} {second}" for first in words for second in words[::7]]
    odd = ["", " ", "7", "A DOG", "ДВОЕ ДЕТЕЙ", "e\u0301te\u0301", "犬が走る", "👍🏽", "\0", "za" * 9_000]
    texts = [*captions, *words, *pairs, *odd]
    monkeypatch.setattr("auditor.text.language.FEW", 0)
    mine = classified(pl.Series(texts))
    theirs = [package.classify(text) for text in texts]
    assert mine["language"].to_list() == [language for language, _ in theirs]
    assert mine["probability"].to_list() == pytest.approx([sure for _, sure in theirs], abs=1e-5)
    assert classified(pl.Series([], dtype=pl.String)).is_empty()
    monkeypatch.setattr("auditor.text.language.FEW", len(texts) + 1)
    assert classified(pl.Series(texts))["language"].equals(mine["language"])
    assert classified(pl.Series([], dtype=pl.String)).schema == mine.schema


def test_english_needs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.text.language.classified", lambda _: pytest.fail("the model was loaded"))
    assert of_captions(pl.Series(ENGLISH * 10)).language == "en"


def test_numbers_do_not_make_captions_of_one_text_into_many() -> None:
    known = of_captions(pl.Series([f"a bell rings {number}" for number in range(1, 31)]))
    assert known.language is None
    assert known.why == "1 captions that differ in more than numbers are too few to detect it"
    assert classified(pl.Series(["ein Hund 1 2 3"])).rows() == classified(pl.Series(["ein Hund   "])).rows()
