/* SPDX-License-Identifier: MIT */
/* The rule for a value of a field, which is compiled once from what the model's library knows:
 * whether the value's own type is enough to know how it is written. The library converts a value
 * that does not fit. */
#ifndef SSRJSON_ENCODE_MODEL_RULE_H
#define SSRJSON_ENCODE_MODEL_RULE_H

#include "pyobject/python.h"
#include "cache/thread_originals.h"
#include "encode/types/types.h"
#include "pyobject/object.h"
#include "pyobject/type.h"

/* Values of no declared type within a model: whether the walk writes them as the model's library
 * does. */

/* Levels of containers that are looked into. */
#define ANY_MAX_DEPTH 16

/* The library whose rules apply. */
enum model_library {
    LIBRARY_NONE,
    LIBRARY_PYDANTIC,
    LIBRARY_MSGSPEC,
    LIBRARY_JSON, /* values of JSON's own types throughout, which all libraries write alike */
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

/* Levels of containers that a rule looks into. */
#define RULE_MAX_DEPTH 12

enum rule_check {
    CHECK_TYPE,    /* the type alone decides */
    CHECK_MODEL,   /* the type alone decides; objects of derived classes are written as this one */
    CHECK_FINITE,  /* a float that is finite, or that the encoder writes as the library does */
    CHECK_NUMBER,  /* a float that is finite */
    CHECK_SECONDS, /* a timedelta, for which its seconds are written */
    CHECK_AMONG,   /* a str or int that is one of those known */
    CHECK_ITEMS,   /* the items of a list, tuple, set or frozenset, all by one rule */
    CHECK_PLACES,  /* the items of a tuple, each by its own rule */
    CHECK_VALUES,  /* the values of a dict, by one rule; its keys are of one type */
    CHECK_FIELDS,  /* the values of a dict with known keys, each by its own rule */
};

/* Values of exactly one type. */
struct alternative {
    PyTypeObject *type; /* owned */
    enum rule_check check;
    bool is_json;                   /* written the same in all formats of the types beyond JSON's */
    PyTypeObject *key_type;         /* owned; CHECK_VALUES */
    struct thread_originals *among; /* owned frozenset; CHECK_AMONG */
    PyObject *known;       /* owned dict of places by key, required ones first; CHECK_FIELDS */
    Py_ssize_t n_required; /* CHECK_FIELDS */
    Py_ssize_t n_rules;
    struct rule **rules; /* owned; each may be NULL, which any value fits */
};

struct rule {
    const PyTypeObject *plain_type; /* values of exactly this type fit, whatever the options; or
                                       NULL */
    enum model_library
        library; /* values that the walk writes as this library does fit too; NONE: they do not */
    Py_ssize_t n;
    struct alternative alternatives[];
};

/* Compile a rule from what ssrjson_web._models.plan.Rule describes: false with an exception set.
 * None makes NULL. */
bool rule_new(PyObject *description, struct rule **rule);
void rule_free(struct rule *rule);
int rule_traverse(const struct rule *rule, visitproc visit, void *arg);

/* What the rules must know of an encoder's options. */
struct rule_options {
    bool excludes_none; /* the library leaves out None in dicts with known keys too */
    bool writes_nan;    /* NaN and infinities are written as the encoder has them */
    struct any_options any;
};

/* The model class by which an object of a derived class must be written; NULL where there is none,
 * or more than one. */
PyTypeObject *rule_base(const struct rule *rule, PyObject *value);

/* The seconds of a timedelta for which a rule says that they are written, a new float. NULL for any
 * other value, and for one of whose seconds a float has not all digits; or with MemoryError set. */
PyObject *rule_seconds(const struct rule *rule, PyObject *value, const struct native_types *types);

/* The rule for the items of a list, if the rule is about a list; otherwise NULL. */
const struct rule *rule_of_list_items(const struct rule *rule);

/* Whether a value fits a rule that is not NULL. Runs no Python code. */
bool rule_fits_closely(const struct rule *rule, PyObject *value,
                       const struct rule_options *options);

/* Whether a value fits a rule, which may be NULL; most are recognised inline. Runs no Python
 * code. */
static ALWAYS_INLINE bool rule_fits(const struct rule *rule, PyObject *value,
                                    const struct rule_options *options) {
    return rule == NULL || LIKELY(rule->plain_type == Py_TYPE(value)) ||
           rule_fits_closely(rule, value, options);
}

/* rule_fits for a value that other threads may change, which the caller owns: a list that fits is
 * replaced by the tuple of its items that were looked at. */
bool rule_fits_held(const struct rule *rule, PyObject **value, const struct rule_options *options);

/* What plans, rules and acceptances alike read of their descriptions. */

/* The place of a name among n; -1 with ValueError set, "%s %R", where it is none of them. */
static inline int name_place(PyObject *name, const char *const *names, int n, const char *error) {
    for (int i = 0; i < n; i++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, names[i]) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_ValueError, "%s %R", error, name);
    return -1;
}

/* Whether a description is a named tuple of these fields, in this order; false with an
 * exception set. Runs no Python code. */
static inline bool has_fields(PyObject *description, const char *const *names, Py_ssize_t n) {
    PyObject *const name = PyUnicode_InternFromString("_fields");
    if (name == NULL) {
        return false;
    }
    PyObject *const fields =
        PyTuple_Check(description) ? type_look_up(Py_TYPE(description), name) : NULL;
    Py_DECREF(name); /* the class has it, or nobody */
    bool has = fields != NULL && PyTuple_Check(fields) && PyTuple_GET_SIZE(fields) == n &&
               PyTuple_GET_SIZE(description) == n;
    for (Py_ssize_t i = 0; has && i < n; i++) {
        PyObject *const field = PyTuple_GET_ITEM(fields, i);
        has = PyUnicode_Check(field) && PyUnicode_CompareWithASCIIString(field, names[i]) == 0;
    }
    if (!has) {
        PyErr_Format(PyExc_TypeError, "expected a named tuple with the fields %s, ..., not %.100s",
                     names[0], Py_TYPE(description)->tp_name);
    }
    return has;
}

/* A callable, or None for NULL: a new reference in `place`; false with TypeError set. */
static inline bool take_callable(PyObject *object, PyObject **place) {
    if (object == Py_None) {
        return true;
    }
    if (!PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "a description has %.100s in place of a callable",
                     Py_TYPE(object)->tp_name);
        return false;
    }
    *place = Py_NewRef(object);
    return true;
}

#define HAS_FIELDS(DESCRIPTION, NAMES) \
    has_fields(DESCRIPTION, NAMES, (Py_ssize_t)(sizeof(NAMES) / sizeof *(NAMES)))

#define NAME_PLACE(NAME, NAMES, ERROR) \
    name_place(NAME, NAMES, (int)(sizeof(NAMES) / sizeof *(NAMES)), ERROR)

/* Whether searching for a value among those of a set runs no code of theirs. */
static inline bool set_is_plain(PyObject *set) {
    Py_ssize_t position = 0;
    PyObject *one;
    while (set_next(set, &position, &one)) {
        if (!PyUnicode_CheckExact(one) && !PyLong_CheckExact(one) && !PyBool_Check(one)) {
            return false;
        }
    }
    return true;
}

#endif
