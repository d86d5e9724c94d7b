"""Counts the instructions of calls and of requests, and compares them with committed figures: `make bench-guard`."""
