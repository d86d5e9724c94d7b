"""The command `web`: FastAPI requests, stock and with ours, in one process and over a real server."""
