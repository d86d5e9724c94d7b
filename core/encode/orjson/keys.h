/* SPDX-License-Identifier: MIT */
/* Keys of dicts as the module orjson writes them. */
#ifndef SSRJSON_ENCODE_ORJSON_KEYS_H
#define SSRJSON_ENCODE_ORJSON_KEYS_H

#include "encode/orjson/moments.h"
#include "number/format_float.h"

/* Whether an int is one of 64 bits, with a sign or without: -2^63 to 2^64 - 1. */
static inline bool is_int_of_64_bits(PyObject *number) {
    bool is_negative;
    uint64_t magnitude;
    return long_magnitude(number, &is_negative, &magnitude) &&
           (!is_negative || magnitude <= (uint64_t)1 << 63);
}

static inline enum native_outcome orjson_int_key(struct encoder *encoder, PyObject *key,
                                                 struct native *native) {
    bool is_negative;
    uint64_t magnitude = 0;
    if (!is_int_of_64_bits(key) || !long_magnitude(key, &is_negative, &magnitude)) {
        return orjson_refuse(encoder, "Dict integer key must be within 64-bit range");
    }
    char *out = native->text;
    *out = '-';
    return native_text_ends(native, format_u64(out + is_negative, magnitude));
}

static inline enum native_outcome orjson_float_key(PyObject *key, struct native *native) {
    const double value = PyFloat_AS_DOUBLE(key);
    if (!__builtin_isfinite(value)) {
        return NATIVE_AS_NULL;
    }
    return native_text_ends(
        native, float_text_unlike_repr(native->text, format_double(native->text, value), true));
}

/* The text of a key that is not a str, or what replaces it; NATIVE_NOT_KNOWN for another type. */
static inline enum native_outcome orjson_convert_key(struct encoder *encoder, PyObject *key,
                                                     struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(key);
    if (key == Py_None) {
        return NATIVE_AS_NULL;
    }
    if (key == Py_True || key == Py_False) {
        const bool is_true = key == Py_True;
        memcpy(native->text, is_true ? "true\0" : "false", 5);
        return native_text_ends(native, native->text + (is_true ? 4 : 5));
    }
    if (type == &PyFloat_Type) {
        return orjson_float_key(key, native);
    }
    const enum native_type which = orjson_scalar_type(types, type);
    if (which != NATIVE_UNKNOWN) {
        return orjson_scalar_outcome(encoder, which, key, native);
    }
    return PyLong_Check(key) ? orjson_int_key(encoder, key, native) : NATIVE_NOT_KNOWN;
}

/* The text of a key, a new reference: a str, perhaps of a subclass. NULL with the error recorded.
 * May run Python code; the caller owns the key, and the frames own what they hold where it has
 * run. */
static COLD PyObject *orjson_key_text(struct encoder *encoder, PyObject *key) {
    if (!encoder->options->orjson.has_any_keys) {
        if (PyUnicode_CheckExact(key)) {
            return Py_NewRef(key);
        }
        orjson_refuse(encoder, "Dict key must be str");
        return NULL;
    }
    Py_INCREF(key);
    for (int n_steps = 0; n_steps < MAX_KEY_STEPS; n_steps++) {
        if (PyUnicode_Check(key) &&
            (PyUnicode_CheckExact(key) ||
             !native_is_of(&encoder->options->context->native_types, Py_TYPE(key), NATIVE_ENUM))) {
            return key;
        }
        char room[ISO_TIME_ROOM];
        struct native native = {.text = room, .object = NULL, .held = NULL};
        PyObject *text = NULL;
        switch (orjson_convert_key(encoder, key, &native)) {
        case NATIVE_AS_TEXT:
            text = PyUnicode_FromStringAndSize(native.text, (Py_ssize_t)native.n_text);
            break;
        case NATIVE_AS_NULL: text = PyUnicode_FromString("null"); break;
        case NATIVE_AS_VALUE: text = native.object; break;
        case NATIVE_NOT_KNOWN: n_steps = MAX_KEY_STEPS; break;
        default: break;
        }
        Py_XDECREF(native.held);
        Py_DECREF(key);
        if (text == NULL) {
            if (n_steps == MAX_KEY_STEPS) {
                orjson_refuse(encoder, "Dict key must a type serializable with OPT_NON_STR_KEYS");
            } else {
                encoder_fail_unless_failed(encoder);
            }
            return NULL;
        }
        key = text;
    }
    Py_DECREF(key);
    orjson_refuse(encoder, "Dict key must a type serializable with OPT_NON_STR_KEYS");
    return NULL;
}

/* Replace a key that is not exactly a str by its text, which the encoder owns; false with the error
 * recorded. */
static COLD bool orjson_accept_key(struct encoder *encoder) {
    PyObject *const text = orjson_key_text(encoder, encoder->key);
    if (text == NULL) {
        encoder->has_failed_at_key = true;
        return false;
    }
    Py_XSETREF(encoder->native_key, text);
    encoder->key = text;
    return true;
}

/* Replace all keys of pairs by their texts; the pairs become owned. False with the error recorded.
 */
static COLD bool orjson_replace_keys(struct encoder *encoder, struct pairs *pairs) {
    pairs_own_from(pairs, 0);
    if (!encoder_own_frames(encoder)) { /* Python code may run */
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        PyObject *text = orjson_key_text(encoder, pairs->pair[i].key);
        if (text != NULL && !PyUnicode_CheckExact(text)) { /* sorting wants no subclass */
            Py_SETREF(text, PyUnicode_FromObject(text));
            if (text == NULL) {
                encoder_fail(encoder, ERROR_RAISED, NULL);
            }
        }
        if (text == NULL) {
            return false;
        }
        Py_SETREF(pairs->pair[i].key, text);
    }
    return true;
}

#endif
