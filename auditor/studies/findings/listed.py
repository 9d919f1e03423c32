"""The captions of findings by other studies, a row each: swapped, at several images, leaking, made from a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from auditor.result import Finding
from auditor.store.captions import Captions, stamp
from auditor.studies.duplicates import AT_SEVERAL, LEAK, TEST, TRAIN
from auditor.studies.findings.captions import EXAMPLE, LISTED, ROWS
from auditor.studies.findings.questions import Questions
from auditor.studies.outliers import SWAPPED, misplaced
from auditor.studies.templates import TEMPLATED, templates


def listed_of(questions: Questions, captions: Captions, findings: Sequence[Finding]) -> pl.DataFrame:
    """Return the captions of the findings whose kind is about captions, with the columns of `captions.ROWS`."""
    texts = captions.texts().select("image", "slot", "split", "text")
    others = texts.select(other_image="image", other_slot="slot", other_text="text")
    frames = [pl.DataFrame(schema=ROWS)]
    for finding in findings:
        if (of := _LISTS.get(finding.kind)) is None:
            continue
        rows = pl.concat([pl.DataFrame(schema=LISTED), of(questions, captions, finding)], how="diagonal_relaxed")
        listed = (
            rows.select(pl.col(name).cast(dtype) for name, dtype in LISTED.items())
            .join(texts, on=["image", "slot"], how="inner", maintain_order="left")
            .join(others, on=["other_image", "other_slot"], how="left", maintain_order="left")
        )
        told = (pl.lit(finding.kind).alias("kind"), pl.lit(finding.severity).alias("severity"))
        frames.append(stamp(captions.selection, listed.select("split", *told, *EXAMPLE)).cast(ROWS))
    return pl.concat(frames)


def _misplaced(questions: Questions, captions: Captions, _: Finding) -> pl.DataFrame:
    result = questions.outliers(captions)
    return misplaced(result.frame) if result else pl.DataFrame()


def _at_several(_: Questions, captions: Captions, __: Finding) -> pl.DataFrame:
    return _same_words(captions, None, None).with_columns(why=pl.lit("the same words at another image"))


def _leaking(_: Questions, captions: Captions, finding: Finding) -> pl.DataFrame:
    """List the captions that occur in another split of the dataset; none of a leak from another dataset."""
    if finding.about["against"] != TRAIN:
        return pl.DataFrame()
    return _same_words(captions, TEST, TRAIN).with_columns(why=pl.lit(f"the same words in split {TRAIN}"))


def _same_words(captions: Captions, leaking: str | None, into: str | None) -> pl.DataFrame:
    return captions.facts().rows("same_words", leaking=leaking, into=into)


def _templated(questions: Questions, captions: Captions, _: Finding) -> pl.DataFrame:
    ref, tokenizer = captions.selection.pinned_name, questions.tokenizer
    made = templates(captions.store, ref, level="caption", tokenizer=tokenizer, progress=questions.progress).frame
    return made.select("image", "slot", why=pl.format("template: {}", "pattern"))


_LISTS: Mapping[str, Callable[[Questions, Captions, Finding], pl.DataFrame]] = {
    SWAPPED: _misplaced,
    AT_SEVERAL: _at_several,
    LEAK: _leaking,
    TEMPLATED: _templated,
}
