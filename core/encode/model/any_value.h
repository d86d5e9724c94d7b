/* SPDX-License-Identifier: MIT */
/* Values of no declared type within a model: whether the walk writes them as the model's library
 * does. */
#ifndef SSRJSON_ENCODE_MODEL_ANY_VALUE_H
#define SSRJSON_ENCODE_MODEL_ANY_VALUE_H

#include "encode/types/types.h"

/* Levels of containers that are looked into. */
#define ANY_MAX_DEPTH 16

/* The library whose rules apply. */
enum model_library {
    LIBRARY_NONE,
    LIBRARY_PYDANTIC,
    LIBRARY_MSGSPEC,
};

/* What the check must know of an encoder's options. */
struct any_options {
    const struct native_types *types; /* borrowed */
    bool is_exact; /* the walk passes all that is not exactly of a known type to the hook */
    bool has_pydantic_formats; /* types beyond JSON's are written as pydantic writes them */
    bool has_msgspec_formats;  /* the types that msgspec's rules name are written as msgspec writes
                                  them */
    bool has_msgspec_floats;   /* floats such as 1e16 are too */
};

struct rule;

/* Whether the walk writes a value as the library of the rule does. Runs no Python code. */
bool any_value_fits(const struct rule *rule, PyObject *value, const struct any_options *options);

#endif
