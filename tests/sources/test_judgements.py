"""Judgements: every layout gives the rated captions with their scores; what cannot be a score comes with its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError, UsageError
from auditor.model import Part

CAPTIONS = "a.jpg#0\tA kite .\na.jpg#1\tTwo mugs .\nb.jpg#0\tA boat at sea .\nb.jpg#0\tA second key .\n"


def read(path: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part((path,), options=options), "judgements")))


def ratings(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Image, text, and per judgement judge, score and votes."""
    return [
        (image, text, *[tuple(judgement.values()) for judgement in judgements])
        for image, text, judgements in rows.filter(pl.col("reason").is_null())
        .select("image", "text", "judgements")
        .rows()
    ]


def refused(rows: pl.DataFrame) -> list[tuple[int, str]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()


@pytest.fixture
def token(tmp_path: Path) -> Path:
    path = tmp_path / "captions.token"
    path.write_text(CAPTIONS)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def test_expert_rows_have_three_judges(tmp_path: Path, token: Path) -> None:
    path = tmp_path / "expert.txt"
    path.write_text("a.jpg\tb.jpg#0\t1\t2\t4\r\nb.jpg\tb.jpg#0\t4\t4\t4\n")
    rows = read(path, captions_file=token)
    assert ratings(rows) == [
        ("a.jpg", "A boat at sea .", ("judge-1", 1, 1), ("judge-2", 2, 1), ("judge-3", 4, 1)),
        ("b.jpg", "A boat at sea .", ("judge-1", 4, 1), ("judge-2", 4, 1), ("judge-3", 4, 1)),
    ]
    assert rows["slot"].null_count() == 2
    assert rows["identifier"][0] == "the rating of b.jpg#0 for a.jpg"


def test_crowd_rows_have_a_share_and_its_votes(tmp_path: Path, token: Path) -> None:
    path = tmp_path / "crowd.txt.gz"
    path.write_bytes(gzip.compress(b"a.jpg\ta.jpg#1\t0.333333333333333\t1\t2\na.jpg\tb.jpg#0\t1\t3\t0\n"))
    assert ratings(read(path, captions_file=token)) == [
        ("a.jpg", "Two mugs .", ("crowd", 0.333333333333333, 3)),
        ("a.jpg", "A boat at sea .", ("crowd", 1, 3)),
    ]


def test_expert_faults_are_refused_with_their_line(tmp_path: Path, token: Path) -> None:
    path = tmp_path / "expert.txt"
    path.write_bytes(
        b"a.jpg\tb.jpg#0\t1\t1\t1\na.jpg\ta.jpg#0\t1\t5\t1\na.jpg\ta.jpg#1\t1\t1.5\t2\na.jpg\ta.jpg#1\t1\tx\t2\n"
        b"a.jpg\tz.jpg#0\t1\t1\t1\na.jpg\ta.jpg#1\t1\t2\n\nb.jpg\ta.jpg#\xff\t1\t1\t1\na.jpg\ta.jpg#1\t1\tnan\t2\n"
    )
    rows = read(path, captions_file=token)
    wrong, expected = "a score is not 1, 2, 3 or 4", "expected IMAGE<TAB>CAPTION_ID and three scores from 1 to 4"
    assert refused(rows) == [
        (2, wrong), (3, wrong), (4, wrong), (5, "caption z.jpg#0 is not in captions.token"), (6, expected), (7, expected),
        (8, "not UTF-8 (byte 0xff at column 13)"), (9, wrong),
    ]  # fmt: skip
    assert rows["raw"][1] == "a.jpg\ta.jpg#0\t1\t5\t1"


def test_swapped_counts_of_the_crowd_are_refused_with_their_line(tmp_path: Path, token: Path) -> None:
    path = tmp_path / "crowd.txt"
    path.write_text("a.jpg\tb.jpg#0\t0.25\t1\t3\na.jpg\ta.jpg#0\t0.25\t3\t1\na.jpg\ta.jpg#1\t0\t0\t0\n")
    wrong = "the share of yes does not match the counts of yes and no"
    assert refused(read(path, captions_file=token)) == [(2, wrong), (3, wrong)]


def test_ids_without_captions_ask_for_the_file_that_has_them(tmp_path: Path) -> None:
    path = tmp_path / "expert.txt"
    path.write_text("a.jpg\tb.jpg#0\t1\t2\t4\n")
    with pytest.raises(UsageError, match=r"expert\.txt: names captions by their ids; .*option captions_file"):
        read(path)


def test_captions_file_without_captions_is_named(tmp_path: Path) -> None:
    path, other = tmp_path / "expert.txt", tmp_path / "images.txt"
    path.write_text("a.jpg\tb.jpg#0\t1\t2\t4\n")
    other.write_text("a.jpg\nb.jpg\n")
    with pytest.raises(SourceError, match=r"images\.txt: no captions found"):
        read(path, captions_file=other)
    with pytest.raises(SourceError, match="no such file"):
        read(path, captions_file=tmp_path / "nowhere.token")


ELLIOTT_KELLER = '"id","j1","j2","j3","imageid","textid","refid"\n"0","1","1","2","a.jpg","b.jpg#0","a.jpg#0"\n'


def test_elliott_and_keller_take_captions_from_lines_or_ids(tmp_path: Path, table: Path, token: Path) -> None:
    candidates = tmp_path / "candidates"
    candidates.write_text("a boat at sea\n")
    table.write_text(ELLIOTT_KELLER)
    judges = (("judge-1", 1, 1), ("judge-2", 1, 1), ("judge-3", 2, 1))
    rows = read(table, candidates_file=candidates)
    assert ratings(rows) == [("a.jpg", "a boat at sea", *judges)]
    assert rows["identifier"].item() == "the rating of b.jpg#0 for a.jpg"
    assert ratings(read(table, captions_file=token)) == [("a.jpg", "A boat at sea .", *judges)]
    with pytest.raises(UsageError, match="captions_file"):
        read(table)


def test_elliott_and_keller_faults_are_refused_with_their_line(tmp_path: Path, table: Path) -> None:
    candidates = tmp_path / "candidates"
    candidates.write_text("a boat\na mug\n")
    table.write_text(
        ELLIOTT_KELLER + '"1","1","9","2","b.jpg","a.jpg#0","b.jpg#0"\n"7","1","1","2","b.jpg","a.jpg#1","b.jpg#0"\n'
        '"1","1","1.5","2","b.jpg","a.jpg#0","b.jpg#0"\n"1","1","1","2"\n'
    )
    assert refused(read(table, candidates_file=candidates)) == [
        (3, "score 9 is not a whole number from 1 to 4"),
        (4, "caption 7 is not in candidates"),
        (5, "score 1.5 is not a whole number from 1 to 4"),
        (6, "4 fields; the header has 7"),
    ]


def test_rows_of_one_caption_are_gathered(table: Path) -> None:
    table.write_text(
        "image,caption,judge,score,votes\na.jpg,A kite.,ann,3,2\nb.jpg,A kite.,ann,1,1\n"
        'a.jpg,A kite.,bob,-0.5,1\na.jpg,"Two, or more",ann,4,1\n'
    )
    rows = read(table)
    assert ratings(rows) == [
        ("a.jpg", "A kite.", ("ann", 3, 2), ("bob", -0.5, 1)),
        ("b.jpg", "A kite.", ("ann", 1, 1)),
        ("a.jpg", "Two, or more", ("ann", 4, 1)),
    ]
    assert rows["line"].to_list() == [2, 3, 5]


def test_first_column_may_have_no_name(table: Path) -> None:
    """Tables of pandas begin with the numbers of the rows, below an empty name."""
    table.write_text("\timage\tcaption\tscore\n0\ta.jpg\tA kite.\t3\n1\tb.jpg\tA mug.\t1\n")
    assert ratings(read(table)) == [
        ("a.jpg", "A kite.", ("judge-1", 3, 1)),
        ("b.jpg", "A mug.", ("judge-1", 1, 1)),
    ]


def test_judges_without_a_name_are_numbered(table: Path) -> None:
    table.write_text("img;text;rating\na.jpg;A kite.;3\na.jpg;A kite.;4\nb.jpg;A mug.;1\n")
    assert ratings(read(table)) == [
        ("a.jpg", "A kite.", ("judge-1", 3, 1), ("judge-2", 4, 1)),
        ("b.jpg", "A mug.", ("judge-1", 1, 1)),
    ]


def test_several_scores_of_one_caption_are_those_of_judges(table: Path) -> None:
    table.write_text("image\tcaption\tx\ty\na.jpg\tA kite.\t3\t\nb.jpg\tA mug.\t1\t2\n")
    assert ratings(read(table, score_col="x, y")) == [
        ("a.jpg", "A kite.", ("judge-1", 3, 1)),
        ("b.jpg", "A mug.", ("judge-1", 1, 1), ("judge-2", 2, 1)),
    ]


def test_each_candidate_of_an_image_may_have_its_own_score(table: Path) -> None:
    table.write_text("image,c1,c2,s1,s2\na.jpg,A kite.,Two mugs.,5,1\nb.jpg,A mug.,,2,\nc.jpg,,,,\n")
    rows = read(table, caption_col=("c1", "c2"), score_col="s1,s2")
    assert ratings(rows) == [
        ("a.jpg", "A kite.", ("judge-1", 5, 1)),
        ("a.jpg", "Two mugs.", ("judge-1", 1, 1)),
        ("b.jpg", "A mug.", ("judge-1", 2, 1)),
    ]
    assert refused(rows) == [(4, "no caption and no score")]


COMPOSITE = (
    "HITId;WorkerId;Input.image_url;Input.text1;Input.text2;Answer.Q1Answer;Answer.Q2Answer\n"
    "h1;w1;http://host/a.jpg;A kite.;Two mugs.;4;2\nh2;w2;http://host/a.jpg;A kite.;Two mugs.;5;\n;;;;;4.5;2\n"
)


def test_batches_of_the_composite_set_are_known_by_their_columns(table: Path) -> None:
    table.write_text(COMPOSITE)
    assert sources.guess(Part((table,))) == "judgements"
    rows = read(table, basename=True)
    assert ratings(rows) == [
        ("a.jpg", "A kite.", ("w1", 4, 1), ("w2", 5, 1)),
        ("a.jpg", "Two mugs.", ("w1", 2, 1)),
    ]
    assert refused(rows) == [(3, "no score"), (4, "no image"), (4, "no image")]


def test_faulty_rating_leaves_the_others_of_its_caption(table: Path) -> None:
    table.write_bytes(
        b"image,caption,judge,score,votes\na.jpg,A kite.,ann,3,1\na.jpg,A kite.,bob,good,1\na.jpg,A kite.,cat,,1\n"
        b"a.jpg,A kite.,dan,inf,1\na.jpg,A kite.,eve,2,-1\na.jpg,A \xff kite.,fay,2,1\na.jpg,A kite.,gus,2\n"
        b'a.jpg,"A kite.,hal,2,1\na.jpg,,ian,2,1\na.jpg,A kite.,joe,1,1\n'
    )
    rows = read(table)
    assert ratings(rows)[0] == ("a.jpg", "A kite.", ("ann", 3, 1), ("joe", 1, 1))
    faults = dict(refused(rows))
    assert faults[3] == "score good is not a number"
    assert faults[4] == "no score"
    assert faults[5] == "score inf is not a number"
    assert faults[6] == "votes -1 are not a whole number"
    assert faults[7].startswith("not UTF-8")
    assert faults[8] == "4 fields; the header has 5"
    assert faults[9].startswith("not a record of a delimited table")
    assert faults[10] == "no caption"


def test_captions_of_any_table_can_be_ids(table: Path, token: Path) -> None:
    table.write_text("image,caption,score\na.jpg,b.jpg#0,1\na.jpg,b.jpg#0,2\n")
    assert ratings(read(table, captions_file=token)) == [
        ("a.jpg", "A boat at sea .", ("judge-1", 1, 1), ("judge-2", 2, 1))
    ]


def test_columns_that_do_not_match_are_named(table: Path) -> None:
    table.write_text("image,c1,c2,s1,s2,s3\n")
    with pytest.raises(UsageError, match="2 caption columns and 3 score columns"):
        read(table, caption_col="c1,c2", score_col="s1,s2,s3")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "neither Flickr8k"),
        (b"image,caption\na.jpg,A kite.\n", "a header with columns for image, caption and score .*: image,caption"),
        (b"image,caption,score\n", "holds no record"),
        ("image,caption,score\n".encode("utf-16"), "UTF-16"),
        (b"image,caption,score\ra.jpg,A kite,1\r", "CR only"),
        (b"\x89PNG\r\n\x1a\n", "neither Flickr8k"),
        (b"\x1f\x8b\x08\x00", "damaged compressed file"),
    ],
)
def test_file_without_judgements_is_refused_whole(table: Path, content: bytes, words: str) -> None:
    table.write_bytes(content)
    with pytest.raises(SourceError, match=words):
        read(table)


def test_named_column_that_is_not_there_shows_the_header(table: Path) -> None:
    table.write_text("image,caption,score\na.jpg,A kite.,1\n")
    with pytest.raises(SourceError, match="image,caption,score"):
        read(table, judge_col="who")


@pytest.mark.parametrize(
    ("content", "recognized"),
    [
        ("a.jpg\tb.jpg#0\t1\t2\t4\n", True),
        ("a.jpg\tb.jpg#0\t0.2\t1\t4\n", True),
        (ELLIOTT_KELLER, True),
        (COMPOSITE, True),
        ("image,caption,judge,score\n", True),
        ("image,caption,score\n", False),
        ("a.jpg#0\tA kite .\n", False),
    ],
)
def test_only_what_people_rated_is_guessed_to_be_judgements(table: Path, content: str, recognized: bool) -> None:
    assert sources.FORMATS["judgements"].recognizes(table, content.encode()) is recognized


def test_flickr8k_experts_rate_158_captions_of_the_image_itself(data: Path) -> None:
    folder = data / "flickr8k"
    rows = read(folder / "ExpertAnnotations.txt", captions_file=folder / "Flickr8k.token.txt")
    assert rows["reason"].null_count() == rows.height == 5822
    assert rows["image"].n_unique() == 1000
    assert rows["judgements"].list.len().unique().to_list() == [3]
    assert own_captions(rows) == 158


def test_flickr8k_crowd_rates_721_captions_of_the_image_itself(data: Path) -> None:
    folder = data / "flickr8k"
    path = sources.files.locate(folder / "CrowdFlowerAnnotations.txt")
    rows = read(path, captions_file=folder / "Flickr8k.token.txt")
    votes = rows["judgements"].list.first().struct.field("votes")
    assert rows["reason"].null_count() == rows.height == 47_830
    assert (rows["image"].n_unique(), votes.min(), votes.max()) == (1000, 3, 6)
    assert own_captions(rows) == 721


def own_captions(rows: pl.DataFrame) -> int:
    key = pl.col("identifier").str.extract("^the rating of (.+)#[0-9]+ for ", 1)
    return rows.filter(key == pl.col("image")).height


def test_elliott_and_keller_hold_the_same_judgements_as_the_experts(data: Path) -> None:
    captions = data / "flickr8k" / "Flickr8k.token.txt"
    table = read(data / "flickr8k-expert" / "judgements", captions_file=captions)
    expert = read(data / "flickr8k" / "ExpertAnnotations.txt", captions_file=captions)
    columns = ["image", "text", "identifier", "judgements"]
    assert table.select(columns).sort("identifier").equals(expert.select(columns).sort("identifier"))
    numbered = read(data / "flickr8k-expert" / "judgements", candidates_file=data / "flickr8k-expert" / "candidates")
    assert numbered["reason"].null_count() == numbered.height == 5822


POLARIS = {"imgid": "a.jpg", "mt": "a dog runs", "refs": ["one dog"], "score": 0.75}
JUDGED = {"image": "a.jpg", "candidate": "a dog runs", "references": ["one dog"], "scores": [3, None, 4]}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (POLARIS, [("judge-1", 0.75, 1)]),
        ({"image": "a.jpg", "cand": "a dog runs", "human_score": 4}, [("judge-1", 4, 1)]),
        (JUDGED, [("judge-1", 3, 1), ("judge-3", 4, 1)]),
    ],
)
def test_json_list_of_ratings_is_recognized_and_read(
    tmp_path: Path, record: dict[str, Any], expected: list[tuple[Any, ...]]
) -> None:
    path = tmp_path / "rated.json"
    path.write_text(json.dumps([record, 7, {**record, next(iter(record)): ""}], indent=1))
    assert sources.guess(Part((path,))) == "judgements"
    rows = read(path)
    assert ratings(rows) == [("a.jpg", "a dog runs", *expected)]
    assert refused(rows) == [(2, "not an object"), (3, "no image")]
    assert set(rows["unit"]) == {"record"}
    assert rows["raw"].to_list()[1] == "7"


@pytest.mark.parametrize("names", [("image_id", "caption", "score"), ("image", "candidate", "score")])
def test_score_of_a_caption_alone_need_not_be_of_people(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "scored.json"
    path.write_text(json.dumps([dict(zip(names, ("a.jpg", "a dog runs", 3), strict=True))]))
    assert sources.FORMATS["judgements"].recognizes(path, path.read_bytes()) is False


def test_references_beside_ratings_are_named(tmp_path: Path) -> None:
    path = tmp_path / "polaris.json"
    path.write_text(json.dumps([POLARIS]))
    assert sources.reading(Part((path,)), "judgements").remarks == (
        "references in column refs are not read; ingest them as another dataset: --format table --caption-col refs",
    )
