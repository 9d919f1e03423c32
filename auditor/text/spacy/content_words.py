"""Content words by a spaCy pipeline's tagger: adjectives, nouns, verbs and adverbs (Penn tags JJ*, NN*, VB*, RB*).

So van Miltenburg, Elliott & Vossen 2018, section 3.2. Words are those of tokenizer `spacy`: lower case, no blanks.
"""

from __future__ import annotations

import polars as pl

from auditor.text.spacy import pipelines

#: The tokenizer whose words are tagged.
PROFILE = "spacy"

_CONTENT = ("JJ", "NN", "VB", "RB")


class Tagger(pipelines.Pipeline):
    """A loaded pipeline that tags."""

    def content_words(self, texts: pl.Series) -> pl.DataFrame:
        """Tag each distinct text, in order of spelling; `text` and `words`, a list of its content words, each once."""
        distinct = texts.unique().sort()
        words = [
            sorted({token.lower_ for token in parsed if token.tag_.startswith(_CONTENT) and not token.is_space})
            for parsed in self.parse(distinct)
        ]
        return pl.DataFrame({"text": distinct, "words": pl.Series(words, dtype=pl.List(pl.String))})


def tagger(name: str) -> Tagger:
    """Load a pipeline that tags. Raises what `pipelines.pipeline` does."""
    loaded = pipelines.pipeline(name, "content words by tags", parses=False)
    return Tagger(**vars(loaded))
