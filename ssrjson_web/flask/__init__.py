"""Flask's JSON, encoded and decoded by the core: providers, an extension that installs them, and streams."""

try:
    from ssrjson_web._shared.events import SSRJSONEvent
    from ssrjson_web._shared.route_report import RouteReport
    from ssrjson_web.flask._extension import SSRJSON
    from ssrjson_web.flask._provider import SSRJSONFastProvider, SSRJSONProvider
    from ssrjson_web.flask._report import route_report
    from ssrjson_web.flask._representations import output_json
    from ssrjson_web.flask._requests import json_parts
    from ssrjson_web.flask._streaming import stream_array, stream_events, stream_lines
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("flask", "werkzeug"):
        raise
    raise ImportError("ssrjson_web.flask needs Flask: pip install 'ssrjson_web[flask]'") from _error

__all__ = [
    "SSRJSON",
    "RouteReport",
    "SSRJSONEvent",
    "SSRJSONFastProvider",
    "SSRJSONProvider",
    "json_parts",
    "output_json",
    "route_report",
    "stream_array",
    "stream_events",
    "stream_lines",
]
