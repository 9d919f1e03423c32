"""METEOR's paraphrase table as a tree of words, which kernels walk along a caption to find its phrases.

A phrase is a node, and its path the words. Nodes are numbered level by level, with the children of a node adjacent and
in order of their words. The table (5.3 million pairs of phrases of one to seven words) becomes 60 MB of flat arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.arrays import NDArray, np
from auditor.metrics.kernels.columns import flat

ROOT = 0


class PhraseTable(NamedTuple):
    """The tree and the table over it; node 0 is the root.

    The children of node n are `children[n]` to `children[n + 1] - 1`, each with its last word, `word`. The paraphrases
    of n are `target[targets[n]:targets[n + 1]]`, nodes in the order of METEOR's file, which decides between equal
    alignments. `is_phrase` is true for phrases of the table, false for beginnings of phrases.
    """

    word: NDArray[np.int32]
    children: NDArray[np.int32]
    is_phrase: NDArray[np.bool_]
    targets: NDArray[np.int32]
    target: NDArray[np.int32]


def build(gz: Path) -> dict[str, pl.DataFrame]:
    """Read `paraphrase-en.gz` (three lines per pair: probability, source, target; sorted by source) into tables."""
    lines = pl.read_csv(gz, has_header=False, separator="\x1f", quote_char=None, schema={"line": pl.String})["line"]
    pairs = pl.DataFrame({"source": lines.gather_every(3, 1), "target": lines.gather_every(3, 2)})
    del lines
    phrases = pl.concat([pairs["source"], pairs["target"]]).unique().to_frame("phrase").with_row_index("at")
    spelled = phrases.select("at", word=pl.col("phrase").str.split(" ")).explode("word")
    vocabulary = spelled["word"].unique().sort().to_frame("word").with_row_index("number")
    numbers = spelled.select("word").join(vocabulary, on="word", how="left", maintain_order="left")["number"]
    levels, node_of_phrase = _grow(numbers.to_numpy(), spelled["at"].to_numpy(), phrases.height)
    placed = phrases.select("phrase", node=pl.Series(node_of_phrase))
    ends = {
        side: pairs.select(phrase=side).join(placed, on="phrase", how="left", maintain_order="left")["node"].to_numpy()
        for side in ("source", "target")
    }
    by_source = np.argsort(ends["source"], kind="stable")  # rows of one source keep the order of the file
    parents, words = (np.concatenate(column) for column in zip(*levels, strict=True))
    nodes = len(words)
    is_phrase = np.zeros(nodes + 1, dtype=np.bool_)  # a row follows the nodes, where those of the last one end
    is_phrase[node_of_phrase] = True
    tree = pl.DataFrame(
        {
            "word": np.append(words, -1).astype(np.int32),
            "children": np.searchsorted(parents, np.arange(nodes + 1), "left").astype(np.int32),
            "is_phrase": is_phrase,
            "targets": np.searchsorted(ends["source"][by_source], np.arange(nodes + 1), "left").astype(np.int32),
        }
    )
    target = pl.DataFrame({"target": ends["target"][by_source].astype(np.int32)})
    return {"phrase_word": vocabulary.select("word"), "phrase": tree, "paraphrase": target}


def _grow(
    words: NDArray[np.uint32], phrase: NDArray[np.uint32], phrases: int
) -> tuple[list[tuple[NDArray[np.int64], NDArray[np.int64]]], NDArray[np.int64]]:
    """Build the tree. Returns parents and last words of the nodes of each level, and the node of each phrase.

    `words` are the words of all phrases one after another, `phrase` the number of the phrase of each.
    """
    starts = np.flatnonzero(np.r_[True, phrase[1:] != phrase[:-1]])
    lengths = np.diff(np.r_[starts, len(phrase)])
    at = np.full(phrases, ROOT, dtype=np.int64)
    levels = [(np.array([-1]), np.array([-1]))]
    count = 1
    for depth in range(int(lengths.max())):
        longer = np.flatnonzero(lengths > depth)
        edges = at[longer] << 16 | words[starts[longer] + depth]
        distinct, position = np.unique(edges, return_inverse=True)
        at[longer] = count + position
        levels.append((distinct >> 16, distinct & 0xFFFF))
        count += len(distinct)
    return levels, at


def table(frames: Mapping[str, pl.DataFrame]) -> PhraseTable:
    """Convert the tables of `build` to arrays."""
    tree = {name: flat(frames["phrase"][name]) for name in ("word", "children", "is_phrase", "targets")}
    return PhraseTable(**tree, target=flat(frames["paraphrase"]["target"]))
