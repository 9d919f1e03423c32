"""The answer of a comparison: which dataset is ahead by an index on each metric family, and what follows from it.

A family is the metrics of one name: ROUGE-L and ROUGE-SU4 are one. A dataset is ahead in a family if it is by all of
its metrics. Pairs differ by their adjusted p, which is for all pairs of a metric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, Sentence, about, as_papers_write, joined
from auditor.result.portraits import HOMOGENEITY, Quoted

#: The default metrics: one of each family by which Wang & Gaizauskas 2016 compare datasets. TER counts errors, so it
#: does not measure homogeneity, and does not vote.
METRICS = ("bleu-4", "rouge-l", "meteor", "cider-d")

#: The adjective of a dataset that is ahead by an index, and the kind of finding that names it.
_WORDS = {"homogeneity": ("homogeneous", "more-homogeneous"), "specificity": ("specific", "more-specific")}

#: The metric whose values are quoted in the sentence on consequences, if it was computed.
QUOTED = "rouge-l"


@dataclass(frozen=True)
class Order:
    """The datasets by one metric, the highest value first, and the pairs that differ significantly: first, other."""

    metric: str
    labels: tuple[str, ...]
    ahead: frozenset[tuple[str, str]]

    @property
    def family(self) -> str:
        """The name of the family, as papers write it."""
        return as_papers_write(self.metric.partition(":")[0].partition("-")[0])

    @property
    def groups(self) -> dict[str, str]:
        """Return the letters of each dataset: datasets that share a letter do not differ significantly."""
        sets = [frozenset(self.labels)]
        for pair in self.ahead:
            split = [one - {label} for one in sets if set(pair) <= one for label in pair]
            kept = [one for one in sets if not set(pair) <= one]
            sets = kept + [one for one in dict.fromkeys(split) if not any(one <= other for other in kept)]
            sets = [one for one in sets if not any(one < other for other in sets)]
        sets.sort(key=lambda one: sorted(map(self.labels.index, one)))
        return {
            label: "".join(_letter(number) for number, one in enumerate(sets) if label in one) for label in self.labels
        }


@dataclass(frozen=True)
class Answer:
    """The orders of the datasets by the metrics that vote. `tested` is whether pairs were tested, at `alpha`."""

    index: str
    orders: tuple[Order, ...]
    tested: bool
    alpha: float = 0.05

    @property
    def families(self) -> Mapping[str, list[Order]]:
        """The orders by family."""
        return {
            family: [order for order in self.orders if order.family == family]
            for family in dict.fromkeys(order.family for order in self.orders)
        }

    @property
    def surely(self) -> list[str]:
        """The families in which the first dataset is significantly ahead of every other."""
        top = self.top
        return [name for name, family in self.families.items() if top and _is_sure(family, top)]

    @property
    def top(self) -> str | None:
        """The dataset that is ahead in most families, if there is one."""
        first = Counter(filter(None, map(_leader, self.families.values()))).most_common(1)
        return first[0][0] if first and first[0][1] * 2 > len(self.families) else None

    def differs(self, order: Order) -> bool:
        """Return whether a metric significantly contradicts the majority of families about a pair."""
        return any(self._votes(second, first) > self._votes(first, second) for first, second in order.ahead)

    def _votes(self, first: str, second: str) -> int:
        """Count the families by all of whose metrics one dataset has a higher value than another."""
        return sum(all(_is_above(order, first, second) for order in family) for family in self.families.values())

    def finding(self, selections: Sequence[Selection], sampled: str) -> Finding | None:
        """Return the sentence that answers, with the counts of families behind it."""
        if not self.orders:
            return None
        word, kind = _WORDS[self.index]
        families = self.families
        leads, top, sure = {name: _leader(family) for name, family in families.items()}, self.top, self.surely
        wins = sum(leader == top for leader in leads.values()) if top else 0
        if top is None:
            by_dataset: dict[str, list[str]] = {}
            for name, leader in leads.items():
                by_dataset.setdefault(leader or "several datasets", []).append(name)
            first = ", ".join(f"{label} by {joined(names)}" for label, names in by_dataset.items())
            said, named = f"metrics disagree about the most {word} dataset: {first}", {}
        else:
            selection = next(one for one in selections if one.label == top)
            others = ", ".join(label for label in self.orders[0].labels if label != top)
            named = about(selection, against=others)
            of = f"on {{}} of {len(families)} metric {'family' if len(families) == 1 else 'families'}"
            if not self.tested:
                said = f"{top} is the most {word} {of.format(wins)}, without tests of significance"
            elif sure:
                # All of them need no correction: their probability of an error is at most that of one.
                each = "" if len(sure) == len(families) else " each"
                said = f"{top} is the most {word} {of.format(len(sure))} ({joined(sure)}; p < {self.alpha:g}{each})"
            else:
                said = f"{top} has the highest {self.index} {of.format(wins)}, but not significantly"
        values = {"ahead": wins, "significant": len(sure) if self.tested else None}
        return Finding(kind, f"{said}{sampled}", named, values, len(families))

    def agreement(self) -> str:
        """Report whether the metrics agree: on the first dataset, and on the order of the others."""
        families, top = self.families, self.top
        firsts = sum(_leader(family) == top for family in families.values()) if top else 0
        if len(families) < 2:
            parts = ["One metric family, so agreement is not measured"]
        elif top is None:
            parts = [f"{joined([*families])} disagree about the first dataset"]
        elif firsts < len(families):
            parts = [f"{firsts} of {len(families)} families agree on the first dataset"]
        else:
            names = [f"{name} ({len(own)} metrics)" if own[1:] else name for name, own in families.items()]
            parts = [f"{joined(names)} agree on the first dataset"]
        parts += [*self._disputed(), *self._joined()] if self.tested else []
        return Sentence(f"{'; '.join(parts)}.", "agreement")

    def _joined(self) -> Iterator[str]:
        """Yield the pairs that do not differ significantly by any metric."""
        known = [pair for order in self.orders for pair in order.ahead]
        same = [pair for pair in self._pairs() if pair not in known and pair[::-1] not in known]
        if same:
            yield f"{', '.join(map(joined, same))} do not differ significantly"

    def _disputed(self) -> Iterator[str]:
        """Yield the pairs that metrics order in both directions; all pairs of some datasets as one."""
        known = {pair for order in self.orders for pair in order.ahead}
        disputed = [pair for pair in self._pairs() if {pair, pair[::-1]} <= known]
        labels = [label for label in self.orders[0].labels if any(label in pair for pair in disputed)]
        groups = [labels] if len(disputed) == len(labels) * (len(labels) - 1) / 2 else disputed
        if disputed:
            yield f"they disagree about the order of {', '.join(map(joined, groups))}"

    def _pairs(self) -> list[tuple[str, str]]:
        return [*combinations(self.orders[0].labels, 2)]


def answer(
    index: str, rows: pl.DataFrame, pairs: pl.DataFrame, errors: Collection[str], confidence: float = 0.95
) -> Answer:
    """Order the datasets by each metric that votes. `rows` and `pairs` have columns `label` (and `against_label`)."""
    orders, tested, alpha = list[Order](), False, round(1 - confidence, 12)
    for (metric,), own in rows.filter(statistic=index).group_by("metric", maintain_order=True):
        if metric in errors or own.height < 2:
            continue
        tests = pairs.filter(pl.col("p_adjusted").is_not_null(), statistic=index, metric=metric)
        known = tests.filter(pl.col("p_adjusted") < alpha).select("label", "against_label", "difference").rows()
        ahead = {(first, second) if difference > 0 else (second, first) for first, second, difference in known}
        tested = tested or bool(tests.height)
        labels = own.sort("value", descending=True, maintain_order=True)["label"].to_list()
        orders.append(Order(str(metric), tuple(labels), frozenset(ahead)))
    return Answer(index, tuple(orders), tested, alpha)


def lead(found: Sequence[Finding], rows: pl.DataFrame, answered: Answer, why: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the answer in sentences: which dataset, by how much, `why`, whether metrics agree, and what follows."""
    if not found:
        return ()
    *much, following = consequence(rows, answered)
    return *map(Sentence.of, found), *much, *why, answered.agreement(), following


def quoted(homogeneity: pl.DataFrame, label: str) -> Iterator[Quoted]:
    """Yield the homogeneity of each dataset by the last metric; column `label` names the datasets."""
    last = homogeneity.filter(pl.col("metric") == pl.col("metric").last())
    for row in last.iter_rows(named=True):
        ends = row["low"], row["high"], row["confidence"]
        yield Quoted(row[label], HOMOGENEITY, row["value"], *ends, row["metric"], row["signature"])


def same_captions(selections: Sequence[Selection]) -> tuple[str, ...]:
    """Return a sentence instead of an answer if all datasets have the same captions."""
    first, *others = selections
    if any(one.content != first.content for one in others):
        return ()
    named = joined([one.label for one in selections])
    return (f"{named} have the same captions (version {first.version.version[:12]}): there is nothing to compare.",)


def consequence(rows: pl.DataFrame, answered: Answer) -> tuple[str, ...]:
    """Report by how much the first dataset is ahead, by one metric, and what follows for training and evaluation.

    The metric is one by which it is ahead.
    """
    of_index, top = rows.filter(statistic=answered.index), answered.top
    known = [one.metric for one in answered.orders if one.labels[0] == top] or of_index["metric"].to_list()
    metric = QUOTED if QUOTED in known else known[-1]
    own = dict(of_index.filter(metric=metric).select("label", "value").iter_rows())
    if top is None or top not in own:
        named = "Name the metric with every comparison of these datasets: homogeneity does not choose between them."
        return (Sentence(named, "next"),)
    others = sorted(value for label, value in own.items() if label != top)
    amount = f"Captions of the wrong image score {own[top]:.0%} as high as those of the right image on {top}"
    much = Sentence(f"{amount}{among(others, f'{metric}; elsewhere ')}.", "amount")
    if answered.tested and not answered.surely:
        small = "The difference is too small to prefer one of these datasets for training or evaluation."
        return much, Sentence(small, "next")
    apart = "Do not compare scores across these datasets"
    if any(top == below for order in answered.orders for _, below in order.ahead):
        apart += ". The metrics disagree, so don't choose between them by homogeneity."
    else:
        apart += f": phrases that fit many images score well on {top}. For training, its captions teach less about "
        apart += "each image."
    return much, Sentence(apart, "next")


def among(others: Sequence[float], where: str) -> str:
    """Write the range of the shares of other datasets, after a space."""
    ends = dict.fromkeys(f"{value:.0%}" for value in (min(others), max(others))) if others else {}
    return f" ({where}{' to '.join(ends)})" if ends else ""


def _is_above(order: Order, first: str, second: str) -> bool:
    places = order.labels
    return first in places and second in places and places.index(first) < places.index(second)


def _letter(number: int) -> str:
    """Return a to z, then a2 to z2, and so on."""
    again, letter = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(again + 1) if again else "")


def _leader(family: Sequence[Order]) -> str | None:
    firsts = {order.labels[0] for order in family}
    return firsts.pop() if len(firsts) == 1 else None


def _is_sure(family: Sequence[Order], top: str) -> bool:
    return all((top, other) in order.ahead for order in family for other in order.labels if other != top)
