"""Where an object's strings hold cached UTF-8 copies, and which would get one: `python -m ssrjson_web audit`."""

from ssrjson_web._cli.audit import Audit, Copies, audit

__all__ = ["Audit", "Copies", "audit"]
