"""Django REST framework's JSON, rendered and parsed by the core: `SSRJSONRenderer`, `SSRJSONParser`."""

try:
    from ssrjson_web.rest_framework._parsing import SSRJSONParser
    from ssrjson_web.rest_framework._rendering import SSRJSONRenderer
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("django", "rest_framework"):
        raise
    raise ImportError(
        "ssrjson_web.rest_framework needs Django REST framework: pip install 'ssrjson_web[rest-framework]'"
    ) from _error

__all__ = ["SSRJSONParser", "SSRJSONRenderer"]
