"""Golden stems by NLTK (extra `peers`, and nltk), mode ORIGINAL_ALGORITHM: `python tests/metrics/make_gold_porter.py`.

The words are the examples of Porter 1980 and others that meet each of its rules, some of which are no words at all.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

GOLD = Path(__file__).parents[1] / "gold" / "porter.tsv"

WORDS = """
caresses ponies ties caress cats s ss feed agreed plastered bled motoring sing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer conformabli
radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness
callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness
revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption
homologou communism activate angulariti homologous effective bowdlerize probate rate cease controll roll fishes fishing
fished eed ed ing ingly y yes yy ay by toy toys employ employed apologi archaeology singly ion ation lion onion question
ational tional oed uing queued agree degree freed been seed bleed matting mating mat matted rating rated at bling blinged
ized izing fuzz fuzzed passing yellowed snowing boxing boxed played café naïve 日本 l ll all alls ills 2 10 42s s2 as is was
generalizations oscillators multidimensional skateboarders snowboarding men women children dogs dog puppies grassy
""".split()


def main() -> None:
    """Stem the words and write them down."""
    from nltk.stem.porter import PorterStemmer

    stemmer = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)
    made_by = f"# made by nltk {importlib.metadata.version('nltk')}, ORIGINAL_ALGORITHM: make_gold_porter.py\n"
    stems = "".join(f"{word}\t{stemmer.stem(word, to_lowercase=False)}\n" for word in WORDS)
    GOLD.write_text(made_by + stems, encoding="utf-8")


if __name__ == "__main__":
    main()
