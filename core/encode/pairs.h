/* SPDX-License-Identifier: MIT */
/* A copy of a dict's pairs: borrowed at first, owned once Python code may run. They are sorted
 * where keys are to be sorted. No reference is taken for that, so memory pages that are shared with
 * a parent process stay shared. */
#ifndef SSRJSON_ENCODE_PAIRS_H
#define SSRJSON_ENCODE_PAIRS_H

#include "pyobject/unicode.h"

struct pair {
    uint64_t order; /* derived from the key's first characters; see pair_order */
    PyObject *key;
    PyObject *value;
};
_Static_assert(offsetof(struct pair, key) + 2 * sizeof(PyObject *) == sizeof(struct pair) &&
                   offsetof(struct pair, value) > offsetof(struct pair, key),
               "the walk reads pairs as it reads a dict's entries");

struct pairs {
    Py_ssize_t n;
    Py_ssize_t first_owned; /* keys and values from this pair on are owned; n: none */
    struct pair pair[];
};

/* The pairs of a dict from a position of PyDict_Next on, borrowed; NULL with MemoryError set. */
static inline struct pairs *pairs_from_dict(PyObject *dict, Py_ssize_t position) {
    const size_t n_most = (size_t)PyDict_GET_SIZE(dict);
    struct pairs *const pairs = PyMem_Malloc(sizeof *pairs + n_most * sizeof *pairs->pair);
    if (pairs == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    size_t n = 0;
    while (n < n_most && PyDict_Next(dict, &position, &pairs->pair[n].key, &pairs->pair[n].value)) {
        n++;
    }
    pairs->n = (Py_ssize_t)n;
    pairs->first_owned = pairs->n;
    return pairs;
}

static inline void pairs_own_from(struct pairs *pairs, Py_ssize_t first) {
    for (Py_ssize_t i = first; i < pairs->first_owned; i++) {
        Py_INCREF(pairs->pair[i].key);
        Py_INCREF(pairs->pair[i].value);
    }
    pairs->first_owned = first;
}

/* The pairs of a dict at one moment, owned: no thread changes the dict while they are copied. NULL
 * with MemoryError set. */
static inline struct pairs *pairs_from_shared_dict(PyObject *dict) {
    struct pairs *pairs;
    Py_BEGIN_CRITICAL_SECTION(dict);
    pairs = pairs_from_dict(dict, 0);
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

/* A number that sorts as the first three code points of a str do, of 21 bits each. A shorter str
 * sorts before the ones that begin with it. */
static inline uint64_t pair_order(PyObject *key) {
    const struct text text = unicode_text(key);
    const int kind = (int)text_form_unit_bytes(text.form);
    uint64_t order = 0;
    for (Py_ssize_t i = 0; i < 3; i++) {
        order = order << 21 | (i < text.length ? PyUnicode_READ(kind, text.data, i) : 0);
    }
    return order;
}

static int pairs_compare(const void *left, const void *right) {
    const struct pair *const a = left;
    const struct pair *const b = right;
    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    return PyUnicode_Compare(a->key, b->key);
}

#define PAIRS_INSERTION_SORT_MAX 24

/* The keys of the dict that was sorted last, and their sorted places: consecutive dicts mostly have
 * the same keys. The keys are borrowed, and forgotten before one could be freed; without the GIL
 * they are owned, because another thread may free any of them. */
struct sort_memory {
    Py_ssize_t n;   /* 0: nothing is remembered */
    bool has_ranks; /* computed when the same keys come a second time */
    uint8_t ranks[PAIRS_INSERTION_SORT_MAX];
    PyObject *keys[PAIRS_INSERTION_SORT_MAX];
};

static inline void pairs_insertion_sort(struct pairs *pairs) {
    for (Py_ssize_t i = 1; i < pairs->n; i++) {
        const struct pair pair = pairs->pair[i];
        Py_ssize_t j = i;
        for (; j > 0 && pairs_compare(&pairs->pair[j - 1], &pair) > 0; j--) {
            pairs->pair[j] = pairs->pair[j - 1];
        }
        pairs->pair[j] = pair;
    }
}

static inline void sort_memory_forget(struct sort_memory *memory) {
    for (Py_ssize_t i = 0; IS_FREE_THREADED && i < memory->n; i++) {
        Py_DECREF(memory->keys[i]);
    }
    memory->n = 0;
}

static inline bool sort_memory_has(const struct sort_memory *memory, const struct pairs *pairs) {
    if (memory->n != pairs->n) {
        return false;
    }
    Py_ssize_t i = 0;
    while (i < pairs->n && memory->keys[i] == pairs->pair[i].key) {
        i++;
    }
    return i == pairs->n;
}

static inline void sort_memory_keep_keys(struct sort_memory *memory, const struct pairs *pairs) {
    sort_memory_forget(memory);
    memory->n = pairs->n <= PAIRS_INSERTION_SORT_MAX ? pairs->n : 0;
    memory->has_ranks = false;
    for (Py_ssize_t i = 0; i < memory->n; i++) {
        memory->keys[i] = pairs->pair[i].key;
        if (IS_FREE_THREADED) {
            Py_INCREF(memory->keys[i]);
        }
    }
}

/* Keep the places of the sorted keys. */
static inline void sort_memory_keep_ranks(struct sort_memory *memory, const struct pairs *sorted) {
    for (Py_ssize_t i = 0; i < memory->n; i++) {
        Py_ssize_t rank = 0;
        while (sorted->pair[rank].key != memory->keys[i]) {
            rank++;
        }
        memory->ranks[i] = (uint8_t)rank;
    }
    memory->has_ranks = true;
}

static inline void sort_memory_apply(const struct sort_memory *memory, struct pairs *pairs) {
    struct pair unsorted[PAIRS_INSERTION_SORT_MAX];
    memcpy(unsorted, pairs->pair, (size_t)pairs->n * sizeof *unsorted);
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        pairs->pair[memory->ranks[i]] = unsorted[i];
    }
}

/* Sort by key as Python does; false where a key is not exactly a str, because only Python knows its
 * order. Runs no Python code. */
static ALWAYS_INLINE bool pairs_sort(struct pairs *pairs, struct sort_memory *memory) {
    const bool is_known = sort_memory_has(memory, pairs);
    if (is_known && memory->has_ranks) {
        sort_memory_apply(memory, pairs);
        return true;
    }
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        PyObject *const key = pairs->pair[i].key;
        if (!PyUnicode_CheckExact(key) || !unicode_is_ready(key)) {
            PyErr_Clear();
            return false;
        }
        pairs->pair[i].order = pair_order(key);
    }
    if (!is_known) {
        sort_memory_keep_keys(memory, pairs);
    }
    if (pairs->n <= PAIRS_INSERTION_SORT_MAX) {
        pairs_insertion_sort(pairs);
    } else {
        qsort(pairs->pair, (size_t)pairs->n, sizeof *pairs->pair, pairs_compare);
    }
    if (is_known) {
        sort_memory_keep_ranks(memory, pairs);
    }
    return true;
}

#endif
