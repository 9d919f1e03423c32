"""What is wrong with the captions, how bad is it, and which are they?"""

from auditor.studies.findings.study import findings

__all__ = ["findings"]
