/* SPDX-License-Identifier: MIT */
/* The slow path of the walk: subclasses, sorted keys, native types, models, the default hook, and
 * frames whose items are not read in place. */
#ifndef SSRJSON_ENCODE_SLOW_PATH_H
#define SSRJSON_ENCODE_SLOW_PATH_H

#include "encode/encoder.h"
#include "encode/types/native.h"
#include "pyobject/dict.h"

#define encoder_enter_any SHARED_NAME(encoder_enter_any)
#define encoder_next SHARED_NAME(encoder_next)
#define encoder_accept_key SHARED_NAME(encoder_accept_key)

/* Enter or convert a value that the walk cannot write, and encoder_enter_fast did not: one of a
 * type that is not JSON's own, a container of a subclass, or a container that is inspected first.
 * The outcome is never NATIVE_NOT_KNOWN. A container that is entered, or the value that replaces
 * this one, is in the frame on top. */
enum native_outcome encoder_enter_any(struct encoder *encoder, PyObject *value,
                                      struct native *native);

/* The kind of the next thing in the frame on top; encoder->key and encoder->value are set to it. */
enum next {
    NEXT_PAIR,
    NEXT_ITEM,
    NEXT_REPLACEMENT, /* a value without a separator */
    NEXT_END,
    NEXT_END_OF_REPLACEMENT,
    NEXT_FAILED,
};

enum next encoder_next(struct encoder *encoder, struct frame *frame);

/* Replace an object by JSON text in UTF-8, which is stolen: a Fragment of it is in the frame on
 * top. False with the error recorded. */
#define encoder_replace_by_text SHARED_NAME(encoder_replace_by_text)
COLD bool encoder_replace_by_text(struct encoder *encoder, PyObject *object, PyObject *text);

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
           !options->sort_keys && !options->replaces_keys && !options->leaves_out_none &&
           has_exact_keys(options, dict);
}

#endif
