"""The command that a user means by a word that is not one: of its meaning, its spelling, or a dataset of the store."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from auditor.cli.reader import DEFAULT_STORE
from auditor.errors import AuditorError, UsageError

#: Words for what commands do, of other programs and of papers, beside those of their lines of help.
_WORDS = {
    "profile": "stats statistics describe summary summarize count info",
    "findings": "lint validate quality clean problems issues errors",
    "duplicates": "dedup dedupe deduplicate leak overlap contamination copies",
    "diversity": "ttr mtld distinct vocabulary richness",
    "words": "keyness vocab tokens frequency",
    "syntax": "pos tags grammar parse",
    "bounds": "ceiling human baseline upper lower gibberish",
    "compare": "homogeneity similarity rank versus",
    "score": "evaluate eval bleu cider meteor rouge spice",
    "agree": "correlation ratings judgements consensus humans",
    "objects": "chair hallucination hallucinations",
    "choices": "vqa blind sugarcrepe",
    "distractors": "negatives foils",
    "export": "save convert write fix repair",
    "ingest": "import load read add",
    "datasets": "list ls show versions log",
    "diff": "changes changed history",
    "report": "html page card audit",
    "check": "gate gates ci test assert",
    "reproduce": "paper papers table",
    "fetch": "download get pull",
    "sql": "query shell select",
}

#: The first letters that two words of one meaning share, and the least ratio of two spellings of one word (difflib).
_STEM, _ALIKE = 4, 0.75


def refuse_unknown(word: str, commands: Mapping[str, str]) -> None:
    """Raise `UsageError` for a word that is not a command, with what it may mean; `commands` have lines of help."""
    if (dataset := _dataset(word)) is not None:
        from auditor.called import call

        raise UsageError(f"{word} is a dataset, not a command; `{call('datasets', dataset)}` lists its versions")
    meant = [name for name in commands if _means(word.lower(), (name, commands[name], _WORDS.get(name, "")))]
    meant = get_close_matches(word.lower(), commands, 2, _ALIKE) or meant[:2]
    said = " or ".join(f"`auditor {name}` ({commands[name].rstrip('.')})" for name in meant)
    raise UsageError(
        f"{word} is not a command" + (f"; did you mean {said}?" if said else "; `auditor --help --all` lists all")
    )


def _means(word: str, texts: Iterable[str]) -> bool:
    return len(word) >= 2 and any(
        known == word or (min(len(known), len(word)) >= _STEM and known[:_STEM] == word[:_STEM])
        for text in texts
        for known in re.findall(r"[a-z]+", text.lower())
    )


def _dataset(word: str) -> str | None:
    """Return the name of the dataset in the usual store that a word refers to; null if there is none."""
    path = Path(os.environ.get("AUDITOR_STORE") or DEFAULT_STORE)
    if not path.is_file():
        return None
    from auditor.store.connection import Store
    from auditor.store.versions import resolve

    try:
        with Store.open(path, wait=0.0, migrate=False) as store:
            return resolve(store, word).version.dataset
    except (AuditorError, OSError):
        return None
