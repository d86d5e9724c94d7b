"""Makes a release: wheels for every platform from one Linux machine, and the checks before it is published."""
