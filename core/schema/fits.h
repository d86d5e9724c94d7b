/* SPDX-License-Identifier: MIT */
/* Whether a value fits the rule of a field, which is a node: its own type is enough to know how it
 * is written. The library converts a value that does not fit. */
#ifndef SSRJSON_SCHEMA_FITS_H
#define SSRJSON_SCHEMA_FITS_H

#include "encode/types/types.h"
#include "schema/node.h"

/* Values of no declared type within a model: whether the walk writes them as the model's library
 * does. */

/* What the check must know of an encoder's options. */
struct any_options {
    const struct native_types *types; /* borrowed */
    bool is_exact; /* the walk passes all that is not exactly of a known type to the hook */
    bool has_pydantic_formats; /* types beyond JSON's are written as pydantic writes them */
    bool has_msgspec_formats;  /* the types that msgspec's rules name are written as msgspec writes
                                  them */
    bool has_msgspec_floats;   /* floats such as 1e16 are too */
};

/* Whether the walk writes a value as the library of a rule does. Runs no Python code. */
bool any_value_fits(const struct node *rule, PyObject *value, const struct any_options *options);

/* What the rules must know of an encoder's options. */
struct rule_options {
    bool excludes_none; /* the library leaves out None in dicts with known keys too */
    bool writes_nan;    /* NaN and infinities are written as the encoder has them */
    struct any_options any;
};

/* The model class by which an object of a derived class must be written; NULL where there is none,
 * or more than one. */
PyTypeObject *rule_base(const struct node *rule, PyObject *value);

/* The seconds of a timedelta for which a rule says that they are written, a new float. NULL for any
 * other value, and for one of whose seconds a float has not all digits; or with MemoryError set. */
PyObject *rule_seconds(const struct node *rule, PyObject *value, const struct native_types *types);

/* The rule for the items of a list, if the rule is about a list; otherwise NULL. */
const struct node *rule_of_list_items(const struct node *rule);

/* Whether a value fits a rule that is not NULL. Runs no Python code. */
bool rule_fits_closely(const struct node *rule, PyObject *value,
                       const struct rule_options *options);

/* Whether a value fits a rule, which may be NULL; most are recognised inline. Runs no Python
 * code. */
static ALWAYS_INLINE bool rule_fits(const struct node *rule, PyObject *value,
                                    const struct rule_options *options) {
    return rule == NULL || LIKELY(rule->plain_type == Py_TYPE(value)) ||
           rule_fits_closely(rule, value, options);
}

/* rule_fits for a value that other threads may change, which the caller owns: a list that fits is
 * replaced by the tuple of its items that were looked at. */
bool rule_fits_held(const struct node *rule, PyObject **value, const struct rule_options *options);

#endif
