/* SPDX-License-Identifier: MIT */
/* A new dict of str keys whose table is made at once in its final size.
 *
 * PyDict_SetItem makes a small table and grows it repeatedly, and finds each key's place through
 * several calls. The layout is that of Include/internal/pycore_dict.h from Python 3.11 to 3.15, the
 * order of places that of Objects/dictobject.c; other versions use PyDict_SetItem. */
#ifndef SSRJSON_PYOBJECT_DICT_FROM_PAIRS_H
#define SSRJSON_PYOBJECT_DICT_FROM_PAIRS_H

#include "pyobject/dict.h"

#define MAKES_DICT_TABLES (IS_DICT_LAYOUT_KNOWN && PY_VERSION_HEX >= 0x030b0000)

static ALWAYS_INLINE Py_hash_t str_hash(PyObject *string) {
    const Py_hash_t hash = LOAD_SHARED(((PyASCIIObject *)string)->hash);
    return LIKELY(hash != -1) ? hash : PyObject_Hash(string);
}

#if MAKES_DICT_TABLES
#define DICT_KEYS_KIND_STR 1
#define DICT_MIN_LOG2_SIZE 3

static ALWAYS_INLINE size_t dict_usable(unsigned log2_size) {
    return ((size_t)2 << log2_size) / 3;
}

/* The smallest table that has room for n entries. */
static ALWAYS_INLINE unsigned dict_log2_size(size_t n) {
    unsigned log2_size = DICT_MIN_LOG2_SIZE;
    while (dict_usable(log2_size) < n) {
        log2_size++;
    }
    return log2_size;
}

/* Entries, and places for them, of a table for n str keys; NULL with MemoryError set. */
static ALWAYS_INLINE struct dict_keys *dict_keys_new(size_t n) {
    const unsigned log2_size = dict_log2_size(n);
    const unsigned log2_index_bytes =
        log2_size + (log2_size >= 8) + (log2_size >= 16) + (log2_size >= 32);
    const size_t n_index_bytes = (size_t)1 << log2_index_bytes;
    const size_t usable = dict_usable(log2_size);
    const size_t n_bytes = sizeof(struct dict_keys) + n_index_bytes + usable * 2 * sizeof(void *);
    /* each version frees them by its own allocator */
    struct dict_keys *const keys =
        PY_VERSION_HEX < 0x030d0000 ? PyObject_Malloc(n_bytes) : PyMem_Malloc(n_bytes);
    if (UNLIKELY(keys == NULL)) {
        PyErr_NoMemory();
        return NULL;
    }
    *keys = (struct dict_keys){
        .reference_count = 1,
        .log2_index_size = (uint8_t)log2_size,
        .log2_index_bytes = (uint8_t)log2_index_bytes,
        .kind = DICT_KEYS_KIND_STR,
        .n_usable = (Py_ssize_t)usable,
    };
    memset(keys->indices, 0xff, n_index_bytes);
    return keys;
}

static ALWAYS_INLINE Py_ssize_t dict_index(const struct dict_keys *keys, size_t place) {
    const char *const indices = keys->indices;
    switch (keys->log2_index_bytes - keys->log2_index_size) {
    case 0: return ((const int8_t *)indices)[place];
    case 1: return ((const int16_t *)(const void *)indices)[place];
    case 2: return ((const int32_t *)(const void *)indices)[place];
    default: return (Py_ssize_t)((const int64_t *)(const void *)indices)[place];
    }
}

static ALWAYS_INLINE void dict_set_index(struct dict_keys *keys, size_t place, Py_ssize_t index) {
    char *const indices = keys->indices;
    switch (keys->log2_index_bytes - keys->log2_index_size) {
    case 0: ((int8_t *)indices)[place] = (int8_t)index; break;
    case 1: ((int16_t *)(void *)indices)[place] = (int16_t)index; break;
    case 2: ((int32_t *)(void *)indices)[place] = (int32_t)index; break;
    default: ((int64_t *)(void *)indices)[place] = (int64_t)index; break;
    }
}

/* Add a pair, which is stolen, to the entries. A repeated key keeps its place and its first object,
 * and gets the new value. */
static ALWAYS_INLINE void dict_keys_put(struct dict_keys *keys, PyObject **entries, PyObject *key,
                                        PyObject *value) {
    const Py_hash_t hash = str_hash(key);
    const size_t mask = ((size_t)1 << keys->log2_index_size) - 1;
    size_t perturbation = (size_t)hash;
    size_t place = (size_t)hash & mask;
    Py_ssize_t index;
    while ((index = dict_index(keys, place)) >= 0) {
        PyObject *const other = entries[2 * index];
        if (other == key || (str_hash(other) == hash && PyUnicode_Compare(other, key) == 0)) {
            PyObject *const old = entries[2 * index + 1];
            entries[2 * index + 1] = value;
            Py_DECREF(old);
            Py_DECREF(key);
            return;
        }
        perturbation >>= 5;
        place = (place * 5 + perturbation + 1) & mask;
    }
    index = keys->n_entries++;
    keys->n_usable--;
    dict_set_index(keys, place, index);
    entries[2 * index] = key;
    entries[2 * index + 1] = value;
}

static ALWAYS_INLINE PyObject **dict_keys_entries(struct dict_keys *keys) {
    return (PyObject **)(void *)(keys->indices + ((size_t)1 << keys->log2_index_bytes));
}

static ALWAYS_INLINE void dict_keys_free(struct dict_keys *keys) {
#if PY_VERSION_HEX < 0x030d0000
    PyObject_Free(keys);
#else
    PyMem_Free(keys);
#endif
}

/* Copy the entries to the smallest table that has room; returns the old one where memory is
 * short. */
static COLD struct dict_keys *dict_keys_shrink(struct dict_keys *keys) {
    const size_t n = (size_t)keys->n_entries;
    struct dict_keys *const smaller = dict_keys_new(n);
    if (smaller == NULL) {
        PyErr_Clear();
        return keys;
    }
    PyObject *const *const entries = dict_keys_entries(keys);
    for (size_t i = 0; i < n; i++) {
        dict_keys_put(smaller, dict_keys_entries(smaller), entries[2 * i], entries[2 * i + 1]);
    }
    dict_keys_free(keys);
    return smaller;
}

/* A dict of n > 0 keys and values in turn, which are stolen. NULL with MemoryError set, and the
 * pairs still belong to the caller. A repeated key keeps its last value. The collector does not
 * track the dict yet. */
static ALWAYS_INLINE PyObject *dict_from_pairs(PyObject *const *pairs, size_t n) {
    PyObject *const dict = PyDict_New();
    if (UNLIKELY(dict == NULL)) {
        return NULL;
    }
    struct dict_keys *keys = dict_keys_new(n);
    if (UNLIKELY(keys == NULL)) {
        Py_DECREF(dict);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        dict_keys_put(keys, dict_keys_entries(keys), pairs[2 * i], pairs[2 * i + 1]);
    }
    const size_t n_entries = (size_t)keys->n_entries;
    if (UNLIKELY(n_entries < n) && dict_log2_size(n_entries) < keys->log2_index_size) {
        keys = dict_keys_shrink(keys);
    }
    memset(dict_keys_entries(keys) + 2 * n_entries, 0,
           (size_t)keys->n_usable * 2 * sizeof(PyObject *));
    PyDictObject *const object = (PyDictObject *)dict;
#if PY_VERSION_HEX < 0x030c0000
    ((struct dict_keys *)object->ma_keys)->reference_count--; /* those of every empty dict */
#endif
    object->ma_keys = (PyDictKeysObject *)keys;
    object->ma_used = (Py_ssize_t)n_entries;
    return dict;
}
#else
static inline PyObject *dict_from_pairs(PyObject *const *pairs, size_t n) {
    PyObject *const dict = PyDict_New();
    if (UNLIKELY(dict == NULL)) {
        return NULL;
    }
    for (size_t i = 0; i < 2 * n; i += 2) {
        if (UNLIKELY(PyDict_SetItem(dict, pairs[i], pairs[i + 1]) != 0)) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    for (size_t i = 0; i < 2 * n; i++) {
        Py_DECREF(pairs[i]);
    }
    return dict;
}
#endif

#endif
