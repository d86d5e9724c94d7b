/* SPDX-License-Identifier: MIT */
/* Dates, datetimes and UUIDs made of their standard text, as a validator makes them. */
#ifndef SSRJSON_SCHEMA_STANDARD_TEXT_H
#define SSRJSON_SCHEMA_STANDARD_TEXT_H

#include "schema/blocks.h"

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

/* A new one for a callable, whose memory is of the blocks; NULL with an exception set. */
struct text_validator *text_validator_new(struct blocks *blocks, enum text_value of,
                                          PyObject *validate);
int text_validator_traverse(const struct text_validator *validator, visitproc visit, void *arg);

/* Whether a str is what the encoder would write for the value that is made of it. */
bool text_is_standard(const struct text_validator *validator, PyObject *text);

/* What the validator makes of a str; NULL with its exception. A standard text is seldom given to
 * it. */
PyObject *text_validate(struct text_validator *validator, PyObject *text);

#endif
