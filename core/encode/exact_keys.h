/* SPDX-License-Identifier: MIT */
/* The keys of a dict that exact_types lets the walk write: all others go to the default hook. */
#ifndef SSRJSON_ENCODE_EXACT_KEYS_H
#define SSRJSON_ENCODE_EXACT_KEYS_H

#include "encode/encoder.h"
#include "pyobject/dict.h"

/* Whether a str begins with "_sa". */
static ALWAYS_INLINE bool is_key_of_sqlalchemy(PyObject *key) {
    if (LIKELY(PyUnicode_IS_COMPACT_ASCII(key))) {
        const char *const text = (const char *)((const PyASCIIObject *)key + 1);
        return UNLIKELY(text[0] == '_') && text[1] == 's' && text[2] == 'a'; /* ends with NUL */
    }
    return PyUnicode_GET_LENGTH(key) >= 3 && PyUnicode_READ_CHAR(key, 0) == '_' &&
           PyUnicode_READ_CHAR(key, 1) == 's' && PyUnicode_READ_CHAR(key, 2) == 'a';
}

/* Whether exact_types lets the walk write a dict with this key. */
static ALWAYS_INLINE bool is_exact_key(const struct encode_options *options, PyObject *key) {
    return LIKELY(PyUnicode_CheckExact(key)) &&
           LIKELY(!options->sqlalchemy_safe || !is_key_of_sqlalchemy(key));
}

/* Whether exact_types lets the walk write a dict with these keys. */
static NOINLINE bool has_exact_keys(const struct encode_options *options, PyObject *dict) {
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

/* Whether a dict is entered as it is although dicts are inspected: only its keys matter here, and
 * they are exact. */
static ALWAYS_INLINE bool is_exact_dict(const struct encoder *encoder, PyObject *dict) {
    const struct encode_options *const options = encoder->options;
    return !IS_FREE_THREADED && encoder_is_exact(encoder) && !options->orjson.is_on &&
           !options->sort_keys && !options->leaves_out_none && has_exact_keys(options, dict);
}

#endif
