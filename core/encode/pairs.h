/* SPDX-License-Identifier: MIT */
/* A copy of a dict's pairs: borrowed at first, owned once Python code may run. No reference is
 * taken before, so memory pages that are shared with a parent process stay shared. */
#ifndef SSRJSON_ENCODE_PAIRS_H
#define SSRJSON_ENCODE_PAIRS_H

#include "pyobject/dict.h"

/* As dict_str_pairs gives them. */
struct pair {
    PyObject *key;
    PyObject *value;
};

struct pairs {
    Py_ssize_t n;
    Py_ssize_t first_owned;   /* keys and values from this pair on are owned; n: none */
    bool are_keys_exact_strs; /* false also where that is not known */
    struct pair pair[];
};

/* The pairs of a dict from a position of PyDict_Next on, borrowed, with room for n_more of them
 * and, after these, n_bytes for each pair; NULL with MemoryError set. */
static ALWAYS_INLINE struct pairs *pairs_with_room(PyObject *dict, Py_ssize_t position,
                                                   size_t n_more, size_t n_pair_bytes) {
    const size_t n_max = (size_t)PyDict_GET_SIZE(dict);
    struct pairs *const pairs =
        PyMem_Malloc(sizeof *pairs + (n_max + n_more) * (sizeof *pairs->pair + n_pair_bytes));
    if (pairs == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    size_t n_bytes;
    const char *const entries = dict_str_pairs(dict, &n_bytes);
    size_t n = 0;
    if (entries != NULL && position == 0) {
        memcpy(pairs->pair, entries, n_bytes);
        n = n_max;
    }
    while (n < n_max && PyDict_Next(dict, &position, &pairs->pair[n].key, &pairs->pair[n].value)) {
        n++;
    }
    pairs->n = (Py_ssize_t)n;
    pairs->first_owned = pairs->n;
    pairs->are_keys_exact_strs = dict_records_str_keys(dict);
    return pairs;
}

/* The pairs of a dict from a position of PyDict_Next on, borrowed; NULL with MemoryError set. */
static inline struct pairs *pairs_from_dict(PyObject *dict, Py_ssize_t position) {
    return pairs_with_room(dict, position, 0, 0);
}

static inline void pairs_own_from(struct pairs *pairs, Py_ssize_t first) {
    for (Py_ssize_t i = first; i < pairs->first_owned; i++) {
        Py_INCREF(pairs->pair[i].key);
        Py_INCREF(pairs->pair[i].value);
    }
    pairs->first_owned = first;
}

/* The pairs of a dict at one moment, owned, with room as pairs_with_room makes it: no thread
 * changes the dict while they are copied. NULL with MemoryError set. */
static inline struct pairs *pairs_from_shared_dict(PyObject *dict, size_t n_more,
                                                   size_t n_pair_bytes) {
    struct pairs *pairs;
    Py_BEGIN_CRITICAL_SECTION(dict);
    pairs = pairs_with_room(dict, 0, n_more, n_pair_bytes);
    if (pairs != NULL) {
        pairs_own_from(pairs, 0);
    }
    Py_END_CRITICAL_SECTION();
    return pairs;
}

/* Leave out the pairs whose value is None. */
static inline void pairs_leave_out_none(struct pairs *pairs) {
    const bool is_owning = pairs->first_owned < pairs->n;
    assert(!is_owning || pairs->first_owned == 0);
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        const struct pair pair = pairs->pair[i];
        if (pair.value != Py_None) {
            pairs->pair[n++] = pair;
        } else if (is_owning) {
            Py_DECREF(pair.key);
            Py_DECREF(pair.value);
        }
    }
    pairs->n = n;
    pairs->first_owned = is_owning ? 0 : n;
}

/* Leave out the pairs whose value is None of a list of (key, value) tuples; what else it holds
 * stays. False with MemoryError set. */
static inline bool pair_list_leave_out_none(PyObject *list) {
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject *const pair = PyList_GET_ITEM(list, i);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
            PyTuple_GET_ITEM(pair, 1) != Py_None) {
            if (n != i) {
                PyList_SetItem(list, n, Py_NewRef(pair));
            }
            n++;
        }
    }
    return n == PyList_GET_SIZE(list) || PyList_SetSlice(list, n, PyList_GET_SIZE(list), NULL) == 0;
}

static inline void pairs_free(struct pairs *pairs) {
    for (Py_ssize_t i = pairs->first_owned; i < pairs->n; i++) {
        Py_DECREF(pairs->pair[i].key);
        Py_DECREF(pairs->pair[i].value);
    }
    PyMem_Free(pairs);
}

#endif
