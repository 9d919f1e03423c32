"""Words by a rated list: the ratio of abstract to concrete words is that of a hand count."""

from __future__ import annotations

from pathlib import Path

import pytest

import auditor
from auditor.errors import SourceError

NORMS = "Word,Bigram,Conc.M\ndog,0,4.8\nidea,0,1.6\njustice,0,1.4\nbench,0,5.0\nhot dog,1,4.0\n"


@pytest.fixture
def audit(tmp_path: Path) -> auditor.Auditor:
    audit = auditor.Auditor(tmp_path / "audit.duckdb", write=True)
    said = ["A dog on a bench", "the idea of a dog", "Justice for dogs"]
    audit.ingest("set", data=[{"image": f"{n}.jpg", "caption": text} for n, text in enumerate(said)], config={})
    return audit


def test_ratio_of_abstract_to_concrete_words_is_counted(audit: auditor.Auditor, tmp_path: Path) -> None:
    (tmp_path / "norms.csv").write_text(NORMS, encoding="utf-8")
    result = audit.diversity("set", rated_words=tmp_path / "norms.csv")
    values = {row["statistic"]: row for row in result.frame.iter_rows(named=True)}
    assert values["abstract-to-concrete"]["value"] == pytest.approx(2 / 3)  # idea, justice; dog, bench, dog
    assert values["word-rating"]["value"] == pytest.approx((4.8 + 5.0 + 1.6 + 4.8 + 1.4) / 5)
    assert values["rated-words"]["value"] == pytest.approx(5 / 13)
    assert values["abstract-to-concrete"]["signature"].startswith("abstract-to-concrete|tok:bare|words:")
    assert result.table("rated-words").frame.height == 3


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("a,b\ndog,5\n", "has no words with ratings: it has a, b; expected a column of words"),
        ("word,rating\ndog,high\n", "row 1: rating is high: expected a finite number"),
    ],
)
def test_list_without_ratings_is_refused(audit: auditor.Auditor, tmp_path: Path, content: str, error: str) -> None:
    (tmp_path / "norms.csv").write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match=error):
        audit.diversity("set", rated_words=tmp_path / "norms.csv")
