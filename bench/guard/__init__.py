"""Counts the instructions of forty calls and compares them with committed figures: `make bench-guard`."""
