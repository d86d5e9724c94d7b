"""Alias: the former path of `ssrjson_web.monitor.observe`."""

from ssrjson_web.monitor import observe

__all__ = ["observe"]
