"""What JSON costs an application, and its processes' memory: the figures behind the memory middlewares."""

from ssrjson_web.monitor.watched import unwatch, watch

__all__ = ["unwatch", "watch"]
