"""What JSON costs an application, and its processes' memory: the figures behind the memory middlewares."""

from ssrjson_web.monitor.observation import observe
from ssrjson_web.monitor.recorder import record
from ssrjson_web.monitor.watched import unwatch, watch

__all__ = ["observe", "record", "unwatch", "watch"]
