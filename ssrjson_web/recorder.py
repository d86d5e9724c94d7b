"""Alias: the former path of `ssrjson_web.monitor.record`."""

from ssrjson_web.monitor import record

__all__ = ["record"]
