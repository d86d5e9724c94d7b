"""What is called of each framework, in its own way and by ours: a module for each adapter.

A module has `LIBRARIES`, the packages whose functions are changed; `PRELOADED`, modules that import none of them; and
`calls`, which builds what is called and gives the calls by their names: the library's way, and ours. A call returns
what a user sees.
"""
