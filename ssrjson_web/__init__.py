"""JSON for Python web frameworks: UTF-8 directly from `str`, with no UTF-8 cache left in the strings."""

try:
    from ssrjson_web._core import (
        Decoder,
        Encoder,
        Fragment,
        JSONDecodeError,
        JSONDepthError,
        JSONEncodeAttributeError,
        JSONEncodeBufferError,
        JSONEncodeError,
        JSONEncodeRecursionError,
        JSONEncodeRuntimeError,
        JSONEncodeTypeError,
        JSONEncodeUnicodeDecodeError,
        JSONEncodeUnicodeEncodeError,
        JSONEncodeValueError,
        JSONSizeError,
        JSONTypeError,
        Recorder,
        __version__,
        dumps,
        dumps_to_bytes,
        get_current_features,
        loads,
        scan_utf8_cache,
        utf8_cache_size,
        write_utf8_cache,
    )
except ModuleNotFoundError as _error:
    if _error.name != "ssrjson_web._core":
        raise
    raise ImportError(
        f"{__path__[0]} has no compiled core for this Python: run 'make build' in that source tree, "
        "or change to another folder to import an installed ssrjson_web",
        name=__name__,
    ) from _error
except ImportError as _error:
    # runpy shows an error of this name in one line, without a traceback: python -m ssrjson_web doctor
    _error.name = _error.name or __name__
    raise
from ssrjson_web._shared.slices import encode_async

__all__ = [
    "Decoder",
    "Encoder",
    "Fragment",
    "JSONDecodeError",
    "JSONDepthError",
    "JSONEncodeAttributeError",
    "JSONEncodeBufferError",
    "JSONEncodeError",
    "JSONEncodeRecursionError",
    "JSONEncodeRuntimeError",
    "JSONEncodeTypeError",
    "JSONEncodeUnicodeDecodeError",
    "JSONEncodeUnicodeEncodeError",
    "JSONEncodeValueError",
    "JSONSizeError",
    "JSONTypeError",
    "Recorder",
    "__version__",
    "dumps",
    "dumps_to_bytes",
    "encode_async",
    "get_current_features",
    "loads",
    "scan_utf8_cache",
    "utf8_cache_size",
    "write_utf8_cache",
]
