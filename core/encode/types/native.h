/* SPDX-License-Identifier: MIT */
/* A value of a type beyond JSON's while it is written: what becomes of it, and what its types
 * share. */
#ifndef SSRJSON_ENCODE_TYPES_NATIVE_H
#define SSRJSON_ENCODE_TYPES_NATIVE_H

#include "encode/encoder.h"
#include "encode/types/arrow.h"
#include "encode/types/ndarray.h"
#include "text/moment_text.h"

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
    NATIVE_IN_ARRAY,   /* a container of items was entered: the frame on top holds them */
    NATIVE_IN_OBJECT,  /* a container of pairs was entered: the frame on top holds them */
    NATIVE_NDARRAY,    /* an array of numbers, to be written from its memory */
    NATIVE_ARROW_DATA, /* an export of Arrow, to be written from its memory */
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
    struct arrow *arrow;  /* opened for reading, and closed by who writes it */
};

/* The outcome for a text that was stored at native->text. */
static inline enum native_outcome native_text_ends(struct native *native, const char *end) {
    native->n_text = (size_t)(end - native->text);
    assert(native->n_text <= ISO_TIME_ROOM);
    return NATIVE_AS_TEXT;
}

/* Prepare for Python code to run in the conversion of a value: the frames own what they hold, and
 * native->held owns the value until the caller of native_convert is done with it. False with the
 * error recorded. */
static inline COLD bool native_let_python_run(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    if (native->held == NULL) {
        native->held = Py_NewRef(value);
    }
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return true;
}

/* Release what was held while Python code ran. A value that is still to be written, or that an
 * error of its number may name, stays with the encoder until the next one. */
static inline void native_let_go(struct encoder *encoder, struct native *native,
                                 enum native_outcome outcome) {
    const bool is_needed = outcome == NATIVE_AS_STR || outcome == NATIVE_AS_INT ||
                           outcome == NATIVE_AS_NUMBER || outcome == NATIVE_AS_DIGITS;
    if (UNLIKELY(native->held != NULL) && is_needed) {
        Py_XSETREF(encoder->held_value, native->held);
    } else {
        Py_XDECREF(native->held);
    }
}

/* The outcome for an object that Python code returned, NULL with an exception set. */
static inline enum native_outcome native_outcome_of(struct encoder *encoder, struct native *native,
                                                    PyObject *object, enum native_outcome outcome) {
    native->object = object;
    if (object == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    return outcome;
}

/* Refuse a value of a known type that cannot be written, where there is no hook to pass it to. */
static inline COLD enum native_outcome native_refuse(struct encoder *encoder, const char *refusal) {
    PyErr_SetString(PyExc_ValueError, refusal);
    encoder_fail(encoder, ERROR_REFUSED, NULL);
    return NATIVE_FAILED;
}

/* The value as str(), for types whose __str__ is Python code. */
static inline enum native_outcome native_str(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    return native_outcome_of(encoder, native, PyObject_Str(value), NATIVE_AS_VALUE);
}

/* ---- the quick way: fast_types.c ----------------------------------------------------------- */

/* Datetimes, dates and times without a zone, datetimes in UTC or with a zone that pydantic made,
 * UUIDs, short Decimals, members of Enums, and objects with plain fields need no Python code where
 * their classes were seen before. All others, and these in other formats, take the slow path:
 * encode/slow_path.c. */

#define encoder_enter_fast SHARED_NAME(encoder_enter_fast)

/* Whether a value may be simple with these options. */
static ALWAYS_INLINE bool value_may_be_fast(const struct encode_options *options, PyObject *value) {
    return options->native.fast_types != 0 && !type_has_flag_of_base(Py_TYPE(value));
}

/* Enter or convert a value that may be simple; NATIVE_NOT_KNOWN where it is not, with native->plan
 * set if its plan was found. Runs no Python code. */
enum native_outcome encoder_enter_fast(struct encoder *encoder, PyObject *value,
                                       struct native *native);

#endif
