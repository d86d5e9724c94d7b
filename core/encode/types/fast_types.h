/* SPDX-License-Identifier: MIT */
/* Values beyond JSON's own types that are written quickly: datetimes, dates and times without a
 * zone, datetimes in UTC or with a zone that pydantic made, UUIDs, short Decimals, members of
 * Enums, objects with plain fields. They need no Python code, and their classes were seen before.
 * All others, and these in other formats, take the slow path: encode/slow_path.h. */
#ifndef SSRJSON_ENCODE_TYPES_FAST_TYPES_H
#define SSRJSON_ENCODE_TYPES_FAST_TYPES_H

#include "encode/encoder.h"
#include "encode/types/native.h"

#define encoder_enter_simple SHARED_NAME(encoder_enter_simple)

/* Whether a value may be simple with these options. */
static ALWAYS_INLINE bool value_may_be_simple(const struct encode_options *options,
                                              PyObject *value) {
    return options->native.simple_types != 0 && !type_has_flag_of_base(Py_TYPE(value));
}

/* Enter or convert a value that may be simple; NATIVE_NOT_KNOWN where it is not, with native->plan
 * set if its plan was found. Runs no Python code. */
enum native_outcome encoder_enter_simple(struct encoder *encoder, PyObject *value,
                                         struct native *native);

#endif
