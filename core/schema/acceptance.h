/* SPDX-License-Identifier: MIT */
/* Which values a validator accepts as they are: compiled once from what the model's library knows
 * about a type. Where every value has exactly the declared type, validation changes nothing and
 * refuses nothing, and this check takes its place. */
#ifndef SSRJSON_SCHEMA_ACCEPTANCE_H
#define SSRJSON_SCHEMA_ACCEPTANCE_H

#include "cache/thread_originals.h"
#include "pyobject/unicode.h"
#include "pyobject/python.h"

#include <string.h>

/* Dates, datetimes and UUIDs made of their standard text, as a validator makes them. */

enum text_value { TEXT_OF_DATE, TEXT_OF_DATETIME, TEXT_OF_UUID };

/* What is known of a validator's results. */
struct text_validator {
    enum text_value of;
    PyObject *validate;       /* owned callable */
    const void *datetime_api; /* PyDateTime_CAPI, of the interpreter */
    PyObject *tzinfos;        /* owned dict: what it has used, by the text of the offset */
    PyObject *uuid;           /* owned: one that it has made; or NULL */
    Py_ssize_t number_slot;   /* offsets in a UUID; -1: there is none */
    Py_ssize_t safety_slot;
};

/* A new one for a callable; NULL with an exception set. */
struct text_validator *text_validator_new(enum text_value of, PyObject *validate);
void text_validator_free(struct text_validator *validator);
int text_validator_traverse(const struct text_validator *validator, visitproc visit, void *arg);

/* Whether a str is what the encoder would write for the value that is made of it. */
bool text_is_standard(const struct text_validator *validator, PyObject *text);

/* What the validator makes of a str; NULL with its exception. A standard text is seldom given to
 * it. */
PyObject *text_validate(struct text_validator *validator, PyObject *text);

/* Levels of containers and models that are looked into, each once. */
#define ACCEPTANCE_MAX_DEPTH 48
/* Levels of models in a value that are looked into: a model may be within itself. */
#define ACCEPTANCE_MAX_MODELS 32

enum acceptance_check {
    ACCEPTED_TYPE,  /* the type alone decides */
    ACCEPTED_INT,   /* an int within bounds */
    ACCEPTED_FLOAT, /* a finite float within bounds */
    ACCEPTED_TEXT,  /* a str of bounded length, without surrogates */
    ACCEPTED_AMONG, /* one of the known values */
    ACCEPTED_PLAIN, /* a list or dict of JSON's own types throughout, without NaN */
    ACCEPTED_REAL,  /* an int in place of a float, which has its value */
    ACCEPTED_CALL,  /* what a validator of the library makes of it */
    /* A str in place of a date, a datetime or a UUID. If it is exactly what the encoder writes, it
     * is the text; otherwise, and for models, a validator is called. */
    ACCEPTED_DATE,
    ACCEPTED_DATETIME,
    ACCEPTED_UUID,
    ACCEPTED_BARE,           /* a str of bounded length without whitespace around it and without
                                surrogates; a validator is called for any other */
    ACCEPTED_TRIMMED,        /* a str without the whitespace around it */
    ACCEPTED_WHOLE,          /* a str; whitespace stays */
    ACCEPTED_MAPPED,         /* what the value is a key of */
    ACCEPTED_MAPPED_OR_SAME, /* the same, or the value */
    ACCEPTED_DECIMAL,        /* a Decimal made of a text or number */
    ACCEPTED_DECIMAL_TEXT,   /* the text of a Decimal */
    ACCEPTED_QUANTIZED,      /* a Decimal that has a number of digits */
    ACCEPTED_ISO,            /* the text of a date, time or datetime */
    ACCEPTED_ISO_Z,          /* the text of a datetime in a time zone */
    ACCEPTED_UUID_TEXT,      /* the text of a UUID */
    ACCEPTED_READ,           /* a record of an object */
    ACCEPTED_READ_SINGLE,    /* the only field of such a record */
    ACCEPTED_LOAD,           /* a record of a dict, or a list of records */
    ACCEPTED_FUNCTIONS,      /* what functions of the application make of it */
    ACCEPTED_ITEMS,          /* the items of a list or tuple */
    ACCEPTED_PLACES,         /* the items of a list or tuple, each by its own acceptance */
    ACCEPTED_VALUES,         /* the values of a dict whose keys are strs */
    ACCEPTED_MODEL,          /* the fields of a dict that becomes a model */
    ACCEPTED_TAGGED,         /* a dict with a key whose value says by what it is accepted */
};

struct accepted_field {
    PyObject *name;      /* owned str: the model's attribute */
    PyObject *key;       /* owned str: the key in a dict that is validated */
    PyObject *other_key; /* owned str: the key where that one is absent; or NULL */
    PyObject *output;    /* owned str: the key in the text; NULL: the field is not written */
    PyObject *absent;    /* owned: the default, or NULL */
    PyObject *factory;   /* owned callable: makes the default, or NULL; without both the field is
                            required */
    PyObject *left_out;  /* owned: the value that the text leaves out; or NULL */
    struct acceptance *acceptance; /* owned */
};

/* How the attributes of a class's objects are read without code of the class. */
enum attributes_way {
    ATTRIBUTES_UNKNOWN, /* only by the library */
    ATTRIBUTES_GENERIC, /* by object.__getattribute__ */
    ATTRIBUTES_IN_DICT, /* in __dict__, from which a descriptor of the class takes them */
    ATTRIBUTES_OWN,     /* nothing of the class has their names: in __dict__ if there is one,
                           otherwise by object.__getattribute__ */
};

/* The slots of a pydantic model. */
enum model_slot { SLOT_EXTRA, SLOT_FIELDS_SET, SLOT_PRIVATE, N_MODEL_SLOTS };

struct accepted_model {
    PyTypeObject *type; /* owned */
    PyObject *before;   /* owned tuple of callables: make of a dict or of another object that which
                           is read; or NULL */
    PyObject *way_of;  /* owned callable: the name of the enum attributes_way of a class; or NULL */
    uint64_t last_way; /* of the class that way_of was called for last: its version tag, which no
                          other class has, and in the lowest byte the way; 0: none */
    bool forbids_extra;      /* the library refuses keys of no field; otherwise it drops them */
    bool leaves_out_unset;   /* in the text */
    bool leaves_out_none;    /* in the text */
    bool leaves_out_values;  /* some fields have a value that the text leaves out */
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

/* Values of exactly one type. */
struct accepted {
    PyTypeObject *type; /* owned */
    enum acceptance_check check;
    long long least_int;
    long long greatest_int;
    double least_float;
    double greatest_float;
    struct thread_originals *among; /* owned frozenset: the values, or further ones; or NULL */
    PyObject *validator;            /* owned callable: converts, or is asked last; or NULL */
    struct text_validator *text;    /* owned; ACCEPTED_DATE, ACCEPTED_DATETIME, ACCEPTED_UUID */
    PyObject *before;               /* owned tuples of callables; ACCEPTED_FUNCTIONS */
    PyObject *after;
    struct acceptance *inner;     /* owned; ACCEPTED_ITEMS, ACCEPTED_VALUES, ACCEPTED_FUNCTIONS */
    struct accepted_model *model; /* owned; ACCEPTED_MODEL */
    bool is_enclosing;            /* the model is one that this is within, and is not owned */
    struct choices *choices;      /* owned; ACCEPTED_PLACES and ACCEPTED_TAGGED */
    PyObject *mapping;            /* owned dict; ACCEPTED_MAPPED and ACCEPTED_MAPPED_OR_SAME */
    PyObject *zone;               /* owned tzinfo; ACCEPTED_ISO_Z; or NULL */
    PyObject *decimal_type;       /* owned; the checks of Decimals */
    bool is_decimal_known;        /* Decimals can be read in place */
    const void *datetime_api;     /* PyDateTime_CAPI of the interpreter; ACCEPTED_ISO, _ISO_Z */
    /* owned strs, interned; ACCEPTED_ISO, _ISO_Z: names of methods of time zones. A call by a new
     * str would lock the zone's class. */
    PyObject *utcoffset;
    PyObject *fromutc;
    Py_ssize_t number_slot;    /* the offset of a UUID's number; ACCEPTED_UUID_TEXT */
    struct read_record *reads; /* owned; ACCEPTED_READ and ACCEPTED_READ_SINGLE */
    struct load_record *loads; /* owned; ACCEPTED_LOAD */
};

/* What a value, or the item at each place of one, is accepted by. */
struct choices {
    PyObject *tag_key; /* owned str: the key whose value is the tag; NULL: without tags */
    PyObject *places;  /* owned dict: a tag, which is a str, to its place; or NULL */
    Py_ssize_t n;
    struct acceptance *at[]; /* owned */
};

struct acceptance {
    struct accepted *of_any;           /* the alternative for values of every other type; or NULL */
    struct accepted_model *of_objects; /* the model that is made of other objects' attributes, one
                                          of the alternatives'; or NULL */
    Py_ssize_t n;
    struct accepted alternatives[];
};

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

/* Where a description that is being compiled stands. */
struct surroundings {
    int depth;
    struct accepted_model *model;     /* the innermost model around it; NULL: there is none */
    const struct surroundings *outer; /* those of that model */
    Py_ssize_t *n_calls;              /* becomes the number of calls; NULL outside a record */
};

/* Compile from an Acceptance, whose language ssrjson_web/_models/acceptance.py describes; false
 * with an exception set. None, which stands for any value, makes NULL. */
bool acceptance_new(PyObject *description, struct acceptance **acceptance);
bool acceptance_new_at(PyObject *description, const struct surroundings *around,
                       struct acceptance **acceptance);
void acceptance_free(struct acceptance *acceptance);
int acceptance_traverse(const struct acceptance *acceptance, visitproc visit, void *arg);

/* The validated value of one that an acceptance describes, made without the validator. */

/* What a value is accepted for. */
enum acceptance_purpose {
    ACCEPT_FOR_TEXT,    /* to be written: a dict is as good as the model that is made of it */
    ACCEPT_FOR_MODELS,  /* for the caller: models are made of dicts, and containers are copied */
    ACCEPT_FOR_RECORDS, /* for a field of a record: containers are copied */
};

/* The validated value, a new reference: the value itself where nothing differs. NULL without an
 * exception where the library must decide. Runs no Python code but validators', functions' and the
 * garbage collector's, whose exceptions that are no Exception pass through. `outcomes` is a list,
 * to which the outcome of each function is added; NULL: where a function would be called, the
 * library decides. */
PyObject *accepted_value(const struct acceptance *acceptance, PyObject *value,
                         enum acceptance_purpose purpose, PyObject *outcomes);

#endif
