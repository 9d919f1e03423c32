"""What is scored in place of a caption: the lower bounds of Wang & Gaizauskas 2016, section 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.errors import MetricError, UsageError
from auditor.model import Selection
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.store.connection import Store
from auditor.store.versions import log, related, resolve, resolve_all

#: Every lower bound, in the order in which results show them.
LOWER_BOUNDS = (
    "intra",
    "inter",
    "brown",
    "gibberish-10",
    "gibberish-mean",
    "gibberish-brown-10",
    "gibberish-brown-mean",
)

#: The corpus whose sentences and words are drawn unless another is named.
CORPUS = "brown"

#: Those that are made of it.
_OF_CORPUS = ("brown", "gibberish-brown-10", "gibberish-brown-mean")

#: Why a lower bound that could be asked for has no candidates after all.
_EMPTY = {
    "intra": "there is no caption of another image",
    "inter": "the other datasets have no captions",
    "brown": "the corpus has no sentence of five tokens and ten characters or more",
}


@dataclass(frozen=True)
class Substitutes:
    """Where substitutes come from: the datasets for `inter`, as asked for, and the corpus, where there is one."""

    datasets: tuple[Selection, ...]
    corpus: Selection | None
    corpus_name: str


def substitutes_of(
    store: Store, selections: Sequence[Selection], others: Sequence[str] = (), corpus: str | None = None
) -> Substitutes:
    """Find them: the datasets named by `others`, else those that are looked at together.

    Raises `UsageError` where one is named that the store does not hold; the default corpus may be missing.
    """
    datasets = resolve_all(store, others) if others else tuple(selections)
    name = corpus or CORPUS
    known = corpus is not None or log(store, CORPUS)
    return Substitutes(datasets, resolve(store, name) if known else None, name)


def intra(seed: int) -> CandidateSet:
    """Draw, in place of each caption, one of another image of the same dataset."""
    return CandidateSet("intra", "candidate_intra", {"seed": seed})


def requested_candidates(names: Sequence[str] | None) -> list[str]:
    """Read which candidates a user asks for: `human`, lower bounds; none stands for all.

    Raises `UsageError` for a name that is none.
    """
    known = (HUMAN.name, *LOWER_BOUNDS)
    for name in names or ():
        if name not in known:
            raise UsageError(f"{name}: no such candidate; known are {', '.join(known)}")
    return [name for name in known if names is None or name in names]


def candidate_sets(
    store: Store, selection: Selection, names: Sequence[str], substitutes: Substitutes, seed: int
) -> tuple[list[CandidateSet], dict[str, str]]:
    """Return the sets that can be drawn for a selection, and why each of the others cannot."""
    pool, kin = _parted(store, selection, substitutes.datasets)
    corpus = () if substitutes.corpus is None else (substitutes.corpus,)
    is_strange = bool(_unrelated(store, selection, corpus))
    sets, reasons = [], {}
    for name in names:
        if name == "inter" and not pool:
            reasons[name] = "no other dataset that is not related; name several datasets, or --others NAME"
        elif name in _OF_CORPUS and not corpus:
            reasons[name] = f"{substitutes.corpus_name} is not in the store: `auditor ingest {substitutes.corpus_name}`"
        elif name in _OF_CORPUS and not is_strange:
            reasons[name] = f"{substitutes.corpus_name} has captions of the same images; name another --corpus"
        else:
            sets.append(_candidate_set(name, seed, pool, corpus, kin))
    return sets, reasons


def one_pool(store: Store, selections: Sequence[Selection], substitutes: Substitutes) -> tuple[Substitutes, list[str]]:
    """Let `inter` draw for every selection from the same datasets: those that are related to none of them.

    Where there is no such dataset the sources stay as they are. Gives notes on what was done.
    """
    pools = {selection.label: _parted(store, selection, substitutes.datasets)[0] for selection in selections}
    if len(set(pools.values())) == 1:
        return substitutes, []
    first, *rest = pools.values()
    common = tuple(selection for selection in first if all(selection in pool for pool in rest))
    if not common:
        drawn = "; ".join(f"{label} from {_listed(pool) or 'none'}" for label, pool in pools.items())
        return substitutes, [
            f"inter and specificity are of different pools, and so their ranks compare unlike things ({drawn}): "
            "name --others that are related to none of the datasets to draw all from the same"
        ]
    named = {selection.version.dataset for selection in common}
    dropped = ", ".join(
        dict.fromkeys(dataset.label for dataset in substitutes.datasets if dataset.version.dataset not in named)
    )
    said = (
        f"inter draws from {_listed(common)} for every dataset, so that all draw from the same pool: {dropped} left out"
    )
    return replace(substitutes, datasets=common), [f"{said}, as a relative of one of them"]


def passed_over(store: Store, selection: Selection, substitutes: Substitutes) -> list[str]:
    """Return which datasets that are named `inter` does not draw from: relatives, and selections after the first."""
    pool, kin = _parted(store, selection, substitutes.datasets)
    notes = []
    if kin:
        verb = "has" if len(kin) == 1 else "have"
        notes.append(
            f"{selection.label}: inter draws from {_listed(pool)} and not from {_listed(kin)}, which {verb} the same "
            "images or captions (related in datasets.toml)"
        )
    for taken in pool:
        alike = [
            dataset
            for dataset in substitutes.datasets
            if dataset.version.dataset == taken.version.dataset and dataset != taken
        ]
        if alike:
            others = ", ".join(selection.label for selection in alike)
            notes.append(f"{selection.label}: inter draws from {taken.label} and not from {others}: each dataset once")
    return notes


def empty(candidate: CandidateSet) -> str:
    """Return why a set has no captions."""
    return _EMPTY.get(candidate.name, "there is no word to draw")


def refuse(selection: Selection, reasons: dict[str, str]) -> None:
    """Raise `MetricError` for candidates that were asked for by name and cannot be drawn."""
    for name, reason in reasons.items():
        raise MetricError(f"{selection.label}: no {name}: {reason}")


def _listed(selections: Sequence[Selection]) -> str:
    return ", ".join(selection.label for selection in selections)


def _candidate_set(
    name: str, seed: int, pool: tuple[Selection, ...], corpus: tuple[Selection, ...], kin: tuple[Selection, ...]
) -> CandidateSet:
    match name:
        case "human":
            return HUMAN
        case "intra":
            return intra(seed)
        case "inter":
            return CandidateSet(name, "candidate_inter", {"seed": seed}, pool, left_out=kin)
        case "brown":
            return CandidateSet(name, "candidate_brown", {"seed": seed}, corpus)
    of_corpus = name in _OF_CORPUS
    return CandidateSet(
        name,
        "candidate_made",
        {"seed": seed, "words": None if name.endswith("mean") else 10},
        drawn_from=corpus if of_corpus else (),
        binds={"spoken_token": "substitute_token" if of_corpus else "token_count"},
        makes="gibberish_text",
    )


def _unrelated(store: Store, selection: Selection, datasets: Sequence[Selection]) -> tuple[Selection, ...]:
    """Leave out the dataset itself and what shares images or captions with it; the rest by name, each dataset once."""
    return _parted(store, selection, datasets)[0]


def _parted(
    store: Store, selection: Selection, datasets: Sequence[Selection]
) -> tuple[tuple[Selection, ...], tuple[Selection, ...]]:
    """Part what shares no image or caption with a selection from its relatives, by name, each dataset once."""
    own = selection.version.dataset
    kin = set(related(store, own))
    others = {
        selection.version.dataset: selection for selection in reversed(datasets) if selection.version.dataset != own
    }
    is_kin = {name: name in kin or own in related(store, name) for name in others}
    strange, alike = (tuple(others[name] for name in sorted(others) if is_kin[name] is kind) for kind in (False, True))
    return strange, alike
