"""List words that A uses more or less than B, or never."""

from auditor.studies.words.lacking import missed_words, omitted_words
from auditor.studies.words.study import words

__all__ = ["missed_words", "omitted_words", "words"]
