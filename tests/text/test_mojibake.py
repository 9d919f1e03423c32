"""Wrongly decoded texts come back, and others stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.studies.export.repaired import decoded


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a cafÃ©", "a café"),
        ("a manâ€™s hat", "a man’s hat"),
        ("â€œstopâ€\x9d", "“stop”"),
        ("na\u00c3\u0192\u00c2\u00afve", "naïve"),
        ("it\x92s", "it’s"),
        ("\ufeffa dog\u200e", "a dog"),
        ("caf\ufffd", "caf\ufffd"),
        ("Ålesund, Århus: a “harbour”", "Ålesund, Århus: a “harbour”"),
        ("日本 café", "日本 café"),
    ],
)
def test_wrongly_decoded_text_is_decoded_again(text: str, made: str) -> None:
    assert decoded(text) == made


@given(st.text(alphabet="aé Ã©â€™\x92\u200b\ufeff日Â¡", max_size=12))
def test_decoding_twice_changes_nothing(text: str) -> None:
    assert decoded(decoded(text)) == decoded(text)
