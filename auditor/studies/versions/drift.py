"""Which words are new or gone between two selections, and how did the lengths of captions change?

The summary has one number each for words, bigrams, openings, lengths, new words and gone words.
"""

from __future__ import annotations

import math

import polars as pl
import polars.selectors as cs

from auditor.result import Finding, Result, Signature, Table, about
from auditor.statistics.intervals import around
from auditor.statistics.resampling import image_sums, jackknife_error, left_out_means
from auditor.statistics.summary import CONFIDENCE
from auditor.store.captions import Captions, selections_of
from auditor.store.workspace import Workspace

_VERSION = 2

#: The relations of both sides, and the SELECT that makes each.
_OF_SIDE = {"gram_of_side": "drift_ngram", "token_of_side": "token_count", "reference_of_side": "reference"}

_KINDS = {"words": "js", "bigrams": "js-2", "openings": "js-opening"}

#: Words that the summary names of those that are more frequent, and of those that are less frequent.
_NAMED = 5

_Row = dict[str, str | float | None]


def summary(a: Captions, b: Captions, title: str) -> Result:
    """Return one row per statistic (statistic, a, b, value, low, high), and whether anything changed.

    - `js`, `js-2`, `js-opening`: Jensen-Shannon divergence, base 2, of words, bigrams and first three tokens: 0 for
      equal shares, 1 if nothing is shared;
    - `words`, `new-words`, `gone-words`: different words, and those of only one side; `new-share`, `gone-share`: their
      share of the tokens of that side;
    - `key-words`: words whose share changed significantly (log-likelihood above 15.13: p < 0.0001 for one word);
    - `asl`: mean length in tokens; `value` is b less a, `low` and `high` its 95% interval, by the jackknife over
      images and Student's t, for two independent sides;
    - `length-delta`: Cliff's delta, the share of pairs of captions with the longer one in b, minus the share with the
      longer one in a; `length-ks`: Kolmogorov and Smirnov's largest distance between the two distributions.

    Statistics that need tokens are null if a side has none.
    """
    both = Workspace(a.store)
    for side, captions in (("a", a), ("b", b)):
        workspace = captions.workspace()
        for relation, name in _OF_SIDE.items():
            both.append(relation, name, of=workspace, side=side)
    means = [_mean_length(both, side) for side in "ab"]
    moved = both.rows("divergence")
    divergence = dict(moved.select("kind", "divergence").rows())
    rows: list[_Row] = [{"statistic": name, "value": divergence.get(kind)} for kind, name in _KINDS.items()]
    rows += _vocabulary(moved)
    keys = both.rows("vocabulary_drift").filter(pl.col("keyness") > 15.13)
    rows.append({"statistic": "key-words", "value": float(keys.height)})
    rows += [_length(*means), *_distributions(both.rows("length_count"))]
    schema = {"statistic": pl.String, **dict.fromkeys(("a", "b", "value", "low", "high"), pl.Float64)}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    signature = str(Signature("drift", {"tok": a.tokenizer, "base": 2, "opening": 3}, _VERSION))
    changed = bool((frame["value"].fill_null(0) != 0).any())
    words = keys.head(10).select("word", "change", "per_million_a", "per_million_b", "keyness")
    changes = Table(f"{title}: words that changed most", words, caption="more: --depth vocabulary", name="words")
    tables = [Table(f"{title}, tokenizer {a.tokenizer}", frame, name="drift"), *([changes] if words.height else [])]
    same = Finding("unchanged", "the same words, openings and lengths, equally often", _about(a, b))
    return Result(
        "diff",
        frame,
        selections_of((a, b)),
        {"drift": signature},
        tuple(tables),
        holds=not changed,
        findings=() if changed else (same,),
        lead=_lead(title, frame, keys),
    )


def _lead(title: str, frame: pl.DataFrame, keys: pl.DataFrame) -> tuple[str, ...]:
    """Report in plain words how lengths and words changed."""
    row = {row["statistic"]: row for row in frame.iter_rows(named=True)}
    length = row["asl"]
    apart = f"{abs(length['value']):,.2f} words {'longer' if length['value'] > 0 else 'shorter'}"
    way = apart if round(length["value"], 2) else "equally long"
    reach = "" if length["low"] is None else f"; difference {length['low']:+.2f} to {length['high']:+.2f}, 95% CI"
    said = [f"{title}: captions are {way} on average ({length['a']:,.2f} before, {length['b']:,.2f} after{reach})."]
    if "new-words" in row:
        parts = [f"{row['new-words']['value']:,.0f} words are new, {row['gone-words']['value']:,.0f} are gone"]
        for name, changes in (("more", ("more", "new")), ("less", ("less", "gone"))):
            words = keys.filter(pl.col("change").is_in(changes))["word"].head(_NAMED).to_list()
            parts += [f"{name} frequent: {', '.join(words)}"] if words else []
        said.append(f"{'; '.join(parts)}.")
    known = [(name, row[statistic]["value"]) for name, statistic in _KINDS.items()]
    divergences = ", ".join(f"{name} {value:.4f}" for name, value in known if value is not None)
    if divergences:
        said.append(f"Jensen-Shannon divergence, 0 if equal, 1 if nothing is shared: {divergences}.")
    return tuple(said)


def _mean_length(workspace: Workspace, side: str) -> tuple[float, float | None, int]:
    """Return the mean length of captions of a side, its standard error (jackknife over images), and its images."""
    lengths = workspace.query(
        "select 'human' as candidate, image, slot, length::double as length from reference_of_side"
        f" where side = '{side}' order by image, slot"
    )
    sums = image_sums(lengths)
    return float(sums.means[0]), jackknife_error(left_out_means(sums)[:, 0]), sums.images


def _length(a: tuple[float, float | None, int], b: tuple[float, float | None, int]) -> _Row:
    (mean_a, error_a, images_a), (mean_b, error_b, images_b) = a, b
    difference = mean_b - mean_a
    error = None if error_a is None or error_b is None else math.hypot(error_a, error_b)
    low, high = around(difference, error, min(images_a, images_b), CONFIDENCE) or (None, None)
    return {"statistic": "asl", "a": mean_a, "b": mean_b, "value": difference, "low": low, "high": high}


def _vocabulary(moved: pl.DataFrame) -> list[_Row]:
    words = moved.filter(kind="words")
    if words.is_empty():
        return []
    row = words.row(0, named=True)
    types = {"a": row["types_a"], "b": row["types_b"], "value": row["types_b"] - row["types_a"]}
    values = {f"{way}-words": row[f"{way}_types"] for way in ("new", "gone")}
    for way, side in (("new", "b"), ("gone", "a")):
        of = row[f"occurrences_{side}"]
        values[f"{way}-share"] = row[f"{way}_occurrences"] / of if of else None
    return [{"statistic": "words", **types}, *({"statistic": name, "value": value} for name, value in values.items())]


def _distributions(lengths: pl.DataFrame) -> list[_Row]:
    """Compare two histograms in whole numbers; without captions on a side, both statistics are null."""
    side_a, side_b = (pl.col(f"captions_{side}").cast(pl.Int128) for side in "ab")
    whole_a, whole_b = (int(lengths[f"captions_{side}"].sum()) for side in "ab")
    pairs = whole_a * whole_b
    if not pairs:
        return [{"statistic": "length-delta"}, {"statistic": "length-ks"}]
    counted = lengths.select(
        longer=(side_b * (side_a.cum_sum() - side_a)).sum(),
        shorter=(side_a * (side_b.cum_sum() - side_b)).sum(),
        apart=(side_a.cum_sum() * whole_b - side_b.cum_sum() * whole_a).abs().max(),
    ).row(0)
    longer, shorter, apart = (int(number) for number in counted)
    delta, ks = (longer - shorter) / pairs, apart / pairs
    return [{"statistic": "length-delta", "value": delta}, {"statistic": "length-ks", "value": ks}]


#: The depths of `diff` that compare language, in addition to `drift`: the SELECT, and the relation that it compares.
DEPTHS = {"vocabulary": ("vocabulary_drift", "token_of_side"), "lengths": ("length_drift", "reference_of_side")}

SUMMARY = "drift"

_SHOWN_WORDS = 50

_COUNTS = ("captions", "length-min", "length-max", "captions-of-one-word")


def drift(a: Captions, b: Captions, depth: str, title: str) -> Result:
    """Return how words (depth `vocabulary`) or lengths (`lengths`) changed from `a` to `b`, and whether anything did.

    `a` and `b` can be of one dataset or two. Columns are those of `sql/versions/vocabulary_drift.sql` and
    `length_drift.sql`; depth `drift` has one number per statistic, see `summary`.
    """
    if depth == SUMMARY:
        return summary(a, b, title)
    name, relation = DEPTHS[depth]
    both = Workspace(a.store)
    for side, captions in (("a", a), ("b", b)):
        both.append(relation, _OF_SIDE[relation], of=captions.workspace(), side=side)
    rows = both.rows(name)
    shown = f"{title}, tokenizer {a.tokenizer}"
    tables, finding = (_words if depth == "vocabulary" else _lengths)(rows, shown, _about(a, b))
    same, findings = finding is not None and finding.kind == "unchanged", (finding,) if finding else ()
    return Result("diff", rows, selections_of((a, b)), tables=tables, holds=same, findings=findings)


def _about(a: Captions, b: Captions) -> dict[str, str | int | None]:
    return about(a.selection, against=b.selection.pinned_name)


_Drift = tuple[tuple[Table, ...], Finding | None]


def _words(rows: pl.DataFrame, title: str, of: dict[str, str | int | None]) -> _Drift:
    more = rows.height - _SHOWN_WORDS
    caption = f"{more:,} more words: --json or -o FILE lists them" if more > 0 else None
    tables = (Table(title, rows.head(_SHOWN_WORDS), caption=caption, name="words"),)
    if rows.is_empty():
        return tables, Finding("unchanged", "the same words, equally often", of)
    known = dict(rows["change"].value_counts().iter_rows())
    counts = {change: known.get(change, 0) for change in ("new", "gone", "more", "less")}
    changes = ", ".join(f"{number:,} {change}" for change, number in counts.items())
    return tables, Finding("changed-words", f"words: {changes}", of, counts, rows.height)


def _lengths(rows: pl.DataFrame, title: str, of: dict[str, str | int | None]) -> _Drift:
    changed = bool((rows["difference"] != 0).any())
    is_count = pl.col("statistic").is_in(_COUNTS)
    tables = (
        Table(title, rows.filter(is_count).cast({cs.numeric(): pl.Int64}), name="counts"),
        Table("lengths in tokens", rows.filter(~is_count), name="lengths"),
    )
    return tables, None if changed else Finding("unchanged", "the same number of captions, with the same lengths", of)
