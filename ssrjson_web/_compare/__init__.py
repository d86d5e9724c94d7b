"""Compare mode: a share of requests is answered by stock and by the core, and differences are told.

arguments   what an adapter is set up with
comparison  the share of requests that is compared, and the trial of one of them; each adapter leaves out what it must
figures     what the records of several processes say together
record      what this process has found: counts, differences, and what is left out
values      where two values differ, and what may not be read twice
"""
