/* SPDX-License-Identifier: MIT */
/* What is known of values: nodes, which are compiled once from what a library knows about a type.
 *
 * A node is several alternatives, told apart by the exact type of the value; each has an op and the
 * operands of the op (op_list.h). What a node is for decides what is done with it: a value is made
 * of another one in place of a validator or serializer (task.h), or the walk asks whether it writes
 * a value as the library does (fits.h). ssrjson_web/_models/language.py describes the language. */
#ifndef SSRJSON_SCHEMA_NODE_H
#define SSRJSON_SCHEMA_NODE_H

#include "cache/thread_originals.h"
#include "pyobject/python.h"
#include "pyobject/unicode.h"
#include "schema/op_list.h"
#include "schema/standard_text.h"

#include <math.h>
#include <string.h>

/* Levels of nodes, models and records within each other that a description has. */
#define SCHEMA_MAX_DEPTH 48
/* Levels of a value that are looked into where its description does not bound them: of models,
 * which may be within themselves, and of containers of no declared type. */
#define VALUE_MAX_DEPTH 32

struct accepted_field {
    PyObject *name;      /* owned str: the model's attribute */
    PyObject *key;       /* owned str: the key in a dict that is validated */
    PyObject *other_key; /* owned str: the key where that one is absent; or NULL */
    PyObject *paths;  /* owned tuple of tuples, each of strs and ints: where the value is looked for
                         in place of the keys, in this order; or NULL */
    PyObject *output; /* owned str: the key in the text; NULL: the field is not written */
    PyObject *absent; /* owned: the default, or NULL */
    PyObject *factory;  /* owned callable: makes the default, or NULL; without both the field is
                           required */
    PyObject *left_out; /* owned: the value that the text leaves out; or NULL */
    bool may_be_absent; /* in a dict: the text leaves it out then */
    const struct node *node; /* borrowed of the schema */
};

/* How the attributes of a class's objects are read without code of the class.
 *
 * WAY(identifier, name, meaning) */
/* clang-format off */
#define ATTRIBUTES_WAYS(WAY) \
    WAY(UNKNOWN, "library", "only by the library") \
    WAY(GENERIC, "getattribute", "by object.__getattribute__") \
    WAY(IN_DICT, "dict", "in __dict__, from which a descriptor of the class takes them") \
    WAY(OWN, "own", "nothing of the class has their names: in __dict__ if there is one, otherwise " \
                    "by object.__getattribute__")

/* The slots of a pydantic model: SLOT(identifier, name). */
#define MODEL_SLOTS(SLOT) \
    SLOT(EXTRA, "__pydantic_extra__") \
    SLOT(FIELDS_SET, "__pydantic_fields_set__") \
    SLOT(PRIVATE, "__pydantic_private__")
/* clang-format on */

enum attributes_way {
#define WAY(IDENTIFIER, ...) ATTRIBUTES_##IDENTIFIER,
    ATTRIBUTES_WAYS(WAY)
#undef WAY
};

enum model_slot {
#define SLOT(IDENTIFIER, NAME) SLOT_##IDENTIFIER,
    MODEL_SLOTS(SLOT)
#undef SLOT
        N_MODEL_SLOTS
};

/* How the attributes of the objects of any class are read. */
struct attributes_reading {
    PyObject *way_of;  /* owned callable: the name of the enum attributes_way of a class; or NULL */
    uint64_t last_way; /* of the class that way_of was called for last: its version tag, which no
                          other class has, and in the lowest byte the way; 0: none */
};

struct accepted_model {
    struct accepted_model *next; /* of the schema */
    PyTypeObject *type;          /* owned */
    PyObject *before; /* owned tuple of callables: make of a dict or of another object that which
                is read; or NULL */
    struct attributes_reading objects; /* those that a model is made of */
    struct attributes_reading steps;   /* those that the paths of fields go through */
    bool forbids_extra;      /* the library refuses keys of no field; otherwise it drops them */
    bool leaves_out_unset;   /* in the text */
    bool leaves_out_none;    /* in the text */
    bool leaves_out_values;  /* some fields have a value that the text leaves out, or may be
                                absent */
    bool is_written_in_full; /* a dict with the fields in their order is its own text */
    Py_ssize_t slots[N_MODEL_SLOTS];    /* offsets in the model; -1: there is none */
    struct thread_originals *all_names; /* owned frozenset: of the attributes */
    PyObject *text_template; /* owned: of the keys in the text, see pyobject/dict_template.h; NULL
                                where no field is written, or two under one key */
    Py_ssize_t n_written;    /* fields of the text */
    struct thread_originals *blank_fields; /* owned dict: None under each attribute */
    Py_ssize_t n_fields;
    struct accepted_field fields[];
};

/* Nodes by place, key or tag. */
struct choices {
    PyObject *tag_key;     /* owned str: the key whose value is the tag; NULL: without tags */
    PyObject *places;      /* owned dict: a tag or key, which is a str, to its place; or NULL */
    Py_ssize_t n_required; /* keys that must be there: the first ones */
    Py_ssize_t n;
    const struct node *at[]; /* borrowed of the schema */
};

/* Values of exactly one type. */
struct alternative {
    PyTypeObject *type; /* owned */
    enum op op;
    enum operands operands; /* of the op */
    bool has_parts;         /* for the walk: a value of it is looked into */
    bool is_json; /* for the walk: written the same in all formats of the types beyond JSON's */
    union {
        struct {
            long long least;
            long long greatest;
        } ints;
        struct {
            double least;
            double greatest;
        } floats;
        struct {
            long long least; /* bounds of the length */
            long long greatest;
            struct thread_originals *among; /* of a frozenset: further values; or NULL */
            PyObject *validator;            /* owned callable; or NULL */
        } text;
        struct thread_originals *among; /* of a frozenset: the values */
        PyObject *validator;            /* owned callable */
        struct text_validator *standard;
        PyObject *mapping; /* owned dict */
        struct {
            long long n_digits;  /* at most */
            long long n_after;   /* the point; LLONG_MAX: any number */
            PyObject *validator; /* owned callable; or NULL */
            PyObject *type;      /* owned */
            bool is_known;       /* Decimals can be read in place */
        } decimal;
        struct {
            const void *api; /* PyDateTime_CAPI of the interpreter */
            PyObject *zone;  /* owned tzinfo; or NULL */
            /* owned strs, interned: names of methods of time zones. A call by a new str would lock
             * the zone's class. */
            PyObject *utcoffset;
            PyObject *fromutc;
        } moment;
        Py_ssize_t slot;           /* the offset of a UUID's number */
        struct read_record *reads; /* of the schema */
        struct {
            long long least; /* bounds of the length of a list */
            long long greatest;
            struct load_record *record; /* of the schema */
        } loads;
        struct {
            PyObject *before; /* owned tuples of callables */
            PyObject *after;
            const struct node *inner; /* borrowed of the schema */
        } functions;
        const struct node *inner; /* of a whole value; borrowed of the schema */
        struct {                  /* of items, values and places */
            long long least;      /* bounds of the length */
            long long greatest;
            const struct node *inner; /* of each; borrowed of the schema; NULL: any value */
            struct choices *places;   /* NULL: by `inner` */
        } items;
        struct choices *choices;      /* of fields and tags */
        struct accepted_model *model; /* borrowed of the schema */
    };
};

struct node {
    struct node *next;                /* of the schema */
    const PyTypeObject *plain_type;   /* for the walk: values of exactly this type fit, whatever the
                                         options; or NULL */
    const struct alternative *of_any; /* the alternative for values of every other type; or NULL */
    struct accepted_model *of_objects; /* the model that is made of other objects' attributes, one
                                          of the alternatives'; or NULL */
    Py_ssize_t n;
    struct alternative alternatives[];
};

struct schema;

/* What nodes are used for. */
enum schema_use { TO_MAKE_VALUES, TO_FIT_VALUES };

/* Where a description that is being compiled stands. */
struct surroundings {
    struct schema *schema;
    enum schema_use use;
    int depth;
    struct accepted_model *model;     /* the innermost model around it; NULL: there is none */
    const struct surroundings *outer; /* those of that model */
    Py_ssize_t *n_calls;              /* becomes the number of calls; NULL outside a record */
};

/* Compile a node, which the schema owns; false with an exception set. None, which stands for any
 * value, makes NULL. */
bool node_new(PyObject *description, const struct surroundings *around, const struct node **node);

/* Whether two strs, of no subclass, are equal. */
static inline bool names_are_equal(PyObject *one, PyObject *other) {
    if (!unicode_is_ready(one) || !unicode_is_ready(other)) {
        return one == other;
    }
    const Py_ssize_t n = PyUnicode_GET_LENGTH(one);
    return one == other ||
           (n == PyUnicode_GET_LENGTH(other) && PyUnicode_KIND(one) == PyUnicode_KIND(other) &&
            memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other),
                   (size_t)n * (size_t)PyUnicode_KIND(one)) == 0);
}

/* Whether a float is finite and within bounds. */
static inline bool float_passes(const struct alternative *alternative, PyObject *value) {
    const double number = PyFloat_AS_DOUBLE(value);
    return isfinite(number) && number >= alternative->floats.least &&
           number <= alternative->floats.greatest;
}

/* Whether a value is one of those known. Runs no Python code. */
static inline bool is_among(const struct alternative *alternative, PyObject *value) {
    const int is_known = PySet_Contains(thread_original(alternative->among), value);
    PyErr_Clear();
    return is_known > 0;
}

#endif
