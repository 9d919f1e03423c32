"""Makes `tests/gold/ptb.json` again: what COCO's evaluation makes of the sentences below.

Needs Java, pycocoevalcap (extra `peers`), which holds stanford-corenlp-3.4.1.jar, and the real data (AUDITOR_DATA):
PYTHONPATH=tests/metrics python tests/text/make_gold_ptb.py
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl
from gold_layout import laid_out

from auditor import sources
from auditor.model import Part

GOLD = Path(__file__).parents[1] / "gold" / "ptb.json"

#: Real datasets, of which only a hash is stored: file below the data folder, format.
REAL = {
    "flickr8k": ("flickr8k/Flickr8k.token.txt.gz", "flickr"),
    "coco-val2017": ("coco-val2014/captions_val2017.json.gz", "coco"),
}

SENTENCES = (
    """
A dog runs.
Two men, one woman and 3 dogs aren't here
The man's hat can't be theirs; they're gone, he'd said, I'll see it's o'clock, we've won
Don't! DON'T!! don’t shan't dogs' the '90s '90 y'all ’tis 'twas 'Twas
She cannot go, gonna gotta wanna lemme gimme dunno d'ye more'n
ma'am rock'n'roll rock 'n' roll Cap'n c'mon nor'easter li'l ol' d'Avignon L'Oréal O'Malley's l'eau
"Quoted" and 'single' and ``latex'' and “curly” and ‘curled’ «ducks» ‹duck› „low‟
say "hi" to 5" of "$5" and '5
Mr. Smith, Mrs. Jones and Dr. No. live on St. James Ave. in the U.S. The U.S. is big. It is by the U.S.A.
Vitamin A. The end, plan B. and Exhibit C. A man
John Q. Public Jr. met Alex. Brown at 5 p.m. on Jan. 3 vs. the Cos. etc.
etc., i.e. e.g., a.k.a. Ph.D. Ed.D. Esq. Inc.; Corp.: Ltd? Bldg. 3, fig. 4, no. 5, No. Not art. 7 pp. 9-12 ca. 1900 op. 3
Calif. Mass. mass. Wash. wash. Ill. ill. Ore. Miss. miss. Del. La. Tex. Pa. Ariz.
Pty. Ltd. and Co. Ltd. and pte. limited
It costs $5.50, US$3, €20, £4.99, ¥100, 50¢, 5% or #1
½ cup, ¼ of ⅓, 1/2, 3 1/2 inches, 10-1/2, ⅞ and 5\\/6
The 1st, 2nd and 21st at 12:30pm on 12/25/2013 or 3-4-05 in the 1990s, 1,000,000 and -5 +3 .5 ,7 1:2:3
Call 555-1234, (212) 555-1234, +44 20 7946 0958 or 212.555.1234
mail me@example.com or <me@example.com>, visit http://www.example.com/a?b=c, www.foo.org. and foo.net/bar
see photo.jpg. and readme.txt, run a.out index.html!
@user likes #dogs and #dog2 # and @ @@ ## __
A black-and-white cat, a T-shirt, mid-2013, co-ed, x-ray, well-known, pro-life anti-war -LRB- U.S.-U.K. non-U.S. S&P-500
either/or, and/or, 24/7, w/out, w/o, c/o, AC/DC, he/she/they, a\\/b
R&B, AT&T, AT&amp;T, B&amp;B., M+M, rock & roll &amp; more &lt;b&gt; &quot;x&quot; &apos;s &nbsp; &mdash; &eacute; caf&eacute;
(round) [square] {curly} <angle> << >> < > (a) [b] {c}
Wait... what.. is. . . this . . . . ?! really?? no!!! …so
dash - dash -- dash --- dash ---- dash ----- en–dash em—dash ‐ ‑hyphen x–y
:) :-) :( ;-) :D =) 8) (^_^) ^_^ T_T <3 :P x.x (-_-) x_x =]
<b>bold</b> <a href="x.html">link</a> <br /> <br/> </p> <!-- note --> <img src=x> 3 < 4 > 2
* star ** \\* a*b 2+2=4 == = ~ ^ | \\ / // _ under_score __init__ C++ c# F# .NET node.js
café naïve Ångström straße İstanbul ΟΔΟΣ Москва 日本語 한국어 עברית العربية हिन्दी ไทย
soft\u00adhyphen zero\u200bwidth non\u00a0breaking\u2003em\u3000ideographic \ufeffbom \u00ad
emoji 😀 dog 🐕‍🦺 and 𝒜 math → ∀ © ® ™ ° ± × ÷ § ¶ • · † ‡
½-inch 5'10" 6' tall 90° 20°C 3x4 1e5 0x1F v2.0 10th-century
semi;colon:comma,no space,after.Period.Here!And?There A.B.C. a.b U.N.'s
He said,"Go."Then(she)left[fast]
double  spaces   and\ttabs
{blank}leading and trailing{blank}
.
...
a
A.
I.
'
's
n't
-
--
!!
$
"
""".replace("{blank}", " ")
    .strip("\n")
    .split("\n")
)

#: Pieces that meet each other's neighbors: what the rules are about.
PIECES = (
    *"abcABC0123459 .,;:!?'\"`-_/\\()[]{}<>&#@$%*+=~^|…’‘“”–—½€£é日ſK\u00ad\u00a0",
    *(
        "n't",
        "'s",
        "'re",
        "can",
        "not",
        "gonna",
        "'tis",
        "'twas",
        "Mr.",
        "U.S.",
        "etc.",
        "Co.",
        "Ltd",
        "Jan.",
        "fig.",
        "Ph.D.",
    ),
    *(
        "...",
        ". . .",
        "--",
        "---",
        "&amp;",
        "&lt;",
        "&gt;",
        "&quot;",
        "&apos;",
        "&nbsp;",
        "&mdash;",
        "<b>",
        "</b>",
        "<a b='c'>",
    ),
    *(
        "www.",
        ".com",
        ".net",
        "http://",
        "@",
        ".jpg",
        ".c",
        "1/2",
        "12:30",
        "3-4-05",
        "(212)",
        "555-1234",
        "1,000",
        "3.5",
        "-5",
    ),
    *(
        ":-)",
        ";)",
        ":D",
        "^_^",
        "x_x",
        "'90s",
        "o'",
        "O'",
        "d'",
        "y'",
        "ol'",
        "c++",
        "c#",
        "The",
        "It",
        "A",
        "if",
        "dog",
        "DOG",
    ),
    *(
        "black-and-white",
        "U.K.",
        "AT&T",
        "either/or",
        "cap'n",
        "rock",
        "'n'",
        "\u2003",
        "\t",
        "\x92",
        "\x85",
        "\x7f",
        "\x01",
        "😀",
    ),
)


def scrambled(count: int, seed: int) -> list[str]:
    """Make captions of pieces, some of them parted by blanks."""
    chance = random.Random(seed)
    texts = []
    for _ in range(count):
        share = chance.choice((0.1, 0.4, 0.8))
        pieces = chance.choices(PIECES, k=chance.randint(1, 12))
        texts.append("".join(piece + (" " if chance.random() < share else "") for piece in pieces))
    return texts


def official(captions: Sequence[str]) -> list[list[str]]:
    """Ask the program of pycocoevalcap, each caption for itself: lines between them keep their first words apart.

    The blanks in a token (no-break spaces) part it as they do for the metrics.
    """
    import pycocoevalcap.tokenizer as package
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS, STANFORD_CORENLP_3_4_1_JAR

    (folder,) = package.__path__
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".txt") as file:
        file.write("".join(f"{caption}\nx\n" for caption in captions))
        file.flush()
        program = ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", file.name]
        command = ["java", "-Dfile.encoding=UTF-8", "-cp", str(Path(folder) / STANFORD_CORENLP_3_4_1_JAR), *program]
        printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    lines = printed.split("\n")[: 2 * len(captions)]
    assert lines[1::2] == ["x"] * len(captions)
    return [
        [part for word in line.rstrip().split(" ") if word not in PUNCTUATIONS for part in word.split()]
        for line in lines[::2]
    ]


def captions_of(data: Path, name: str) -> list[str]:
    """Read the captions of a real dataset, each as one line."""
    file, form = REAL[name]
    texts = pl.concat([batch["text"] for batch in sources.read(Part((data / file,)), form)])
    return texts.str.replace_all("[\r\n]", " ").to_list()


def fingerprint(tokens: Iterable[Sequence[str]]) -> str:
    """Hash token lists."""
    return hashlib.sha256("\n".join(" ".join(words) for words in tokens).encode()).hexdigest()


if __name__ == "__main__":
    captions = [*SENTENCES, *scrambled(600, seed=1)]
    data = Path(os.environ["AUDITOR_DATA"])
    gold = {
        "made by": "stanford-corenlp-3.4.1.jar and PUNCTUATIONS of pycocoevalcap 1.2, python tests/text/make_gold_ptb.py",
        "sha256 of the tokens": {name: fingerprint(official(captions_of(data, name))) for name in REAL},
        "tokens": [[caption, " ".join(tokens)] for caption, tokens in zip(captions, official(captions), strict=True)],
    }
    GOLD.write_text(laid_out(gold) + "\n", encoding="utf-8")
