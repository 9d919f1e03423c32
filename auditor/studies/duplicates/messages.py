"""The findings on duplicates: leaks, captions at several images, copied slots, and what could not be searched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import polars as pl

from auditor.findings.wording import LEAK
from auditor.model import Selection
from auditor.result import Finding, Said, Severity, about, counted
from auditor.studies.duplicates.search import TRAIN, DuplicateCounts, Question, Side

#: The kinds of findings on captions that occur at several images, and on duplicate slots.
AT_SEVERAL, COPIED = "captions-at-several-images", "copied-slots"

#: A leak exceeds the share expected by chance by so many standard errors and by so large a share. From the last share
#: on, it is an error.
_BEYOND, _MORE, _FLOOD = 3.0, 0.002, 0.05

#: Fewest test captions for a judgment, and what is reported if their share does not exceed the expected one.
_FEWEST = 200
_AS_BY_CHANCE = ("That is not more than chance", "These captions are too few to compare with chance")

#: Matches of an image's captions are correlated: the variance of a share is so many times that of independent captions.
_CLUSTERED = 2.0

#: Shares of captions that also occur at another image. Flickr8k has 1.4%, half of COCO 2.8%.
_COMMON, _SOME = 0.2, 0.05

#: Duplicate slots are reported from this share of images on, if at least so many images match.
_COPIED, _COPIES = 0.1, 20

#: What a sentence counts, and the number of examples.
_FOUND, _EXAMPLES = ("of_captions", "exact", "near"), 3

Examples = tuple[dict[str, str | int | None], ...]


def messages(counts: DuplicateCounts, least: float, tokenizer: str) -> tuple[Said, ...]:
    """Return the definitions of a match, then the findings, those on leaks first."""
    near_share = f"{least:.1%}".replace(".0%", "%")
    definitions = (
        f"exact: the same tokens (tokenizer {tokenizer}), ignoring case, punctuation and whitespace; near: not"
        f" exact, but at least {near_share} of the words of both captions together are in both, in any order"
    )
    matches = counts.matches.pivot("match", index=["question_no", "of_captions"], values="captions")
    found = {row["question_no"]: row for row in matches.filter(pl.col("of_captions") > 0).iter_rows(named=True)}
    compared = [(question, found[question.number]) for question in counts.questions if question.number in found]
    leaks = [(question, row) for question, row in compared if question.is_leak]
    sides = {question.side.number: question.side for question in counts.questions}
    findings = [
        *(_leak(question, row, counts) for question, row in leaks if question.scope == "across-splits"),
        *(_leak_of_others(question, row, counts) for question, row in leaks if question.scope != "across-splits"),
        *(_elsewhere(question, row, counts) for question, row in compared if question.scope == "across-images"),
        *_copied(counts),
        *(limit for row in counts.sides.iter_rows(named=True) for limit in _limits(sides, row)),
    ]
    return (definitions, *dict.fromkeys(findings))


def _leak(question: Question, found: Mapping[str, int], counts: DuplicateCounts) -> Finding:
    """Compare the share of test captions that occur in train with train captions that occur at other train images.

    If the images of test and train were sampled at random from the same source, the two shares would be equal.
    """
    own = question.side.selection.version.dataset
    n, exact, near = (found[name] for name in _FOUND)
    share, by_chance, is_beyond = dict[str, float](), dict[str, float](), False
    for match in ("exact", "any"):
        number, of = counts.expected[question.against.selection_no, match]
        share[match], by_chance[match] = found[match] / n, number / of if of else 0.0
        pooled = (found[match] + number) / (n + of)
        error = math.sqrt(_CLUSTERED * pooled * (1 - pooled) * (1 / n + 1 / max(of, 1)))
        is_beyond |= share[match] - by_chance[match] > max(_BEYOND * error, _MORE)
    excess = max(share[match] - by_chance[match] for match in share) if is_beyond else 0.0
    near_share, near_by_chance = share["any"] - share["exact"], by_chance["any"] - by_chance["exact"]
    sentence = (
        f"{own}: of {n:,} test captions, {exact:,} also occur in train ({share['exact']:.1%}, expected by chance: "
        f"{by_chance['exact'] * n:,.0f} or {by_chance['exact']:.1%}), and {near:,} have a near-duplicate there "
        f"({near_share:.1%}, expected: {near_by_chance * n:,.0f} or {near_by_chance:.1%}). "
        + ("That is significantly more than chance" if is_beyond else _AS_BY_CHANCE[n < _FEWEST])
    )
    values = {"exact": exact, "near": near, "share": share["any"]}
    values |= {"exact_by_chance": by_chance["exact"], "share_by_chance": by_chance["any"]}
    severity: Severity = "error" if excess >= _FLOOD else "warning" if is_beyond else "info"
    headline = f"{share['any']:.1%} of test in train ({by_chance['any']:.1%} by chance)"
    where = _about(question.side, against=TRAIN)
    return Finding(LEAK, sentence, where, values, n, severity, _examples(question, counts), headline)


def _leak_of_others(question: Question, found: Mapping[str, int], counts: DuplicateCounts) -> Finding:
    """Return a leak from another dataset. If few captions are exact copies, short captions explain the matches."""
    label, against = question.side.label, question.against.label
    n, exact, near = (found[name] for name in _FOUND)
    share, is_flood = found["any"] / n, exact / n >= _FLOOD
    few = ". Few are exact copies: short captions of similar scenes match by chance" if share and not is_flood else ""
    sentence = (
        f"{share:.1%} of the {n:,} captions of {label} also occur in {against}: "
        f"{counted(exact, 'exact copy', 'exact copies')} and {counted(near, 'near-duplicate', 'near-duplicates')}{few}"
    )
    where = _about(question.side, label=label, against=against)
    values = {"exact": exact, "near": near, "share": share}
    severity: Severity = "error" if is_flood else "info"
    headline = f"{share:.1%} of {label} in {against}"
    return Finding(LEAK, sentence, where, values, n, severity, _examples(question, counts), headline)


def _elsewhere(question: Question, found: Mapping[str, int], counts: DuplicateCounts) -> Finding:
    """Return how many captions also occur at another image, and how many have a near-duplicate there."""
    n, exact = found["of_captions"], found["exact"]
    near = found["any"] / n - exact / n
    return at_several_images(question.side.selection, exact, n, _examples(question, counts), near)


def at_several_images(
    selection: Selection, exact: int, n: int, examples: Examples, share_near: float | None = None
) -> Finding:
    """Return the finding on captions that occur at several images, with the share of near-duplicates if it is known."""
    share = exact / n
    severity: Severity = "warning" if share >= _COMMON else "notice" if share >= _SOME else "info"
    sentence = (
        f"{selection.label}: {exact:,} of {n:,} captions ({share:.1%}) occur at more than one image, case and "
        "punctuation aside"
    )
    if share_near:
        sentence += f". A further {share_near:.1%} have a near-duplicate at another image"
    values = {"captions": exact, "share": share} | ({} if share_near is None else {"look_alike": share_near})
    headline = f"{exact:,} of {n:,} captions"
    return Finding(AT_SEVERAL, sentence, about(selection), values, n, severity, examples, headline)


def _examples(question: Question, counts: DuplicateCounts) -> Examples:
    rows = counts.pairs.filter(question_no=question.number).head(_EXAMPLES)
    other = {f"other_{name}": f"against_{name}" for name in ("image", "slot", "text")}
    return tuple(rows.select("image", "slot", "text", why="match", **other).to_dicts())


def _copied(counts: DuplicateCounts) -> Iterator[Finding]:
    """Yield a finding for each selection with slots that repeat another: on the pair with the largest share."""
    together = pl.col("exact") + pl.col("near")
    by_share = counts.slot_pairs.filter(together >= _COPIES).with_columns(share=together / pl.col("of_images"))
    for question in counts.questions:
        pairs = by_share.filter(pl.col("share") >= _COPIED, question_no=question.number).to_dicts()
        if not pairs:
            continue
        side, first = question.side, max(pairs, key=lambda pair: float(pair["share"]))
        slots, share = f"slots {first['slot']} and {first['against_slot']}", f"{first['share']:.1%}"
        what = f"{slots} are identical or nearly identical for {share} of images"
        values = {name: first[name] for name in ("exact", "near", "share")}
        if pairs[1:]:
            alike = f"are identical or nearly identical for {_COPIED:.0%} of images or more"
            what = f"{len(pairs)} pairs of slots {alike}, most often {slots} ({share})"
            values["findings"] = len(pairs)
        where = _about(side, slot=first["slot"], against_slot=first["against_slot"])
        sentence = f"{side.label}: {what}. One may be a copy of the other"
        n, headline = first["of_images"], f"{share} of images"
        yield Finding(COPIED, sentence, where, values, n, "warning", headline=headline)


def _limits(sides: Mapping[int, Side], row: Mapping[str, int]) -> list[Finding]:
    """Return findings on comparisons that a selection does not allow, and on captions that could not be compared."""
    side = sides[row["side_no"]]
    findings = []

    def add(kind: str, sentence: str, **values: int) -> None:
        told = f"{side.label}: {sentence}"
        findings.append(Finding(kind, told, _about(side), dict(values), row["captions"], "notice"))

    if row["wordless"]:
        wordless = counted(row["wordless"], "caption without a word", "captions without a word")
        add("captions-without-word", f"{wordless}, not compared", captions=row["wordless"])
    if row["most_at_image"] < 2:
        add("one-caption-per-image", "every image has a single caption, so none can repeat within an image")
    if row["images"] < 2:
        add("one-image", "one image, so no caption can occur at another image")
    whole = side.selection.split is None
    if whole and sum(each.selection_no == side.selection_no for each in sides.values()) < 3:
        add("no-splits", "fewer than two splits, so a search for train/test leaks is not possible")
    return findings


def _about(side: Side, **further: str | int) -> dict[str, str | int | None]:
    return about(side.selection) | {"split": side.split} | further
