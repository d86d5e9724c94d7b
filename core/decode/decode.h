/* SPDX-License-Identifier: MIT */
/* Decode one document, once for each kind of source text. */
#ifndef SSRJSON_DECODE_DECODE_H
#define SSRJSON_DECODE_DECODE_H

#include "decode/build_container.h"
#include "decode/build_number.h"
#include "decode/build_string.h"
#include "decode/decoder.h"
#include "decode/escaped_ascii.h"
#include "text/escape_utf8.h"
#include "text/scan_string.h"
#include "text/skip_space.h"
#include "text/unescape.h"

#define SOURCE_NUMBER_utf8 1
#define SOURCE_NUMBER_latin1 2
#define SOURCE_NUMBER_ucs2 3
#define SOURCE_NUMBER_ucs4 4

#define SOURCE_UNIT_utf8 uint8_t
#define SOURCE_UNIT_latin1 uint8_t
#define SOURCE_UNIT_ucs2 uint16_t
#define SOURCE_UNIT_ucs4 uint32_t

/* The literals, each at the index that LITERAL_NUMBER computes from its first letter. */
struct literal {
    uint64_t mask; /* of the bytes that are compared */
    char text[8];
    size_t n;
#ifndef _WIN32
    PyObject *object;
#endif
};

#define N_LITERALS 4
#define LITERAL_NUMBER(letter) ((letter) >> 3 & (N_LITERALS - 1))

static_assert(LITERAL_NUMBER('f') == 0 && LITERAL_NUMBER('n') == 1 && LITERAL_NUMBER('t') == 2,
              "the order of the table");
/* On Windows the address of a DLL's object is known at run time only. */
#ifdef _WIN32
#define LITERAL(mask, text, n, object) {mask, text, n}
#else
#define LITERAL(mask, text, n, object) {mask, text, n, object}
#endif
static const struct literal LITERALS[N_LITERALS] = {
    LITERAL(0xffffffffff, "false", 5, Py_False), LITERAL(0xffffffff, "null", 4, Py_None),
    LITERAL(0xffffffff, "true", 4, Py_True),
    LITERAL(0xff, "f", 0, NULL), /* no literal begins with a letter of this number */
};
#undef LITERAL

/* Borrowed; NULL for the entry that is no literal. */
static ALWAYS_INLINE PyObject *literal_object(const struct literal *literal) {
#ifdef _WIN32
    switch (literal - LITERALS) {
    case 0: return Py_False;
    case 1: return Py_None;
    case 2: return Py_True;
    default: return NULL;
    }
#else
    return literal->object;
#endif
}

#define SOURCE utf8
#define SOURCE_BITS 8
#include "decode/parse.tmpl.h"
#undef SOURCE
#undef SOURCE_BITS

#define SOURCE latin1
#define SOURCE_BITS 8
#include "decode/parse.tmpl.h"
#undef SOURCE
#undef SOURCE_BITS

#define SOURCE ucs2
#define SOURCE_BITS 16
#include "decode/parse.tmpl.h"
#undef SOURCE
#undef SOURCE_BITS

#define SOURCE ucs4
#define SOURCE_BITS 32
#include "decode/parse.tmpl.h"
#undef SOURCE
#undef SOURCE_BITS

/* Python 3.12 collects garbage only between the steps of a program. Older versions do it after
 * every few hundred new containers, in vain here, as all of them are alive. Where no Python code
 * runs, the collector is therefore paused in older versions. */
#define COLLECTS_WHILE_BUILDING (PY_VERSION_HEX < 0x030c0000)
#define MIN_UNITS_TO_PAUSE_COLLECTING 512

static ALWAYS_INLINE bool pauses_collecting(const struct source *source) {
    return COLLECTS_WHILE_BUILDING && source->text.length >= MIN_UNITS_TO_PAUSE_COLLECTING &&
           !source->options->has_hooks;
}

/* The value of a document, a new reference; NULL with *error filled. */
static ALWAYS_INLINE PyObject *decode_with(struct decoder *decoder, const struct source *source,
                                           struct error *error) {
    decoder_init(decoder, source);
    struct shape_tree *const shapes = decode_shapes(source->options);
    if (shapes != NULL) {
        shape_tree_enter(shapes);
    }
    const bool was_collecting = pauses_collecting(source) && PyGC_Disable();
    PyObject *value;
    switch (source->text.form) {
    case TEXT_UCS4: value = parse_ucs4(decoder, source); break;
    case TEXT_UCS2: value = parse_ucs2(decoder, source); break;
    case TEXT_LATIN1: value = parse_latin1(decoder, source); break;
    default: value = parse_utf8(decoder, source); break;
    }
    decoder_clear(decoder);
    if (was_collecting) {
        PyGC_Enable();
    }
    if (shapes != NULL) {
        shape_tree_leave(shapes);
    }
    *error = decoder->error;
    return value;
}

/* Decode with the state on the heap. Hooks may decode in turn, down to Python's limit of recursion,
 * and a thousand states would overflow the stack. */
static NOINLINE PyObject *decode_with_hooks(const struct source *source, struct error *error) {
    struct decoder *const decoder = PyMem_Malloc(sizeof *decoder);
    if (decoder == NULL) {
        *error = (struct error){.kind = ERROR_RAISED};
        return PyErr_NoMemory();
    }
    PyObject *const value = decode_with(decoder, source, error);
    PyMem_Free(decoder);
    return value;
}

static NOINLINE PyObject *decode_without_hooks(const struct source *source, struct error *error) {
    struct decoder decoder;
    return decode_with(&decoder, source, error);
}

static PyObject *decode_document(const struct source *source, struct error *error) {
    return UNLIKELY(source->options->has_hooks) ? decode_with_hooks(source, error)
                                                : decode_without_hooks(source, error);
}

#endif
