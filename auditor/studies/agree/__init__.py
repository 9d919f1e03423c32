"""How well do metrics agree with human ratings, and with choices between two captions?"""

from auditor.studies.agree.ratings import Rated, densities, rated_captions
from auditor.studies.agree.rows import ALL, PEOPLE, WITHOUT, ProtocolRows, Row, beside_others, correlated
from auditor.studies.agree.study import agree, agree_with_ratings

__all__ = [
    "ALL", "PEOPLE", "WITHOUT", "ProtocolRows", "Rated", "Row",
    "agree", "agree_with_ratings", "beside_others", "correlated", "densities", "rated_captions",
]  # fmt: skip
