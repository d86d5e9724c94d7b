/* SPDX-License-Identifier: MIT */
/* Short strings of one document that may come again: enumerations, tags, names of countries. A
 * string that is known is found by its source text and not decoded, and its str is shared.
 *
 * A cache belongs to one decoding call, so no value of a document is kept after it. The misses of
 * the strings under each key are counted, in the shape tree: where there are many, strings are no
 * longer looked up, because they seem to be all different. */
#ifndef SSRJSON_CACHE_STRING_CACHE_H
#define SSRJSON_CACHE_STRING_CACHE_H

#include "pyobject/python.h"

#define STRING_CACHE_ENTRIES 512
#define STRING_CACHE_WAYS 2   /* entries of a slot, so that two strings do not evict each other */
#define STRING_CACHE_BYTES 32 /* of a text and the quote after it */
#define STRING_CACHE_MIN_UNITS 512 /* of a document that is worth a cache */

struct string_cache {
    uint64_t is_used[STRING_CACHE_ENTRIES / 64]; /* a bit for each entry */
    unsigned next_way;                           /* the entry of a full slot to replace next */
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

/* ---- misses -------------------------------------------------------------------------------- */

/* Zero or more: the lookups that missed minus twice those that hit, never below zero. Negative: so
 * many strings will not be looked up, with a minus sign. */
typedef int16_t string_misses;

#define STRING_MISSES_MAX 64
#define STRINGS_SKIPPED 6000 /* after too many misses */

/* Whether to look up the next string; counts the strings that are skipped. */
static ALWAYS_INLINE bool string_misses_allow_lookup(string_misses *misses) {
    if (*misses >= 0) {
        return true;
    }
    ++*misses;
    return false;
}

static ALWAYS_INLINE void string_misses_count_hit(string_misses *misses) {
    *misses = (string_misses)(*misses > 2 ? *misses - 2 : 0);
}

static ALWAYS_INLINE void string_misses_count_miss(string_misses *misses) {
    *misses = (string_misses)(*misses < STRING_MISSES_MAX ? *misses + 1 : -STRINGS_SKIPPED);
}

#endif
