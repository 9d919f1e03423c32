"""ROUGE of a caption, as computed by ROUGE-1.5.5: n-grams, skip-bigrams, longest common subsequences (Lin 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.metrics.card import Counting, Metric, Parameter
from auditor.metrics.rouge import subsequences, units
from auditor.metrics.rouge.scoring import Score

_LIN = """@inproceedings{lin-2004-rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out}, year = {2004}, pages = {74--81}
}"""

#: ROUGE-SU4: at most so many words between two. N-grams are counted together with skip-bigrams.
_SKIP = 4

_PARAMETERS = {
    "measure": Parameter("f", "f = weighted harmonic mean of precision and recall", ("f", "precision", "recall")),
    "alpha": Parameter(
        0.5,
        "weight of precision in F, from 0 to 1 (script: -p)",
        zero=True,
        matters=lambda settings: settings["measure"] == "f" and not settings["beta"],
    ),
    "beta": Parameter(
        0.0,
        "if above 0: F = (1 + beta²) P R / (R + beta² P); coco-caption uses 1.2",
        zero=True,
        matters=lambda settings: settings["measure"] == "f" and settings["beta"] > 0,
    ),
    "aggregate": Parameter(
        "pooled",
        "pooled = hits and totals added over the references (script: -f A); best = the reference with the highest "
        "recall, the first if equal (-f B); mean, max = of the measure over the references; coco = the highest "
        "precision and the highest recall, even from two references",
        ("pooled", "best", "mean", "max", "coco"),
    ),
    "stem": Parameter(
        False,
        "stem words of more than three characters (script: -m): WordNet's exceptions, else Porter as in the script",
        (False, True),
        counts=True,
    ),
    "ascii": Parameter(
        True,
        "split tokens into runs of a-z and 0-9, as in the script (café → caf); false keeps every token",
        (True, False),
        counts=True,
    ),
    "rounding": Parameter(
        "none",
        "official = round precision and recall to 5 decimals before F, and F, as the script prints them",
        ("none", "official"),
    ),
}


_SKIPPED = Parameter(_SKIP, "most words between the two of a skip-bigram", zero=True, counts=True)

#: Longer n-grams are counted for all references together.
_POOLED = {"aggregate": Parameter("pooled", "hits and totals added over the references (script: -f A)", ("pooled",))}


def _normalization(settings: Mapping[str, Any]) -> str | None:
    return {
        (True, False): "rouge",
        (True, True): "rouge-stem",
        (False, True): "rouge-stem-tokens",
    }.get((settings["ascii"], settings["stem"]))


def _rouge(name: str, score: Score, summary: str, edge_cases: str, section: str, **more: Any) -> Metric:
    parameters = _PARAMETERS | more.pop("parameters", {})
    by_reference: Counting | None = more.pop("by_reference", None)
    return Metric(
        name=name,
        score=score,
        summary=summary,
        kind="F of precision and recall with equal weights; measure=precision or recall selects one",
        lowest=0.0,
        highest=1.0,
        references=(
            "pooled over the references: does not increase with their number, long references weigh more; increases "
            "with aggregate=best, max or coco"
        ),
        sensitivity="none",
        edge_cases=f"an empty caption scores 0; an empty reference adds to the candidate's total only; {edge_cases}",
        source=f"Lin 2004, {section}; ROUGE-1.5.5.pl -f A -p .5; -m is stem=true",
        bibtex=_LIN,
        parameters=parameters,
        normalization=_normalization,
        writing=lambda settings: "latin" if settings["ascii"] else None,
        variant=lambda settings: None if settings["aggregate"] == "pooled" else by_reference,
        **more,
    )


CARDS = (
    _rouge(
        "rouge-1",
        units.scorer(units.n_grams(1)),
        "unigram overlap as in ROUGE-1.5.5 `-n 1 -f A`: hits and totals pooled over the references",
        "order does not matter",
        "section 2",
        counts="rouge_n",
        by_reference=("rouge_by_reference", units.UNITS),
        counted_with={"skip": _SKIP},
    ),
    _rouge(
        "rouge-2",
        units.scorer(units.n_grams(2)),
        "bigram overlap as in ROUGE-1.5.5 `-n 2 -f A`: hits and totals pooled over the references",
        "a text of one word has no bigram, so it scores 0",
        "section 2",
        counts="rouge_n",
        by_reference=("rouge_by_reference", units.UNITS),
        counted_with={"skip": _SKIP},
    ),
    _rouge(
        "rouge-l",
        subsequences.score_plain,
        "longest common subsequence as in ROUGE-1.5.5, with each caption as one sentence",
        "coco-caption's ROUGE_L is aggregate=coco,beta=1.2,ascii=false",
        "section 3",
        counts="candidate_tokens",
        kernel=subsequences.PLAIN,
        by_reference=("candidate_tokens", subsequences.PLAIN_BY_REFERENCE),
    ),
    _rouge(
        "rouge-w-1.2",
        subsequences.score_weighted,
        "longest common subsequence weighted by runs, f(k) = k^1.2, as in ROUGE-1.5.5 `-w 1.2`",
        "an identical pair of k words has recall k^-.2 and scores below 1 (k = 8: .795), as the script weights the "
        "reference's length twice; the script fails for an empty reference, here its total is 0",
        "section 4",
        counts="candidate_tokens",
        kernel=subsequences.WEIGHTED,
        by_reference=("candidate_tokens", subsequences.WEIGHTED_BY_REFERENCE),
        parameters={
            "weighting": Parameter(
                "official",
                "official = as in the script: runs by the reference only, a total of k^1.44; paper = the value of the "
                "weighted table, a total of k^1.2",
                ("official", "paper"),
            )
        },
    ),
    _rouge(
        "rouge-su4",
        units.scorer(units.skip_bigrams),
        "skip-bigrams with at most 4 words between, and unigrams, as in ROUGE-1.5.5 `-2 4 -u -f A`",
        "the script does not count the unigram of the last word, so a text of one word scores 0",
        "section 5",
        counts="rouge_n",
        by_reference=("rouge_by_reference", units.UNITS),
        parameters={
            "last": Parameter(
                "official",
                "whether the unigram of a text's last word counts: official = no, as in the script; counted = yes",
                ("official", "counted"),
            ),
            "skip": _SKIPPED,
        },
    ),
    *(
        _rouge(
            f"rouge-{order}",
            units.scorer(units.n_grams(order)),
            f"overlap of {name} as in ROUGE-1.5.5 `-n {order} -f A`: hits and totals pooled over the references",
            f"a text of fewer than {order} words scores 0; most captions have few common {name}",
            "section 2",
            counts="rouge_long_ngram",
            default=False,
            parameters=_POOLED,
        )
        for order, name in ((3, "trigrams"), (4, "four-grams"))
    ),
    _rouge(
        "rouge-s4",
        units.scorer(units.skip_bigrams),
        "skip-bigrams with at most 4 words between, without unigrams, as in ROUGE-1.5.5 `-2 4 -f A`",
        "a text of one word scores 0; ROUGE-S of Vedantam et al. 2015 is beta=2,aggregate=coco",
        "section 5",
        counts="rouge_n",
        by_reference=("rouge_by_reference", units.UNITS),
        default=False,
        parameters={"skip": _SKIPPED},
    ),
)
