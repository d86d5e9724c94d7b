/* SPDX-License-Identifier: MIT */
/* The walk over Python objects, once for each kind of output. */
#ifndef SSRJSON_ENCODE_WALK_H
#define SSRJSON_ENCODE_WALK_H

#include "encode/fragment.h"
#include "encode/uncommon.h"
#include "number/format_float.h"
#include "number/format_int.h"
#include "pyobject/dict.h"
#include "pyobject/long.h"
#include "text/escape_ascii.h"
#include "text/escape_copy.h"
#include "text/escape_utf8.h"
#include "text/measure.h"

#define OUTPUT_NUMBER_utf8 1
#define OUTPUT_NUMBER_ascii 2
#define OUTPUT_NUMBER_ucs1 3
#define OUTPUT_NUMBER_ucs2 4
#define OUTPUT_NUMBER_ucs4 5

#define OUTPUT_UNIT_utf8 uint8_t
#define OUTPUT_UNIT_ascii uint8_t
#define OUTPUT_UNIT_ucs1 uint8_t
#define OUTPUT_UNIT_ucs2 uint16_t
#define OUTPUT_UNIT_ucs4 uint32_t

/* So many floats in a row are formatted side by side; their text fits into WRITER_ROOM. */
#define FLOAT_RUN 16
/* The same for constants in a row, which need no more than a loop of their own. */
#define CONSTANT_RUN 64

/* Whether an object is a list of finite floats and nothing else, at most `most` of them. */
static ALWAYS_INLINE bool is_short_float_list(PyObject *object, Py_ssize_t most) {
    if (!PyList_CheckExact(object)) {
        return false;
    }
    const Py_ssize_t n = PyList_GET_SIZE(object);
    if (n == 0 || n > most) {
        return false;
    }
    PyObject *const *const items = ((PyListObject *)object)->ob_item;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PyFloat_CheckExact(items[i]) || !__builtin_isfinite(PyFloat_AS_DOUBLE(items[i]))) {
            return false;
        }
    }
    return true;
}

/* Arrays are read as dicts are: entries of so many bytes with the value at the end. */
#define ARRAY_ENTRY_BYTES sizeof(PyObject *)

static ALWAYS_INLINE PyObject *const *array_items(const char *entries) {
    return (PyObject *const *)entries;
}

/* The bits of the first floats, as many as there are lanes; the last is repeated where there are
 * fewer. */
static ALWAYS_INLINE u64vec float_bits(PyObject *const *floats, Py_ssize_t n) {
    u64vec bits;
    if (LIKELY(n >= U64_LANES)) {
        for (int lane = 0; lane < U64_LANES; lane++) {
            bits[lane] = load_u64(&((PyFloatObject *)floats[lane])->ob_fval);
        }
    } else {
        for (int lane = 0; lane < U64_LANES; lane++) {
            bits[lane] = load_u64(&((PyFloatObject *)floats[lane < n ? lane : n - 1])->ob_fval);
        }
    }
    return bits;
}

#define OUTPUT utf8
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ascii
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ucs1
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"

#define OUTPUT ucs2
#define OUTPUT_BITS 16
#include "encode/walk.tmpl.h"

#define OUTPUT ucs4
#define OUTPUT_BITS 32
#include "encode/walk.tmpl.h"

#endif
