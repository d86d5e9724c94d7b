"""Django's JSON, encoded and decoded by the core: responses, streams, requests, hooks for encoders and serializers."""

try:
    from ssrjson_web._shared.route_report import PartReport, RouteReport
    from ssrjson_web.django.caches import JSONCacheSerializer
    from ssrjson_web.django.decoders import JSONDecoder
    from ssrjson_web.django.encoders import DjangoJSONEncoder
    from ssrjson_web.django.middleware import SSRJSONMiddleware
    from ssrjson_web.django.report import route_report, settings_report
    from ssrjson_web.django.requests import parse_json
    from ssrjson_web.django.responses import SSRJSONResponse
    from ssrjson_web.django.signing import JSONSerializer
    from ssrjson_web.django.streaming import JSONLinesResponse, StreamingJSONResponse
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("django", "asgiref"):
        raise
    raise ImportError("ssrjson_web.django needs Django: pip install 'ssrjson_web[django]'") from _error

__all__ = [
    "DjangoJSONEncoder",
    "JSONCacheSerializer",
    "JSONDecoder",
    "JSONLinesResponse",
    "JSONSerializer",
    "PartReport",
    "RouteReport",
    "SSRJSONMiddleware",
    "SSRJSONResponse",
    "StreamingJSONResponse",
    "parse_json",
    "route_report",
    "settings_report",
]
