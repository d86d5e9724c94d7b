"""Django REST framework by the core: `SSRJSONRenderer`, `SSRJSONParser`, and `setup` for serializers."""

try:
    from ssrjson_web.rest_framework._basis import disabled
    from ssrjson_web.rest_framework._parsing import SSRJSONParser
    from ssrjson_web.rest_framework._rendering import SSRJSONRenderer
    from ssrjson_web.rest_framework._setup import setup, teardown
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("django", "rest_framework"):
        raise
    raise ImportError(
        "ssrjson_web.rest_framework needs Django REST framework: pip install 'ssrjson_web[rest-framework]'"
    ) from _error

__all__ = ["SSRJSONParser", "SSRJSONRenderer", "disabled", "setup", "teardown"]
