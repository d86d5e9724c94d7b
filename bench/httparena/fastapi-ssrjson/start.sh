#!/bin/sh
# HTTP on port 8080, and HTTPS on 8081 where there is a certificate: a worker for each core.
set -e
serve() {
    uvicorn fastapi_app:app --host 0.0.0.0 --workers "$(nproc)" --loop uvloop --http httptools \
        --log-level critical --no-access-log "$@"
}
certificate=${TLS_CERT:-/certs/server.crt}
key=${TLS_KEY:-/certs/server.key}
if [ -f "$certificate" ]; then
    serve --port 8081 --ssl-certfile "$certificate" --ssl-keyfile "$key" &
fi
serve --port 8080
