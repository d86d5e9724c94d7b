/* SPDX-License-Identifier: MIT */
/* Values beyond JSON's types that have no items. */
#ifndef SSRJSON_ENCODE_TYPES_SCALAR_H
#define SSRJSON_ENCODE_TYPES_SCALAR_H

#include "encode/types/bytes.h"
#include "encode/types/datetime_derived.h"
#include "encode/types/decimal.h"
#include "encode/types/enum.h"
#include "encode/types/find_type.h"
#include "encode/types/numpy.h"
#include "encode/types/uuid.h"

/* An Enum's value may be a member of another Enum, but not for ever. */
#define MAX_KEY_STEPS 8

/* Convert a value without items; NATIVE_NOT_KNOWN for a value with items. Nothing is entered. The
 * caller releases native->held, whatever the outcome. */
static COLD enum native_outcome native_convert(struct encoder *encoder, enum native_type which,
                                               PyObject *value, struct native *native) {
    native->object = NULL;
    native->held = NULL;
    native->refusal = NULL;
    switch (which) {
    case NATIVE_ENUM: return native_enum(encoder, value, native);
    case NATIVE_DATETIME: return native_moment(encoder, NATIVE_DATETIME, value, native);
    case NATIVE_DATE: return native_moment(encoder, NATIVE_DATE, value, native);
    case NATIVE_TIME: return native_moment(encoder, NATIVE_TIME, value, native);
    case NATIVE_TIMEDELTA: return native_timedelta(encoder, value, native);
    case NATIVE_UUID: return native_uuid(encoder, value, native);
    case NATIVE_DECIMAL: return native_decimal(encoder, value, native);
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return native_bytes(encoder, value, native);
    case NATIVE_PATH: return native_str(encoder, value, native);
    case NATIVE_LONG_DOUBLE: return native_long_double(encoder, value, native);
    case NATIVE_DATETIME64:
    case NATIVE_TIMEDELTA64: return native_time64(encoder, value, native);
    case NATIVE_SCALAR: return native_scalar(encoder, value, native);
    case NATIVE_DERIVED: {
        const enum native_outcome outcome = native_derived(encoder, value, native, &which);
        return which == NATIVE_DERIVED ? outcome : native_convert(encoder, which, value, native);
    }
    case NATIVE_SET: /* these have items, or are no values of a document */
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR:
    case NATIVE_MAPPING_PROXY:
    case NATIVE_MAPPING:
    case NATIVE_MASKED_ARRAY:
    case NATIVE_ARRAY:
    case NATIVE_TENSOR:
    case NATIVE_ARROW:
    case NATIVE_MODEL:
    case NATIVE_MODEL_AS:
    case NATIVE_FIXED_ZONE:
    case NATIVE_ZONE_INFO:
    case NATIVE_PYDANTIC_ZONE:
    case NATIVE_UNKNOWN: break;
    }
    return NATIVE_NOT_KNOWN;
}

#endif
