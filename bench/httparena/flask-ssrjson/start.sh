#!/bin/sh
# HTTP on port 8080, and HTTPS on 8081 where there is a certificate.
set -e
serve() {
    gunicorn --config gunicorn_conf.py "$@" flask_app:app
}
certificate=${TLS_CERT:-/certs/server.crt}
key=${TLS_KEY:-/certs/server.key}
if [ -f "$certificate" ]; then
    serve --bind 0.0.0.0:8081 --certfile "$certificate" --keyfile "$key" &
fi
serve --bind 0.0.0.0:8080
