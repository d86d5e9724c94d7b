"""Counts the instructions of forty calls and holds them against committed figures: `make bench-guard`."""
