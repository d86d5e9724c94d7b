/* SPDX-License-Identifier: MIT */
/* The state of one decoding call: finished values that wait for their container, the containers
 * that are open, scratch for strings with escapes, what went wrong. Nesting lives in arrays, not on
 * the C stack; nothing is shared between calls, so a finaliser that decodes does no harm. */
#ifndef SSRJSON_DECODE_DECODER_H
#define SSRJSON_DECODE_DECODER_H

#include "decode/source.h"
#include "pyobject/long.h"

#define INLINE_VALUES 128
#define INLINE_CONTAINERS 32
#define INLINE_SCRATCH_BYTES 2048

struct open_container {
    size_t first_value; /* index into values */
    bool is_object;     /* keys and values in turn */
};

struct decoder {
    PyObject **values; /* owned */
    size_t n_values;
    size_t values_capacity;
    struct open_container *containers;
    size_t n_containers;
    size_t containers_capacity;
    void *scratch;
    size_t scratch_bytes;
    const struct decode_options *options;
    PyObject *keys; /* owned dict of the document's other keys, NULL before the first */
    struct error error;
    struct long_stock long_stock;
    PyObject *inline_values[INLINE_VALUES];
    struct open_container inline_containers[INLINE_CONTAINERS];
    uint32_t inline_scratch[INLINE_SCRATCH_BYTES / 4];
};

static inline void decoder_init(struct decoder *decoder, const struct source *source) {
    decoder->values = decoder->inline_values;
    decoder->n_values = 0;
    decoder->values_capacity = INLINE_VALUES;
    decoder->containers = decoder->inline_containers;
    decoder->n_containers = 0;
    decoder->containers_capacity = INLINE_CONTAINERS;
    decoder->scratch = decoder->inline_scratch;
    decoder->scratch_bytes = INLINE_SCRATCH_BYTES;
    decoder->options = source->options;
    decoder->keys = NULL;
    decoder->error.kind = ERROR_NONE;
    decoder->error.position = 0;
    long_stock_init(&decoder->long_stock);
}

static COLD void decoder_fail(struct decoder *decoder, enum error_kind kind, size_t position) {
    decoder->error.kind = kind;
    decoder->error.position = position;
}

/* Double an array that starts inside the decoder; false with the error recorded. */
static COLD bool decoder_grow(struct decoder *decoder, void **array, size_t *capacity,
                              size_t item_bytes, const void *inline_array) {
    void *const old = *array == inline_array ? NULL : *array;
    void *const grown = PyMem_Realloc(old, *capacity * 2 * item_bytes);
    if (grown == NULL) {
        PyErr_NoMemory();
        decoder_fail(decoder, ERROR_RAISED, 0);
        return false;
    }
    if (old == NULL) {
        memcpy(grown, inline_array, *capacity * item_bytes);
    }
    *array = grown;
    *capacity *= 2;
    return true;
}

/* Keep a finished value, which is stolen; false with the error recorded. */
static ALWAYS_INLINE bool decoder_push_value(struct decoder *decoder, PyObject *value) {
    if (UNLIKELY(value == NULL)) {
        if (decoder->error.kind == ERROR_NONE) {
            decoder_fail(decoder, ERROR_RAISED, 0);
        }
        return false;
    }
    if (UNLIKELY(decoder->n_values == decoder->values_capacity) &&
        !decoder_grow(decoder, (void **)&decoder->values, &decoder->values_capacity,
                      sizeof *decoder->values, decoder->inline_values)) {
        Py_DECREF(value);
        return false;
    }
    decoder->values[decoder->n_values++] = value;
    return true;
}

static ALWAYS_INLINE bool decoder_open(struct decoder *decoder, bool is_object) {
    if (UNLIKELY(decoder->n_containers == decoder->containers_capacity) &&
        !decoder_grow(decoder, (void **)&decoder->containers, &decoder->containers_capacity,
                      sizeof *decoder->containers, decoder->inline_containers)) {
        return false;
    }
    decoder->containers[decoder->n_containers++] =
        (struct open_container){.first_value = decoder->n_values, .is_object = is_object};
    return true;
}

/* A list of the newest n values, which it takes over. */
static ALWAYS_INLINE PyObject *decoder_build_list(struct decoder *decoder, size_t n) {
    PyObject *const list = PyList_New((Py_ssize_t)n);
    if (LIKELY(list != NULL)) {
        decoder->n_values -= n;
        PyObject **const values = decoder->values + decoder->n_values;
        for (size_t i = 0; i < n; i++) {
            PyList_SET_ITEM(list, (Py_ssize_t)i, values[i]);
        }
    }
    return list;
}

/* A dict of the newest n values, keys and values in turn; a repeated key keeps its last value. */
static ALWAYS_INLINE PyObject *decoder_build_dict(struct decoder *decoder, size_t n) {
    PyObject *dict = PyDict_New();
    if (UNLIKELY(dict == NULL)) {
        return NULL;
    }
    PyObject **const values = decoder->values + decoder->n_values - n;
    for (size_t i = 0; i < n; i += 2) {
        if (UNLIKELY(PyDict_SetItem(dict, values[i], values[i + 1]) != 0)) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    decoder->n_values -= n;
    for (size_t i = 0; i < n; i++) {
        Py_DECREF(values[i]);
    }
    return dict;
}

/* Close the innermost container and keep it as a value; false with the error recorded. */
static ALWAYS_INLINE bool decoder_close(struct decoder *decoder) {
    const struct open_container container = decoder->containers[--decoder->n_containers];
    const size_t n = decoder->n_values - container.first_value;
    return decoder_push_value(decoder, container.is_object ? decoder_build_dict(decoder, n)
                                                           : decoder_build_list(decoder, n));
}

/* Scratch for n_bytes more behind n_used; false with the error recorded. */
static ALWAYS_INLINE bool decoder_reserve_scratch(struct decoder *decoder, size_t n_used,
                                                  size_t n_bytes) {
    while (UNLIKELY(decoder->scratch_bytes - n_used < n_bytes)) {
        if (!decoder_grow(decoder, &decoder->scratch, &decoder->scratch_bytes, 1,
                          decoder->inline_scratch)) {
            return false;
        }
    }
    return true;
}

/* The document's own str for a key, which is stolen: a new reference, NULL with an exception set.
 */
static inline PyObject *decoder_share_key(struct decoder *decoder, PyObject *key) {
    if (decoder->keys == NULL) {
        decoder->keys = PyDict_New();
    }
    PyObject *const shared =
        decoder->keys != NULL ? PyDict_SetDefault(decoder->keys, key, key) : NULL;
    Py_XINCREF(shared);
    Py_DECREF(key);
    return shared;
}

static inline void decoder_clear(struct decoder *decoder) {
    while (decoder->n_values > 0) {
        PyObject *const value = decoder->values[--decoder->n_values];
        Py_DECREF(value);
    }
    Py_CLEAR(decoder->keys);
    long_stock_clear(&decoder->long_stock);
    if (decoder->values != decoder->inline_values) {
        PyMem_Free(decoder->values);
    }
    if (decoder->containers != decoder->inline_containers) {
        PyMem_Free(decoder->containers);
    }
    if (decoder->scratch != decoder->inline_scratch) {
        PyMem_Free(decoder->scratch);
    }
}

#endif
