/* SPDX-License-Identifier: MIT */
/* Pairs sorted by key. Most dicts of a document have the same keys as one before: the sorted places
 * of these are remembered. */
#ifndef SSRJSON_ENCODE_SORTED_PAIRS_H
#define SSRJSON_ENCODE_SORTED_PAIRS_H

#include "cache/hash.h"
#include "encode/pairs.h"
#include "pyobject/unicode.h"

#include <stdlib.h>

/* The most pairs of a dict that is remembered. Such a dict is sorted by insertion. */
#define SORT_FEW 64
/* The most dicts that are remembered, and the most keys of all of them together. A dict is found by
 * its first key and the number of its keys. When there is no room for more keys, all dicts are
 * forgotten. */
#define SORTED_DICT_BITS 6
#define SORTED_DICTS (1 << SORTED_DICT_BITS)
#define SORTED_KEYS 1024
/* A dict with a longer key is not remembered: its keys would stay in memory. */
#define SORTED_KEY_CHARS 64
/* Free-threaded builds do without: threads would change the memory while others read it. */
#define HAS_SORT_MEMORY (!IS_FREE_THREADED)

/* A pair while it is sorted. */
struct sort_item {
    uint64_t order; /* sorts as the beginning of the key does; that of a shorter key sorts before
                       those that begin with it, or is the same */
    const struct pair *pair;
};

/* The keys of dicts that were sorted, in the order of the dicts, and their sorted places. A
 * reference to each key is held, so another str is at another address; and a str that others hold
 * never changes, so the places stay right from one call to the next. */
struct sort_memory {
    size_t n_keys;
    struct sorted_dict {
        uint32_t first; /* of its keys */
        uint32_t n;     /* 0: no dict */
    } dicts[SORTED_DICTS];
    PyObject *keys[SORTED_KEYS]; /* owned exact strs */
    uint8_t places[SORTED_KEYS];
};

/* That keys may be freed runs no Python code. */
static inline void sort_memory_clear(struct sort_memory *memory) {
    for (size_t i = 0; i < memory->n_keys; i++) {
        Py_DECREF(memory->keys[i]);
    }
    memory->n_keys = 0;
    memset(memory->dicts, 0, sizeof memory->dicts);
}

/* Where a dict of n > 0 pairs is, if it is remembered. */
static inline struct sorted_dict *sort_memory_find(struct sort_memory *memory,
                                                   const struct pair *pairs, Py_ssize_t n) {
    const uint64_t first = (uint64_t)(uintptr_t)pairs->key + (uint64_t)n;
    return &memory->dicts[hash_of_number(first, SORTED_DICT_BITS)];
}

/* Whether it is remembered. */
static inline bool sort_memory_has(const struct sort_memory *memory, const struct sorted_dict *dict,
                                   const struct pair *pairs, Py_ssize_t n) {
    if (dict->n != (size_t)n) {
        return false;
    }
    PyObject *const *const keys = &memory->keys[dict->first];
    size_t i = 0;
    while (i < dict->n && keys[i] == pairs[i].key) {
        i++;
    }
    return i == dict->n;
}

/* Whether all keys are short, and held by others than this dict: another dict may have them, too.
 */
static inline bool sort_memory_wants(const struct pair *pairs, Py_ssize_t n) {
    Py_ssize_t i = 0;
    while (i < n && Py_REFCNT(pairs[i].key) > 1 &&
           PyUnicode_GET_LENGTH(pairs[i].key) <= SORTED_KEY_CHARS) {
        i++;
    }
    return i == n;
}

/* Remember a dict of n <= SORT_FEW pairs, and their places, which the sorted items have. */
static inline void sort_memory_keep(struct sort_memory *memory, const struct pair *pairs,
                                    Py_ssize_t n, const struct sort_item *items) {
    if (memory->n_keys + (size_t)n > SORTED_KEYS) {
        sort_memory_clear(memory);
    }
    struct sorted_dict *const dict = sort_memory_find(memory, pairs, n);
    dict->first = (uint32_t)memory->n_keys;
    dict->n = (uint32_t)n;
    memory->n_keys += dict->n;
    for (Py_ssize_t i = 0; i < n; i++) {
        memory->keys[dict->first + (size_t)i] = Py_NewRef(pairs[i].key);
        memory->places[dict->first + (size_t)(items[i].pair - pairs)] = (uint8_t)i;
    }
}

/* Put at most SORT_FEW pairs into their places. */
static inline void pairs_put_into_places(struct pairs *pairs, const uint8_t *places) {
    struct pair unsorted[SORT_FEW];
    memcpy(unsorted, pairs->pair, (size_t)pairs->n * sizeof *unsorted);
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        pairs->pair[places[i]] = unsorted[i];
    }
}

/* The first eight characters of a key that is ASCII. */
static inline uint64_t order_of_ascii(PyObject *key) {
    const char *const text = (const char *)((const PyASCIIObject *)key + 1);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(key);
    if (n >= 8) {
        return __builtin_bswap64(load_u64(text));
    }
    uint64_t order = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        order |= (uint64_t)text[i] << (56 - 8 * i);
    }
    return order;
}

/* The first three code points of a key, of 21 bits each. */
static inline uint64_t order_of_text(PyObject *key) {
    const struct text text = unicode_text(key);
    const int kind = (int)text_form_unit_bytes(text.form);
    uint64_t order = 0;
    for (Py_ssize_t i = 0; i < 3; i++) {
        order = order << 21 | (i < text.length ? PyUnicode_READ(kind, text.data, i) : 0);
    }
    return order;
}

static int sort_items_compare(const void *left, const void *right) {
    const struct sort_item *const a = left;
    const struct sort_item *const b = right;
    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    return PyUnicode_Compare(a->pair->key, b->pair->key);
}

static inline void sort_few_items(struct sort_item *items, Py_ssize_t n) {
    for (Py_ssize_t i = 1; i < n; i++) {
        const struct sort_item item = items[i];
        Py_ssize_t j = i;
        for (; j > 0 && sort_items_compare(&items[j - 1], &item) > 0; j--) {
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

/* Sort pairs whose keys are strs of no subclass. `unsorted` and `items` have room for as many. */
static NOINLINE MAYBE_UNUSED void pairs_sort_by_items(struct pairs *pairs, struct pair *unsorted,
                                                      struct sort_item *items, bool are_ascii,
                                                      struct sort_memory *memory) {
    const Py_ssize_t n = pairs->n;
    memcpy(unsorted, pairs->pair, (size_t)n * sizeof *unsorted);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const key = unsorted[i].key;
        items[i].order = are_ascii ? order_of_ascii(key) : order_of_text(key);
        items[i].pair = &unsorted[i];
    }
    if (n > SORT_FEW) {
        qsort(items, (size_t)n, sizeof *items, sort_items_compare);
    } else {
        sort_few_items(items, n);
        if (HAS_SORT_MEMORY && sort_memory_wants(unsorted, n)) {
            sort_memory_keep(memory, unsorted, n, items);
        }
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        pairs->pair[i] = *items[i].pair;
    }
}

enum sort_result {
    SORT_DONE,
    SORT_NOT_KNOWN, /* a key is not exactly a str, and only Python knows its order */
    SORT_NO_MEMORY, /* with MemoryError set */
};

/* Sort n > 0 pairs by key as Python does; the memory is NULL where there is none. Runs no Python
 * code. */
static inline enum sort_result pairs_sort(struct pairs *pairs, struct sort_memory *memory) {
    if (HAS_SORT_MEMORY) {
        const struct sorted_dict *const dict = sort_memory_find(memory, pairs->pair, pairs->n);
        if (LIKELY(sort_memory_has(memory, dict, pairs->pair, pairs->n))) {
            pairs_put_into_places(pairs, &memory->places[dict->first]);
            pairs->are_keys_exact_strs = true;
            return SORT_DONE;
        }
    }
    bool are_ascii = true;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        PyObject *const key = pairs->pair[i].key;
        if (!PyUnicode_CheckExact(key) || !unicode_is_ready(key)) {
            PyErr_Clear();
            return SORT_NOT_KNOWN;
        }
        are_ascii &= PyUnicode_IS_COMPACT_ASCII(key) != 0;
    }
    if (pairs->n <= SORT_FEW) {
        struct pair unsorted[SORT_FEW];
        struct sort_item items[SORT_FEW];
        pairs_sort_by_items(pairs, unsorted, items, are_ascii, memory);
    } else {
        const size_t n_bytes = sizeof(struct pair) + sizeof(struct sort_item);
        struct pair *const unsorted = PyMem_Malloc((size_t)pairs->n * n_bytes);
        if (unsorted == NULL) {
            PyErr_NoMemory();
            return SORT_NO_MEMORY;
        }
        struct sort_item *const items = (struct sort_item *)(unsorted + pairs->n);
        pairs_sort_by_items(pairs, unsorted, items, are_ascii, memory);
        PyMem_Free(unsorted);
    }
    pairs->are_keys_exact_strs = true;
    return SORT_DONE;
}

#endif
