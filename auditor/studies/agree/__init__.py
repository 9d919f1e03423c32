"""How well do metrics agree with human ratings, and with choices between two captions?"""

from auditor.studies.agree.ratings import MEAN_DECIMALS, Rated, densities, rated_captions
from auditor.studies.agree.rows import ALL, PEOPLE, WITHOUT, ProtocolRows, Resampling, Row, correlated
from auditor.studies.agree.study import AgreeSettings, agree

__all__ = [
    "ALL", "MEAN_DECIMALS", "PEOPLE", "WITHOUT", "AgreeSettings", "ProtocolRows", "Rated", "Resampling", "Row",
    "agree", "correlated", "densities", "rated_captions",
]  # fmt: skip
