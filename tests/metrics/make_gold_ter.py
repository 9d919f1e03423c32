"""Golden TER and chrF by sacrebleu (extra `peers`): `python tests/metrics/make_gold_ter.py`.

Items are captions written for this purpose, and random ones of few words, moved about: long ones leave the beam, and
reach the most shifts that are tried for one pair.
"""

from __future__ import annotations

import importlib.metadata
import random
from pathlib import Path

from gold_layout import laid_out

ROOT = Path(__file__).parents[2]
TER_GOLD = ROOT / "tests" / "gold" / "ter.json"
CHRF_GOLD = ROOT / "tests" / "gold" / "chrf.json"

Item = tuple[str, list[str]]

WRITTEN: list[Item] = [
    ("a small dog runs over wet sand", ["a dog runs over the wet sand", "over wet sand runs a small dog", "dog"]),
    ("on a bench an old man reads", ["an old man reads on a bench", "the man with the paper sits on a bench"]),
    ("two girls two girls sit", ["two girls sit", "sit two girls on the grass near two girls"]),
    ("le café naïf 日本", ["日本 le café", "le naïf café 日本語"]),
    ("", ["a dog runs", "dogs"]),
    ("a dog", ["", "a"]),
    ("a", ["", ""]),
    ("", ["", ""]),
    ("dog", ["dog"]),
    ("ab", ["abab", "ba"]),
    ("x y", ["xy", "y x"]),
    ("one " * 30 + "two", ["two " + "one " * 30, "one two " * 20]),
]


def items() -> list[Item]:
    """Give candidates and their references, tokens apart by blanks."""
    rng = random.Random(1)
    made = list(WRITTEN)
    for length, words in [(6, 3), (10, 8), (12, 30), (20, 5), (28, 12), (40, 6), (66, 40), (80, 9), (110, 4)] * 4:
        reference = [f"w{rng.randrange(words)}" for _ in range(rng.randint(length // 2, length))]
        references = [reference, rng.sample(reference, len(reference)), reference[::2]]
        candidate = [word for word in reference if rng.random() < 0.9]
        for _ in range(rng.randint(1, 3)):
            first, last = sorted(rng.choices(range(len(candidate) + 1), k=2))
            block = candidate[first:last]
            del candidate[first:last]
            at = rng.randint(0, len(candidate))
            candidate[at:at] = block
        made.append((" ".join(candidate), [" ".join(text) for text in references]))
    return made


def main() -> None:
    """Score the items and write the numbers down."""
    from sacrebleu.metrics import CHRF, TER

    version = importlib.metadata.version("sacrebleu")
    scorers = {
        TER_GOLD: {"ter": TER(case_sensitive=True)},
        CHRF_GOLD: {
            "chrf": CHRF(),
            "chrf:word_order=2": CHRF(word_order=2),
            "chrf:smooth=eps": CHRF(eps_smoothing=True),
            "chrf:char_order=3,beta=1": CHRF(char_order=3, beta=1),
        },
    }
    for path, metrics in scorers.items():
        gold = {
            "made by": f"sacrebleu {version}, sentence_score, x100; TER(case_sensitive=True), CHRF(…)",
            "scores": {
                name: [metric.sentence_score(candidate, references).score for candidate, references in items()]
                for name, metric in metrics.items()
            },
        }
        path.write_text(laid_out(gold) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
