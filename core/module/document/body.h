/* SPDX-License-Identifier: MIT */
/* A document that arrives in chunks, all bytes or all str. The first chunk is kept without a copy;
 * a copy with spare room is made when the second one arrives. */
#ifndef SSRJSON_MODULE_DOCUMENT_BODY_H
#define SSRJSON_MODULE_DOCUMENT_BODY_H

#include "pyobject/unicode.h"

struct body {
    PyObject *text;    /* owned bytes or str; NULL before the first chunk */
    Py_ssize_t length; /* of the text that belongs to the body; the rest is spare room */
    bool is_private;   /* no one else refers to the text, so it may be written to */
#if IS_FREE_THREADED
    uintptr_t maker; /* thread that made a private text: CPython lets no other one write to it */
#endif
};

enum body_status {
    BODY_FED,
    BODY_MIXED,    /* bytes among str, or the other way round */
    BODY_TOO_LONG, /* longer than the limit */
    BODY_RAISED,   /* MemoryError is set */
};

/* A chunk to feed: a str, or bytes. */
struct chunk {
    PyObject *object;  /* borrowed; NULL where the bytes belong to another object, and may change */
    const char *bytes; /* NULL for a str */
    Py_ssize_t length;
};

/* Take what was fed so far out of the body, which is empty afterwards. */
struct body body_take(struct body *body);

/* Add a chunk. Unless the result is BODY_FED, the body is empty afterwards. No Python code runs:
 * the object to be released is stored in *dropped, which is NULL before the call. */
enum body_status body_feed(struct body *body, const struct chunk *chunk, Py_ssize_t max_length,
                           PyObject **dropped);

/* Remove the first n bytes; -1 with MemoryError set, and the body is as it was. The object to be
 * released is stored in *dropped, as above. */
int body_drop(struct body *body, Py_ssize_t n, PyObject **dropped);

#endif
