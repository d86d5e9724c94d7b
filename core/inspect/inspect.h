/* SPDX-License-Identifier: MIT */
/* UTF-8 caches of strings: how many there are, and at which places. */
#ifndef SSRJSON_INSPECT_INSPECT_H
#define SSRJSON_INSPECT_INSPECT_H

#include <stdlib.h>

#include "inspect/object_walk.h"
#include "pyobject/type.h"
#include "pyobject/unicode.h"
#include "text/utf8_size.h"

/* scan_utf8_cache: the UTF-8 caches of all strings that can be reached from some objects. */

extern const char scan_utf8_cache_doc[];

PyObject *core_scan_utf8_cache(PyObject *module, PyObject *const *roots, Py_ssize_t n_roots);

/* _audit_utf8_cache: the places under a root that hold UTF-8 caches, and those that could get more.
 *
 * The walk is that of cache_scan.c, and it keeps the path to each object. It goes by levels, so
 * that an object has its shortest path, and names steps by keys and attributes. */

extern const char audit_utf8_cache_doc[];

PyObject *core_audit_utf8_cache(PyObject *module, PyObject *args);

/* The places where strings are found under a root, `books[*].title`, and the sizes of their UTF-8
 * caches.
 *
 * The places form a tree: each is a step from the place of a holder, separately for each type of
 * holder. It stays small however large the data are: items have no numbers, dicts with more than a
 * limited number of keys have no names, and below a limited depth everything is one place. */

#define PLACES_FIRST_CAPACITY 64
#define MAX_PLACES 65536
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
