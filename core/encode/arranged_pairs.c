/* SPDX-License-Identifier: MIT */
#include "encode/arranged_pairs.h"

#include "encode/canonical.h"
#include "encode/context.h"
#include "encode/keys.h"
#include "pyobject/unicode.h"

/* ---- the keys of canonical JSON ------------------------------------------------------------- */

/* A float as a key, a new reference; NULL with the error recorded. */
static PyObject *text_of_float_key(struct encoder *encoder, PyObject *key) {
    const struct encode_options *const options = encoder->options;
    const double value = PyFloat_AS_DOUBLE(key);
    if (__builtin_isfinite(value)) {
        char text[CANONICAL_NUMBER_ROOM];
        return PyUnicode_FromStringAndSize(text, (Py_ssize_t)canonical_float(text, value));
    }
    if (options->nan_as_str || options->nan_as_null) {
        return PyUnicode_FromString(!options->nan_as_str     ? "null"
                                    : __builtin_isnan(value) ? "NaN"
                                    : value > 0              ? "Infinity"
                                                             : "-Infinity");
    }
    encoder_fail(encoder, ERROR_NOT_FINITE, key);
    return NULL;
}

/* The str that is written for a key that encoder_accept_key accepted, a new reference to one of no
 * subclass; NULL with the error recorded. */
static PyObject *text_of_key(struct encoder *encoder, PyObject *key) {
    PyObject *text;
    if (PyUnicode_Check(key)) {
        text = unicode_is_ready(key) ? PyUnicode_FromObject(key) : NULL;
    } else if (PyFloat_Check(key)) {
        text = text_of_float_key(encoder, key);
    } else if (key == Py_None || PyBool_Check(key)) {
        text = PyUnicode_FromString(key == Py_None ? "null" : key == Py_True ? "true" : "false");
    } else {
        return encoder_int_repr(encoder, key);
    }
    if (text == NULL) {
        encoder_fail_unless_failed(encoder);
    }
    return text;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static bool pairs_have_exact_keys(const struct pairs *pairs) {
    Py_ssize_t i = 0;
    while (i < pairs->n && PyUnicode_CheckExact(pairs->pair[i].key) &&
           unicode_has_form(pairs->pair[i].key)) {
        i++;
    }
    return i == pairs->n;
}

/* Replace the keys that are strs of no subclass by those in the case that the options ask for;
 * false with the error recorded. */
static bool encoder_convert_case(struct encoder *encoder, struct pairs *pairs) {
    const struct encode_options *const options = encoder->options;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        struct pair *const pair = &pairs->pair[i];
        if (!PyUnicode_CheckExact(pair->key)) {
            continue;
        }
        PyObject *const key =
            key_case_get(context_key_cases(options->context), pair->key, options->key_case);
        if (key == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
        Py_SETREF(pair->key, key);
    }
    return true;
}

/* More pairs than these are looked up in a table of which the memory is allocated. */
#define FEW_PAIRS 64

/* Whether no two strs among the keys of pairs in any order are equal; false with the error
 * recorded. Takes linear time. */
static bool encoder_has_no_repeated_key(struct encoder *encoder, const struct pairs *pairs) {
    uint32_t few[2 * FEW_PAIRS]; /* 1 + the number of a pair; 0: none */
    size_t n_slots = 2;
    while (n_slots < 2 * (size_t)pairs->n) {
        n_slots *= 2;
    }
    uint32_t *const slots = n_slots <= 2 * FEW_PAIRS ? few : PyMem_Malloc(n_slots * sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    memset(slots, 0, n_slots * sizeof *slots);
    PyObject *repeated = NULL;
    for (Py_ssize_t i = 0; i < pairs->n && repeated == NULL; i++) {
        PyObject *const key = pairs->pair[i].key;
        if (!PyUnicode_CheckExact(key)) {
            continue;
        }
        size_t slot = (size_t)PyObject_Hash(key) & (n_slots - 1); /* of a str, so it never fails */
        for (; slots[slot] != 0 && repeated == NULL; slot = (slot + 1) & (n_slots - 1)) {
            PyObject *const known = pairs->pair[slots[slot] - 1].key;
            repeated = known == key || PyUnicode_Compare(known, key) == 0 ? key : NULL;
        }
        if (repeated == NULL) {
            slots[slot] = (uint32_t)i + 1;
        }
    }
    if (slots != few) {
        PyMem_Free(slots);
    }
    if (repeated != NULL) {
        encoder_fail(encoder, ERROR_DUPLICATE_KEY, repeated);
    }
    return repeated == NULL;
}

/* Whether no two neighbours among sorted pairs have the same key; false with the error recorded. */
static bool encoder_has_distinct_keys(struct encoder *encoder, const struct pairs *pairs) {
    for (Py_ssize_t i = 1; i < pairs->n; i++) {
        PyObject *const key = pairs->pair[i].key;
        if (PyUnicode_Compare(pairs->pair[i - 1].key, key) == 0) {
            encoder_fail(encoder, ERROR_DUPLICATE_KEY, key);
            return false;
        }
    }
    return true;
}

/* Sort pairs if they are to be sorted, and check that no key is written twice: SORT_NOT_KNOWN where
 * a key is no str and only Python knows the order; SORT_NO_MEMORY with an error recorded. */
static enum sort_result encoder_order(struct encoder *encoder, struct pairs *pairs) {
    const struct encode_options *const options = encoder->options;
    if (!options->sort_keys) {
        return encoder_has_no_repeated_key(encoder, pairs) ? SORT_DONE : SORT_NO_MEMORY;
    }
    if (options->canonical && pairs_need_utf16(pairs)) {
        pairs_sort_by_utf16(pairs);
        pairs->are_keys_exact_strs = true;
    } else {
        const enum sort_result result = encoder_sort(encoder, pairs);
        if (result != SORT_DONE) {
            return result;
        }
    }
    return !options->replaces_keys || encoder_has_distinct_keys(encoder, pairs) ? SORT_DONE
                                                                                : SORT_NO_MEMORY;
}

bool encoder_arrange_fields(struct encoder *encoder, struct pairs *pairs) {
    if (encoder->options->key_case != KEY_AS_IT_IS) {
        pairs_own_from(pairs, 0);
        if (!encoder_convert_case(encoder, pairs)) {
            return false;
        }
    }
    return encoder_order(encoder, pairs) == SORT_DONE;
}

/* Replace a key of the frame on top by the str that is written, or leave it to the walk, if it is
 * none and keys are not canonical: a new reference. NULL where the pair is skipped, or with the
 * error recorded. */
static PyObject *encoder_written_key(struct encoder *encoder, PyObject *key) {
    const struct encode_options *const options = encoder->options;
    if (PyUnicode_Check(key)) {
        PyObject *const text = text_of_key(encoder, key);
        if (text == NULL || options->key_case == KEY_AS_IT_IS) {
            return text;
        }
        PyObject *const other =
            key_case_get(context_key_cases(options->context), text, options->key_case);
        Py_DECREF(text);
        if (other == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
        }
        return other;
    }
    if (!options->canonical) {
        return Py_NewRef(key);
    }
    encoder->key = key;
    return encoder_accept_key(encoder) ? text_of_key(encoder, encoder->key) : NULL;
}

/* Replace the keys of the frame on top, which owns its pairs; pairs that are skipped because of
 * their key are dropped. False with the error recorded. */
static bool encoder_replace_keys(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    struct pairs *const pairs = frame->pairs;
    const Py_ssize_t n_all = pairs->n;
    Py_ssize_t n = 0; /* pairs that stay, before those that are skipped */
    for (Py_ssize_t i = 0; i < n_all; i++) {
        const struct pair pair = pairs->pair[i];
        frame->index = i + 1; /* the place of an error */
        PyObject *const key = encoder_written_key(encoder, pair.key);
        if (encoder_has_failed(encoder)) {
            Py_XDECREF(key);
            encoder->has_failed_at_key = true;
            return false;
        }
        if (key != NULL) {
            pairs->pair[i] = pairs->pair[n];
            pairs->pair[n++] = (struct pair){.key = key, .value = pair.value};
            Py_DECREF(pair.key);
        }
    }
    pairs->n = n;
    for (Py_ssize_t i = n; i < n_all; i++) {
        Py_DECREF(pairs->pair[i].key);
        Py_DECREF(pairs->pair[i].value);
    }
    frame->index = 0;
    return true;
}

/* Go on with the pairs of the frame on top in the order that Python gives them by their keys, some
 * of which are no strs: false with the error recorded. */
static COLD bool encoder_order_by_python(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    struct pairs *const pairs = frame->pairs;
    PyObject *const items = PyList_New(pairs->n);
    for (Py_ssize_t i = 0; items != NULL && i < pairs->n; i++) {
        PyObject *const pair = PyTuple_Pack(2, pairs->pair[i].key, pairs->pair[i].value);
        if (pair == NULL) {
            Py_DECREF(items);
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
        PyList_SET_ITEM(items, i, pair);
    }
    if (items == NULL || PyList_Sort(items) != 0) {
        Py_XDECREF(items);
        encoder_fail(encoder, items == NULL ? ERROR_RAISED : ERROR_REFUSED, NULL);
        return false;
    }
    frame->kind = FRAME_ITEMS;
    frame->items = items;
    frame->is_in_place = false;
    encoder_raise_generation(encoder);
    pairs_free(pairs);
    return true;
}

enum native_outcome encoder_enter_arranged(struct encoder *encoder, struct pairs *pairs,
                                           PyObject *object, bool is_made_by_python) {
    if (pairs->n == 0) {
        pairs_free(pairs);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    const bool are_exact = pairs_have_exact_keys(pairs);
    struct frame frame = {.pairs = pairs,
                          .object = object,
                          .kind = FRAME_PAIRS,
                          .has_holdings = true,
                          .is_made_by_python = is_made_by_python};
    if (!are_exact || IS_FREE_THREADED || is_made_by_python || encoder->is_streaming ||
        encoder->options->key_case != KEY_AS_IT_IS || pairs->first_owned == 0) {
        pairs_own_from(pairs, 0);
        Py_INCREF(object);
        frame.is_owning = true;
    }
    if (!encoder_push(encoder, &frame)) {
        return NATIVE_FAILED;
    }
    encoder->n_frames_by_python += is_made_by_python;
    if (!are_exact) {
        if (!encoder_may_ask_python(encoder)) {
            return NATIVE_FAILED;
        }
        if (!encoder_own_frames(encoder)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NATIVE_FAILED;
        }
        if (!encoder_replace_keys(encoder)) {
            return NATIVE_FAILED;
        }
        if (pairs->n == 0) {
            encoder_pop(encoder);
            return NATIVE_AS_EMPTY_OBJECT;
        }
        const enum sort_result result = encoder_order(encoder, pairs);
        return result == SORT_DONE || (result == SORT_NOT_KNOWN && encoder_order_by_python(encoder))
                   ? NATIVE_IN_OBJECT
                   : NATIVE_FAILED;
    }
    return encoder_arrange_fields(encoder, pairs) ? NATIVE_IN_OBJECT : NATIVE_FAILED;
}

/* The pairs of a list of (key, value) tuples, owned; NULL with the error recorded. */
static struct pairs *encoder_pairs_of_items(struct encoder *encoder, PyObject *items) {
    const Py_ssize_t n = PyList_GET_SIZE(items);
    struct pairs *const pairs = PyMem_Malloc(sizeof *pairs + (size_t)n * sizeof *pairs->pair);
    if (pairs == NULL) {
        PyErr_NoMemory();
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    *pairs = (struct pairs){.n = 0};
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const pair = PyList_GET_ITEM(items, i);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
            encoder_fail(encoder, ERROR_ITEMS_NOT_PAIRS, NULL);
            pairs_free(pairs);
            return NULL;
        }
        pairs->pair[pairs->n++] = (struct pair){.key = Py_NewRef(PyTuple_GET_ITEM(pair, 0)),
                                                .value = Py_NewRef(PyTuple_GET_ITEM(pair, 1))};
    }
    return pairs;
}

enum native_outcome encoder_enter_arranged_items(struct encoder *encoder, PyObject *items,
                                                 PyObject *object, bool is_made_by_python) {
    struct pairs *const pairs = encoder_pairs_of_items(encoder, items);
    Py_DECREF(items);
    return pairs == NULL ? NATIVE_FAILED
                         : encoder_enter_arranged(encoder, pairs, object, is_made_by_python);
}
