/* SPDX-License-Identifier: MIT */
/* The types beyond JSON's that the options switch on. */
#ifndef SSRJSON_ENCODE_TYPES_ENABLED_H
#define SSRJSON_ENCODE_TYPES_ENABLED_H

#include "encode/options.h"
#include "pyobject/type.h"

/* Whether the options switch a type on. */
static inline bool native_is_on(const struct native_options *options, enum native_type which) {
    switch (which) {
    case NATIVE_ENUM: return options->enum_ != ENUM_OFF;
    case NATIVE_DATETIME: return options->datetime != MOMENT_OFF;
    case NATIVE_DATE: return options->date != MOMENT_OFF;
    case NATIVE_TIME: return options->time != MOMENT_OFF;
    case NATIVE_TIMEDELTA: return options->timedelta != TIMEDELTA_OFF;
    case NATIVE_UUID: return options->uuid != UUID_OFF;
    case NATIVE_DECIMAL: return options->decimal != DECIMAL_OFF;
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return options->bytes != BYTES_OFF;
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return options->iterables;
    case NATIVE_MAPPING_PROXY:
    case NATIVE_MAPPING: return options->mapping;
    case NATIVE_PATH: return options->path;
    case NATIVE_DATETIME64:
    case NATIVE_TIMEDELTA64:
    case NATIVE_LONG_DOUBLE:
    case NATIVE_MASKED_ARRAY:
    case NATIVE_ARRAY:
    case NATIVE_SCALAR: return options->numpy;
    case NATIVE_MODEL:
    case NATIVE_MODEL_AS: return options->dataclass || options->models != MODELS_OFF;
    case NATIVE_DERIVED:
    case NATIVE_FIXED_ZONE:
    case NATIVE_ZONE_INFO:
    case NATIVE_PYDANTIC_ZONE:
    case NATIVE_UNKNOWN: break;
    }
    return false;
}

static inline bool native_is_of(struct native_types *types, PyTypeObject *type,
                                enum native_type which) {
    PyTypeObject *const base = native_types_get(types, which);
    return base != NULL && PyType_IsSubtype(type, base);
}

/* Whether a class looks like a model of one of the libraries that are switched on; `is_exact`:
 * pydantic knows no models other than its own. */
static inline bool native_is_model(const struct native_options *options,
                                   const struct native_types *types, PyTypeObject *type,
                                   bool is_exact) {
    static const enum native_word words[] = {WORD_DATACLASS_FIELDS, WORD_PYDANTIC_SERIALIZER,
                                             WORD_PLAN, WORD_ATTRS, WORD_STRUCT_FIELDS};
    const int first = options->dataclass || options->models != MODELS_OFF ? 0 : 1;
    const int end = options->models != MODELS_ALL ? 1 + (options->models == MODELS_PYDANTIC)
                    : is_exact                    ? 3
                                                  : 5;
    for (int i = first; i < end; i++) {
        if (type_look_up(type, types->words[words[i]]) != NULL) {
            return true;
        }
    }
    return false;
}

#endif
