/* SPDX-License-Identifier: MIT */
/* The value of a document so far, each time it is asked for, in time that depends on what is new.
 *
 * Finished values are shared by all looks and by the final value. Containers that are still open
 * are copied, as the user may hold an earlier look. A copy that nobody else holds any more is
 * continued instead of made anew. There are two in turn, because a loop holds one look until it has
 * the next. */
#ifndef SSRJSON_MODULE_LOOKS_H
#define SSRJSON_MODULE_LOOKS_H

#include "decode/pause.h"

/* A copy of an open container. */
struct look_level {
    PyObject *object; /* owned list or dict */
    size_t begin;     /* that of the container, which tells it from others */
    size_t n_values;  /* finished ones of the container that the object has; with keys */
    bool has_last;    /* after those it has what was unfinished at the time of the look */
};

struct look {
    struct look_level *levels; /* owned; from the outermost container to the innermost */
    size_t n;
};

struct looks {
    struct look of[2];
    bool newest; /* index */
};

/* The containers of a pause, at least one open, with a last value in the innermost one, or NULL: a
 * new reference, NULL with an exception set. */
PyObject *looks_take(struct looks *looks, const struct pause *pause, PyObject *last);

int looks_traverse(const struct looks *looks, visitproc visit, void *arg);

void looks_clear(struct looks *looks);

#endif
