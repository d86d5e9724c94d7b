"""Django's JSON, encoded and decoded by the core: responses, streams, requests, encoders and serializers."""

try:
    from ssrjson_web._shared.events import SSRJSONEvent
    from ssrjson_web._shared.route_report import PartReport, RouteReport
    from ssrjson_web.django._caches import SSRJSONCacheSerializer
    from ssrjson_web.django._catalogs import SSRJSONCatalog
    from ssrjson_web.django._decoders import JSONDecoder
    from ssrjson_web.django._encoders import DjangoJSONEncoder
    from ssrjson_web.django._events import SSRJSONEventResponse
    from ssrjson_web.django._middleware import SSRJSONMiddleware
    from ssrjson_web.django._report import route_report, settings_report
    from ssrjson_web.django._requests import SSRJSONItems, json_items, parse_json
    from ssrjson_web.django._responses import SSRJSONResponse
    from ssrjson_web.django._signing import SSRJSONSerializer
    from ssrjson_web.django._streaming import (
        SSRJSONLinesResponse,
        SSRJSONStreamingResponse,
    )
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("django", "asgiref"):
        raise
    raise ImportError("ssrjson_web.django needs Django: pip install 'ssrjson_web[django]'") from _error

__all__ = [
    "DjangoJSONEncoder",
    "JSONDecoder",
    "PartReport",
    "RouteReport",
    "SSRJSONCacheSerializer",
    "SSRJSONCatalog",
    "SSRJSONEvent",
    "SSRJSONEventResponse",
    "SSRJSONItems",
    "SSRJSONLinesResponse",
    "SSRJSONMiddleware",
    "SSRJSONResponse",
    "SSRJSONSerializer",
    "SSRJSONStreamingResponse",
    "json_items",
    "parse_json",
    "route_report",
    "settings_report",
]
