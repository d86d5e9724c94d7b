/* SPDX-License-Identifier: MIT */
/* The slow path of the walk: subclasses, sorted keys, native types, models, the default hook, and
 * frames whose items are not read in place. */
#ifndef SSRJSON_ENCODE_SLOW_PATH_H
#define SSRJSON_ENCODE_SLOW_PATH_H

#include "encode/encoder.h"
#include "encode/types/outcome.h"

#define encoder_enter_uncommon SHARED_NAME(encoder_enter_uncommon)
#define encoder_next SHARED_NAME(encoder_next)
#define encoder_accept_key SHARED_NAME(encoder_accept_key)

/* Enter or convert a value that is not exactly of one of JSON's own types, nor of a subclass of
 * str, int or float. The outcome is never NATIVE_NOT_KNOWN. A container that is entered, or the
 * value that replaces this one, is in the frame on top. */
enum native_outcome encoder_enter_uncommon(struct encoder *encoder, PyObject *value,
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

/* Whether a key that is not exactly a str is written: as stdlib coerces it, or in a native type's
 * format. False where it is skipped, or with the error recorded. */
COLD bool encoder_accept_key(struct encoder *encoder);

#endif
