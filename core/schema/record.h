/* SPDX-License-Identifier: MIT */
/* Records: dicts with known fields, which are made of an object (read) or of a dict (loaded). A
 * library decides about each value that no acceptance describes. The language and what is called
 * when is described in ssrjson_web/_models/language.py. */
#ifndef SSRJSON_SCHEMA_RECORD_H
#define SSRJSON_SCHEMA_RECORD_H

#include "schema/task.h"

/* ---- calls ---------------------------------------------------------------------------------- */

#define NO_CALL (-1)
#define REFUSE (-2)

#define FEW_CALLS 64
/* More than any record has: room for as many callables is made in each run. */
#define MAX_CALLS (1 << 20)

/* The callables of one run, each asked for when it is first needed. */
struct calls {
    PyObject *resolve;    /* borrowed callable: gives the callable of a number */
    PyObject **callables; /* owned, by their number; NULL: not asked for yet */
    Py_ssize_t n;
    PyObject *few[FEW_CALLS];
};

/* Make room for n callables; false with MemoryError set. */
bool calls_begin(struct calls *calls, PyObject *resolve, Py_ssize_t n);
void calls_end(struct calls *calls);

/* The callable of a number, borrowed until calls_end; NULL with an exception set. */
PyObject *calls_get(struct calls *calls, int number);

/* Read the number of a call from a description, and note it in `around`; false with an exception
 * set. */
bool call_number_take(PyObject *object, const struct surroundings *around, int *number);

/* ---- reading -------------------------------------------------------------------------------- */

/* How a step finds something in an object: by the object's class.
 *
 * WAY(identifier, name, meaning) */
/* clang-format off */
#define STEP_WAYS(WAY) \
    WAY(ATTRIBUTE, "attribute", "as getattr() does") \
    WAY(ITEM, "item", "as object[name] does") \
    WAY(STORED, "stored", "in object.__dict__") \
    WAY(RELATION, "relation", "in object._state.fields_cache") \
    WAY(PREFETCHED, "prefetched", "the results of a QuerySet in object._prefetched_objects_cache") \
    WAY(LIBRARY, "library", "it is not known")

/* The attributes of Django's objects with what is loaded already; and of a QuerySet.
 *
 * NAME(identifier, name) */
#define CACHE_NAMES(NAME) \
    NAME(STATE, "_state") \
    NAME(FIELDS_CACHE, "fields_cache") \
    NAME(PREFETCHED, "_prefetched_objects_cache") \
    NAME(ITER, "__iter__")
/* clang-format on */

enum step_way {
#define WAY(IDENTIFIER, ...) STEP_##IDENTIFIER,
    STEP_WAYS(WAY)
#undef WAY
};

enum cache_name {
#define NAME(IDENTIFIER, TEXT) NAME_##IDENTIFIER,
    CACHE_NAMES(NAME)
#undef NAME
        N_CACHE_NAMES
};

/* The way of a class. It is not changed any more once it is in a list, so that any thread may read
 * it. */
struct known_way {
    unsigned version; /* the version tag of the class, which no other has */
    enum step_way way;
    PyObject *name;         /* owned str: of the attribute, or in the cache */
    PyObject *guard;        /* owned str: an attribute that must not be None; or NULL */
    struct known_way *next; /* owned; or NULL */
};

/* Of more classes of one step the way is asked for at each object. */
#define MAX_KNOWN_WAYS 64

/* What is known of classes: a list that grows at its head. */
struct known_ways {
    struct known_way *first; /* owned; or NULL */
    int n;
};

struct read_step {
    PyObject *name; /* owned str */
    struct known_ways known;
    Py_ssize_t place;          /* where STEP_STORED has found the last value */
    struct known_ways results; /* of the classes of QuerySets: where they have their results */
};

struct read_field {
    PyObject *key; /* owned str, interned */
    Py_ssize_t n_steps;
    struct read_step *steps;
    const struct node *node; /* borrowed of the schema */
    int convert;             /* the number of a call */
    int resume;              /* the number of a call */
};

struct read_record {
    struct read_record *next;              /* of the schema */
    PyObject *way_of;                      /* owned callable */
    PyObject *skipped;                     /* owned */
    struct thread_originals *blank_fields; /* owned dict: None under each key */
    PyObject *names[N_CACHE_NAMES];        /* owned */
    Py_ssize_t n_calls;                    /* of this record and of all within */
    Py_ssize_t n_fields;
    struct read_field fields[];
};

/* Compile from a ReadRecord, which the schema owns; NULL with an exception set. */
struct read_record *read_record_new(PyObject *description, const struct surroundings *around);
/* Release what is known of classes, when nobody uses the record any more. */
void read_record_forget(struct read_record *record);
int read_record_traverse(const struct read_record *record, visitproc visit, void *arg);

/* The record of an object: a new dict; NULL with an exception set. Runs Python code. */
PyObject *read_record_make(struct read_record *record, PyObject *object, struct task *task);

/* What the only field of a record gives; the object `skipped` where that is left out. */
PyObject *read_record_single(struct read_record *record, PyObject *object, struct task *task);

/* ---- loading -------------------------------------------------------------------------------- */

struct load_field {
    PyObject *key;           /* owned str */
    PyObject *target;        /* owned tuple of strs */
    PyObject *only;          /* borrowed from it, where it is one; otherwise NULL */
    const struct node *node; /* borrowed of the schema */
    PyObject *absent;        /* owned: the default; or NULL */
    int load;                /* the numbers of calls */
    int confirm;
    int after; /* called with the result, however it was made */
    bool may_be_absent;
    bool of_whole_dict;
};

struct load_record {
    struct load_record *next; /* of the schema */
    PyObject *absent;         /* owned */
    PyObject *skipped;        /* owned */
    int on_error;             /* the numbers of calls */
    int fail;
    int other;
    int finish;
    int unknown;
    int fail_all;
    int finish_all;
    Py_ssize_t n_calls; /* of this record and of all within */
    Py_ssize_t n_fields;
    struct load_field fields[];
};

/* Compile from a LoadRecord, which the schema owns; NULL with an exception set. */
struct load_record *load_record_new(PyObject *description, const struct surroundings *around);
int load_record_traverse(const struct load_record *record, visitproc visit, void *arg);

/* What becomes of a value, which is the item at `index` of a list, or none's: -1. A new reference;
 * NULL with an exception set, or without one where the value is refused. Runs Python code. */
PyObject *load_record_make(const struct load_record *record, PyObject *value, Py_ssize_t index,
                           struct task *task);

/* What becomes of the items of a list. */
PyObject *load_record_make_all(const struct load_record *record, PyObject *list, struct task *task);

#endif
