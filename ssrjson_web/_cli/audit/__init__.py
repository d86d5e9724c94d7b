"""Where under an object the UTF-8 copies are, and where there would be more: `python -m ssrjson_web audit`."""

from ssrjson_web._cli.audit.places import Audit, Copies, audit

__all__ = ["Audit", "Copies", "audit"]
