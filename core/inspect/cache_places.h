/* SPDX-License-Identifier: MIT */
/* The places where strings are found under a root, `books[*].title`, and the sizes of their UTF-8
 * caches.
 *
 * The places form a tree: each is a step from the place of a holder, separately for each type of
 * holder. It stays small however large the data are: items have no numbers, dicts with more than a
 * limited number of keys have no names, and below a limited depth everything is one place. */
#ifndef SSRJSON_INSPECT_CACHE_PLACES_H
#define SSRJSON_INSPECT_CACHE_PLACES_H

#include "pyobject/python.h"

#define PLACES_FIRST_CAPACITY 64
#define PLACES_MOST 65536
#define NO_PLACE UINT32_MAX

enum place_step {
    PLACE_ROOT,
    PLACE_KEY,       /* the value of a key, with its name */
    PLACE_ATTRIBUTE, /* an attribute, with its name */
    PLACE_ITEM,      /* an item of a list or a set, or the value of any key */
    PLACE_DICT_KEYS, /* any key of a dict */
    PLACE_HELD,      /* held by an object in a way that has no name */
    PLACE_DEEPER,    /* this level and all below it */
};

extern const char *const PLACE_STEP_NAMES[];

struct cache_counts {
    Py_ssize_t n_cached_strings;
    Py_ssize_t cached_bytes;
    Py_ssize_t n_plain_strings; /* not ASCII, and without a UTF-8 cache so far */
    Py_ssize_t plain_bytes;     /* that their UTF-8 caches would take */
};

struct cache_place {
    struct cache_counts counts;
    PyObject *name;       /* owned str; NULL where the step has none */
    PyTypeObject *holder; /* owned; NULL for the root */
    uint32_t parent;
    uint32_t depth;
    uint32_t n_keys; /* number of places that are keys of this one */
    enum place_step step;
    bool is_table; /* some of its keys have no place of their own */
};

struct cache_places {
    struct cache_place *places; /* owned; the first is the root */
    uint32_t *index;            /* owned hash table of places, NO_PLACE where it is free */
    uint32_t n;
    uint32_t capacity; /* a power of two; the index has twice as many entries */
    uint32_t max_depth;
    uint32_t max_keys;
};

void cache_places_clear(struct cache_places *tree);

/* The place that a step leads to, made if it is new; NO_PLACE where memory is short. */
uint32_t cache_places_step(struct cache_places *tree, uint32_t parent, enum place_step step,
                           PyObject *name, PyTypeObject *holder);

#endif
