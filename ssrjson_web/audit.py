"""Where the strings under an object hold cached UTF-8 copies, or could: `python -m ssrjson_web audit`."""

from ssrjson_web._cli.audit import Audit, Copies, audit

__all__ = ["Audit", "Copies", "audit"]
