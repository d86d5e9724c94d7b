"""The figures of the memory middlewares: what JSON costs an application, and the memory of its processes."""

from ssrjson_web.monitor.observation import observe
from ssrjson_web.monitor.recorder import record
from ssrjson_web.monitor.watched import unwatch, watch

__all__ = ["observe", "record", "unwatch", "watch"]
