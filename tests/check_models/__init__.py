"""`make check-models`: random models, values and JSON texts held against pydantic."""
