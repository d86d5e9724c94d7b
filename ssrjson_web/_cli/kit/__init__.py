"""What the demo and the benchmarks are reported with: tables, charts, pages, progress, processes, records."""
