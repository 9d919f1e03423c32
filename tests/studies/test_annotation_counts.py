"""What a profile says of ratings, votes, phrases and dirt is what the files hold, counted without a store."""

from __future__ import annotations

import gzip
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from conftest import ingest_rows
from scipy.io import loadmat  # type: ignore[import-untyped]

from auditor import config
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.ingest import ingest_sources
from auditor.studies.profile import profile


def profiled(dataset: str) -> dict[str, float]:
    """Ingest a declared dataset, and give the statistics of its profile."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(None)[dataset]])
        return dict(profile(store, dataset, tokenizer="bare").frame.select("statistic", "value").iter_rows())


def test_judgements_of_experts_are_the_marks_of_their_file(data: Path) -> None:
    lines = (data / "flickr8k" / "ExpertAnnotations.txt").read_text().splitlines()
    marks = [mark for line in lines for mark in line.split("\t")[2:]]
    found = profiled("flickr8k-expert")
    assert (found["judged-captions"], found["judges"], found["judgements"]) == (len(lines), 3, len(marks))


def test_votes_of_a_crowd_are_the_yes_and_no_of_their_file(data: Path) -> None:
    lines = gzip.decompress((data / "flickr8k" / "CrowdFlowerAnnotations.txt.gz").read_bytes()).decode().splitlines()
    votes = [int(yes) + int(no) for _, _, _, yes, no in (line.split("\t") for line in lines)]
    found = profiled("flickr8k-crowd")
    assert found["judgements"] == len(lines)
    assert (found["votes-per-judgement-min"], found["votes-per-judgement-max"]) == (min(votes), max(votes))


def test_votes_on_pairs_are_those_of_the_matlab_file(data: Path) -> None:
    marks = loadmat(data / "pascal50s" / "pair_pascal.mat")["result"][0]["result"]
    votes = [[*map(int, pair.ravel())] for pair in marks]
    counted = [sum(vote != 0 for vote in pair) for pair in votes]
    found = profiled("pascal50s-pairs")
    assert found["pairs"] == len(votes)
    assert (found["pairs-votes-min"], found["pairs-votes-max"]) == (min(counted), max(counted))
    assert found["pairs-tied"] == sum(pair.count(1) == pair.count(-1) for pair in votes)


@pytest.mark.full
def test_phrases_are_the_brackets_of_the_files(data: Path) -> None:
    counts: Counter[str] = Counter()
    images_of: dict[str, set[str]] = {}
    with tarfile.open(data / "flickr30k-entities" / "Sentences.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            for chain, types in re.findall(r"\[/EN#(\d+)/(\S+)", file.read().decode() if file else ""):
                counts["phrases"] += 1
                counts["phrases-not-visual"] += chain == "0"
                counts["phrases-of-several-types"] += "/" in types
                images_of.setdefault(chain, set()).add(member.name)
    visual = [images for chain, images in images_of.items() if chain != "0"]
    counts["chains"] = sum(map(len, visual))
    counts["chain-numbers-on-several-images"] = sum(len(images) > 1 for images in visual)
    found = profiled("flickr30k")
    assert {name: found[name] for name in counts} == counts


#: A text, and the count of a profile that it alone is in.
DIRTY = {
    "captions-with-markup": "a <b>dog</b> runs in the park",
    "captions-with-unprintable-characters": "a dog\u200b runs in the park",
    "captions-with-line-breaks": "a dog runs\nin the park",
    "captions-ending-in-a-line-break": "a dog runs in the park\n",
    "captions-that-look-encoded-twice": "a cafÃ© in the park",
    "captions-with-replacement-characters": "a caf\ufffd in the park",
    "captions-with-blanks-before-punctuation": "a dog , running in the park",
    "captions-of-one-or-two-words": "a park",
}  # fmt: skip


@pytest.mark.parametrize("statistic", DIRTY)
def test_one_dirty_caption_is_one(store: Store, statistic: str) -> None:
    clean = [(f"{n}.jpg", slot, f"a dog runs in park number {n} {slot}") for n in range(9) for slot in range(2)]
    ingest_rows(store, [*clean, ("dirty.jpg", 0, DIRTY[statistic]), ("dirty.jpg", 1, "a cat sits in the old park")])
    found = dict(profile(store, "set", tokenizer="bare").frame.select("statistic", "value").iter_rows())
    assert found[statistic] == 1


@pytest.mark.parametrize(
    ("statistic", "pattern"),
    [
        ("captions-with-markup", r"</?[a-zA-Z][^<>]*>|&#?[a-zA-Z0-9]+;"),
        ("captions-with-line-breaks", r"\S\s*[\r\n]\s*\S"),
        ("captions-with-blanks-before-punctuation", r"\w [.,!?;:](\s|$)"),
    ],
)
def test_dirt_of_real_captions_is_found_by_a_plain_pattern_too(data: Path, statistic: str, pattern: str) -> None:
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(None)["coco-val2017"]])
        texts = content(store, resolve(store, "coco-val2017"))["text"]
        found = dict(profile(store, "coco-val2017").frame.select("statistic", "value").iter_rows())
    plain = sum(re.search(pattern, text.strip(" \t\r\n")) is not None for text in texts)
    assert found.get(statistic, 0) == plain
