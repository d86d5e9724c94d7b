/* SPDX-License-Identifier: MIT */
/* The places where strings are found under a root, `books[*].title`, and what UTF-8 copies take
 * there.
 *
 * A tree: a place is a step from the place of a holder, and one for each type of holder. It is kept
 * small however large the data: items have no numbers, dicts beyond a number of keys have no names,
 * and below a depth there is one place for all. */
#ifndef SSRJSON_INSPECT_CACHE_PLACES_H
#define SSRJSON_INSPECT_CACHE_PLACES_H

#include "pyobject/python.h"

#define PLACES_FIRST_CAPACITY 64
#define PLACES_MOST 65536
#define NO_PLACE UINT32_MAX

enum place_step {
    PLACE_ROOT,
    PLACE_KEY,       /* the value of a key, by its name */
    PLACE_ATTRIBUTE, /* by its name */
    PLACE_ITEM,      /* of a list, a set; the value of any key */
    PLACE_DICT_KEYS, /* keys themselves */
    PLACE_HELD,      /* by an object, in a way that has no name */
    PLACE_DEEPER,    /* this and all below */
};

extern const char *const PLACE_STEP_NAMES[];

struct cache_counts {
    Py_ssize_t n_cached_strings;
    Py_ssize_t cached_bytes;
    Py_ssize_t n_plain_strings; /* not ASCII, and without a copy so far */
    Py_ssize_t plain_bytes;     /* that their copies would take */
};

struct cache_place {
    struct cache_counts counts;
    PyObject *name;       /* owned str; NULL where the step has none */
    PyTypeObject *holder; /* owned; NULL for the root */
    uint32_t parent;
    uint32_t depth;
    uint32_t n_keys; /* places that are keys of this one */
    enum place_step step;
    bool is_table; /* some of its keys have no place of their own */
};

struct cache_places {
    struct cache_place *places; /* owned; the first is the root */
    uint32_t *index;            /* owned hash table of places, NO_PLACE where it is free */
    uint32_t n;
    uint32_t capacity; /* a power of two; the index has room for twice as many */
    uint32_t max_depth;
    uint32_t max_keys;
};

void cache_places_clear(struct cache_places *tree);

/* The place of a step from a place, new where it has to be; NO_PLACE where memory is short. */
uint32_t cache_places_step(struct cache_places *tree, uint32_t parent, enum place_step step,
                           PyObject *name, PyTypeObject *holder);

#endif
