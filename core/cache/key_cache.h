/* SPDX-License-Identifier: MIT */
/* The strs of keys that were decoded recently: most documents repeat their keys.
 *
 * One cache for each module state, and so for each interpreter; without the GIL one for each
 * of the thread caches (thread_caches.h). An entry is found by a hash and always compared byte by
 * byte. No entry is half-written while a Python object is made, so a finaliser that garbage
 * collection runs finds the cache consistent. */
#ifndef SSRJSON_CACHE_KEY_CACHE_H
#define SSRJSON_CACHE_KEY_CACHE_H

#include "cache/hash.h"
#include "pyobject/unicode.h"

#define KEY_CACHE_BITS 10
#define KEY_CACHE_ENTRIES (1 << KEY_CACHE_BITS)
#define KEY_CACHE_MAX_BYTES 64

struct key_cache {
    PyObject *entries[KEY_CACHE_ENTRIES]; /* owned ASCII strs or NULL */
};

static ALWAYS_INLINE size_t key_cache_slot(const char *ascii, size_t n) {
    assert(n <= KEY_CACHE_MAX_BYTES);
    return hash_of_text(ascii, n, KEY_CACHE_BITS);
}

/* The str of n ASCII bytes, a new reference; NULL with MemoryError set. */
static ALWAYS_INLINE PyObject *key_cache_get(struct key_cache *cache, const char *ascii, size_t n) {
    PyObject **const entry = &cache->entries[key_cache_slot(ascii, n)];
    PyObject *const known = *entry;
    if (LIKELY(known != NULL && (size_t)PyUnicode_GET_LENGTH(known) == n &&
               memcmp((const PyASCIIObject *)known + 1, ascii, n) == 0)) {
        Py_INCREF(known);
        return known;
    }
    PyObject *const key = unicode_new((Py_ssize_t)n, TEXT_ASCII);
    if (key != NULL) {
        memcpy((PyASCIIObject *)key + 1, ascii, n);
        Py_INCREF(key);
        Py_XSETREF(*entry, key);
    }
    return key;
}

static inline void key_cache_clear(struct key_cache *cache) {
    for (size_t i = 0; i < KEY_CACHE_ENTRIES; i++) {
        Py_CLEAR(cache->entries[i]);
    }
}

#endif
