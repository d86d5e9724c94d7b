"""Shared by the reports of the demo and the benchmarks: tables, charts, pages, progress, processes, records."""
