/* SPDX-License-Identifier: MIT */
/* Strings of recent dict keys, which documents of repeated objects share.
 *
 * One cache for each module state, and so for each interpreter; without the GIL one for each
 * worker, see module/worker.h. An entry is found by a hash and always compared byte by byte. The
 * cache is used only between the creation of two Python objects, never across one, so code that
 * runs inside garbage collection finds it consistent. */
#ifndef SSRJSON_CACHE_KEY_CACHE_H
#define SSRJSON_CACHE_KEY_CACHE_H

#include "pyobject/unicode.h"

#define KEY_CACHE_ENTRIES 1024
#define KEY_CACHE_MAX_BYTES 64

struct key_cache {
    PyObject *entries[KEY_CACHE_ENTRIES]; /* owned ASCII strs or NULL */
};

/* A hash of n > 0 bytes; of long keys, only of the bytes at both ends. */
static ALWAYS_INLINE uint64_t key_hash(const char *ascii, size_t n) {
    assert(n > 0);
    uint64_t head;
    uint64_t tail;
    if (n >= 8) {
        head = load_u64(ascii);
        tail = load_u64(ascii + n - 8);
    } else if (n >= 4) {
        head = load_u32(ascii);
        tail = load_u32(ascii + n - 4);
    } else {
        head = (uint8_t)ascii[0] | (uint64_t)(uint8_t)ascii[n / 2] << 8;
        tail = (uint8_t)ascii[n - 1];
    }
    const uint64_t mixed =
        (head ^ n * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd + tail * 0xc4ceb9fe1a85ec53;
    return (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15;
}

static ALWAYS_INLINE size_t key_cache_slot(const char *ascii, size_t n) {
    assert(n <= KEY_CACHE_MAX_BYTES);
    return key_hash(ascii, n) >> 54;
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
