"""Find faulty captions, by kind: with the SELECT that `kinds.toml` names, or with a function of this module.

The result for a selection is a finding for each kind, with the list of its captions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from auditor.findings import CAPTION_KINDS, severity
from auditor.model import Progress, Selection
from auditor.result import Finding, Result, Severity, about
from auditor.store import expressions, kept
from auditor.store.captions import Captions, stamp
from auditor.store.connection import Store
from auditor.store.kept_results import kept_results
from auditor.store.signs import signs
from auditor.store.versions import CONTENT, language, log, related, resolve
from auditor.store.workspace import Workspace, is_read
from auditor.studies.findings.cuts import cut_ends
from auditor.studies.findings.language import foreign
from auditor.studies.findings.protected import CONTAMINATED, asked, protected_captions
from auditor.text import function_words, tokenizer_of, word_lists

_EXAMPLES = 3

#: The columns of the list of captions.
ROWS = pl.Schema({
    "dataset": pl.String, "version": pl.String, "split": pl.String, "kind": pl.String, "severity": pl.String,
    "image": pl.String, "slot": pl.UInt32, "text": pl.String, "why": pl.String, "other_image": pl.String,
    "other_slot": pl.UInt32, "other_text": pl.String,
})  # fmt: skip

EXAMPLE = ("image", "slot", "text", "why", "other_image", "other_slot", "other_text")

#: How many times the bits that tell one image from the others the texts that two copies of an image share must have:
#: captions of similar images are similar.
_CERTAIN = 7.0

#: Least share of shared images with a text in common, from which equal ids in two datasets mean the same image.
_AGREEING = 0.5

#: The SELECT that counts English words.
SHARE = "english_share"

#: Least share of English words among the words of English captions. Clotho has 0.99, German captions have 0.3.
ENGLISH = 0.75

#: The columns of every finder. `slot` is null for findings about images, the other columns where they do not apply.
LISTED = {"image": pl.String, "slot": pl.UInt32, "why": pl.String, "other_image": pl.String, "other_slot": pl.UInt32}


@dataclass(frozen=True)
class Checked:
    """The captions that are checked. `words` are those of a user's list, `protected` of another dataset."""

    store: Store
    selection: Selection
    workspace: Workspace
    words: Sequence[str] = ()
    protected: pl.LazyFrame = field(default_factory=pl.LazyFrame)

    def rows(self, relation: str, **params: Any) -> pl.DataFrame:
        """Run a SELECT over the captions."""
        return self.workspace.rows(relation, **params)

    def of_all(self, relation: str, **params: Any) -> pl.DataFrame:
        """Return rows about all captions: those that are bound, if these are a part of them, else those of a SELECT."""
        is_bound = relation in self.workspace.bound
        return self.workspace.query(f"from {relation}") if is_bound else self.rows(relation, **params)


def _by_sign(kind: str) -> Callable[[Checked], pl.DataFrame]:
    def finder(checked: Checked) -> pl.DataFrame:
        every = pl.concat(checked.rows("sign", **sign) for sign in signs() if sign["kind"] == kind)
        return every.sort("image", "slot", "place").unique(["image", "slot"], keep="first", maintain_order=True)

    return finder


def _with_words(checked: Checked) -> Workspace:
    """Bind the list of English words once, unless it is known which words of the captions are English."""
    if not checked.workspace.bound & {"english_word", "english_token"}:
        checked.workspace.bind_rows("english_word", word_lists.english())
    return checked.workspace


def _mixed(checked: Checked) -> pl.DataFrame:
    """List captions with a part in another language, if the captions are English, by language or by their words."""
    if not language(checked.store, checked.selection.version.dataset).startswith("en") and not _is_english(checked):
        return pl.DataFrame(schema=LISTED)
    return _by_sign("mixed-language")(checked)


def bind_words(checked: Checked, names: Iterable[str]) -> None:
    """Bind the lists of words that SELECTs read to find captions of some kind."""
    if is_read("english_word", names):
        _with_words(checked)
    if is_read("word_in_list", names):
        bind_function_words(checked)


def _is_english(checked: Checked) -> bool:
    """Return whether the captions consist of English words, whatever language is declared."""
    _with_words(checked)
    return is_english(checked.of_all(SHARE))


def is_english(share: pl.DataFrame) -> bool:
    """Return whether most words of captions are English, by the row of `english_share`."""
    english, words = share.row(0)
    return bool(words) and english / words >= ENGLISH


def _misspelled(checked: Checked) -> pl.DataFrame:
    if not _is_english(checked):
        return pl.DataFrame(schema=LISTED)
    return checked.rows("misspelled", **CAPTION_KINDS["misspellings"].params)


def _truncated(checked: Checked) -> pl.DataFrame:
    """List captions whose last word is likelier, or almost as likely, after a cut than at a regular end."""
    ends = checked.of_all("truncated_end", is_english=_is_english(checked))
    checked.workspace.bind_rows("cut_end", cut_ends(ends))
    return checked.rows("truncated")


def _listed(checked: Checked) -> pl.DataFrame:
    words = sorted({word.strip().lower() for word in checked.words} - {""})
    checked.workspace.bind_rows("word_in_list", pl.DataFrame({"word": words}, schema={"word": pl.String}))
    return checked.rows("listed_word").drop("words")


def _contaminated(checked: Checked) -> pl.DataFrame:
    checked.workspace.bind_rows("protected_caption", checked.protected.collect())
    return checked.rows("contaminated")


def _padded(checked: Checked) -> pl.DataFrame:
    checked.workspace.bind("repeat")
    return checked.workspace.query("from repeat order by image_no, slot").select(
        "image",
        "slot",
        why=pl.format("the same words; {} of {} captions of the image are distinct", "distinct_captions", "captions"),
        other_image="image",
        other_slot="of_slot",
    )


def _uneven(checked: Checked) -> pl.DataFrame:
    counts = checked.rows("image_captions").filter(pl.col("captions") != pl.col("usual"))
    return counts.select(
        "image", slot=pl.lit(None, pl.UInt32), why=pl.format("captions: {}; most images have {}", "captions", "usual")
    )


def _copied(checked: Checked) -> pl.DataFrame:
    split, other_split = (pl.col(name).fill_null("no split") for name in ("split", "other_split"))
    across = split != other_split
    splits = pl.when(across).then(pl.format(", splits {} and {}", split, other_split)).otherwise(pl.lit(""))
    return checked.rows("copied_image", certain=_CERTAIN).select(
        "image",
        "slot",
        "other_image",
        "other_slot",
        why=pl.concat_str(pl.format("shares {} of {} captions with {}", "shared", "captions", "other_image"), splits),
        across=across,
    )


def _exchanged(checked: Checked) -> pl.DataFrame:
    exchanges = []
    for dataset in related(checked.store, checked.selection.version.dataset):
        why = pl.format("shares {} of {} captions with {} of {}", "shared", "captions", "other_image", pl.lit(dataset))
        exchanges.append(_agreeing(checked.rows("exchanged_image", other=dataset), why))
    return pl.concat([pl.DataFrame(schema=LISTED), *exchanges], how="diagonal")


def _shifted(checked: Checked) -> pl.DataFrame:
    """Compare with the version before, and with the current versions of related datasets."""
    own = checked.selection.version
    before = [logged for logged in log(checked.store, own.dataset) if logged.seq < own.seq]
    beside = [resolve(checked.store, dataset).version for dataset in related(checked.store, own.dataset)]
    shifts = []
    for other in (*before[-1:], *beside):
        why = pl.format("has a caption of {} in {}", "other_image", pl.lit(other.label))
        shifts.append(_agreeing(checked.rows("shifted_image", other=other.dataset, other_seq=other.seq), why))
    return pl.concat([pl.DataFrame(schema=LISTED), *shifts], how="diagonal").unique("image", maintain_order=True)


def _agreeing(rows: pl.DataFrame, why: pl.Expr) -> pl.DataFrame:
    rows = rows.filter(pl.col("agreeing") >= _AGREEING * pl.col("images"))
    return rows.select("image", "slot", "other_image", why=why)


def bind_function_words(checked: Checked) -> None:
    """Bind the relation `word_in_list` to the English function words."""
    checked.workspace.bind_rows("word_in_list", function_words.english().tokens(tokenizer_of("bare")))


def _by_skeleton(checked: Checked) -> pl.DataFrame:
    bind_function_words(checked)
    return checked.rows("common_skeleton", **CAPTION_KINDS["common-skeletons"].params)


def _repeating(checked: Checked) -> pl.DataFrame:
    """List captions that repeat a phrase. They are searched for once, since `_looping` leaves them out."""
    if "repeated_words" not in checked.workspace.bound:
        checked.workspace.bind("repeated_words")
    return checked.workspace.query("from repeated_words order by image, slot")


def _looping(checked: Checked) -> pl.DataFrame:
    _repeating(checked)
    return checked.rows("loop")


def _wordless(checked: Checked) -> pl.DataFrame:
    checked.workspace.bind("length")
    return checked.workspace.query(
        "select r.image, r.slot, 'no word' as why from length as l join reference as r using (image_no, slot)"
        " where l.tokens = 0 order by r.image, r.slot"
    )


#: The kind whose sentence names the most frequent text.
COPIES = "copied-captions"

#: Finders that need more than a SELECT.
_FUNCTIONS: Mapping[str, Callable[[Checked], pl.DataFrame]] = {
    "padded-images": _padded,
    "other-language": lambda checked: foreign(checked.store, checked.selection, _with_words(checked)),
    "mixed-language": _mixed,
    "truncated-captions": _truncated,
    "repeated-words": _repeating,
    "misspellings": _misspelled,
    "listed-words": _listed,
    CONTAMINATED: _contaminated,
    "uneven-captions": _uneven,
    "copied-images": _copied,
    "exchanged-images": _exchanged,
    "shifted-captions": _shifted,
    "captions-without-word": _wordless,
    "loops": _looping,
    "common-skeletons": _by_skeleton,
}

#: These come first among equally severe findings, then the others in the order of `kinds.toml`.
_FIRST = (
    "copied-images", "exchanged-images", "padded-images", "templated-slots", "placeholders", "personal-data",
    "file-names",
)  # fmt: skip


def _finder(kind: str) -> Callable[[Checked], pl.DataFrame]:
    entry = CAPTION_KINDS[kind]
    if kind in _FUNCTIONS:
        return _FUNCTIONS[kind]
    if (check := entry.check) is not None:
        return lambda checked: expressions.listed(checked.workspace, checked.store, check)
    if entry.patterns:
        return _by_sign(kind)
    return lambda checked: checked.rows(entry.select, **entry.params)


#: The function that finds the captions of each kind.
FINDERS: Mapping[str, Callable[[Checked], pl.DataFrame]] = {
    kind: _finder(kind) for kind in (*_FIRST, *(kind for kind in CAPTION_KINDS if kind not in _FIRST))
}


def finder(kind: str) -> Callable[[Checked], pl.DataFrame]:
    """Return the function that finds the captions of a kind, or of a check of a user."""
    return FINDERS.get(kind) or _finder(kind)


def ordered(kinds: Collection[str]) -> list[str]:
    """Return the kinds that list captions in the order of their search; checks of users are last."""
    own = (kind for kind in kinds if kind not in FINDERS and kind in CAPTION_KINDS and CAPTION_KINDS[kind].check)
    return [*(kind for kind in FINDERS if kind in kinds), *own]


def of_captions(
    captions: Captions, words: Sequence[str], against: Selection | None, wanted: Sequence[str], progress: Progress
) -> tuple[list[Finding], pl.DataFrame]:
    """Return the findings on single captions, and the list of these captions. Each kind is kept for the next run."""
    selection, version = captions.selection, captions.selection.version
    kinds = asked(ordered(wanted), words, against)

    @functools.cache
    def bound() -> tuple[Checked, pl.DataFrame]:
        """Bind the captions once, for the first kind that is not kept."""
        texts = captions.texts().select("image", "slot", "split", "text")
        workspace = captions.facts(progress)
        other = pl.DataFrame()
        if against and CONTAMINATED in kinds:
            other = protected_captions(captions.store, against, str(workspace.params["key"]))
        return Checked(captions.store, selection, workspace, words, other.lazy()), texts

    def search(kind: str) -> Result:
        progress(f"{selection.label}: {CAPTION_KINDS[kind].title}", kinds.index(kind), len(kinds))
        checked, texts = bound()
        captions.store.record(*CONTENT)
        rows = finder(kind)(checked)
        if rows.is_empty():
            return Result("findings", pl.DataFrame(schema=ROWS))
        finding, listed = _finding(selection, kind, rows, texts, texts["image"].n_unique())
        return Result("findings", listed, findings=(finding,))

    settings: dict[str, dict[str, Any]] = {
        kind: {"tokenizer": captions.tokenizer, "words": words if kind == "listed-words" else ()} for kind in kinds
    }
    for kind in kinds:
        settings[kind]["check"] = str(CAPTION_KINDS[kind].check)
    if CONTAMINATED in settings and against:
        settings[CONTAMINATED]["against"] = (against.label, against.version.version)
    if "mixed-language" in settings:
        settings["mixed-language"]["language"] = language(captions.store, version.dataset)
    found = [*kept_results(captions.store, settings, [selection], search)]
    lists = [pl.DataFrame(schema=ROWS), *(result.frame for result in found)]
    return [finding for result in found for finding in result.findings], pl.concat(lists)


def keep(captions: Captions, kinds: Sequence[str], listed: pl.DataFrame, findings: Sequence[Finding]) -> None:
    """Store the findings on captions for SQL queries: the captions of each finding, or its sentence."""
    with_list = listed.filter(pl.col("kind").is_in([finding.kind for finding in findings]))
    rows = [(one.kind, one.severity, one.sentence) for one in findings if one.kind not in with_list["kind"]]
    whole = pl.DataFrame(rows, schema=dict.fromkeys(("kind", "severity", "why"), pl.String), orient="row")
    frames = [pl.DataFrame(schema=kept.FOUND), with_list.select(kept.FOUND.names()), whole]
    kept.keep_findings(captions.store, captions.selection, kinds, pl.concat(frames, how="diagonal"))


def _finding(
    selection: Selection, kind: str, rows: pl.DataFrame, texts: pl.DataFrame, images: int
) -> tuple[Finding, pl.DataFrame]:
    of_images = CAPTION_KINDS[kind].of == "images"
    number, n = (
        (rows["image"].n_unique(), images) if of_images else (rows.unique(["image", "slot"]).height, texts.height)
    )
    across = "across" in rows.columns and bool(rows["across"].any())
    bad: Severity = "error" if across else severity(kind, number, n)
    counterparts = texts.select("image", "slot", "text")
    listed = (
        pl.concat([pl.DataFrame(schema=LISTED), rows], how="diagonal")
        .select(LISTED.keys())
        .join(texts, on=["image", "slot"], how="left", maintain_order="left")
        .join(
            counterparts.rename({name: f"other_{name}" for name in counterparts.columns}),
            on=["other_image", "other_slot"], how="left", maintain_order="left",
        )
        .select("split", pl.lit(kind).alias("kind"), pl.lit(bad).alias("severity"), *EXAMPLE)
    )  # fmt: skip
    found = finding_of(selection, kind, number, n, bad, tuple(examples_of(listed)))
    return found, stamp(selection, listed).cast(ROWS)


def finding_of(
    selection: Selection,
    kind: str,
    number: int,
    n: int,
    bad: Severity,
    examples: tuple[dict[str, str | int | None], ...],
) -> Finding:
    """Return the finding on `number` of `n` captions or images."""
    of, phrase = CAPTION_KINDS[kind].of, CAPTION_KINDS[kind].phrase
    if {one["why"] for one in examples} == {"paragraphs"}:  # they begin with a row of each reason
        phrase = "captions of several paragraphs, without other signs of Markdown or JSON"
    sentence = f"{selection.label}: {phrase}: {number:,} of {n:,} ({_percent(number / n)})"
    if kind == COPIES:
        sentence += f". Most frequent: {examples[0]['why']}"
    values, headline = {of: number, "share": number / n}, f"{number:,} of {n:,} {of}"
    return Finding(kind, sentence, about(selection), values, n, bad, examples, headline)


def examples_of(listed: pl.DataFrame) -> Iterator[dict[str, str | int | None]]:
    """Yield a few rows, first those that are listed for different reasons."""
    different = listed.unique("why", keep="first", maintain_order=True).head(_EXAMPLES)
    rest = listed.join(different, on=["image", "slot", "why"], how="anti", nulls_equal=True, maintain_order="left")
    yield from pl.concat([different, rest]).head(_EXAMPLES).select(EXAMPLE).to_dicts()


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else f"{share:.2%}" if share >= 0.0001 else "less than 0.01%"
