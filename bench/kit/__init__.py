"""Shared by all benchmarks: tables, pictures, pages, progress, servers and processes, requests, records."""
