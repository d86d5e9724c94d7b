"""What this installation is and does: `python -m ssrjson_web doctor`."""

from ssrjson_web.doctor.examination import Examination, examine

__all__ = ["Examination", "examine"]
