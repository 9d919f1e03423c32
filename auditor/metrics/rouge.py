"""ROUGE of one caption as ROUGE-1.5.5 computes it: n-grams, skip-bigrams, longest common subsequences (Lin 2004)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.metrics.card import Metric, Parameter
from auditor.metrics.counting import Kernel
from auditor.metrics.rouge_scoring import Numbers, Pairs, as_printed, flat, ratio, scores, starts_of, unchanged

_LIN = """@inproceedings{lin-2004-rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out}, year = {2004}, pages = {74--81}
}"""

Lengths = NDArray[np.uint32]
Score = Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]
#: By a metric's parameters: the columns that are hits, and how many units a text of each length has.
Units = Callable[[Mapping[str, Any]], tuple[tuple[str, ...], Callable[[Lengths], Numbers]]]

#: ROUGE-W: a run of k tokens weighs k ** 1.2.
_EXPONENT = 1.2
#: ROUGE-SU4: at most so many words between two. N-grams are counted along with skip-bigrams.
_SKIP = 4

_PARAMETERS = {
    "measure": Parameter("f", "f = weighted harmonic mean of precision and recall", ("f", "precision", "recall")),
    "alpha": Parameter(0.5, "weight of precision in F, from 0 to 1 (script: -p)", zero=True),
    "beta": Parameter(
        0.0, "F = (1 + beta²) P R / (R + beta² P) instead, where above 0; coco-caption has 1.2", zero=True
    ),
    "aggregate": Parameter(
        "pooled",
        "pooled = hits and totals added over the references (script: -f A); best = the reference of the highest "
        "recall, the first of equal ones (-f B); mean, max = of the measure over the references; coco = the highest "
        "precision and the highest recall, be they of two references",
        ("pooled", "best", "mean", "max", "coco"),
    ),
    "stem": Parameter(
        False,
        "stem words of more than three characters (script: -m): WordNet's exceptions, else Porter as the script has it",
        (False, True),
        counts=True,
    ),
    "ascii": Parameter(
        True,
        "split tokens into runs of a-z and 0-9 as the script does (café → caf); false keeps every token",
        (True, False),
        counts=True,
    ),
    "rounding": Parameter(
        "none",
        "official = precision and recall to 5 decimals before F, and F: what the script prints",
        ("none", "official"),
    ),
}


def _rewriting(settings: Mapping[str, Any]) -> str | None:
    return {
        (True, False): "rouge",
        (True, True): "rouge-stem",
        (False, True): "stem",
    }.get((settings["ascii"], settings["stem"]))


def _score_units(units: Units) -> Score:
    """Make a scorer of the units that `sql/derive/rouge_pair.sql` has counted."""

    def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
        columns, total = units(parameters)
        starts, of = starts_of(counts)
        hits = np.asarray(np.sum([flat(counts, column) for column in columns], axis=0, dtype=np.float64))
        ours = total(counts["candidate_length"].to_numpy())[of]
        theirs = total(flat(counts, "reference_lengths"))
        pairs = Pairs(starts, of, hits, ours, theirs, lambda: as_printed(ratio(hits, theirs)), unchanged)
        return pl.Series(scores(pairs, parameters))

    return score


def _n_grams(order: int) -> Units:
    columns = ("unigrams",) if order == 1 else ("bigrams",)
    return lambda _: (columns, lambda lengths: np.maximum(lengths.astype(np.float64) - (order - 1), 0.0))


def _skip_bigrams(parameters: Mapping[str, Any]) -> tuple[tuple[str, ...], Callable[[Lengths], Numbers]]:
    """Count unigrams and pairs; `last = official` leaves out the unigram of the last token."""
    counted = parameters["last"] == "counted"
    reach = parameters["skip"] + 1

    def total(lengths: Lengths) -> Numbers:
        length: Numbers = lengths.astype(np.float64)
        unigrams = length if counted else np.maximum(length - 1, 0.0)
        short = np.minimum(length, reach)
        units: Numbers = unigrams + short * (short - 1) / 2 + reach * (length - short)
        return units

    return ("unigrams" if counted else "unigrams_before_last", "skip_bigrams"), total


def _score_l(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score longest common subsequences, which `kernels/lcs.py` has found."""
    starts, of = starts_of(counts)
    hits = flat(counts, "lcs").astype(np.float64)
    ours = counts["candidate_length"].to_numpy().astype(np.float64)[of]
    theirs = flat(counts, "reference_lengths").astype(np.float64)
    pairs = Pairs(starts, of, hits, ours, theirs, lambda: ratio(hits, theirs), unchanged)
    return pl.Series(scores(pairs, parameters))


def _score_w(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score weighted subsequences. The script weights the reference's total twice, k ** 1.44; the paper once."""
    starts, of = starts_of(counts)
    official = parameters["weighting"] == "official"
    hits = flat(counts, "weighted_runs" if official else "weighted_lcs")
    candidate_lengths = counts["candidate_length"].to_numpy()
    reference_lengths = flat(counts, "reference_lengths")
    longest = max(candidate_lengths.max(initial=0), reference_lengths.max(initial=0))
    once = _powers(np.arange(longest + 1, dtype=np.float64), _EXPONENT)
    theirs = once[reference_lengths]
    twice = _powers(once, _EXPONENT)[reference_lengths] if official else theirs
    pairs = Pairs(
        starts, of, hits, once[candidate_lengths][of], twice, lambda: _unweighted(ratio(hits, theirs)), _unweighted
    )
    return pl.Series(scores(pairs, parameters))


def _unweighted(ratios: Numbers) -> Numbers:
    return _powers(ratios, 1 / _EXPONENT)


def _powers(values: Numbers, exponent: float) -> Numbers:
    """Raise by the C library, as the script does: vector units may differ in the last bit, and so in what is a tie."""
    return np.fromiter(map(math.pow, values.tolist(), repeat(exponent)), np.float64, len(values))


def _align(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Find what each candidate has in common, in order, with its references."""
    from auditor.metrics.kernels.columns import sides  # noqa: PLC0415
    from auditor.metrics.kernels.lcs import common_subsequences  # noqa: PLC0415

    del parameters
    candidates = rows["rouge_lcs"].with_columns(candidate_length=pl.col("tokens").list.len().cast(pl.UInt32))
    kept, both = sides(candidates, rows["reference_tokens"])
    sizes, found = common_subsequences(both, _EXPONENT)
    pairs = pl.DataFrame(found._asdict() | {"candidate_no": np.repeat(np.arange(len(kept)), sizes)})
    return kept.hstack(_lists(pairs).drop("candidate_no"))


def _list_units(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Put what each candidate shares with its references beside it; one without references is left out."""
    del parameters
    lists = _lists(rows["rouge_pair"])
    return rows["rouge_n"].join(lists, on="candidate_no", maintain_order="left").drop("candidate_no")


def _lists(pairs: pl.DataFrame) -> pl.DataFrame:
    """Gather the pairs of a candidate, which are neighbours, into lists of a value for each reference."""
    neighbours = pairs.with_columns(pl.col("candidate_no").set_sorted())
    return neighbours.group_by("candidate_no", maintain_order=True).agg(pl.all())


_LCS = Kernel(_align, ("reference_tokens",))
_UNITS = Kernel(_list_units, ("rouge_pair",))


def _rouge(name: str, score: Score, summary: str, edge_cases: str, section: str, **more: Any) -> Metric:
    parameters = _PARAMETERS | more.pop("parameters", {})
    return Metric(
        name=name,
        score=score,
        summary=summary,
        references=(
            "pooled over the references: does not grow with their number, long references weigh more; with best, max "
            "or coco it grows with their number"
        ),
        edge_cases=f"an empty caption scores 0; an empty reference adds to the candidate's total only; {edge_cases}",
        source=f"Lin 2004, {section}; ROUGE-1.5.5.pl -f A -p .5; -m is stem=true",
        bibtex=_LIN,
        parameters=parameters,
        rewriting=_rewriting,
        **more,
    )


CARDS = (
    _rouge(
        "rouge-1",
        _score_units(_n_grams(1)),
        "unigram overlap as ROUGE-1.5.5 `-n 1 -f A` has it: hits and totals pooled over the references",
        "order does not matter",
        "section 2",
        counts="rouge_n",
        kernel=_UNITS,
        counted_with={"skip": _SKIP},
    ),
    _rouge(
        "rouge-2",
        _score_units(_n_grams(2)),
        "bigram overlap as ROUGE-1.5.5 `-n 2 -f A` has it: hits and totals pooled over the references",
        "a text of one word has no bigram, and so scores 0",
        "section 2",
        counts="rouge_n",
        kernel=_UNITS,
        counted_with={"skip": _SKIP},
    ),
    _rouge(
        "rouge-l",
        _score_l,
        "longest common subsequence as ROUGE-1.5.5 has it, a caption being one sentence",
        "coco-caption's ROUGE_L is aggregate=coco,beta=1.2,ascii=false",
        "section 3",
        counts="rouge_lcs",
        kernel=_LCS,
    ),
    _rouge(
        "rouge-w-1.2",
        _score_w,
        "longest common subsequence weighted by runs, f(k) = k^1.2, as ROUGE-1.5.5 `-w 1.2` has it",
        "an identical pair of k words has recall k^-.2 and scores below 1 (k = 8: .795), since the script weights the "
        "reference's length twice; where a reference is empty the script dies, here its total is 0",
        "section 4",
        counts="rouge_lcs",
        kernel=_LCS,
        parameters={
            "weighting": Parameter(
                "official",
                "official = as the script has it: runs by the reference alone, a total of k^1.44; paper = the value of "
                "the weighted table, a total of k^1.2",
                ("official", "paper"),
            )
        },
    ),
    _rouge(
        "rouge-su4",
        _score_units(_skip_bigrams),
        "skip-bigrams, at most 4 words between, and unigrams as ROUGE-1.5.5 `-2 4 -u -f A` has it",
        "the script counts no unigram for the last word, so that a text of one word scores 0",
        "section 5",
        counts="rouge_n",
        kernel=_UNITS,
        parameters={
            "last": Parameter(
                "official",
                "whether the unigram of a text's last word counts: official = no, as in the script; counted = yes",
                ("official", "counted"),
            ),
            "skip": Parameter(_SKIP, "most words between the two of a skip-bigram", zero=True, counts=True),
        },
    ),
)
