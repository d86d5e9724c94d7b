/* SPDX-License-Identifier: MIT */
/* The state of one decoding call: finished values that wait for their container, the open
 * containers, scratch for strings with escapes, and the error. Nesting is kept in arrays, not on
 * the C stack. Calls share only the key cache and the tree of shapes, so a finaliser that decodes
 * does no harm. */
#ifndef SSRJSON_DECODE_DECODER_H
#define SSRJSON_DECODE_DECODER_H

#include "decode/pause.h"
#include "cache/shape_tree.h"
#include "decode/options.h"
#include "decode/string_lookup.h"
#include "pyobject/long.h"

#define INLINE_VALUES 512
#define INLINE_CONTAINERS 32
#define INLINE_SCRATCH_BYTES 2048

struct decoder {
    const struct source *source;
    const struct decode_options *options;
    PyObject *object_hook; /* borrowed: the hook for objects; NULL: none */
    PyObject **values;     /* owned; n_values is up to date only after parsing has ended */
    size_t n_values;
    size_t values_capacity;
    struct container *containers;
    size_t containers_capacity;
    void *scratch;
    size_t scratch_bytes;
    PyObject
        *keys; /* owned dict of the document's keys that are in no cache, NULL before the first */
    struct error error;
    bool may_pause;             /* the text may go on, so a number at its end is unfinished */
    string_habit habit_of_keys; /* of those that are not ASCII or not short */
    PyObject *inline_values[INLINE_VALUES];
    struct container inline_containers[INLINE_CONTAINERS];
    uint32_t inline_scratch[INLINE_SCRATCH_BYTES / 4];
    /* owned, of the document's strings; NULL: none is shared. If there is one, every container has
     * a node. On the heap, because the decoder is on the stack of a thread, which may be small */
    struct string_cache *string_cache;
};

static inline void decoder_init(struct decoder *decoder, const struct source *source) {
    const struct decode_options *const options = source->options;
    decoder->source = source;
    decoder->options = options;
    decoder->object_hook =
        options->object_pairs_hook != NULL ? options->object_pairs_hook : options->object_hook;
    decoder->values = decoder->inline_values;
    decoder->n_values = 0;
    decoder->values_capacity = INLINE_VALUES;
    decoder->containers = decoder->inline_containers;
    /* the frame around the document is one of them, and does not count for max_depth */
    decoder->containers_capacity =
        options->max_depth < INLINE_CONTAINERS - 1 ? options->max_depth + 1 : INLINE_CONTAINERS;
    decoder->containers[0] = (struct container){
        .node = decode_shapes(options) != NULL ? &options->shapes->root : NULL,
        .kind = CONTAINER_DOCUMENT,
    };
    decoder->scratch = decoder->inline_scratch;
    decoder->scratch_bytes = INLINE_SCRATCH_BYTES;
    decoder->keys = NULL;
    decoder->error.kind = ERROR_NONE;
    decoder->error.position = 0;
    decoder->may_pause = source->pause != NULL && !source->pause->is_last;
    /* after a pause, outer containers have no node that knows the habit of their strings */
    decoder->string_cache = NULL;
    if (source->text.length >= STRING_CACHE_LEAST_UNITS && decode_shapes(options) != NULL &&
        source->pause == NULL) {
        decoder->habit_of_keys = 0;
        decoder->string_cache = string_cache_new();
    }
}

static COLD void decoder_fail(struct decoder *decoder, enum error_kind kind, size_t position) {
    decoder->error.kind = kind;
    decoder->error.position = position;
}

/* Grow an array that starts inside the decoder; false with the error recorded. */
static COLD bool decoder_grow(struct decoder *decoder, void **array, size_t *capacity,
                              size_t new_capacity, size_t item_bytes, const void *inline_array) {
    void *const old = *array == inline_array ? NULL : *array;
    void *const grown = PyMem_Realloc(old, new_capacity * item_bytes);
    if (grown == NULL) {
        PyErr_NoMemory();
        decoder_fail(decoder, ERROR_RAISED, 0);
        return false;
    }
    if (old == NULL) {
        memcpy(grown, inline_array, *capacity * item_bytes);
    }
    *array = grown;
    *capacity = new_capacity;
    return true;
}

static COLD bool decoder_grow_values(struct decoder *decoder) {
    return decoder_grow(decoder, (void **)&decoder->values, &decoder->values_capacity,
                        2 * decoder->values_capacity, sizeof *decoder->values,
                        decoder->inline_values);
}

/* Make room for more containers, unless max_depth are open; false with the error recorded, whose
 * position the caller sets. */
static COLD bool decoder_grow_containers(struct decoder *decoder) {
    const size_t capacity = decoder->containers_capacity;
    if (capacity > decoder->options->max_depth) {
        decoder_fail(decoder, ERROR_NESTING, 0);
        return false;
    }
    const size_t wanted =
        decoder->options->max_depth < 2 * capacity ? decoder->options->max_depth + 1 : 2 * capacity;
    return decoder_grow(decoder, (void **)&decoder->containers, &decoder->containers_capacity,
                        wanted, sizeof *decoder->containers, decoder->inline_containers);
}

/* Make room in scratch for n_bytes after n_used; false with the error recorded. */
static ALWAYS_INLINE bool decoder_reserve_scratch(struct decoder *decoder, size_t n_used,
                                                  size_t n_bytes) {
    while (UNLIKELY(decoder->scratch_bytes - n_used < n_bytes)) {
        if (!decoder_grow(decoder, &decoder->scratch, &decoder->scratch_bytes,
                          2 * decoder->scratch_bytes, 1, decoder->inline_scratch)) {
            return false;
        }
    }
    return true;
}

/* The document's string of the text at p: a new reference, NULL where it is not known. The habit
 * learns from it. Runs no Python code. */
static ALWAYS_INLINE PyObject *decoder_known_string(const struct decoder *decoder, const uint8_t *p,
                                                    struct string_text text, size_t unit_bytes,
                                                    string_habit *habit) {
    PyObject *const known = string_cache_find(decoder->string_cache, p, text, unit_bytes);
    if (UNLIKELY(known == NULL)) {
        habit_of_unknown(habit);
        return NULL;
    }
    habit_of_known(habit);
    return Py_NewRef(known);
}

/* Likewise for the text at p of units of unit_bytes, where STRING_CACHE_BYTES can be read, and the
 * number of its bytes; compiled once for all kinds of str. */
static NOINLINE PyObject *decoder_find_string(const struct decoder *decoder, const void *p,
                                              size_t unit_bytes, string_habit *habit,
                                              size_t *n_bytes) {
    const struct string_text text = string_text(p, unit_bytes);
    *n_bytes = text.n;
    return decoder_known_string(decoder, p, text, unit_bytes, habit);
}

/* Remember a string that was not known, of n_bytes of text, unless it is too long. */
static NOINLINE void decoder_remember_string(struct decoder *decoder, const void *p, size_t n_bytes,
                                             size_t unit_bytes, PyObject *string) {
    const struct string_text text = string_text(p, unit_bytes);
    if (string_text_is(text, n_bytes)) { /* not cut at a quote of its own */
        string_cache_add(decoder->string_cache, p, text, string);
    }
}

/* The document's own str for a key that is not ASCII or not short, which is stolen; p and `after`
 * are around its text. A new reference, NULL with an exception set. PyDict_SetDefault is not used:
 * Python 3.13's counts an entry for which it had no memory. */
static NOINLINE PyObject *decoder_share_key(struct decoder *decoder, PyObject *key, const void *p,
                                            const void *after) {
    const struct text *const source = &decoder->source->text;
    const unsigned unit_bytes = (unsigned)text_form_unit_bytes(source->form);
    const uint8_t *const begin = p;
    const uint8_t *const end = (const uint8_t *)source->data + (size_t)source->length * unit_bytes;
    const size_t n = (size_t)((const uint8_t *)after - begin) - unit_bytes;
    if (KNOWS_LAYOUTS && decoder->string_cache != NULL && n <= STRING_CACHE_BYTES - unit_bytes &&
        end - begin >= STRING_CACHE_BYTES) {
        if (!habit_looks(&decoder->habit_of_keys)) {
            return key;
        }
        const struct string_text text = string_text(begin, unit_bytes);
        if (LIKELY(string_text_is(text, n))) { /* not cut at a quote of its own */
            PyObject *const known =
                decoder_known_string(decoder, begin, text, unit_bytes, &decoder->habit_of_keys);
            if (known == NULL) {
                string_cache_add(decoder->string_cache, begin, text, key);
                return key;
            }
            Py_DECREF(key);
            return known;
        }
    }
    if (decoder->keys == NULL) {
        decoder->keys = PyDict_New();
    }
    PyObject *shared = NULL;
    if (decoder->keys != NULL) {
        shared = PyDict_GetItemWithError(decoder->keys, key);
        if (shared == NULL && PyDict_SetItem(decoder->keys, key, key) == 0) {
            shared = key;
        }
    }
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
    if (decoder->string_cache != NULL) {
        string_cache_free(decoder->string_cache);
    }
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
