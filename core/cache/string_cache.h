/* SPDX-License-Identifier: MIT */
/* Short strings of one document that may come again: enumerations, tags, names of countries. A
 * string that is known is found by its source text and not decoded, and its str is shared.
 *
 * A cache belongs to one decoding call, so no value of a document is kept after it. Whether strings
 * are looked up is decided for each key by its habit, which the tree of shapes keeps: strings that
 * are all different would be looked up in vain. */
#ifndef SSRJSON_CACHE_STRING_CACHE_H
#define SSRJSON_CACHE_STRING_CACHE_H

#include "pyobject/python.h"

#define STRING_CACHE_ENTRIES 512
#define STRING_CACHE_WAYS 2          /* entries of a slot: two words do not drive each other out */
#define STRING_CACHE_BYTES 32        /* of a text and the quote after it */
#define STRING_CACHE_LEAST_UNITS 512 /* of a document that is worth a cache */

struct string_cache {
    uint64_t is_used[STRING_CACHE_ENTRIES / 64]; /* a bit for each entry */
    unsigned next_way;                           /* of a full slot: the entry to replace */
    PyObject *strings[STRING_CACHE_ENTRIES];     /* owned */
    uint8_t texts[STRING_CACHE_ENTRIES][STRING_CACHE_BYTES];
};

/* An empty cache; NULL where there is no memory, which is no error: strings are not shared then. */
static inline struct string_cache *string_cache_new(void) {
    struct string_cache *const cache = PyMem_Malloc(sizeof *cache);
    if (cache != NULL) {
        memset(cache->is_used, 0, sizeof cache->is_used);
        cache->next_way = 0;
    }
    return cache;
}

static inline void string_cache_free(struct string_cache *cache) {
    for (size_t i = 0; i < STRING_CACHE_ENTRIES / 64; i++) {
        for (; cache->is_used[i] != 0; cache->is_used[i] &= cache->is_used[i] - 1) {
            Py_DECREF(cache->strings[64 * i + trailing_zeros(cache->is_used[i])]);
        }
    }
    PyMem_Free(cache);
}

/* ---- habits -------------------------------------------------------------------------------- */

/* From zero on: how many strings were unknown, less twice those that were known. Below zero: how
 * many are left that are not looked up. */
typedef int16_t string_habit;

#define HABIT_MOST_UNKNOWN 64
#define HABIT_NOT_LOOKED_UP 6000

/* Whether the next string is to be looked up. */
static ALWAYS_INLINE bool habit_looks(string_habit *habit) {
    if (*habit >= 0) {
        return true;
    }
    ++*habit;
    return false;
}

static ALWAYS_INLINE void habit_of_known(string_habit *habit) {
    *habit = (string_habit)(*habit > 2 ? *habit - 2 : 0);
}

static ALWAYS_INLINE void habit_of_unknown(string_habit *habit) {
    *habit = (string_habit)(*habit < HABIT_MOST_UNKNOWN ? *habit + 1 : -HABIT_NOT_LOOKED_UP);
}

#endif
