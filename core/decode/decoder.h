/* SPDX-License-Identifier: MIT */
/* The state of one decoding call: the finished values whose containers are still open, the open
 * containers, scratch for strings with escapes, and the error. Nesting is kept in arrays, not on
 * the C stack. Calls share only the key cache and the shape tree, so a finaliser may decode during
 * a call. */
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
    bool may_pause;           /* the text may go on, so a number at its end is unfinished */
    string_misses key_misses; /* of keys that are not ASCII or not short */
    PyObject *inline_values[INLINE_VALUES];
    struct container inline_containers[INLINE_CONTAINERS];
    uint32_t inline_scratch[INLINE_SCRATCH_BYTES / 4];
    /* owned, of the document's strings; NULL: strings are not shared. If there is a cache, every
     * container has a node. On the heap, because a thread's stack, on which the decoder is, may be
     * small */
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
    /* the first container is the document itself, which does not count for max_depth */
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
    /* after a pause, outer containers have no node that counts the misses of their strings */
    decoder->string_cache = NULL;
    if (source->text.length >= STRING_CACHE_MIN_UNITS && decode_shapes(options) != NULL &&
        source->pause == NULL) {
        decoder->key_misses = 0;
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

/* The str that the document had for the text at p before: a new reference, NULL where it is not
 * known. Counts the misses. Runs no Python code. */
static ALWAYS_INLINE PyObject *decoder_known_string(const struct decoder *decoder, const uint8_t *p,
                                                    struct string_text text, size_t unit_bytes,
                                                    string_misses *misses) {
    PyObject *const known = string_cache_find(decoder->string_cache, p, text, unit_bytes);
    if (UNLIKELY(known == NULL)) {
        string_misses_count_miss(misses);
        return NULL;
    }
    string_misses_count_hit(misses);
    return Py_NewRef(known);
}

/* The str that the document had before for the text at p, of units of unit_bytes, and the number of
 * bytes of that text: a new reference, NULL where it is not known. STRING_CACHE_BYTES can be read
 * at p. One function for all kinds of str, because it is large. */
static NOINLINE PyObject *decoder_find_string(const struct decoder *decoder, const void *p,
                                              size_t unit_bytes, string_misses *misses,
                                              size_t *n_bytes) {
    const struct string_text text = string_text(p, unit_bytes);
    *n_bytes = text.n;
    return decoder_known_string(decoder, p, text, unit_bytes, misses);
}

/* Remember the str of the n_bytes of text at p, which was not known, unless the text is too long.
 */
static NOINLINE void decoder_remember_string(struct decoder *decoder, const void *p, size_t n_bytes,
                                             size_t unit_bytes, PyObject *string) {
    const struct string_text text = string_text(p, unit_bytes);
    if (string_text_is(text, n_bytes)) { /* the first quote is the closing one */
        string_cache_add(decoder->string_cache, p, text, string);
    }
}

/* One str for all equal keys of a document, for keys that are not ASCII or not short: steals the
 * key and returns a new reference; NULL with an exception set. The key's text is at p, and `after`
 * is after its closing quote. PyDict_SetDefault is not used, because Python 3.13's counts an entry
 * for which it had no memory. */
static NOINLINE PyObject *decoder_share_key(struct decoder *decoder, PyObject *key, const void *p,
                                            const void *after) {
    const struct text *const source = &decoder->source->text;
    const unsigned unit_bytes = (unsigned)text_form_unit_bytes(source->form);
    const uint8_t *const begin = p;
    const uint8_t *const end = (const uint8_t *)source->data + (size_t)source->length * unit_bytes;
    const size_t n = (size_t)((const uint8_t *)after - begin) - unit_bytes;
    if (KNOWS_LAYOUTS && decoder->string_cache != NULL && n <= STRING_CACHE_BYTES - unit_bytes &&
        end - begin >= STRING_CACHE_BYTES) {
        if (!string_misses_allow_lookup(&decoder->key_misses)) {
            return key;
        }
        const struct string_text text = string_text(begin, unit_bytes);
        if (LIKELY(string_text_is(text, n))) { /* the first quote is the closing one */
            PyObject *const known =
                decoder_known_string(decoder, begin, text, unit_bytes, &decoder->key_misses);
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
