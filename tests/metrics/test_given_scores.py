"""Scores that another program computed are metrics: in bounds, correlate and agree, by image and caption or slot."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import auditor
from auditor.errors import MetricError, SourceError
from auditor.files.rows import read_rows
from auditor.scoring.registry import request_of_file, requests

SAID = [
    (f"{image}.jpg", slot, f"a {word} dog {image}") for image in range(12) for slot, word in enumerate(("big", "red"))
]
STARS = ("image_col=image", "caption_col=text", "judge_col=judge", "score_col=stars")


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    return path


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[auditor.Auditor]:
    with auditor.Auditor(tmp_path / "audit.duckdb", write=True) as opened:
        opened.ingest(
            "set", data=[{"image": image, "slot": slot, "caption": text} for image, slot, text in SAID], config={}
        )
        stars = written(
            tmp_path / "stars.csv",
            [
                {
                    "image": image,
                    "text": f"a dog {slot} {image}",
                    "judge": judge,
                    "stars": (int(image[:-4]) + slot) % 5 + 1,
                }
                for image, slot, _ in SAID
                for judge in "ab"
            ],
        )
        opened.ingest("stars", files=[stars], file_format="judgements", options=STARS, config={})
        yield opened


def test_scores_of_a_file_have_bounds_and_correlations(audit: auditor.Auditor, tmp_path: Path) -> None:
    rows = [
        {"image": image, "slot": slot, "clip": len(text) + 0.5 * slot, "cider": int(image[:-4]), "system": "x"}
        for image, slot, text in SAID
    ]
    by_slot = written(tmp_path / "mine.csv", rows)
    found = audit.bounds("set", metrics=[f"scores:{by_slot}"], candidates=["human"]).frame.filter(level="caption")
    means = dict(found.select("metric", "mean").iter_rows())
    assert means == {
        "clip": pytest.approx(sum(row["clip"] for row in rows) / len(rows)),
        "mine.cider": pytest.approx(5.5),  # a metric of the package has the name of the column
    }
    correlated = audit.correlate("set", metrics=["bleu-1"], scores=[by_slot], statistics=["pearson"]).frame
    assert {*correlated["metric_a"], *correlated["metric_b"]} == {"bleu-1", "clip", "mine.cider"}
    assert found["signature"][0].startswith("clip|tok:none|refs:loo|source:")
    with pytest.raises(
        MetricError, match=r"mine\.csv: add column caption: without it, the scores cannot be those of intra"
    ):
        audit.bounds("set", metrics=[f"scores:{by_slot}"], candidates=["human", "intra"])


def test_scores_by_caption_hold_for_drawn_captions_too(audit: auditor.Auditor, tmp_path: Path) -> None:
    images = sorted({image for image, _, _ in SAID})
    rows = [{"image": image, "caption": text, "score": len(text)} for image in images for _, _, text in SAID]
    file = written(tmp_path / "length.csv", rows)
    found = audit.bounds("set", metrics=[f"scores:{file}"], candidates=["human", "intra"]).frame
    assert set(found["metric"]) == {"length"}
    assert set(found["candidate"]) == {"human", "intra"}


def test_scores_of_a_file_are_compared_with_ratings(audit: auditor.Auditor, tmp_path: Path) -> None:
    rows = [
        {"image": image, "caption": f"a dog {slot} {image}", "ours": (int(image[:-4]) + slot) % 5, "theirs": -slot}
        for image, slot, _ in SAID
    ]
    file = written(tmp_path / "scores.csv", rows)
    result = audit.agree("stars", against="set", scores=[file])
    values = {
        (row["metric"], row["statistic"]): row["value"]
        for row in result.frame.filter(pl.col("protocol") == "mean").iter_rows(named=True)
    }
    assert values["ours", "spearman"] == pytest.approx(1)
    assert abs(values["theirs", "spearman"]) < 0.5


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([{"who": "a", "score": 1}], r"no column identifies captions: it has who, score; expected columns image"),
        ([{"image": "0.jpg", "slot": 0, "why": "good"}], r"no column has numbers: it has image, slot, why"),
        (
            [{"image": "0.jpg", "slot": 0, "m": 1}, {"image": "0.jpg", "slot": 1, "m": "x"}],
            r"row 2: m is x: expected a fin",
        ),
        (
            [{"image": "0.jpg", "m": 1}, {"image": "0.jpg", "m": 2}],
            r"different scores of m in 2 rows of the same caption",
        ),
        (
            [{"image": "0.jpg", "slot": 0, "m": 1}],
            r"no score of m for 23 of 24 captions \(human\): image 0\.jpg, slot 1",
        ),
    ],
)
def test_unusable_scores_are_refused_with_their_place(
    audit: auditor.Auditor, tmp_path: Path, rows: list[dict[str, Any]], error: str
) -> None:
    with pytest.raises(MetricError, match=error):
        audit.bounds("set", metrics=[f"scores:{written(tmp_path / 's.csv', rows)}"], candidates=["human"])


@pytest.mark.parametrize(("ending", "apart"), [(".csv", ","), (".tsv", "\t")])
def test_cells_of_a_table_are_texts(tmp_path: Path, ending: str, apart: str) -> None:
    file = tmp_path / f"scores{ending}"
    file.write_text(f"image{apart}score\n007{apart}1.50\n")
    assert read_rows(file, "scores", "columns").rows() == [("007", "1.50")]


def test_files_request_no_scores_and_missing_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match="which a file must not request"):
        request_of_file("scores:a.csv")
    with pytest.raises(SourceError, match="cannot be read as scores"):
        requests([f"scores:{tmp_path / 'none.csv'}"])
    with pytest.raises(SourceError, match="unsupported file of scores"):
        requests(["scores:a.txt"])
