"""How well do metrics agree with human ratings, and with choices between two captions?"""

from auditor.studies.agree.ratings import Rated, densities, rated_captions
from auditor.studies.agree.rows import ALL, PEOPLE, WITHOUT, ProtocolRows, Resampling, Row, beside_others, correlated
from auditor.studies.agree.study import AgreeSettings, agree

__all__ = [
    "ALL", "PEOPLE", "WITHOUT", "AgreeSettings", "ProtocolRows", "Rated", "Resampling", "Row",
    "agree", "beside_others", "correlated", "densities", "rated_captions",
]  # fmt: skip
