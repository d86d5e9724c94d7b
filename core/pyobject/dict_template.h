/* SPDX-License-Identifier: MIT */
/* New dicts with the keys of a template, made without hashing or comparing any key.
 *
 * A template of up to MAX_SHARED_KEYS keys is a split-table dict, as the dicts of instances are:
 * its keys are in one object, and each dict made from it adds an array of values only. That takes
 * 64 + 16 + 9 bytes a key where a dict with its own keys takes 21 to 40, and neither making nor
 * freeing one touches its keys. CPython gives such a dict keys of its own as soon as a key is
 * added. The layout is that of Include/internal/pycore_dict.h from Python 3.11 to 3.15.
 *
 * A template of more keys, or in Python 3.10 of any number, is a common dict whose values are None:
 * it is copied, and the values are written into the copy's entries. */
#ifndef SSRJSON_PYOBJECT_DICT_TEMPLATE_H
#define SSRJSON_PYOBJECT_DICT_TEMPLATE_H

#include "pyobject/dict.h"

#define HAS_SHARED_KEYS (IS_DICT_LAYOUT_KNOWN && PY_VERSION_HEX >= 0x030b0000)
/* SHARED_KEYS_MAX_SIZE */
#define MAX_SHARED_KEYS 30

#if HAS_SHARED_KEYS
#define DICT_KEYS_KIND_SHARED 2

/* Memory for n values that a dict with shared keys frees itself. The order of their insertion is
 * stored beside the values, a byte each: here always the order of the keys. */
struct shared_values {
    void *holder; /* the pointer for the dict; NULL with MemoryError set */
    PyObject **values;
};

static ALWAYS_INLINE void copy_words(void *to, const void *from, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i += 8) {
        memcpy((char *)to + i, (const char *)from + i, 8);
    }
}

#if PY_VERSION_HEX < 0x030d0000
/* order backwards, count, bytes before the values; the values, which the dict points to */
static ALWAYS_INLINE struct shared_values shared_values_new(size_t n) {
    static const uint8_t prefix[32] = {29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,
                                       14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0};
    assert(n > 0 && n <= MAX_SHARED_KEYS);
    const size_t n_prefix = (n + 2 + 7) & ~(size_t)7;
    uint8_t *const block = PyMem_Malloc(n_prefix + n * sizeof(PyObject *));
    if (UNLIKELY(block == NULL)) {
        PyErr_NoMemory();
        return (struct shared_values){NULL, NULL};
    }
    copy_words(block, prefix + sizeof prefix - n_prefix, n_prefix);
    uint8_t *const values = block + n_prefix;
    values[-1] = (uint8_t)n_prefix;
    values[-2] = (uint8_t)n;
    return (struct shared_values){values, (PyObject **)(void *)values};
}

static inline void shared_values_free(struct shared_values shared) {
    PyMem_Free((uint8_t *)shared.holder - ((uint8_t *)shared.holder)[-1]);
}
#else
/* capacity, count, embedded in an instance, valid; the values; order */
static ALWAYS_INLINE struct shared_values shared_values_new(size_t n) {
    static const uint8_t order[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                      15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
    assert(n > 0 && n <= MAX_SHARED_KEYS);
    const size_t n_order = (n + 7) & ~(size_t)7;
    uint8_t *const block = PyMem_Malloc((n + 1) * sizeof(PyObject *) + n_order);
    if (UNLIKELY(block == NULL)) {
        PyErr_NoMemory();
        return (struct shared_values){NULL, NULL};
    }
    const uint8_t head[8] = {(uint8_t)n, (uint8_t)n, 0, 1};
    copy_words(block, head, sizeof head);
    copy_words(block + (n + 1) * sizeof(PyObject *), order, n_order);
    return (struct shared_values){block, (PyObject **)(void *)block + 1};
}

static inline void shared_values_free(struct shared_values shared) {
    PyMem_Free(shared.holder);
}
#endif

/* Turn a common dict of n str keys, each with a reference to a value, into one of shared keys. */
static int dict_share_keys(PyObject *dict, size_t n) {
    PyDictObject *const object = (PyDictObject *)dict;
    struct dict_keys *const keys = (struct dict_keys *)object->ma_keys;
    const struct shared_values shared = shared_values_new(n);
    if (shared.holder == NULL) {
        return -1;
    }
    PyObject **const entries =
        (PyObject **)(void *)(keys->indices + ((size_t)1 << keys->log2_index_bytes));
    assert(keys->kind == 1 && keys->n_entries == (Py_ssize_t)n);
    for (size_t i = 0; i < n; i++) {
        shared.values[i] = entries[2 * i + 1];
        entries[2 * i + 1] = NULL;
    }
    keys->kind = DICT_KEYS_KIND_SHARED;
    keys->version = 0;
    keys->n_usable = 0; /* a dict that adds a key gets keys of its own */
    object->ma_values = shared.holder;
    return 0;
}

/* A new dict of a template's shared keys. */
static ALWAYS_INLINE PyObject *dict_of_shared_keys(PyObject *template, PyObject *const *values,
                                                   size_t n) {
    const struct shared_values shared = shared_values_new(n);
    if (UNLIKELY(shared.holder == NULL)) {
        return NULL;
    }
    PyObject *const dict = PyDict_New();
    if (UNLIKELY(dict == NULL)) {
        shared_values_free(shared);
        return NULL;
    }
    PyDictObject *const object = (PyDictObject *)dict;
    struct dict_keys *const keys = (struct dict_keys *)((PyDictObject *)template)->ma_keys;
#if PY_VERSION_HEX < 0x030c0000
    ((struct dict_keys *)object->ma_keys)->reference_count--; /* those of every empty dict */
#endif
#if IS_FREE_THREADED
    __atomic_fetch_add(&keys->reference_count, 1, __ATOMIC_RELAXED); /* dicts of other threads */
#else
    keys->reference_count++;
#endif
    for (size_t i = 0; i < n; i++) {
        shared.values[i] = values[i];
    }
    object->ma_keys = (PyDictKeysObject *)keys;
    object->ma_values = shared.holder;
    object->ma_used = (Py_ssize_t)n;
    return dict;
}
#endif

/* Put values, which are stolen, in the places of the None under each of the n keys of a common dict
 * that nobody has seen. */
static ALWAYS_INLINE void dict_set_values(PyObject *dict, PyObject *const *values, size_t n) {
    const struct dict_entries entries = dict_entries(dict);
    assert(entries.n == (Py_ssize_t)n);
    for (size_t i = 0; i < n; i++) {
        const char *const end = entries.first + (i + 1) * entries.entry_bytes;
        ((PyObject **)(void *)end)[-1] = values[i];
    }
#if PY_VERSION_HEX < 0x030c0000
    Py_SET_REFCNT(Py_None,
                  Py_REFCNT(Py_None) - (Py_ssize_t)n); /* None is immortal in later versions */
#endif
}

/* A template of n > 0 different strs; NULL with an exception set. It must not be exposed to Python
 * code. */
static inline PyObject *dict_template_new(PyObject *const *keys, size_t n) {
    PyObject *const template = PyDict_New();
    for (size_t i = 0; template != NULL && i < n; i++) {
        if (PyDict_SetItem(template, keys[i], Py_None) != 0) {
            Py_DECREF(template);
            return NULL;
        }
    }
#if HAS_SHARED_KEYS
    if (template != NULL && n <= MAX_SHARED_KEYS && dict_share_keys(template, n) != 0) {
        Py_DECREF(template);
        return NULL;
    }
#endif
    return template;
}

/* A new dict with the template's n keys and these values, which are stolen. NULL with an exception
 * set, and the values still belong to the caller. The collector may not track it yet: dict_track is
 * for callers that put containers into it. */
static ALWAYS_INLINE PyObject *dict_from_template(PyObject *template, PyObject *const *values,
                                                  size_t n) {
#if HAS_SHARED_KEYS
    if (LIKELY(n <= MAX_SHARED_KEYS)) {
        return dict_of_shared_keys(template, values, n);
    }
#endif
    PyObject *const dict = PyDict_Copy(template);
    if (UNLIKELY(dict == NULL)) {
        return NULL;
    }
    dict_set_values(dict, values, n);
    return dict;
}

#endif
