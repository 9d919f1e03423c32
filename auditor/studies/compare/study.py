"""Compare datasets by the indices of Wang & Gaizauskas 2016, with intervals: which has more similar captions?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, get_args

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms
from auditor.called import call
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Said, Sentence, Table, findings_in, joined, notes_in
from auditor.result.portraits import HOMOGENEITY
from auditor.scoring.candidate_sets import Substitutes, one_pool, substitutes_of
from auditor.scoring.registry import References, are_ours, defaults, left_out, requests
from auditor.scoring.scores import repeats, signatures
from auditor.scoring.single_captions import lacking, referenced, sees_images
from auditor.scoring.variants import RAW, merged, stacked
from auditor.statistics import published as of_sets
from auditor.statistics.paired_systems import Resampling
from auditor.steps import Steps
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.versions import resolve_all
from auditor.studies.compare import overlap, pairs, published, tables, why
from auditor.studies.compare.answer import METRICS, Answer, answer, lead, quoted, same_captions
from auditor.studies.compare.equalize import changed_orders, unequal_captions, variants_of
from auditor.studies.compare.indices import INDICES
from auditor.studies.compare.measured import COLUMNS, Compared, Setting, measured
from auditor.studies.compare.sameness import added, ranked_by_sameness
from auditor.studies.compare.shared import on_shared
from auditor.text import AUTO

_OF_SAMPLES = ("images", "captions_per_image", "variant")


_METRIC: p.Parameter = get_args(p.Metrics)[1]

Metrics = Annotated[
    Sequence[p.MetricName] | None, replace(_METRIC, help=_METRIC.help.replace("all.", f"{', '.join(METRICS)}."))
]

Equalize = Annotated[
    bool, p.Parameter("Compare equal-sized samples of each dataset too, also if captions per image are equal.")
]

Images = Annotated[
    int | None, p.Parameter("Sampled images of each dataset; default: as many as possible.", least=1, needs="equalize")
]

Beside = Annotated[str, p.Parameter("Place datasets among those of docs/homogeneity.md.", choices=("published",))]


def among_each_other(
    store: Store,
    *refs: p.Refs,
    metrics: Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    others: p.Others = (),
    corpus: p.Corpus = None,
    seed: p.Seed = 1,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    equalize: Equalize = False,
    images: Images = None,
    missing: p.Missing = p.COMMON,
    progress: Progress = silent,
) -> Result:
    """Rank datasets in the store by their scores, on equal samples if captions per image differ."""
    if len(refs) < 2:
        raise UsageError("compare needs two or more datasets; for one, add --beside published, or use `auditor bounds`")
    p.check_resampling(resamples, confidence)
    resampling = Resampling(resamples, confidence, seed)
    names = metrics or [name for name in METRICS if name in defaults()]
    selected = select_all(store, refs, split, tokenizer, beside=others, progress=progress)
    selected, shared = on_shared(selected, missing)
    single = any(map(lacking, selected)) and not sees_images(requests(names))
    sameness = ranked_by_sameness(selected, resampling, progress) if single else None
    words = f"`{call('words', refs[0], against=refs[1])}` compares words"
    against = References("loo", None if equalize else references, seed)
    every, alone = referenced(selected, against, requests(names), 0 if sameness else 2, words)
    if sameness and len(every) < 2:
        told = (*selected[0].notes, *sameness.notes)
        return replace(sameness, notes=told, findings=findings_in(alone), lead=(*shared, *sameness.lead))
    substitutes, pooled, ranked_by = _pool(every, substitutes_of(every, others, corpus))
    unequal = unequal_captions(every, references)

    def make() -> Result:
        variants, why_not = variants_of(
            every, references, images, seed, equalize=equalize, distinct=distinct, unequal=bool(unequal)
        )
        steps = Steps(progress, [*(captions.label for captions in every), "Comparison"] * len(variants))
        setting = Setting(names, bool(metrics), substitutes, resampling, steps, {})
        main = [*variants][-1]
        parts = {name: measured(every, of, setting, explains=name == main) for name, of in variants.items()}
        notes: list[Said] = [*selected[0].notes, *left_out(metrics), *alone, *pooled, *why_not]
        repeated = repeats(every, progress, left_out=distinct)
        result = _Comparison(parts, ranked_by, setting, unequal).result(selections_of(every), shared, notes, repeated)
        return added(result, sameness) if sameness else result

    if not are_ours(requests(names)):
        return make()
    named = [captions.selection.pinned_name for captions in selected]
    signed = signatures(requests(names), selected[0].tokenizer, against)
    sampled = [references, distinct, images, equalize, missing, asdict(resampling)]
    settings = {"metrics": [signed, metrics], "read": [named, others, corpus, selected[0].notes], "sampled": sampled}
    return kept_result(store, "compare", selections_of(every), settings, make, beside=resolve_all(store, others))


def among_published(
    store: Store, *refs: p.Refs, beside: Beside, split: p.Split = None, progress: Progress = silent
) -> Result:
    """Place datasets among published sets."""
    del beside  # there is one choice
    return published.beside(select_all(store, refs, split, progress=progress), of_sets.rows(), progress)


@face(draws=True)
@forms(among_each_other, among_published, names=("datasets in the store", "--beside published"))
def compare() -> None:
    """Rank datasets by how similar their captions are.

    Compares datasets by metric and ranks them. Rank 1 is the dataset whose captions are most similar to each other. It
    computes:

    - `upper` (a human caption), `intra`, `inter`, `brown`: mean scores, as in `auditor bounds`;
    - `homogeneity` = intra / upper: the score of a caption of another image, divided by the score of one of the same
      image;
    - `specificity` = intra - inter: how much more similar captions are to each other than to those of the other
      datasets;
    - `overlap`: how far the scores of captions of the same image and of another image overlap, 0 to 1.

    For BLEU, it also finds the ten strongest phrases: those with most matches with captions of other images
    (`phrase-share`). Rows count how many of these begin a caption (`phrase-opening`). Others are homogeneity without
    the phrases (`homogeneity-without`), and that of short and of long captions.

    TER counts errors: for it, both are reversed, so larger always means more similar. `low`
    and `high` are a bootstrap-t confidence interval; `--resamples` sets the number of resamples of images. `se` is the
    jackknife standard error. If the data cannot decide a rank, it is a range, such as 1-2: `rank_low` is 1 more than
    the number of datasets that are significantly ahead.

    How to read it: if homogeneity is near 1, a caption fits any image of the dataset. That is easy to imitate and
    teaches little. If it is near 0, each image has distinct captions. High specificity means a narrow subject or a
    house style.

    If a dataset has one caption per image, it has no upper bound. All datasets are then ranked by `sameness` too, on
    one caption of each image: the share of words that captions of different images have in common. It is not agreement,
    which is between annotators of one image.

    The first sentence answers by metric families: BLEU, ROUGE, METEOR, CIDEr. A dataset is ahead in a family if it is
    by all of its metrics. TER counts errors and does not vote. Two datasets differ significantly if their `p_adjusted`
    is below 1 - confidence, and then they share no letter. A shared letter does not mean that they are equal.

    Different numbers of captions per image change BLEU and METEOR. If they differ by more than a fifth, equal samples
    come first: equally many images and captions. Raw numbers follow. `--equalize` adds equal samples in any case.
    Scores are pooled over five samples with consecutive seeds. Intervals are over all images in them.

    Datasets that describe the same images are compared on those that all of them describe. This holds for related
    datasets and system output, and for datasets with equal captions of an image.

    Limits: longer captions have higher sameness. Intervals treat CIDEr's word weights as fixed. They reflect the choice
    of images, not of annotators.

    Captions that repeat another of their image, token for token, raise `upper`. A warning counts them, and `--distinct`
    adds results without them.

    Further rows compare pairs of datasets: the difference, a bootstrap-t test and Cliff's delta. `p_adjusted` is the
    p-value for all pairs of datasets by one metric and statistic (step-down maxT). Further metrics do not change it. A
    dataset needs eight images for a test or an interval, and 30 for a test of specificity. Without a test, it has no
    rank. With `--equalize` or `--distinct`, every row appears twice; column `variant` shows which is which. A statistic
    without a value has no row.

    `--beside published` places one or more datasets among the published ones of docs/homogeneity.md instead. Their
    captions are not needed. Yours are measured as they were, so --split is the only other setting.

    Source: Wang & Gaizauskas 2016, section 5.

    Raises `UsageError` for fewer than two datasets, and if `resamples` are too few for the interval.

    Example: auditor compare flickr8k abstract50s coco-val2017
    """


@dataclass(frozen=True)
class _Comparison:
    """Datasets on raw captions, or on these and another variant: then that one answers, and raw is beside it."""

    parts: Mapping[str, Compared]
    ranked_by: Sequence[str]
    setting: Setting
    unequal: Sequence[Finding]

    @property
    def beside_raw(self) -> str:
        """The name of the variant that raw is beside, if there is one."""
        return ([*self.parts][1:] or [""])[0]

    @property
    def main(self) -> Compared:
        """The variant that answers."""
        return self.parts[self.beside_raw or RAW]

    @property
    def rows(self) -> pl.DataFrame:
        """The rows of all variants by which datasets are ranked, or could be."""
        rows = stacked({name: part.measured.rows for name, part in self.parts.items()})
        return rows.filter(~pl.col("statistic").is_in(INDICES) | pl.col("statistic").is_in(self.ranked_by))

    def result(
        self, selections: tuple[Selection, ...], shared: Sequence[str], notes: Sequence[Said], repeated: Sequence[Said]
    ) -> Result:
        """Put all variants into one result: sentences on `shared` images come first, notes around those of variants."""
        main, named = self.main, self.beside_raw
        whole = merged({name: part.measured for name, part in self.parts.items()})
        answers = [self._answer(main, index) for index in self.ranked_by]
        same = same_captions(selections)
        sampled = tables.SAMPLED.get(named, "")
        ahead = [] if same else [one for each in answers if (one := each.finding(selections, sampled))]
        reported = list(dict.fromkeys([*notes, *whole.notes, *repeated]))
        reported += _without_rank(self.rows)
        first = [one for one in ahead if one.kind == "more-homogeneous"]
        return Result(
            "compare",
            self._frame(whole.rows),
            selections=selections,
            signatures=whole.signatures,
            tables=self._tables(),
            figures=self._figures(),
            lead=(
                *shared,
                *same,
                *lead(first, main.measured.rows, answers[0], why.sentence(main.reasons, answers[0].top)),
                *overlap.disagreement(main.overlaps, main.indices),
                *(Sentence.of(one, "caveat", ", as here." if named else ".") for one in self.unequal),
            ),
            notes=notes_in(reported),
            quoted=tuple(quoted(main.measured.rows.filter(statistic=HOMOGENEITY), "label")),
            findings=(
                *findings_in(reported),
                *ahead,
                *(changed_orders(self.parts[RAW].ranking, main.ranking, self.ranked_by, named) if named else ()),
                *self.unequal,
            ),
        )

    def _answer(self, part: Compared, index: str) -> Answer:
        return answer(index, part.measured.rows, part.tests, self.setting.errors, self.setting.resampling.confidence)

    def _frame(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return indices, overlaps and pairs; column `variant` and the sizes of samples only beside raw rows."""
        hidden = () if self.beside_raw else _OF_SAMPLES
        overlapping = stacked({name: part.overlapping for name, part in self.parts.items()})
        reasons = stacked({name: part.reasons for name, part in self.parts.items()})
        tests = stacked({name: part.tests for name, part in self.parts.items()}).drop(pairs.LABELS)
        parts = [
            _unranked(rows, self.ranked_by).select(*COLUMNS, *_OF_SAMPLES).drop(hidden),
            overlapping.drop(hidden, strict=False),
            reasons.filter(pl.col("statistic") != HOMOGENEITY).drop("label", *hidden),
            tests if self.beside_raw else tests.drop("variant"),
        ]
        return pl.concat(parts, how="diagonal_relaxed")

    def _tables(self) -> tuple[Table, ...]:
        named, errors, resampling = self.beside_raw, self.setting.errors, self.setting.resampling
        placed = [
            table
            for name, part in ({named: self.main, RAW: self.parts[RAW]} if named else {"": self.main}).items()
            for table in tables.placed(
                self._answer(part, HOMOGENEITY), part.measured.rows, errors, resampling.confidence, part.decided, name
            )
        ]
        of = self.rows, errors, resampling
        further = tables.sampling_tables(*of, named) if named else tables.tables(*of)
        tests = {name: part.tests for name, part in self.parts.items() if resampling.times}
        of_pairs = (pairs.table(rows, name if named else None) for name, rows in tests.items())
        return (*placed, *why.shown(self.main.reasons)[0], *overlap.table(self.main.overlaps), *further, *of_pairs)

    def _figures(self) -> tuple[Figure, ...]:
        rows = self.rows.filter(variant=self.beside_raw or RAW)
        drawn = tables.figures(rows, self.setting.errors, self.setting.resampling.confidence, self.beside_raw)
        return (*drawn, *why.shown(self.main.reasons)[1], *overlap.figures(self.main.overlaps))


def _without_rank(rows: pl.DataFrame) -> list[str]:
    """Report the statistics by which datasets have no rank."""
    unranked = rows.filter(pl.col("rank").is_null()).group_by("label", maintain_order=True).agg("statistic")
    why = "too few images, or too few that differ, for a test"
    return [f"{label}: no rank by {joined([*dict.fromkeys(named)])}: {why}" for label, named in unranked.iter_rows()]


def _pool(every: Sequence[Captions], drawn: Substitutes) -> tuple[Substitutes, list[str], Sequence[str]]:
    """Return the common sources of `inter`, notes on them, and the indices to rank by: both only with such sources."""
    substitutes, notes = one_pool(every, drawn)
    return substitutes, notes, INDICES[:1] if notes and substitutes is drawn else INDICES


def _unranked(rows: pl.DataFrame, ranked_by: Sequence[str]) -> pl.DataFrame:
    """Return the rows without the ranks that `inter` from different sources would give."""
    is_ranked = ~pl.col("statistic").is_in(["inter", "specificity"]) | (len(ranked_by) == len(INDICES))
    return rows.with_columns(pl.when(is_ranked).then(name).alias(name) for name in ("rank", "rank_low", "rank_high"))
