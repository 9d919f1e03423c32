"""What others have for the same scores, each run in a process of its own.

Of a Python package the scoring call counts, neither imports nor making its items. Of a Java or Perl program the whole
process counts; writing its files does not. Every peer gets the tokens of the tokenizer `bare`, joined by blanks.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from measuring import Cost, installed, leave_one_out, run, timed

_SELF = [sys.executable, str(Path(__file__).resolve())]

Texts = Sequence[str]
Others = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Peer:
    """A program: what it needs, which group of our metrics it is compared with, and the ratio aimed at.

    `call` prepares a scoring call; `command` prepares files in a folder and gives the command that scores them.
    """

    name: str
    group: str
    package: str
    aim: float | None = None
    program: str | None = None
    call: Callable[[Texts, Others], Callable[[], object]] | None = None
    command: Callable[[Texts, Others, Path, Path | None], list[str]] | None = None

    def lacking(self, tercom: Path | None) -> str | None:
        """Say what is not there that it needs; null where nothing is lacking."""
        if self.program and not shutil.which(self.program):
            return f"{self.program} is not installed"
        if self.package == "tercom":
            return None if tercom else "name its jar with --tercom"
        return None if installed(self.package) else f"{self.package} is not installed"


def measure(peer: Peer, items: Path, folder: Path, tercom: Path | None) -> Cost:
    """Run a peer once on the items of a file; its peak is that of its whole process."""
    asked = [*_SELF, peer.name, str(items), "--folder", str(folder), *(["--tercom", str(tercom)] if tercom else [])]
    process, printed = run(asked, folder)
    if peer.command:
        return run(json.loads(printed), folder)[0]
    cost = Cost(*json.loads(printed))
    return Cost(cost.wall, cost.cpu, process.peak)


# Python packages.


def _pycocoevalcap(module: str, scorer: str, *settings: object, **options: object) -> Peer:
    def call(texts: Texts, others: Others) -> Callable[[], object]:
        made = getattr(importlib.import_module(f"pycocoevalcap.{module}.{module}"), scorer)
        references = dict(enumerate(others))
        candidates = {number: [text] for number, text in enumerate(texts)}
        return lambda: made(*settings).compute_score(references, candidates, **options)

    arguments = ", ".join(map(str, settings))
    groups = {"Bleu": "BLEU", "Rouge": "ROUGE-L", "Cider": "CIDEr-D", "Meteor": "METEOR"}
    program = "java" if scorer == "Meteor" else None
    return Peer(f"pycocoevalcap {scorer}({arguments})", groups[scorer], "pycocoevalcap", 10, program, call)


def _sacrebleu(name: str, group: str, aim: float | None, *settings: tuple[str, dict[str, object]]) -> Peer:
    def call(texts: Texts, others: Others) -> Callable[[], object]:
        import sacrebleu.metrics

        scorers = [getattr(sacrebleu.metrics, scorer)(**options) for scorer, options in settings]
        return lambda: [
            scorer.sentence_score(text, references).score
            for scorer in scorers
            for text, references in zip(texts, others, strict=True)
        ]

    return Peer(name, group, "sacrebleu", aim, None, call)


def _rouge_score(texts: Texts, others: Others) -> Callable[[], object]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rougeL"])
    return lambda: [scorer.score_multi(references, text) for text, references in zip(texts, others, strict=True)]


def _pairs(texts: Texts, others: Others) -> tuple[list[str], list[str]]:
    """Give each reference of each text, and the text beside it: what scores pairs alone is asked once a reference."""
    references = [reference for some in others for reference in some]
    return references, [text for text, some in zip(texts, others, strict=True) for _ in some]


def _rouge_rust(texts: Texts, others: Others) -> Callable[[], object]:
    import fast_rouge

    references, predictions = _pairs(texts, others)
    return lambda: fast_rouge.score_batch_flat(references, predictions)


def _rouge_score_rs(texts: Texts, others: Others) -> Callable[[], object]:
    from rouge_score_rs.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    references, predictions = _pairs(texts, others)
    return lambda: scorer.score_batch(references, predictions)


def _rapidfuzz(texts: Texts, others: Others) -> Callable[[], object]:
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    references, predictions = ([text.split() for text in side] for side in _pairs(texts, others))
    return lambda: cpdist(references, predictions, scorer=LCSseq.similarity)


def _bleuscore(texts: Texts, others: Others) -> Callable[[], object]:
    import bleuscore

    return lambda: [
        bleuscore.compute([[*references]], [text], max_order=n, smooth=True, ref_len_method="closest")
        for n in range(1, 5)
        for text, references in zip(texts, others, strict=True)
    ]


def _rouge_metric(texts: Texts, others: Others) -> Callable[[], object]:
    from rouge_metric import PyRouge

    scorer = PyRouge((1, 2), rouge_w=True, rouge_w_weight=1.2, rouge_su=True, skip_gap=4, mode="individual")
    candidates = [[text.split()] for text in texts]
    references = [[[other.split()] for other in some] for some in others]
    return lambda: scorer.evaluate_tokenized(candidates, references)


# Programs of their own. They write to the folder that they are given.


def _folder_of(package: str) -> Path:
    found = importlib.util.find_spec(package)
    places = found.submodule_search_locations if found else None
    if not places:
        sys.exit(f"{package} is not installed")
    return Path(next(iter(places)))


def _perl_rouge(texts: Texts, others: Others, folder: Path, tercom: Path | None) -> list[str]:
    """Write one file per text and a list of them, which is what the script reads with `-z SPL`.

    It starts only with XML::DOM, which it never uses then, and with WordNet's exceptions as a database, which unstemmed
    scores never ask: the one gets a stand-in, the other is built as its authors say.
    """
    del tercom
    home = _folder_of("rouge_metric") / "RELEASE-1.5.5"
    script, data = folder / "ROUGE-1.5.5.pl", folder / "data"
    if not script.exists():
        shutil.copyfile(home / script.name, script)
        shutil.copytree(home / "data", data, copy_function=shutil.copyfile)
        exceptions = ["perl", "buildExeptionDB.pl", ".", "exc", "../WordNet-2.0.exc.db"]
        subprocess.run(exceptions, cwd=data / "WordNet-2.0-Exceptions", check=True, capture_output=True)
        (folder / "XML").mkdir()
        (folder / "XML" / "DOM.pm").write_text(
            "package XML::DOM::Parser;\nsub new { bless {} }\n1;\n", encoding="ascii"
        )
        (folder / "texts").mkdir()
    names: dict[str, str] = {}
    for text in texts:
        if text not in names:
            names[text] = f"{folder}/texts/{len(names)}"
            Path(names[text]).write_text(f"{text}\n", encoding="utf-8")
    lines = (
        " ".join(names[each] for each in (text, *references)) for text, references in zip(texts, others, strict=True)
    )
    (folder / "list").write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["-n", "2", "-2", "4", "-u", "-w", "1.2", "-f", "A", "-d", "-r", "10", "-z", "SPL"]
    return ["perl", str(script), "-e", str(data), *options, str(folder / "list")]


def _meteor_jar(texts: Texts, others: Others, folder: Path, tercom: Path | None) -> list[str]:
    del tercom
    jar = _folder_of("pycocoevalcap") / "meteor" / "meteor-1.5.jar"
    (folder / "candidates").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    lines = (f"{text}\n" for references in others for text in references)
    (folder / "references").write_text("".join(lines), encoding="utf-8")
    files = [str(folder / "candidates"), str(folder / "references")]
    return ["java", "-Xmx2G", "-jar", str(jar), *files, "-l", "en", "-norm", "-r", str(len(others[0]))]


def _tercom(texts: Texts, others: Others, folder: Path, tercom: Path | None) -> list[str]:
    (folder / "candidates.trans").write_text(
        "".join(f"{text} ({number})\n" for number, text in enumerate(texts)), encoding="utf-8"
    )
    lines = (f"{text} ({number})\n" for number, references in enumerate(others) for text in references)
    (folder / "references.trans").write_text("".join(lines), encoding="utf-8")
    files = ["-r", str(folder / "references.trans"), "-h", str(folder / "candidates.trans")]
    return ["java", "-jar", str(tercom), *files, "-o", "ter", "-n", str(folder / "tercom")]


_BLEU = tuple(("BLEU", {"max_ngram_order": n, "effective_order": True, "tokenize": "none"}) for n in range(1, 5))

PEERS = (
    _pycocoevalcap("bleu", "Bleu", 4, verbose=0),
    _pycocoevalcap("rouge", "Rouge"),
    _pycocoevalcap("cider", "Cider"),
    _pycocoevalcap("meteor", "Meteor"),
    _sacrebleu("sacrebleu BLEU-1 to 4", "BLEU", None, *_BLEU),
    _sacrebleu("sacrebleu TER", "TER", 10, ("TER", {"case_sensitive": True})),
    _sacrebleu("sacrebleu chrF", "chrF", None, ("CHRF", {})),
    Peer("rouge-score rouge1, rougeL", "ROUGE", "rouge-score", call=_rouge_score),
    Peer("rouge-rust 1, 2, L", "ROUGE", "rouge-rust", call=_rouge_rust),
    Peer("rouge-score-rs 1, 2, L", "ROUGE", "rouge-score-rs", call=_rouge_score_rs),
    Peer("rapidfuzz LCS", "ROUGE-L", "rapidfuzz", call=_rapidfuzz),
    Peer("bleuscore BLEU-1 to 4", "BLEU", "bleuscore", call=_bleuscore),
    Peer("rouge-metric 1, 2, L, W, SU4", "ROUGE", "rouge-metric", call=_rouge_metric),
    Peer("ROUGE-1.5.5.pl 1, 2, L, W, SU4", "ROUGE", "rouge-metric", 20, "perl", command=_perl_rouge),
    Peer("METEOR 1.5 jar", "METEOR", "pycocoevalcap", 20, "java", command=_meteor_jar),
    Peer("tercom jar", "TER", "tercom", None, "java", command=_tercom),
)


def main(arguments: Sequence[str]) -> None:
    """Run the peer named, and print its cost; or prepare its files, and print its command. Both as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=[peer.name for peer in PEERS])
    parser.add_argument("items", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--tercom", type=Path)
    asked = parser.parse_args(arguments)
    peer = next(each for each in PEERS if each.name == asked.peer)
    texts, others = leave_one_out(json.loads(asked.items.read_text(encoding="utf-8")))
    if peer.command:
        print(json.dumps(peer.command(texts, others, asked.folder, asked.tercom)))
    elif peer.call:
        print(json.dumps(astuple(timed(peer.call(texts, others)))))


if __name__ == "__main__":
    main(sys.argv[1:])
