"""What do leave-one-out scores cost with nothing around them? The bare pass, on the tokens of a store.

Tokens are loaded and kernels compiled before the clock starts. With `--scores`, what `auditor score` wrote of the same
store is compared caption by caption, so that both did the same work.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from bare_pass import METRICS, frequency, scores
from measuring import Cost, best, positive, timed
from numpy.typing import NDArray

TOLERANCE = 1e-9

Offsets = NDArray[np.int64]
Tokens = NDArray[np.uint32]


def load(store: Path, dataset: str) -> tuple[pl.DataFrame, Offsets, Offsets, Tokens, Offsets, Tokens]:
    """Give the captions in order (image, slot), and as flat arrays: images, captions and tokens, starts and words.

    Words are what ROUGE reads: each token split into runs of a-z and 0-9, numbered from 1.
    """
    from auditor.store.connection import Store

    with Store.open(store) as opened:
        rows = opened.query(
            "select image, slot, tokens from membership join caption_tokens using (caption_id) "
            "where dataset = $dataset and to_seq is null and tokenizer = 'bare' order by image, slot",
            {"dataset": dataset},
        )
        vocabulary = opened.query("select token_id, token from vocabulary order by token_id")
    images = _offsets(rows.group_by("image", maintain_order=True).len()["len"].to_numpy())
    captions = _offsets(rows["tokens"].list.len().to_numpy())
    flat = rows["tokens"].filter(rows["tokens"].list.len() > 0).explode()
    tokens = np.array(flat, np.uint32)  # a copy: kernels that were compiled for a writable array are not for another
    numbers: dict[str, int] = {}
    spelled = [
        [numbers.setdefault(word, len(numbers) + 1) for word in re.findall("[a-z0-9]+", token.lower())]
        for token in vocabulary["token"]
    ]
    split = np.zeros(vocabulary["token_id"].max() + 1, np.int64)
    split[vocabulary["token_id"].to_numpy()] = [len(words) for words in spelled]
    by_token = _offsets(split)
    every_word = np.array([number for words in spelled for number in words], np.uint32)
    until = _offsets(split[tokens])
    words = every_word[np.repeat(by_token[tokens] - until[:-1], split[tokens]) + np.arange(until[-1])]
    return rows.select("image", "slot"), images, captions, tokens, until[captions], words


def _offsets(lengths: NDArray[np.integer]) -> Offsets:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def measure(
    images: Offsets, captions: Offsets, tokens: Tokens, starts: Offsets, words: Tokens
) -> tuple[NDArray[np.float64], Cost, Cost]:
    """Run the pass once; give scores, the cost of the document frequency, and that of the rest."""
    grams: list[Tokens] = []
    idfs: list[NDArray[np.float64]] = []
    scored: list[NDArray[np.float64]] = []

    def count() -> None:
        for n in range(1, 5):
            numbered, held = frequency(images, captions, tokens, grams[-1] if grams else tokens, n)
            grams.append(numbered)
            idfs.append(np.log(images.size - 1) - np.log(np.maximum(held, 1)))

    counting = timed(count)
    scoring = timed(lambda: scored.append(scores(images, captions, tuple(grams), tuple(idfs), starts, words)))
    return scored[0], counting, scoring


def compile_kernels() -> None:
    """Run the pass on a few words."""
    images, captions = np.array([0, 2, 4], np.int64), np.array([0, 3, 5, 9, 10], np.int64)
    tokens = np.arange(1, 11, dtype=np.uint32)
    measure(images, captions, tokens, captions, tokens)


def differences(keys: pl.DataFrame, scored: NDArray[np.float64], path: Path) -> Mapping[str, float]:
    """Give the largest difference of any caption, by metric. Ends the process where captions or scores are not equal.

    Metrics that only one side has are left out.
    """
    ours = pl.concat([keys, pl.DataFrame(scored, schema=[*METRICS], orient="row")], how="horizontal").filter(
        pl.col(METRICS[0]).is_not_nan()
    )
    rows = pl.read_parquet(path).filter(pl.col("metric").is_in(METRICS))
    theirs = rows.pivot("metric", index=["image", "slot"], values="value")
    known = [metric for metric in METRICS if metric in theirs.columns]
    if not known:
        sys.exit(f"{path} has none of {', '.join(METRICS)}")
    both = ours.join(theirs, on=["image", "slot"], suffix=" of auditor")
    if not both.height == ours.height == theirs.height:
        sys.exit(f"{ours.height} captions here, {theirs.height} in {path}, {both.height} in both")
    found = {metric: (both[metric] - both[f"{metric} of auditor"]).abs().max() for metric in known}
    if wrong := {metric: largest for metric, largest in found.items() if not largest <= TOLERANCE}:
        sys.exit(f"the bare pass and auditor do not compute the same: {wrong}")
    return found


def main(arguments: Sequence[str]) -> None:
    """Measure, compare where asked to, and print it all as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--dataset", default="set")
    parser.add_argument("--repeat", type=positive, default=3)
    parser.add_argument("--scores", type=Path, help="what `auditor score -o FILE.parquet` wrote")
    asked = parser.parse_args(arguments)
    keys, *arrays = load(asked.store, asked.dataset)
    compile_kernels()
    rounds = [measure(*arrays) for _ in range(asked.repeat)]
    counting, scoring = (best([measured[part] for measured in rounds]) for part in (1, 2))
    together = best([measured[1] + measured[2] for measured in rounds])
    scored = rounds[0][0]
    means = dict(zip(METRICS, np.nanmean(scored, axis=0).tolist(), strict=True))
    found = differences(keys, scored, asked.scores) if asked.scores else {}
    print(
        json.dumps(
            {
                "captions": int(np.isfinite(scored[:, 0]).sum()),
                "wall": together.wall,
                "cpu": together.cpu,
                "document frequency, cpu": counting.cpu,
                "scores, cpu": scoring.cpu,
                "means": means,
                "differences": found,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1:])
