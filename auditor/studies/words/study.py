"""Which words does A use more than B, less, or never?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import Result
from auditor.store.connection import Store
from auditor.studies.diversity.settings import AllImages, Pipeline, WordSettings
from auditor.studies.words.keyness import keyness
from auditor.studies.words.lacking import missed_words, omitted_words
from auditor.text import AUTO

#: By kind of comparison, the parameters that it alone reads, or shares with one other.
_READ = {
    "corpus": ("minimum", "words"),
    "training": ("evaluation", "number", "all_images"),
    "image": ("minimum", "number", "importance", "seed", "references", "pipeline", "function_words"),
}

#: What they are called on the command line, where that is another name.
_OPTIONS = {"evaluation": "eval", "words": "word", "all_images": "all-images", "function_words": "function-words"}


def _known(by: str) -> None:
    if by not in _READ:
        raise UsageError(f"--by {by}: expected {', '.join(_READ)}")


Against = Annotated[
    str,
    p.Parameter(
        "B: another dataset; by training the training data, by image human captions of the same images.",
        completes="dataset",
    ),
]

By = Annotated[
    str,
    p.Parameter(
        "corpus: words more or less frequent than in B; training: learnable words never used; image: words that human "
        "captions of the image have.",
        check=_known,
    ),
]

Evaluation = Annotated[
    str | None, p.Parameter("By training: human captions of the same images, whose words are learnable.", "eval")
]

Minimum = Annotated[
    int | None,
    p.Parameter(
        "Least occurrences: by corpus in both together, default 5; by image of each system, default 10.", least=1
    ),
]

Number = Annotated[
    int | None, p.Parameter("By training or image: so many words of each ranking; default: 20, by image all.", least=1)
]

Importance = Annotated[int | None, p.Parameter("By image: words in so many captions of it; default: 5.", least=1)]

Words = Annotated[Sequence[str], p.Parameter("By corpus: also this word, however rare; repeat for more.", "word")]


def words(
    store: Store,
    *refs: p.Refs,
    against: Against,
    by: By = "corpus",
    evaluation: Evaluation = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    minimum: Minimum = None,
    number: Number = None,
    importance: Importance = None,
    words: Words = (),
    all_images: AllImages = False,
    references: p.References = None,
    seed: p.Seed = 1,
    pipeline: Pipeline = None,
    function_words: p.FunctionWords = None,
    progress: Progress = silent,
) -> Result:
    """List words that A uses more or less than B, or never.

    By corpus, log-likelihood: G2 = 2 Σ observed ln(observed / expected), where a word is expected as often in A as its
    share in both together says; the sign is that of observed - expected. The log ratio is log2 of the relative
    frequency in A over that in B; a word that one side lacks counts there as half an occurrence.

    By training, a word is learnable that both the training data (B) and human captions (`eval`) have; punctuation is no
    word. Of a system and of human captions only the images that both describe count, unless `all_images`. Ties are
    broken by the word.

    By image, all systems count together, and only content words. Of the words that `importance` captions of an image
    have: `absolute` ranks by how often they are missed, `relative` by missed / (missed + recalled), `relative-floor`
    the same of words that each system could recall `minimum` times. Of the words that systems use: `unsupported` ranks
    by how often no caption of the image has them, `unsupported-relative` by the share of their uses,
    `unsupported-floor` the same of words that each system uses `minimum` times. Ties go to the more frequent word, then
    by spelling.

    How to read it: by corpus the most telling words come first, `direction` over where A uses the word more than B. The
    log-likelihood shows how sure the difference is, the log ratio how large: 1 is twice as often, 3 eight times. By
    training a row is a learnable word that the system never uses: `rank` by its frequency in the training data
    (`trained`), `evaluated_rank` by that in human captions (`evaluated`); rows without `dataset` are words that no
    system uses. By image a row is a word: `times` it was missed (or made up) of `occurrences`, and their ratio.

    Limits: by corpus `p` is of one word alone, and thousands of words are compared. Words come in bunches, so a few
    captions about one thing make a word look telling; with large data every word is sure, and the log ratio is what
    matters. By training and by image a word may be missing because a synonym is used, and a right word that no
    annotator used counts as made up; forms of one word are several words.

    Source: Rayson & Garside 2000; Dunning 1993; Hardie 2014. By training and by image: van Miltenburg, Elliott & Vossen
    2018, sections 3.3, 3.4 and 5.1; the authors' program asks for more than 10 occurrences a system on average, and
    spells ties backwards.

    Raises `MetricError` for a side without a token, `UsageError` for a dataset that is not there, and for a setting of
    another comparison.

    Examples: auditor words shetty2017 --against coco-val -t ptb ·
    auditor words dai2017 --against coco-train-words --eval coco-val --by training ·
    auditor words dai2017 liu2017 --against coco-val --by image
    """
    _known(by)
    told = {"minimum": minimum, "number": number, "importance": importance, "words": words, "evaluation": evaluation,
            "all_images": all_images, "references": references, "seed": seed != 1, "pipeline": pipeline,
            "function_words": function_words}  # fmt: skip
    for name, value in told.items():
        if value and name not in _READ[by]:
            which = " or ".join(kind for kind, names in _READ.items() if name in names)
            raise UsageError(f"--{_OPTIONS.get(name, name)}: is read with --by {which} alone")
    if by == "corpus":
        if len(refs) != 1:
            raise UsageError("--by corpus: compares one dataset with another; name one, and the other with --against")
        result = keyness(
            store, refs[0], against, tokenizer=tokenizer, split=split, minimum=5 if minimum is None else minimum,
            words=words, progress=progress,
        )  # fmt: skip
    elif by == "training":
        if evaluation is None:
            raise UsageError("--by training: name human captions of the same images with --eval DATASET")
        result = omitted_words(
            store, *refs, against=against, evaluation=evaluation, number=20 if number is None else number,
            tokenizer=tokenizer, split=split, all_images=all_images, progress=progress,
        )  # fmt: skip
    else:
        result = missed_words(
            store,
            *refs,
            evaluation=against,
            settings=WordSettings(tokenizer, seed, references, pipeline, function_words),
            number=number,
            importance=5 if importance is None else importance,
            floor=10 if minimum is None else minimum,
            split=split,
            progress=progress,
        )
    return replace(result, command="words")
