/* SPDX-License-Identifier: MIT */
/* The parts of a document that the option `only` asks for: JSON Pointers (RFC 6901), in which a
 * `*` stands for every member or item.
 *
 * A set of pointers is a mask, a bit for each. At the document all are set. A key or an index
 * leaves those whose next token it is; the value there is wanted as a whole if one of them has no
 * further token, and in parts if none has. So time does not depend on how pointers share tokens. */
#ifndef SSRJSON_DECODE_SELECTION_H
#define SSRJSON_DECODE_SELECTION_H

#include "pyobject/python.h"

#define SELECTION_MAX_POINTERS 64
#define SELECTION_MAX_TOKENS 64

typedef uint64_t pointer_set;

struct selection_token {
    const char *text; /* UTF-8, without escapes; owned by the selection */
    size_t n;
    PyObject *name;   /* the same, owned; NULL: there is no further token */
    Py_ssize_t index; /* of an item; -1: the token is no index */
    bool is_any;      /* every member or item */
};

struct selection {
    size_t n_pointers;
    size_t n_tokens;                                /* of the longest pointer */
    pointer_set complete[SELECTION_MAX_TOKENS + 1]; /* the pointers of each number of tokens */
    struct selection_token *tokens[SELECTION_MAX_POINTERS]; /* owned */
};

/* A capsule with the selection of a str or an iterable of str, a new reference; NULL with TypeError
 * or ValueError set. */
PyObject *selection_new(PyObject *pointers);

/* The selection of the capsule, borrowed. */
const struct selection *selection_of(PyObject *capsule);

/* The pointers of the set, none of them complete, that go on with a key, or with an index. *name
 * becomes the key as a str, borrowed, where a token is that key. */
pointer_set selection_enter_key(const struct selection *selection, pointer_set set, size_t depth,
                                const char *key, size_t n, PyObject **name);
pointer_set selection_enter_item(const struct selection *selection, pointer_set set, size_t depth,
                                 Py_ssize_t index);

/* All pointers of a selection. */
static inline pointer_set selection_all(const struct selection *selection) {
    return ~(pointer_set)0 >> (SELECTION_MAX_POINTERS - selection->n_pointers);
}

/* Append an item of a list, after None in the places of items that were left out; false with
 * MemoryError set. */
bool selection_append(PyObject *list, Py_ssize_t index, PyObject *item);

/* The parts of a value that was decoded as a whole, a new reference; NULL with MemoryError set. */
PyObject *selection_apply(const struct selection *selection, PyObject *value);

#endif
