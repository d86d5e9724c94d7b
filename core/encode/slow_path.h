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

#endif
