"""Which captions are made from one template?"""

from auditor.studies.templates.study import templates

__all__ = ["templates"]
