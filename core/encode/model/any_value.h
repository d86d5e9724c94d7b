/* SPDX-License-Identifier: MIT */
/* Values of no declared type within a library's model: whether the walk writes them as that
 * library does. */
#ifndef SSRJSON_ENCODE_MODEL_ANY_VALUE_H
#define SSRJSON_ENCODE_MODEL_ANY_VALUE_H

#include "encode/native/types.h"

/* Containers that are looked into, one within another. */
#define ANY_MAX_DEPTH 16

/* Whose way of writing holds. */
enum model_library {
    LIBRARY_NONE,
    LIBRARY_PYDANTIC,
    LIBRARY_MSGSPEC,
};

/* What an encoder's options have to do with it. */
struct any_options {
    const struct native_types *types; /* borrowed */
    bool is_exact; /* the walk itself hands over all that is not exactly of a known type */
    bool has_pydantic_formats; /* types beyond JSON's are written as pydantic writes them */
    bool has_msgspec_formats;  /* the same for msgspec, of those that its rules name */
    bool has_msgspec_floats;   /* 1e16 too */
};

struct rule;

/* Whether the walk writes a value as the library of the rule does. Runs no Python code. */
bool any_value_fits(const struct rule *rule, PyObject *value, const struct any_options *options);

#endif
