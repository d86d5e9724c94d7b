"""Starlette's and FastAPI's own tests with our classes in place: `make compat`."""
