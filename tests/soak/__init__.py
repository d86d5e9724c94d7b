"""Each adapter's real server under ordinary, slow, aborting and malformed clients: `make soak`."""
