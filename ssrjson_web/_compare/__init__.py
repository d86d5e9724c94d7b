"""Compare mode: a share of requests is answered by stock and by the core, and differences are told.

comparison  what an adapter is set up with, and the trial of one request
figures     what the records of several processes say together
record      what this process has found: counts, differences, and what is left out
values      where two values differ, and what may not be read twice
"""

from ssrjson_web._compare.comparison import Comparison, Trial, checked_comparison
from ssrjson_web._compare.values import Look, once_only

__all__ = ["Comparison", "Look", "Trial", "checked_comparison", "once_only"]
