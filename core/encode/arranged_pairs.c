/* SPDX-License-Identifier: MIT */
#include "encode/arranged_pairs.h"

#include "encode/canonical.h"
#include "encode/slow_path.h"
#include "encode/types/fragment.h"
#include "pyobject/unicode.h"

PyObject *encoder_read_fragment(struct encoder *encoder, PyObject *fragment) {
    PyObject *const core = PyImport_ImportModule("ssrjson_web._core");
    PyObject *const loads = core != NULL ? PyObject_GetAttrString(core, "loads") : NULL;
    Py_XDECREF(core);
    PyObject *const arguments = Py_BuildValue("(O)", ((struct fragment *)fragment)->contents);
    PyObject *const options =
        Py_BuildValue("{ss}", "duplicate_keys", encoder->options->canonical ? "error" : "last");
    PyObject *const value = loads != NULL && arguments != NULL && options != NULL
                                ? PyObject_Call(loads, arguments, options)
                                : NULL;
    Py_XDECREF(options);
    Py_XDECREF(arguments);
    Py_XDECREF(loads);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        encoder_fail(encoder, ERROR_NOT_CANONICAL, fragment);
    } else if (value == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return value;
}

enum native_outcome encoder_enter_fragment(struct encoder *encoder, PyObject *fragment) {
    Py_INCREF(fragment);
    PyObject *value = NULL;
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else {
        value = encoder_read_fragment(encoder, fragment);
    }
    const bool is_entered =
        value != NULL && encoder_push_owned(encoder, value, fragment, FRAME_REPLACEMENT, false);
    Py_DECREF(fragment);
    return is_entered ? NATIVE_AS_VALUE : NATIVE_FAILED;
}

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

bool encoder_arrange_fields(struct encoder *encoder, struct pairs *pairs) {
    if (encoder->options->canonical && pairs_need_utf16(pairs)) {
        pairs_sort_by_utf16(pairs);
        pairs->are_keys_exact_strs = true;
    } else if (encoder_sort(encoder, pairs) == SORT_NO_MEMORY) {
        return false;
    }
    return !encoder->options->canonical || encoder_has_distinct_keys(encoder, pairs);
}

/* Replace the keys of the frame on top, which owns its pairs, by the strs that are written; pairs
 * that are skipped because of their key are dropped. False with the error recorded. */
static bool encoder_replace_keys(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    struct pairs *const pairs = frame->pairs;
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        struct pair *const pair = &pairs->pair[i];
        frame->index = i + 1; /* the place of an error */
        encoder->key = pair->key;
        if (PyUnicode_CheckExact(pair->key) || encoder_accept_key(encoder)) {
            PyObject *const text = text_of_key(encoder, encoder->key);
            if (text == NULL) {
                encoder->has_failed_at_key = true;
                return false;
            }
            Py_SETREF(pair->key, text);
        } else if (encoder_has_failed(encoder)) {
            return false;
        } else {
            Py_CLEAR(pair->key);
        }
    }
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        const struct pair pair = pairs->pair[i];
        if (pair.key != NULL) {
            pairs->pair[n++] = pair;
        } else {
            Py_DECREF(pair.value);
        }
    }
    pairs->n = n;
    frame->index = 0;
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
        pairs->first_owned == 0) {
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
