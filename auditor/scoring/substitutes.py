"""Substitutes for captions: the lower bounds of Wang & Gaizauskas 2016, section 5."""

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

#: The default corpus that sentences and words are drawn from.
CORPUS = "brown"

#: Lower bounds that are drawn from the corpus.
_OF_CORPUS = ("brown", "gibberish-brown-10", "gibberish-brown-mean")

#: Why a lower bound that can be drawn has no candidates.
_EMPTY = {
    "intra": "the dataset has only one image with captions",
    "inter": "the other datasets have no captions",
    "brown": "the corpus has no sentence of at least five tokens and ten characters",
}


@dataclass(frozen=True)
class Substitutes:
    """Sources of substitutes: the requested datasets for `inter`, and the corpus, if the store has it."""

    datasets: tuple[Selection, ...]
    corpus: Selection | None
    corpus_name: str


def substitutes_of(
    store: Store, selections: Sequence[Selection], others: Sequence[str] = (), corpus: str | None = None
) -> Substitutes:
    """Return the sources: the datasets named by `others`, or the selections themselves.

    Raises `UsageError` for a name that is not in the store. The default corpus may be missing.
    """
    datasets = resolve_all(store, others) if others else tuple(selections)
    name = corpus or CORPUS
    known = corpus is not None or log(store, CORPUS)
    return Substitutes(datasets, resolve(store, name) if known else None, name)


def intra(seed: int) -> CandidateSet:
    """Replace each caption by a caption of another image of the same dataset."""
    return CandidateSet("intra", "candidate_intra", {"seed": seed})


def requested_candidates(names: Sequence[str] | None) -> list[str]:
    """Return the requested candidates, `human` or lower bounds, in their order; all by default.

    Raises `UsageError` for an unknown name.
    """
    known = (HUMAN.name, *LOWER_BOUNDS)
    for name in names or ():
        if name not in known:
            raise UsageError(f"{name}: unknown candidate; use one of {', '.join(known)}")
    return [name for name in known if names is None or name in names]


def candidate_sets(
    store: Store, selection: Selection, names: Sequence[str], substitutes: Substitutes, seed: int
) -> tuple[list[CandidateSet], dict[str, str]]:
    """Return the sets that can be drawn for a selection, and why the others cannot."""
    pool, kin = _parted(store, selection, substitutes.datasets)
    corpus = () if substitutes.corpus is None else (substitutes.corpus,)
    is_unrelated = bool(_unrelated(store, selection, corpus))
    sets, reasons = [], {}
    for name in names:
        if name == "inter" and not pool:
            reasons[name] = "needs a dataset that is not related; list several datasets, or set --others NAME"
        elif name in _OF_CORPUS and not corpus:
            reasons[name] = f"{substitutes.corpus_name} is not in the store: `auditor ingest {substitutes.corpus_name}`"
        elif name in _OF_CORPUS and not is_unrelated:
            reasons[name] = f"{substitutes.corpus_name} has captions of the same images; set another --corpus"
        else:
            sets.append(_candidate_set(name, seed, pool, corpus, kin))
    return sets, reasons


def one_pool(store: Store, selections: Sequence[Selection], substitutes: Substitutes) -> tuple[Substitutes, list[str]]:
    """Make `inter` draw from the same datasets for every selection: those that are related to none of them.

    If none exists, the sources stay unchanged. Returns notes on the change too.
    """
    pools = {selection.label: _parted(store, selection, substitutes.datasets)[0] for selection in selections}
    if len(set(pools.values())) == 1:
        return substitutes, []
    first, *rest = pools.values()
    common = tuple(selection for selection in first if all(selection in pool for pool in rest))
    if not common:
        drawn = "; ".join(f"{label} from {_listed(pool) or 'none'}" for label, pool in pools.items())
        return substitutes, [
            f"inter draws from different datasets ({drawn}), so ranks of inter and specificity are not comparable: "
            "set --others to datasets that are related to none of them"
        ]
    named = {selection.version.dataset for selection in common}
    dropped = ", ".join(
        dict.fromkeys(dataset.label for dataset in substitutes.datasets if dataset.version.dataset not in named)
    )
    note = f"inter draws from {_listed(common)} for every dataset; {dropped} left out, because related to one of them"
    return replace(substitutes, datasets=common), [note]


def passed_over(store: Store, selection: Selection, substitutes: Substitutes) -> list[str]:
    """Report the datasets that `inter` does not draw from: related ones, and further selections of the same one."""
    pool, kin = _parted(store, selection, substitutes.datasets)
    notes = []
    if kin:
        verb = "has" if len(kin) == 1 else "have"
        notes.append(
            f"{selection.label}: inter draws from {_listed(pool)} but not from {_listed(kin)}, which {verb} the same "
            "images or captions (related in datasets.toml)"
        )
    for taken in pool:
        unused = [
            dataset
            for dataset in substitutes.datasets
            if dataset.version.dataset == taken.version.dataset and dataset != taken
        ]
        if unused:
            others = ", ".join(selection.label for selection in unused)
            notes.append(f"{selection.label}: inter draws from {taken.label} but not from {others}: each dataset once")
    return notes


def empty(candidate: CandidateSet) -> str:
    """Return why a set has no captions."""
    return _EMPTY.get(candidate.name, "the source has no words")


def refuse(selection: Selection, reasons: dict[str, str]) -> None:
    """Raise `MetricError` for candidates that were requested by name and cannot be drawn."""
    for name, reason in reasons.items():
        raise MetricError(f"{selection.label}: {name} not available: {reason}")


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
        binds={"token_count": "substitute_token" if of_corpus else "token_count"},
        makes="gibberish_text",
    )


def _unrelated(store: Store, selection: Selection, datasets: Sequence[Selection]) -> tuple[Selection, ...]:
    """Return the datasets that share no images or captions with a selection, by name, each once."""
    return _parted(store, selection, datasets)[0]


def _parted(
    store: Store, selection: Selection, datasets: Sequence[Selection]
) -> tuple[tuple[Selection, ...], tuple[Selection, ...]]:
    """Separate datasets that share no image or caption with a selection from related ones; by name, each once."""
    own = selection.version.dataset
    kin = set(related(store, own))
    others = {
        selection.version.dataset: selection for selection in reversed(datasets) if selection.version.dataset != own
    }
    is_kin = {name: name in kin or own in related(store, name) for name in others}
    unrelated, relatives = (
        tuple(others[name] for name in sorted(others) if is_kin[name] is kind) for kind in (False, True)
    )
    return unrelated, relatives
