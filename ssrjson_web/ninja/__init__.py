"""Django Ninja's JSON by the core: `setup` for an API, or `SSRJSONRenderer` and `SSRJSONParser` alone."""

try:
    from ssrjson_web.ninja._parsing import SSRJSONParser
    from ssrjson_web.ninja._rendering import SSRJSONRenderer
    from ssrjson_web.ninja._setup import setup
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("django", "ninja"):
        raise
    raise ImportError("ssrjson_web.ninja needs Django Ninja: pip install 'ssrjson_web[ninja]'") from _error

__all__ = ["SSRJSONParser", "SSRJSONRenderer", "setup"]
