"""Threads side by side: what several threads do in the time of one, and what a call takes with the GIL and without."""
