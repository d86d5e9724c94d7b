"""A module for each library, whose `pairs` are calls that stock and ours do alike: a label, stock's call, ours."""
