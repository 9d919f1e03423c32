"""How well does a language model of one dataset predict another? (Wang & Gaizauskas 2016)."""

from auditor.studies.perplexity.study import perplexity

__all__ = ["perplexity"]
