"""How many references are enough? (Vedantam et al. 2015)."""

from auditor.studies.references.study import enough_references

__all__ = ["enough_references"]
