"""How are captions built: which words, which phrases, how complex sentences?"""

from auditor.studies.syntax.study import syntax

__all__ = ["syntax"]
