"""Language models of datasets, each trained on one half of its images and tested on the other half of every dataset.

The model is that of KenLM (`lmplz --discount_fallback`): interpolated modified Kneser-Ney (Chen & Goodman 1999,
section 3). `sql/perplexity/kneser_ney.sql` is its definition, `discount.sql` and `adjusted_count.sql` hold what it
rests on. A caption begins with <s> and ends with </s>, which is predicted and counted. The vocabulary is that of the
captions trained on; any other token is <unk>, which has a share of the uniform distribution below the unigrams, as
large as a token's.

The smoothed scorer of `auditor choices` reads the same files without `modified`: one discount per order, and n - 1
times <s> before a caption (Chen & Goodman 1999, section 2.7).

Halves are cut by image (`sql/perplexity/train_test_half.sql`), so that a dataset's own model has not seen
what it is asked either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.errors import MetricError, UsageError
from auditor.model import Progress, Selection
from auditor.statistics.perplexity import perplexities
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

#: Five numbers of 25 bits are what an n-gram's integer holds; the highest number stands for </s>.
ORDERS = range(1, 6)

_END = 2**25 - 1


@dataclass(frozen=True)
class SeedResult:
    """What one seed gave. Selections are numbered from 0, in `trained_no` and `selection_no`.

    `captions` is how many captions each model was trained on, 0 for all of its half. `sizes` describes the halves (see
    `sql/perplexity/half_size.sql`), `discounts` the models (`sql/perplexity/discount.sql`), `rows` holds the
    statistics of each pair (`statistics.perplexity.perplexities`).
    """

    seed: int
    captions: int
    sizes: pl.DataFrame
    discounts: pl.DataFrame
    rows: pl.DataFrame


def run(
    store: Store,
    selections: Sequence[Selection],
    tokenizer: str,
    order: int,
    captions: int | None,
    seed: int,
    progress: Progress,
) -> SeedResult:
    """Train a model on each selection and test it on all; tokens of the tokenizer must be there.

    Raises `MetricError` for a selection without captions on one side, `UsageError` for more captions than a half has.
    """
    if store.query("select coalesce(max(token_id), 0) as last from vocabulary").item() >= _END:
        raise MetricError(f"{store.path}: more than {_END - 1:,} different tokens, too many for the n-grams of a model")
    workspace = Workspace(store, tokenizer=tokenizer, order=order, seed=seed, modified=True)
    for number, selection in enumerate(selections):
        version = selection.version
        workspace.params |= {"dataset": version.dataset, "seq": version.seq, "split": selection.split}
        workspace.params["selection_no"] = number
        workspace.bind("reference", "reference")
        workspace.append("halved", "train_test_half")
    sizes = workspace.rows("half_size")
    workspace.params["trained_captions"] = trained = _trained_captions(selections, sizes, captions, seed)
    sums, discounts = [], []
    for number, selection in enumerate(selections):
        progress(f"seed {seed}: model of {selection.label}", number, len(selections))
        workspace.params["trained_no"] = number
        numbered = pl.lit(number, pl.UInt32).alias("trained_no")
        sums.append(workspace.rows("perplexity").select(numbered, pl.all()))
        discounts.append(workspace.rows("discount").select(numbered, pl.all()))
    return SeedResult(seed, trained, sizes, pl.concat(discounts), perplexities(pl.concat(sums)))


def _trained_captions(selections: Sequence[Selection], sizes: pl.DataFrame, captions: int | None, seed: int) -> int:
    """Return how many captions each model is trained on, 0 for all of its half."""
    halves = {(number, side): (images, held) for number, side, images, held, _ in sizes.iter_rows()}
    trained = []
    for number, selection in enumerate(selections):
        (train_images, train_captions), (test_images, _) = (
            halves.get((number, side), (0, 0)) for side in ("train", "test")
        )
        images = train_images + test_images
        if images < 2:
            there = "one image" if images else "no caption"
            raise MetricError(f"{selection.label}: {there}, nothing to cut into a half to train on and one to test on")
        if images in (train_images, test_images):
            raise MetricError(
                f"{selection.label}: seed {seed} puts all {images} images in one half; try another --seed"
            )
        trained.append((train_captions, selection.label))
    fewest, label = min(trained)
    if captions is not None and captions > fewest:
        raise UsageError(
            f"--captions {captions}: with seed {seed} the training half of {label} has {fewest};"
            " ask for fewer, or for 0 (all of each half)"
        )
    return fewest if captions is None else captions
