/* SPDX-License-Identifier: MIT */
#include "encode/keys.h"

#include "encode/orjson/scalars.h"
#include "encode/types/scalar.h"

bool has_exact_keys(const struct encode_options *options, PyObject *dict) {
    if (!options->sqlalchemy_safe && dict_records_str_keys(dict)) {
        return true;
    }
    size_t n_bytes;
    const char *const pairs = dict_str_pairs(dict, &n_bytes);
    if (LIKELY(pairs != NULL)) {
        for (size_t at = 0; at < n_bytes; at += 2 * sizeof(PyObject *)) {
            if (is_key_of_sqlalchemy(*(PyObject *const *)(pairs + at))) {
                return false;
            }
        }
        return true;
    }
    PyObject *key;
    PyObject *value;
    struct dict_cursor cursor = dict_cursor(dict);
    while (dict_cursor_next(&cursor, dict, &key, &value)) {
        if (!is_exact_key(options, key)) {
            return false;
        }
    }
    return true;
}

/* Replace a key of a native type by one that stdlib writes: encoder->key becomes a str, int, float,
 * bool or None that the encoder owns. False where the key is of no such type, or with the error
 * recorded. */
static COLD bool encoder_convert_key(struct encoder *encoder) {
    char room[ISO_TIME_ROOM];
    struct native native;
    native.text = room;
    PyObject *key = Py_NewRef(encoder->key);
    bool is_converted = false;
    for (int n_steps = 0; !is_converted; n_steps++) {
        if (n_steps == MAX_KEY_STEPS) {
            Py_DECREF(key);
            return false;
        }
        const enum native_outcome outcome =
            native_convert(encoder, native_find_type(encoder, key), key, &native);
        PyObject *text;
        switch (outcome) {
        case NATIVE_AS_TEXT:
        case NATIVE_AS_DIGITS:
            text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, native.text,
                                             (Py_ssize_t)native.n_text);
            break;
        case NATIVE_AS_NULL: text = Py_NewRef(Py_None); break;
        case NATIVE_AS_NUMBER:
        case NATIVE_AS_VALUE: text = native.object; break;
        default:
            if (outcome == NATIVE_NOT_KNOWN && native.refusal != NULL &&
                !encoder->options->skipkeys) {
                native_refuse(encoder, native.refusal);
            }
            Py_XDECREF(native.held);
            Py_DECREF(key);
            return false;
        }
        Py_XDECREF(native.held);
        Py_DECREF(key);
        if (text == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
        key = text;
        is_converted = PyUnicode_Check(key) || encoder_is_coercible_key(key);
    }
    Py_XSETREF(encoder->native_key, key);
    encoder->key = key;
    return true;
}

/* Whether a key has a form: a str, what stdlib coerces to one, or a native type that is on. */
static bool encoder_key_is_known(struct encoder *encoder) {
    return PyUnicode_Check(encoder->key) || encoder_is_coercible_key(encoder->key) ||
           (encoder->options->native.is_any && encoder_convert_key(encoder));
}

/* Replace a key that has no form by what key_default returns for it, which the encoder owns. False
 * where there is no such hook, or with the error recorded. */
static COLD bool encoder_replace_key(struct encoder *encoder) {
    PyObject *const hook = encoder->options->key_default;
    if (hook == NULL || encoder->n_final_frames != 0 || !encoder_may_ask_python(encoder)) {
        return false;
    }
    PyObject *const key = Py_NewRef(encoder->key);
    PyObject *const replacement =
        encoder_own_frames(encoder) ? PyObject_CallOneArg(hook, key) : NULL;
    Py_DECREF(key);
    if (replacement == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    Py_XSETREF(encoder->native_key, replacement);
    encoder->key = replacement;
    return true;
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

bool encoder_accept_key(struct encoder *encoder) {
    if (encoder->options->orjson.is_on) {
        return orjson_accept_key(encoder);
    }
    if (encoder_key_is_known(encoder) ||
        (!encoder_has_failed(encoder) && encoder_replace_key(encoder) &&
         encoder_key_is_known(encoder))) {
        return true;
    }
    if (!encoder_has_failed(encoder) && !encoder->options->skipkeys) {
        encoder_fail(encoder, ERROR_KEY_TYPE, encoder->key);
    }
    encoder->has_failed_at_key = encoder_has_failed(encoder);
    return false;
}
