"""Flask's JSON, encoded and decoded by the core: providers, an extension that installs them, and streams."""

try:
    from ssrjson_web.flask._extension import SSRJSON
    from ssrjson_web.flask._provider import FastSSRJSONProvider, SSRJSONFastProvider, SSRJSONProvider
    from ssrjson_web.flask._representations import output_json
    from ssrjson_web.flask._streaming import stream_array, stream_lines
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("flask", "werkzeug"):
        raise
    raise ImportError("ssrjson_web.flask needs Flask: pip install 'ssrjson_web[flask]'") from error

__all__ = [
    "SSRJSON",
    "FastSSRJSONProvider",
    "SSRJSONFastProvider",
    "SSRJSONProvider",
    "output_json",
    "stream_array",
    "stream_lines",
]
