/* SPDX-License-Identifier: MIT */
/* Keys that are not exactly strs, and dicts whose keys all are. */
#ifndef SSRJSON_ENCODE_KEYS_H
#define SSRJSON_ENCODE_KEYS_H

#include "encode/encoder.h"
#include "pyobject/dict.h"

#define encoder_accept_key SHARED_NAME(encoder_accept_key)

/* Whether a key that is not exactly a str is written: as stdlib coerces it, or in a native type's
 * format. False where it is skipped, or with the error recorded. */
COLD bool encoder_accept_key(struct encoder *encoder);

/* The keys of a dict that exact_types lets the walk write: all others go to the default hook. */

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

#define has_exact_keys SHARED_NAME(has_exact_keys)

/* Whether exact_types lets the walk write a dict with these keys. */
bool has_exact_keys(const struct encode_options *options, PyObject *dict);

/* Whether a dict is entered as it is although dicts are inspected: only its keys matter here, and
 * they are exact. */
static ALWAYS_INLINE bool is_exact_dict(const struct encoder *encoder, PyObject *dict) {
    const struct encode_options *const options = encoder->options;
    return !IS_FREE_THREADED && encoder_is_exact(encoder) && !options->orjson.is_on &&
           !options_arrange_dicts(options) && has_exact_keys(options, dict);
}

#endif
