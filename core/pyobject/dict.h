/* SPDX-License-Identifier: MIT */
/* dict: its entries in insertion order, read in place.
 *
 * CPython keeps a dict's entries in one array after its hash index; PyDict_Next locates that array
 * for every entry. The structs below are those of Objects/dictobject.c (Python 3.10) and
 * Include/internal/pycore_dict.h (3.11 to 3.15); other versions use PyDict_Next. So do dicts with
 * shared keys (those of instances, and of decoded objects of one shape) that lack one of the keys
 * or have them in another order.
 *
 * In free-threaded builds only dicts that no other thread can reach are read so, and all dicts
 * while the other threads are stopped. */
#ifndef SSRJSON_PYOBJECT_DICT_H
#define SSRJSON_PYOBJECT_DICT_H

#include "pyobject/python.h"

#if PY_VERSION_HEX < 0x030b0000
struct dict_keys {
    Py_ssize_t reference_count;
    Py_ssize_t index_size;
    void *look_up;
    Py_ssize_t n_usable;
    Py_ssize_t n_entries;
    char indices[];
};
#else
struct dict_keys {
    Py_ssize_t reference_count;
    uint8_t log2_index_size;
    uint8_t log2_index_bytes;
    uint8_t kind; /* 0: entries with hashes, 1: str keys only, 2: shared */
    uint8_t lock; /* a PyMutex in free-threaded builds, otherwise unused */
    uint32_t version;
    Py_ssize_t n_usable;
    Py_ssize_t n_entries;
    char indices[];
};
#endif

#define IS_DICT_LAYOUT_KNOWN KNOWS_LAYOUTS

/* A number that a dict gets whenever its items change, and that no other dict has (PEP 509); 0: it
 * has none, since Python 3.14, without the GIL, and where an object may change it without its
 * functions. */
static ALWAYS_INLINE uint64_t dict_version(PyObject *dict) {
#if PY_VERSION_HEX < 0x030e0000 && !IS_FREE_THREADED
    const PyDictObject *const known = (PyDictObject *)dict;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    return known->ma_values == NULL ? known->ma_version_tag : 0;
#pragma clang diagnostic pop
#else
    (void)dict;
    return 0;
#endif
}

/* The entries of a dict that nothing changes in the meantime. Each is a key and a value, borrowed;
 * the value is NULL where the entry was deleted. In dicts with keys other than str the hash comes
 * first. */
struct dict_entries {
    const char *first;
    size_t entry_bytes;
    Py_ssize_t n;
    PyObject *const *values; /* of a dict with shared keys, whose entries hold no values */
};

#if PY_VERSION_HEX < 0x030b0000 || !IS_DICT_LAYOUT_KNOWN
static ALWAYS_INLINE bool dict_values_are_in_order(PyObject *dict) {
    (void)dict;
    return false;
}
#else
/* Whether a word begins with the positions from `position` on, a byte each, as many of n as it
 * holds; the bytes after them are shifted out. */
static ALWAYS_INLINE bool are_positions(uint64_t word, size_t position, size_t n) {
    const uint64_t expected = 0x0706050403020100 + position * 0x0101010101010101;
    const size_t n_left = n - position;
    const uint64_t difference = word ^ expected;
    return (n_left >= 8 ? difference : difference << (64 - 8 * n_left)) == 0;
}

/* Whether a dict with shared keys has a value for each key, in the order of the keys. Their number
 * and their order, a byte each, are stored beside the values. */
static ALWAYS_INLINE bool dict_values_are_in_order(PyObject *dict) {
    const PyDictObject *const object = (const PyDictObject *)dict;
    const struct dict_keys *const keys = (const struct dict_keys *)object->ma_keys;
    const uint8_t *const values = (const uint8_t *)object->ma_values;
    const size_t n = (size_t)keys->n_entries;
    if ((size_t)object->ma_used != n) {
        return false;
    }
#if PY_VERSION_HEX < 0x030d0000
    /* backwards, before the count and a byte more; eight bytes at a time are always there */
    uint64_t word = __builtin_bswap64(load_u64(values - 8)) >> 16;
    if (n > 6 && (word & 0xffffffffffff) != 0x050403020100) {
        return false;
    }
    if (n <= 6) {
        return n == 0 || are_positions(word, 0, n);
    }
    for (size_t i = 6; i < n; i += 8) {
        if (!are_positions(__builtin_bswap64(load_u64(values - 10 - i)), i, n)) {
            return false;
        }
    }
#else
    const uint8_t *const order = values + (1 + (size_t)values[0]) * sizeof(PyObject *);
    for (size_t i = 0; i < n; i += 8) {
        if (!are_positions(load_u64(order + i), i, n)) {
            return false;
        }
    }
#endif
    return true;
}
#endif

/* Whether the entries of a dict can be read in place. */
static ALWAYS_INLINE bool dict_has_entries(PyObject *dict) {
    return IS_DICT_LAYOUT_KNOWN &&
           (((PyDictObject *)dict)->ma_values == NULL || dict_values_are_in_order(dict));
}

/* The entries in a table of keys; the values may be elsewhere. */
static ALWAYS_INLINE struct dict_entries dict_entries_of_keys(const struct dict_keys *keys) {
    struct dict_entries entries = {.n = keys->n_entries};
#if PY_VERSION_HEX < 0x030b0000
    const Py_ssize_t size = keys->index_size;
    const size_t index_bytes = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;
    entries.first = keys->indices + (size_t)size * index_bytes;
    entries.entry_bytes = 3 * sizeof(void *);
#else
    entries.first = keys->indices + ((size_t)1 << keys->log2_index_bytes);
    entries.entry_bytes = (keys->kind == 0 ? 3 : 2) * sizeof(void *);
#endif
    return entries;
}

/* Offset of the values of a dict with shared keys. */
#define DICT_VALUES_OFFSET (PY_VERSION_HEX < 0x030d0000 ? 0 : 8)

static ALWAYS_INLINE struct dict_entries dict_entries(PyObject *dict) {
    assert(dict_has_entries(dict));
    struct dict_entries entries =
        dict_entries_of_keys((const struct dict_keys *)((PyDictObject *)dict)->ma_keys);
#if PY_VERSION_HEX >= 0x030b0000
    const char *const values = (const char *)((PyDictObject *)dict)->ma_values;
    if (values != NULL) {
        entries.values = (PyObject *const *)(const void *)(values + DICT_VALUES_OFFSET);
    }
#endif
    return entries;
}

/* The pairs of a dict, each a key and a value, where all keys are strs of no subclass and no pair
 * is missing among them; NULL where that is not so, or not known. */
static ALWAYS_INLINE const char *dict_str_pairs(PyObject *dict, size_t *n_bytes) {
#if IS_DICT_LAYOUT_KNOWN && PY_VERSION_HEX >= 0x030b0000
    const PyDictObject *const object = (const PyDictObject *)dict;
    const struct dict_keys *const keys = (const struct dict_keys *)object->ma_keys;
    *n_bytes = (size_t)object->ma_used * (2 * sizeof(PyObject *));
    return object->ma_values == NULL && keys->kind != 0 && keys->n_entries == object->ma_used
               ? keys->indices + ((size_t)1 << keys->log2_index_bytes)
               : NULL;
#else
    (void)dict;
    *n_bytes = 0;
    return NULL;
#endif
}

/* Whether a dict records that all its keys are strs of no subclass, so that a look-up by str
 * compares them without Python code. Such keys may be all the same where it records nothing. */
static ALWAYS_INLINE bool dict_records_str_keys(PyObject *dict) {
#if !IS_DICT_LAYOUT_KNOWN
    (void)dict;
    return false;
#elif PY_VERSION_HEX < 0x030b0000
    /* of other dicts only the look-up function tells, and it has no public name */
    return ((PyDictObject *)dict)->ma_values != NULL;
#else
    if (((PyDictObject *)dict)->ma_values != NULL) {
        return true;
    }
    return ((const struct dict_keys *)((PyDictObject *)dict)->ma_keys)->kind != 0;
#endif
}

/* Whether all keys are strs of no subclass: by looking at each where the dict records nothing. */
static inline bool dict_has_only_str_keys(PyObject *dict) {
    if (dict_records_str_keys(dict)) {
        return true;
    }
    PyObject *key;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, NULL)) {
        if (!PyUnicode_CheckExact(key)) {
            return false;
        }
    }
    return true;
}

/* The key and value of entry i; false where it was deleted. */
static ALWAYS_INLINE bool dict_entry(const char *first, size_t entry_bytes, PyObject *const *values,
                                     Py_ssize_t i, PyObject **key, PyObject **value) {
    const char *const end = first + (size_t)(i + 1) * entry_bytes;
    *key = ((PyObject *const *)end)[-2];
    *value = UNLIKELY(values != NULL) ? values[i] : ((PyObject *const *)end)[-1];
    return *value != NULL;
}

/* Whether an object is a dict or, from Python 3.15 on, a frozendict, whose class does not derive
 * from dict but whose objects are kept as dicts are. */
static ALWAYS_INLINE bool is_any_dict(PyObject *object) {
#if PY_VERSION_HEX >= 0x030f0000
    return PyAnyDict_Check(object);
#else
    return PyDict_Check(object);
#endif
}

/* Whether an object is a dict or a frozendict, of no subclass. */
static ALWAYS_INLINE bool is_any_dict_exact(PyObject *object) {
#if PY_VERSION_HEX >= 0x030f0000
    return PyAnyDict_CheckExact(object);
#else
    return PyDict_CheckExact(object);
#endif
}

/* The builtin class that such an object's class is or derives from. */
static inline PyTypeObject *any_dict_base(PyObject *object) {
#if PY_VERSION_HEX >= 0x030f0000
    return PyDict_Check(object) ? &PyDict_Type : &PyFrozenDict_Type;
#else
    (void)object;
    return &PyDict_Type;
#endif
}

/* A pass over all pairs of a dict that nothing changes in the meantime: in place where possible. */
struct dict_cursor {
    struct dict_entries entries;
    Py_ssize_t position;
    bool is_in_place;
};

static ALWAYS_INLINE struct dict_cursor dict_cursor(PyObject *dict) {
    struct dict_cursor cursor = {.is_in_place = dict_has_entries(dict)};
    if (cursor.is_in_place) {
        cursor.entries = dict_entries(dict);
    }
    return cursor;
}

/* The next pair, borrowed; false at the end. */
static ALWAYS_INLINE bool dict_cursor_next(struct dict_cursor *cursor, PyObject *dict,
                                           PyObject **key, PyObject **value) {
    if (UNLIKELY(!cursor->is_in_place)) {
        return PyDict_Next(dict, &cursor->position, key, value) != 0;
    }
    const struct dict_entries *const entries = &cursor->entries;
    while (cursor->position < entries->n) {
        if (LIKELY(dict_entry(entries->first, entries->entry_bytes, entries->values,
                              cursor->position++, key, value))) {
            return true;
        }
    }
    return false;
}

/* The value of a str key, a new reference; NULL, without an exception, where there is none. */
static inline PyObject *dict_get(PyObject *dict, PyObject *key) {
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *value;
    if (PyDict_GetItemRef(dict, key, &value) < 0) {
        PyErr_Clear();
    }
    return value;
#else
    PyObject *const value = PyDict_GetItemWithError(dict, key);
    if (value == NULL) {
        PyErr_Clear();
    }
    return Py_XNewRef(value);
#endif
}

/* Make a dict that holds a container known to the garbage collector. */
static ALWAYS_INLINE void dict_track(PyObject *dict) {
    if (!PyObject_GC_IsTracked(dict)) {
        PyObject_GC_Track(dict);
    }
}

/* Have the CPU fetch the keys of a dict, which may be far away in memory: the header, the index
 * and the first entries. */
static ALWAYS_INLINE void dict_prefetch_keys(PyObject *dict) {
#if IS_DICT_LAYOUT_KNOWN
    const char *const keys = (const char *)((PyDictObject *)dict)->ma_keys;
    for (size_t line = 0; line < 2; line++) {
        __builtin_prefetch(keys + 64 * line);
    }
#else
    (void)dict;
#endif
}

#endif
