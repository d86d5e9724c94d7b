"""Litestar's JSON, encoded and decoded by the core: `SSRJSONResponse`, `SSRJSONRequest`. Experimental.

Litestar has no place for a codec of one's own: these override what its classes do by themselves, `render` and `json`,
and `json` the state that Litestar keeps of a connection. They may have to change with a minor release of it.
"""

try:
    from ssrjson_web.litestar.request import SSRJSONRequest
    from ssrjson_web.litestar.response import SSRJSONResponse
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("litestar", "msgspec"):
        raise
    raise ImportError("ssrjson_web.litestar needs Litestar: pip install 'ssrjson_web[litestar]'") from _error

__all__ = ["SSRJSONRequest", "SSRJSONResponse"]
