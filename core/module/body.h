/* SPDX-License-Identifier: MIT */
/* A document that arrives in chunks: all bytes or all str, gathered without a copy of the first and
 * with room ahead for the others. */
#ifndef SSRJSON_MODULE_BODY_H
#define SSRJSON_MODULE_BODY_H

#include "pyobject/unicode.h"

struct body {
    PyObject *text;    /* owned bytes or str; NULL before the first chunk */
    Py_ssize_t length; /* of the text that is the body's own; what follows is room */
    bool is_private;   /* the text is known here only, and may be written to */
};

enum body_status {
    BODY_FED,
    BODY_MIXED,    /* bytes among str, or the other way round */
    BODY_TOO_LONG, /* longer than the limit */
    BODY_RAISED,   /* MemoryError is set */
};

/* What is fed: a str, or bytes. */
struct chunk {
    PyObject *object;  /* borrowed; NULL where the bytes are another object's, and may change */
    const char *bytes; /* NULL for a str */
    Py_ssize_t length;
};

/* Take what was fed so far out of the body, which is as new then. */
struct body body_take(struct body *body);

/* Add a chunk; unless it is BODY_FED, the body is as new. No Python code runs: what is to be
 * released goes to *dropped, NULL before. */
enum body_status body_feed(struct body *body, const struct chunk *chunk, Py_ssize_t max_length,
                           PyObject **dropped);

#endif
