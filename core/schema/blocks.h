/* SPDX-License-Identifier: MIT */
/* The memory of all that is compiled of one description, which is released at once: whole or not,
 * and whatever refers to what. */
#ifndef SSRJSON_SCHEMA_BLOCKS_H
#define SSRJSON_SCHEMA_BLOCKS_H

#include "pyobject/python.h"

#include <stddef.h>

struct block {
    struct block *next;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct blocks {
    struct block *first; /* owned list; or NULL */
};

/* Zeros, which the blocks own; NULL with MemoryError set. */
static inline void *blocks_add(struct blocks *blocks, size_t n_bytes) {
    struct block *const made = PyMem_Calloc(1, sizeof *made + n_bytes);
    if (made == NULL) {
        return PyErr_NoMemory();
    }
    made->next = blocks->first;
    blocks->first = made;
    return made->bytes;
}

static inline void blocks_free(struct blocks blocks) {
    while (blocks.first != NULL) {
        struct block *const next = blocks.first->next;
        PyMem_Free(blocks.first);
        blocks.first = next;
    }
}

/* A visitproc that releases. A traverse visits every reference that what is compiled owns, so that
 * one list of them serves the garbage collector and the end. */
static inline int visit_to_release(PyObject *object, void *Py_UNUSED(arg)) {
    Py_DECREF(object);
    return 0;
}

#endif
