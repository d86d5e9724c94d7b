"""JSON for Python web frameworks: UTF-8 straight from `str`, with no UTF-8 copy left behind."""

from ssrjson_web._core import (
    JSONDecodeError,
    __version__,
    dumps,
    dumps_to_bytes,
    get_current_features,
    loads,
    utf8_cache_size,
    write_utf8_cache,
)

__all__ = [
    "JSONDecodeError",
    "__version__",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "loads",
    "utf8_cache_size",
    "write_utf8_cache",
]
