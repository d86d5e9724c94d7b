/* SPDX-License-Identifier: MIT */
/* The validated value of one that a node describes, made without the validator. */
#ifndef SSRJSON_SCHEMA_TASK_H
#define SSRJSON_SCHEMA_TASK_H

#include "schema/node.h"

/* What a value is accepted for. */
enum acceptance_purpose {
    ACCEPT_FOR_TEXT,    /* to be written: a dict is as good as the model that is made of it */
    ACCEPT_FOR_MODELS,  /* for the caller: models are made of dicts, and containers are copied */
    ACCEPT_FOR_RECORDS, /* for a field of a record: containers are copied */
};

/* What is the same for all parts of a value that is being accepted. */
struct task {
    enum acceptance_purpose purpose;
    int n_models;        /* levels of models that are being looked into */
    struct calls *calls; /* of the record that is being made; NULL where there is none */
    PyObject *outcomes;  /* borrowed list, of functions; or NULL */
};

/* The validated value, a new reference: the value itself where nothing differs. NULL without an
 * exception where the library must decide. Runs no Python code but validators', functions' and the
 * garbage collector's, whose exceptions that are no Exception pass through. `outcomes` is a list,
 * to which the outcome of each function is added; NULL: where a function would be called, the
 * library decides. */
PyObject *accepted_value(const struct node *node, PyObject *value, enum acceptance_purpose purpose,
                         PyObject *outcomes);

/* accepted_value for a value that the caller owns. */
PyObject *accept_value(const struct node *node, PyObject *value, struct task *task);

/* What functions of the application make of a value, each of what the one before has made: a new
 * reference; NULL without an exception where one has raised an Exception. */
PyObject *functions_apply(PyObject *functions, PyObject *value, struct task *task);

/* What the functions before and after an acceptance, and it, make of a value. */
PyObject *accept_by_functions(const struct alternative *accepted, PyObject *value,
                              struct task *task);

/* Texts that records have in place of values: new references; NULL without an exception where the
 * library must decide. */

/* The digits of a Decimal, of which `accepted` says how many are after the point. */
PyObject *text_of_decimal(const struct alternative *accepted, PyObject *value);

/* Whether a Decimal has the number of digits after the point that `accepted` says. */
bool decimal_is_quantized(const struct alternative *accepted, PyObject *value);

/* A date, a time or a datetime, as isoformat() writes it. */
PyObject *text_of_moment(const struct alternative *accepted, PyObject *value);

/* A datetime in the time zone of `accepted`, with Z for an offset of zero. */
PyObject *text_of_zoned(const struct alternative *accepted, PyObject *value);

/* A UUID, as str() writes it. */
PyObject *text_of_uuid(const struct alternative *accepted, PyObject *value);

/* A Decimal with a known number of digits after the point, of a str, int or float. */
PyObject *decimal_of_value(const struct alternative *accepted, PyObject *value);

#endif
