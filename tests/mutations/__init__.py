"""Frameworks with one function changed, as a later release may have it: do ours follow? `make check-mutations`."""
