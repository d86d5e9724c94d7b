/* SPDX-License-Identifier: MIT */
/* What becomes of a value of a type beyond stdlib's json. */
#ifndef SSRJSON_ENCODE_TYPES_OUTCOME_H
#define SSRJSON_ENCODE_TYPES_OUTCOME_H

#include "encode/types/ndarray.h"
#include "text/iso_time.h"

enum native_outcome {
    NATIVE_NOT_KNOWN, /* to be passed to the default hook */
    NATIVE_FAILED,    /* the error is recorded */
    NATIVE_AS_TEXT,   /* ASCII to be written in quotes */
    NATIVE_AS_DIGITS, /* ASCII to be written without quotes: a number */
    NATIVE_AS_NUMBER, /* a str to be written without quotes: a number */
    NATIVE_AS_STR,    /* the value itself, of a subclass of str */
    NATIVE_AS_INT,    /* the value itself, of a subclass of int */
    NATIVE_AS_SCALAR, /* a str or an int that replaces the value and is borrowed */
    NATIVE_AS_VALUE,  /* an object that replaces the value */
    NATIVE_AS_NULL,
    NATIVE_AS_EMPTY_ARRAY,
    NATIVE_AS_EMPTY_OBJECT,
    NATIVE_IN_ARRAY,  /* a container of items was entered: the frame on top holds them */
    NATIVE_IN_OBJECT, /* a container of pairs was entered: the frame on top holds them */
    NATIVE_NDARRAY,   /* numpy's array, to be written from its memory */
};

struct native {
    char *text; /* room for ISO_TIME_ROOM, given by who asks; in an output of bytes it is there */
    size_t n_text;
    PyObject
        *object; /* owned, but for NATIVE_AS_SCALAR: the text of the number, or the replacement */
    PyObject
        *held; /* owned: the value that is converted, once Python code may run; otherwise NULL */
    struct plan *plan; /* that of the value's class, borrowed, where it is found and is_only_model;
                          otherwise NULL. Counts only until Python code runs */
    const char
        *refusal; /* why a value of a known type goes to the hook; NULL: its type is unknown */
    struct ndarray array; /* opened for reading */
};

/* The outcome for a text that was stored at native->text. */
static inline enum native_outcome native_text_ends(struct native *native, const char *end) {
    native->n_text = (size_t)(end - native->text);
    assert(native->n_text <= ISO_TIME_ROOM);
    return NATIVE_AS_TEXT;
}

#endif
