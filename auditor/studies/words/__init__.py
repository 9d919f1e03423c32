"""List words that A uses more, less or never, next to B."""

from auditor.studies.words.lacking import missed_words, omitted_words
from auditor.studies.words.study import words

__all__ = ["missed_words", "omitted_words", "words"]
