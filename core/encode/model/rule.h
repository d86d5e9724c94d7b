/* SPDX-License-Identifier: MIT */
/* What a value must be so that its own type alone says how it is written: what a model library
 * knows of a field, compiled once. A value that does not fit is for that library to convert. */
#ifndef SSRJSON_ENCODE_MODEL_RULE_H
#define SSRJSON_ENCODE_MODEL_RULE_H

#include "encode/model/any_value.h"
#include "pyobject/python.h"

/* Containers that a rule looks into, one within another. */
#define RULE_MAX_DEPTH 12

enum rule_check {
    CHECK_TYPE,   /* the type is enough */
    CHECK_MODEL,  /* so it is; objects of derived classes are written as of this one */
    CHECK_FINITE, /* a float */
    CHECK_AMONG,  /* a str or int among some */
    CHECK_ITEMS,  /* of a list, tuple, set or frozenset, by one rule */
    CHECK_PLACES, /* of a tuple, each by its own rule */
    CHECK_VALUES, /* of a dict, by one rule; keys are of one type */
    CHECK_FIELDS, /* of a dict with known keys, each by its own rule */
};

/* Values of exactly one type. */
struct alternative {
    PyTypeObject *type; /* owned */
    enum rule_check check;
    bool is_json;           /* written alike whatever the formats of types beyond JSON's are */
    PyTypeObject *key_type; /* owned; CHECK_VALUES */
    PyObject *known;       /* owned: a frozenset, or a dict of places by key, required ones first */
    Py_ssize_t n_required; /* CHECK_FIELDS */
    Py_ssize_t n_rules;
    struct rule **rules; /* owned; each may be NULL, which anything fits */
};

struct rule {
    enum model_library library; /* any value fits that the walk writes as this one does; NONE: no */
    Py_ssize_t n;
    struct alternative alternatives[];
};

/* Compile a rule from what ssrjson_web._models.plan.Rule describes: false with an exception set.
 * None makes NULL. */
bool rule_new(PyObject *description, struct rule **rule);
void rule_free(struct rule *rule);

/* What an encoder's options have to do with it. */
struct rule_options {
    bool excludes_none; /* the library leaves None out of dicts with known keys too */
    bool writes_nan;    /* NaN and infinities are written as the encoder has them */
    struct any_options any;
};

/* The class of a model as one of which an object of a derived class is to be written; NULL where
 * there is none, or more than one. */
PyTypeObject *rule_base(const struct rule *rule, PyObject *value);

/* The rule for the items of a list, if the list is what a rule is about; else NULL. */
const struct rule *rule_of_list_items(const struct rule *rule);

/* Whether a value fits what is not NULL. Runs no Python code. */
bool rule_fits_closely(const struct rule *rule, PyObject *value,
                       const struct rule_options *options);

/* The same; plain fields in line. */
static ALWAYS_INLINE bool rule_fits(const struct rule *rule, PyObject *value,
                                    const struct rule_options *options) {
    if (rule == NULL) {
        return true;
    }
    if (LIKELY(rule->library == LIBRARY_NONE && rule->n != 0)) {
        const struct alternative *const first = &rule->alternatives[0];
        if (LIKELY(first->type == Py_TYPE(value)) &&
            ((first->check <= CHECK_MODEL &&
              (first->is_json || options->any.has_pydantic_formats)) ||
             (first->check == CHECK_FINITE &&
              (options->writes_nan || __builtin_isfinite(PyFloat_AS_DOUBLE(value)))))) {
            return true;
        }
    }
    return rule_fits_closely(rule, value, options);
}

#endif
