"""The state of this installation: `python -m ssrjson_web doctor`."""

from ssrjson_web._cli.doctor.examination import Examination, examine

__all__ = ["Examination", "examine"]
