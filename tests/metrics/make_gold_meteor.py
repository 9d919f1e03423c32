"""Golden values of METEOR, by meteor-1.5.jar of pycocoevalcap (extra `peers`, and Java): `python tests/metrics/make_gold_meteor.py`.

Writes `gold/meteor.json` (statistics and scores of captions made up here) and `gold/meteor_normalizer.json` (lines and
what METEOR's normalizer makes of them).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gold_layout import laid_out

GOLD = Path(__file__).parents[1] / "gold"

Item = tuple[str, list[str]]

_WORDS = {
    "kin": "a the man men woman person people boy child children kid girl dog dogs puppy cat".split(),
    "deeds": "is are sits sitting sat runs running ran walks walking jumps jumping holds smiling plays playing".split(),
    "places": "in on the grass ground field beach water street road next to in front of near by at top behind".split(),
    "looks": "big large small little young old red blue happy happily quickly fast two several many".split(),
    "odd": "or q4 as c5 co e1 st the the a a dog dogs man men".split(),
}

_CASES: list[Item] = [
    ("", ["a dog runs"]),
    ("a dog runs", [""]),
    ("", [""]),
    ("dog", ["dog"]),
    ("dog", ["dogs"]),
    ("man", ["men"]),
    ("man", ["person"]),
    ("a", ["a a a a a a"]),
    ("a a a a a a", ["a"]),
    ("xyzzy", ["xyzzy qwerty"]),
    ("a dog", ["dog a"]),
    ("dogs running", ["dog runs"]),
    ("the automobile stopped", ["the car halted"]),
    ("men walk dogs", ["a man is walking a dog"]),
    ("two dogs wrestle in the grass", ["two dogs wrestle in the ground", "two puppies wrestle"]),
    ("a café in the old town", ["a cafe in the old town", "日本 town"]),
    ("日本 dog", ["dog 日本"]),
    ("a " * 60, ["a " * 70]),
    ("a dog " * 33, ["dog a " * 33]),
    ("a " * 200, ["a " * 190 + "b " * 10]),
]

LINES = """A dog. a man
A dog. A man.
a,b,c and 1,000 or 1,a
a-b-c tri-coloured -x x- -- a--b
U.S. e.g. Mr. Smith No. 5 No. five pp. 3
5' '90s it's dogs' n't 'a' 9's ''quoted'' `x'
wait... what.. ..so .
“a” ‘b’ – c — d
日本 naïve ÉTÉ Привет ελλάς 5€ a@b #tag
the end.
a . b , c ' d""".split("\n")


def items(count: int = 600, seed: int = 15) -> list[Item]:
    """Make up candidates and references: cases, shuffles, long and repetitive texts."""
    rng = random.Random(seed)

    def text(longest: int) -> list[str]:
        kinds = rng.sample(sorted(_WORDS), rng.randint(1, len(_WORDS)))
        return [rng.choice(_WORDS[rng.choice(kinds)]) for _ in range(rng.randint(1, longest))]

    made: list[Item] = []
    for number in range(count):
        longest = 120 if number % 40 == 0 else 16
        ours = text(longest)
        theirs = [text(longest) for _ in range(rng.randint(1, 4))]
        if number % 3 == 0:
            theirs[0] = rng.sample(ours, len(ours))
        made.append((" ".join(ours), [" ".join(one) for one in theirs]))
    return [*_CASES, *made]


def _jar() -> Path:
    found = importlib.util.find_spec("pycocoevalcap")
    places = found.submodule_search_locations if found else None
    if not places:
        raise SystemExit("needs pycocoevalcap: pip install 'auditor[peers]'")
    return Path(next(iter(places))) / "meteor" / "meteor-1.5.jar"


def _java(arguments: Sequence[str], lines: Sequence[str]) -> list[str]:
    done = subprocess.run(
        ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", *arguments],
        input="".join(f"{line}\n" for line in lines),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.splitlines()


def main() -> None:
    """Score and normalize, and write the numbers and lines down."""
    made = items()
    command = ["-jar", str(_jar()), "-", "-", "-stdio", "-l", "en", "-norm"]
    asked = [f"SCORE ||| {' ||| '.join(refs)} ||| {hyp or ' '}" for hyp, refs in made]
    statistics = _java(command, asked)
    *scores, corpus = map(float, _java(command, [f"EVAL ||| {' ||| '.join(statistics)}"]))
    version = f"meteor-1.5.jar of pycocoevalcap {importlib.metadata.version('pycocoevalcap')}"
    gold = {
        "made by": f"{version}, -stdio -l en -norm; texts: items() of make_gold_meteor.py",
        "corpus": corpus,
        "scores": scores,
        "statistics": [" ".join(str(int(float(number))) for number in line.split()[:21]) for line in statistics],
    }
    (GOLD / "meteor.json").write_text(laid_out(gold) + "\n", encoding="utf-8")
    normalized = _java(["-cp", str(_jar()), "edu.cmu.meteor.util.Normalizer", "en", "true"], LINES)
    bare = _java(["-cp", str(_jar()), "edu.cmu.meteor.util.Normalizer", "en", "false"], LINES)
    gold = {
        "made by": f"{version}, edu.cmu.meteor.util.Normalizer en true (norm), en false (nopunct); it does not lower-case",
        "lines": LINES,
        "norm": normalized,
        "nopunct": bare,
    }
    (GOLD / "meteor_normalizer.json").write_text(laid_out(gold) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
