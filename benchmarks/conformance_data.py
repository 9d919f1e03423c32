"""What benchmarks/conformance.py scores: captions, their references, what official programs gave for some of them.

A, C: real captions, each against the others of its image. B: judged captions against five references. D: generated to
be hard. E: constructed cases. Captions reach the programs as tokens of tokenizer `bare`, joined by blanks.
"""

from __future__ import annotations

import csv
import os
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from auditor import config
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import request
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.ingest.sources import ingest_sources
from auditor.text import by_rules

#: (image, slot, text).
Row = tuple[str, int, str]
#: Document frequencies, in the working folder.
FREQUENCIES = "flickr8k-test.csv"
_HARD_PAIRS = 2000
_SCENES = 110


@dataclass(frozen=True)
class Item:
    """A caption to score, and what it is scored against; tokens joined by blanks."""

    image: str
    slot: int
    candidate: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Official:
    """Scores that an official program gave, by metric as typed with -m, one an item; null where it gave none."""

    program: str
    scores: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Data:
    """Captions by image, and candidates: a system's, or none, where each caption is held out in turn."""

    name: str
    what: str
    captions: Sequence[Row]
    candidates: Sequence[Row] = ()
    official: Sequence[Official] = ()
    files: Mapping[str, str] = field(default_factory=dict)  # what metrics read from the working folder
    is_for_programs: bool = True  # whether programs score it here, too

    def items(self) -> list[Item]:
        """Give what is scored, in the order of the candidates, or of the captions that are held out."""
        images = _by_image(self.captions)
        return [
            Item(
                image,
                slot,
                text,
                tuple(other for place, other in images[image].items() if self.candidates or place != slot),
            )
            for image, slot, text in _tokenized(self.candidates or self.captions)
        ]

    def for_programs(self) -> dict[str, Any]:
        """Give what a program's process reads, as JSON holds it: items, and documents: the captions of each image."""
        documents = [[*captions.values()] for captions in _by_image(self.captions).values()]
        items = [asdict(item) for item in self.items()]
        return {"held_out": not self.candidates, "documents": documents, "items": items}

    def our_scores(self, metrics: Sequence[str], folder: Path) -> dict[str, list[float]]:
        """Score the items by our metrics, in a new store in a folder. Gives one score an item."""
        asked = [request(metric) for metric in metrics]
        with Store.open(folder / f"{self.name}.duckdb", write=True) as store:
            _write(store, "set", self.captions, folder)
            chosen = HUMAN
            if self.candidates:
                _write(store, "system", self.candidates, folder)
                params = {"system": "system", "system_seq": 1, "system_split": None}
                chosen = CandidateSet("system", "candidate_system", params)
            scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), [chosen], asked)
        keys = pl.DataFrame(
            [(item.image, item.slot) for item in self.items()],
            {"image": pl.String, "slot": scores.schema["slot"]},
            orient="row",
        )
        both = keys.join(scores, on=["image", "slot"], how="left", maintain_order="left")
        return {metric: both[one.label].to_list() for metric, one in zip(metrics, asked, strict=True)}


def load(name: str, most: int | None) -> Data:
    """Make a data set, cut to about `most` items where given. Raises `OSError` where a file of it is missing."""
    return {"A": held_out_photos, "B": judged, "C": held_out_scenes, "D": hard, "E": edge_cases}[name](most)


def held_out_photos(most: int | None) -> Data:
    """Hold out each caption of Flickr8k's test split: 5,000 against 4 references each."""
    rows = _cut_images(_rows_of("flickr8k", "test"), most)
    return Data("A", "Flickr8k test, each caption scored against the other 4 of its image", rows)


def held_out_scenes(most: int | None) -> Data:
    """Hold out each caption of 110 scenes: 5,280 against 47 references each."""
    rows = _rows_of("abstract50s")
    images = list(dict.fromkeys(image for image, _, _ in rows))[:_SCENES]
    rows = [row for row in rows if row[0] in set(images)]
    what = "ABSTRACT-50S, first 110 scenes, each caption scored against the other 47 of its scene"
    return Data("C", what, _cut_images(rows, most))


def judged(most: int | None) -> Data:
    """Take the 5,822 judged captions of Flickr8k, each against the 5 captions of the image it was shown with."""
    folder = _data() / "flickr8k-expert"
    images = pl.read_csv(folder / "judgements")["imageid"].to_list()
    captions = {
        (image, slot): text
        for slot in range(5)
        for image, text in zip(images, (folder / f"ref-{slot}").read_text(encoding="utf-8").splitlines(), strict=True)
    }
    seen: Counter[str] = Counter()
    candidates = []
    for image, text in zip(images, (folder / "candidates").read_text(encoding="utf-8").splitlines(), strict=True):
        candidates.append((image, seen[image], text))
        seen[image] += 1
    rows = sorted((image, slot, text) for (image, slot), text in captions.items())
    oracle = pl.read_parquet(_data().parent / "oracles" / "flickr8k-expert.parquet").sort("row")
    official = [
        Official(program, {metric: oracle[column].to_list()[:most] for metric, column in columns.items()})
        for program, columns in judged_columns(whole=most is None).items()
    ]
    what = "Flickr8k, rated captions scored against 5 references; precomputed official scores"
    return Data("B", what, rows, candidates[:most], official)


def judged_columns(*, whole: bool) -> dict[str, dict[str, str]]:
    """Name the columns of B's official scores: by program, then metric. Some hold for the whole set only."""
    orders = range(1, 5)
    columns = {
        "Wang & Gaizauskas 2016, footnote 4": {f"bleu-{n}": f"bleu{n}" for n in orders},
        "rule of mteval-v13m.pl": {f"bleu-{n}:smooth=mteval": f"bleu{n}_mteval" for n in orders},
        "mteval-v13m.pl": {"bleu-4:smooth=mteval": "bleu4_mteval_script"},
        "METEOR 1.5 -norm": {"meteor": "meteor_norm"},
        "tercom 0.8.0": {"ter": "ter"},
        "cider (authors' program)": {
            "cider:scale=x10": "cider_dataset",
            "cider-d:scale=x10": "ciderd_dataset",
        },
    }
    if whole:
        columns["cider (authors' program)"] |= {
            "cider:idf=run,scale=x10": "cider_items",
            "cider-d:idf=run,scale=x10": "ciderd_items",
        }
    for mode in ("A", "B", "mA", "mB"):
        stem = " -m" if mode[0] == "m" else ""
        columns[f"ROUGE-1.5.5.pl -f {mode[-1]}{stem}"] = {
            rouge(metric, mode[-1], measure, stem=bool(stem)): f"{metric}_{mode}_{letter}"
            for metric in ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")
            for measure, letter in (("f", "F"), ("precision", "P"), ("recall", "R"))
        }
    return columns


def rouge(metric: str, mode: str, measure: str, *, stem: bool, rounding: str = "official") -> str:
    """Spell the metric that one of the script's modes prints."""
    settings = {
        "measure": None if measure == "f" else measure,
        "aggregate": "best" if mode == "B" else None,
        "stem": "true" if stem else None,
        "rounding": rounding if rounding != "none" else None,
    }
    spelt = ",".join(f"{key}={value}" for key, value in settings.items() if value)
    return f"{metric}:{spelt}" if spelt else metric


EDGE_COLUMNS = {
    "Wang & Gaizauskas 2016, footnote 4": {f"bleu-{n}": f"bleu{n}_paper" for n in range(1, 5)},
    "rule of mteval-v13m.pl": {f"bleu-{n}:smooth=mteval": f"bleu{n}_mtevalrule" for n in range(1, 5)},
    "mteval-v13m.pl": {"bleu-4:smooth=mteval": "bleu4_mteval_script"},
    "NLTK, method 3": {f"bleu-{n}:smooth=nltk3": f"bleu{n}_nltk3" for n in range(1, 5)},
    "sacrebleu, sentence BLEU": {
        "bleu-4:smooth=exp": "bleu4_sacre",
        "bleu-1:smooth=exp,effective=true": "bleu1_sacre_eff",
        "bleu-4:smooth=exp,effective=true": "bleu4_sacre_eff",
    },
    "pycocoevalcap Bleu": {f"bleu-{n}:smooth=coco": f"bleu{n}_coco" for n in (1, 4)},
    "pycocoevalcap Rouge": {"rouge-l:aggregate=coco,beta=1.2,ascii=false": "rougeL_coco"},
    "rouge-score, score_multi": {f"rouge-{of}:aggregate=max": f"rouge{of.upper()}_rougescore_max" for of in ("1", "l")},
    "METEOR 1.5 -norm": {"meteor": "meteor_norm"},
    "tercom 0.8.0": {"ter": "ter_tercom"},
    "sacrebleu, TER": {"ter": "ter_sacrebleu"},
    "cider (authors' program)": {
        f"cider{d}:idf=file:{FREQUENCIES},scale=x10": f"cider{d.removeprefix('-')}_f8kdf" for d in ("", "-d")
    },
} | {
    f"ROUGE-1.5.5.pl -f {mode}": {
        rouge(metric, mode, measure, stem=False): f"{metric.upper()}_{mode}_{letter}"
        for metric in ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")
        for measure, letter in (("f", "F"), ("precision", "P"), ("recall", "R"))
    }
    for mode in "AB"
}


def edge_cases(most: int | None) -> Data:
    """Take the constructed cases that are token lists already (the others are about tokenizers), an image each."""
    with (_data().parent / "oracles" / "edge-cases.csv").open(encoding="utf-8", newline="") as file:
        every = [(case, case["refs"].split(" || ")) for case in csv.DictReader(file)]
    cases = [(case, refs) for case, refs in every if tokens(own := [case["candidate"], *refs]) == own][:most]
    for case, refs in cases:
        if not case["candidate"] and "" in refs:
            case["rougeL_coco"] = ""  # which takes an empty text for one empty word
    official = [
        Official(program, {metric: [_number(case[column]) for case, _ in cases] for metric, column in columns.items()})
        for program, columns in EDGE_COLUMNS.items()
    ]
    return Data(
        "E",
        "constructed cases, including empty texts; precomputed official scores (CIDEr's idf: A)",
        [(case["case"], slot, text) for case, refs in cases for slot, text in enumerate(refs)],
        [(case["case"], 0, case["candidate"]) for case, _ in cases],
        official,
        {FREQUENCIES: document_frequencies(_rows_of("flickr8k", "test"))},
        is_for_programs=False,  # the script for ROUGE dies of an empty reference
    )


def document_frequencies(rows: Sequence[Row]) -> str:
    """Count in how many images each n-gram is, n = 1 to 4, as the table that idf=file:… reads."""
    images = _by_image(rows).values()
    counts: Counter[str] = Counter()
    for captions in images:
        words = [caption.split() for caption in captions.values()]
        counts.update({" ".join(w[i : i + n]) for w in words for n in range(1, 5) for i in range(len(w) - n + 1)})
    return "".join(f"{gram},{count}\n" for gram, count in [("gram", "images"), ("", len(images)), *counts.items()])


#: Words that METEOR and ROUGE's stemmer relate, function words, words beyond ASCII, numbers.
_WORDS = (
    *("dog", "dogs", "a", "the", "runs", "running", "run", "car", "automobile", "halted", "stopped", "of", "in"),
    *("big", "large", "café", "naïve", "2", "two", "children", "child", "quickly", "as", "well", "statement", "mans"),
)


def hard(most: int | None) -> Data:
    """Generate pairs in which repetitions, ties, shifts and extremes of length meet: an image each, by a fixed seed."""
    rng = random.Random(20161113)
    captions: list[Row] = []
    candidates: list[Row] = []
    for number in range(_HARD_PAIRS):
        words = rng.sample(_WORDS, rng.choice((2, 3, 5, 12, len(_WORDS))))
        first = _text(rng, words)
        references = [first, *(_text(rng, words) if rng.random() < 0.6 else _changed(rng, first, words) for _ in "123")]
        image = f"pair {number:04}"
        references = references[: rng.randint(1, 4)]
        captions += [(image, slot, " ".join(text)) for slot, text in enumerate(references)]
        said = _CANDIDATES[number % len(_CANDIDATES)](rng, rng.choice(references), words)
        candidates.append((image, 0, " ".join(said)))
    candidates = candidates[:most]
    what = "generated pairs: repeated words, shuffles and moved blocks, 0 to 120 words, 1 to 4 references"
    return Data("D", what, captions, candidates)


def _text(rng: random.Random, words: Sequence[str]) -> list[str]:
    """Draw a text of one word or more; one in fifteen is long."""
    length = rng.randint(30, 120) if rng.random() < 1 / 15 else rng.choice((1, 2, 3, 4, 5, 7, 9, 12, 16))
    return rng.choices(words, k=length)


def _changed(rng: random.Random, text: Sequence[str], words: Sequence[str]) -> list[str]:
    """Move a block, then put other words in the place of some."""
    start, end = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
    rest = [*text[:start], *text[end:]]
    place = rng.randint(0, len(rest))
    moved = [*rest[:place], *text[start:end], *rest[place:]]
    return [rng.choice(words) if rng.random() < 0.2 else word for word in moved]


def _shuffled(rng: random.Random, text: Sequence[str], words: Sequence[str]) -> list[str]:
    del words
    return rng.sample(list(text), len(text))


def _unrelated(rng: random.Random, text: Sequence[str], words: Sequence[str]) -> list[str]:
    del text
    return _text(rng, words)


def _repeating(rng: random.Random, text: Sequence[str], words: Sequence[str]) -> list[str]:
    del words
    return [word for word in text for _ in range(rng.randint(1, 3))][:120]


def _extreme(rng: random.Random, text: Sequence[str], words: Sequence[str]) -> list[str]:
    """Say nothing, one word, everything again, or the same."""
    return rng.choice(([], [rng.choice(words)], [*text, *text][:120], list(text)))


_Draw = Callable[[random.Random, Sequence[str], Sequence[str]], list[str]]
_CANDIDATES: tuple[_Draw, ...] = (_changed, _shuffled, _unrelated, _changed, _repeating, _extreme)


def tokens(texts: Sequence[str]) -> list[str]:
    """Join the tokens of tokenizer bare by blanks."""
    return by_rules.bare(pl.Series(texts, dtype=pl.String)).list.join(" ").to_list()


def _tokenized(rows: Sequence[Row]) -> list[Row]:
    texts = tokens([text for _, _, text in rows])
    return [(image, slot, text) for (image, slot, _), text in zip(rows, texts, strict=True)]


def _by_image(rows: Sequence[Row]) -> dict[str, dict[int, str]]:
    """Give the captions of each image by slot, as tokens."""
    images: dict[str, dict[int, str]] = {}
    for image, slot, text in _tokenized(rows):
        images.setdefault(image, {})[slot] = text
    return images


def _cut_images(rows: Sequence[Row], most: int | None) -> Sequence[Row]:
    """Keep whole images, as many as make `most` captions or a little more."""
    kept = {image for image, _, _ in (rows if most is None else rows[:most])}
    return [row for row in rows if row[0] in kept]


def _rows_of(dataset: str, split: str | None = None) -> list[Row]:
    """Read a declared dataset as the store numbers its captions, sorted by image and slot."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.source(dataset, config.sources())])
        captions = content(store, resolve(store, dataset, split)).sort("image", "slot")
        return captions.select("image", "slot", "text").rows()


def _write(store: Store, dataset: str, rows: Sequence[Row], folder: Path) -> None:
    """Ingest captions as a system's output, which may hold empty ones."""
    path = folder / f"{dataset}.jsonl"
    pl.DataFrame(rows, ["image", "slot", "text"], orient="row").write_ndjson(path)
    ingest_sources(store, config.wanted([dataset], files=[path], file_format="table", kind="candidates"))


def _data() -> Path:
    return Path(os.environ["AUDITOR_DATA"])


def _number(text: str) -> float | None:
    return float(text) if text else None
