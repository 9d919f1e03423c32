"""Objects that captions mention and images lack: object hallucination (CHAIR)."""

from auditor.studies.objects.study import objects

__all__ = ["objects"]
