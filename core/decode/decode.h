/* SPDX-License-Identifier: MIT */
/* Decode one document, once for each kind of source text. */
#ifndef SSRJSON_DECODE_DECODE_H
#define SSRJSON_DECODE_DECODE_H

#include "decode/build_container.h"
#include "decode/build_number.h"
#include "decode/build_string.h"
#include "decode/comment.h"
#include "decode/decoder.h"
#include "decode/escaped_ascii.h"
#include "decode/number_array.h"
#include "text/escape_utf8.h"
#include "text/scan.h"
#include "text/unescape.h"

#define SOURCE_NUMBER_utf8 1
#define SOURCE_NUMBER_latin1 2
#define SOURCE_NUMBER_ucs2 3
#define SOURCE_NUMBER_ucs4 4

#define SOURCE_UNIT_utf8 uint8_t
#define SOURCE_UNIT_latin1 uint8_t
#define SOURCE_UNIT_ucs2 uint16_t
#define SOURCE_UNIT_ucs4 uint32_t

/* The number of units at the end of the text among which the quote of the last string is searched.
 */
#define CLOSING_UNITS 64

/* A literal of JSON. */
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

/* What the parser does next. */
enum step {
    STEP_VALUE,     /* read the value at p */
    STEP_KEY,       /* read the key at p */
    STEP_COLON,     /* read the colon after a key */
    STEP_SEPARATOR, /* read what is after a value */
    STEP_CLOSE,     /* build the innermost container, whose closing bracket was read */
    STEP_END,       /* return the document's value */
    STEP_FAIL,      /* an error was recorded, or an exception is set */
};

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

/* Python 3.12 collects garbage only between bytecode instructions. Older versions do it after every
 * 700 new containers, in vain here, because all of them are alive. So in older versions the
 * collector is paused where no Python code can run. */
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

/* Decode with the state on the heap. Hooks may decode in turn, up to Python's recursion limit, and
 * a thousand states would overflow the C stack. */
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

/* ---- a document in parts ------------------------------------------------------------------- */

/* The number of open containers, from the innermost one on, in which shapes are learnt again when
 * the decoding goes on. To prepare all of them for each chunk would take quadratic time. */
#define MAX_RESUMED_SHAPES 64

/* Give the decoder the values and containers of the pause. */
static void decoder_resume(struct decoder *decoder, struct pause *pause) {
    if (pause->values != NULL) {
        decoder->values = pause->values;
        decoder->values_capacity = pause->values_capacity;
        decoder->containers = pause->containers;
        decoder->containers_capacity = pause->containers_capacity;
        pause->values = NULL;
        pause->containers = NULL;
    }
    decoder->keys = pause->keys;
    pause->keys = NULL;
    struct shape_tree *const shapes = decode_shapes(decoder->options);
    size_t n_left = MAX_RESUMED_SHAPES;
    for (size_t i = pause->n_open + 1; shapes != NULL && i > 0 && n_left > 0; i--, n_left--) {
        decoder->containers[i - 1].node = &shapes->root;
    }
}

/* An array on the heap with the items of one that may be within the decoder; NULL with MemoryError
 * set. */
static void *array_on_heap(void *array, const void *inline_array, size_t n_bytes) {
    if (array != inline_array) {
        return array;
    }
    void *const copy = PyMem_Malloc(n_bytes);
    return copy != NULL ? memcpy(copy, array, n_bytes) : PyErr_NoMemory();
}

/* Give the values and containers to the pause; false with the error recorded. */
static bool decoder_pause(struct decoder *decoder, struct pause *pause) {
    struct container *const containers =
        array_on_heap(decoder->containers, decoder->inline_containers,
                      decoder->containers_capacity * sizeof *containers);
    if (containers != NULL) {
        decoder->containers = containers;
        PyObject **const values = array_on_heap(decoder->values, decoder->inline_values,
                                                decoder->values_capacity * sizeof *values);
        if (values != NULL) {
            pause->values = values;
            pause->n_values = decoder->n_values;
            pause->values_capacity = decoder->values_capacity;
            pause->containers = containers;
            pause->containers_capacity = decoder->containers_capacity;
            pause->keys = decoder->keys;
            decoder->values = decoder->inline_values;
            decoder->n_values = 0;
            decoder->containers = decoder->inline_containers;
            decoder->keys = NULL;
            if (pause_leave_shapes(pause)) {
                return true;
            }
        }
    }
    decoder_fail(decoder, ERROR_RAISED, 0);
    return false;
}

/* Decode a document as far as its text goes: its value, or NULL with *error filled.
 * ERROR_UNFINISHED says that the pause holds what there is so far. After another error it holds
 * nothing. */
static PyObject *decode_part(const struct source *source, struct error *error) {
    /* on the heap, as hooks may decode in turn */
    struct decoder *const decoder = PyMem_Malloc(sizeof *decoder);
    if (decoder == NULL) {
        *error = (struct error){.kind = ERROR_RAISED};
        return PyErr_NoMemory();
    }
    struct shape_tree *const shapes = decode_shapes(source->options);
    if (shapes != NULL) {
        shape_tree_enter(shapes);
    }
    decoder_init(decoder, source);
    decoder_resume(decoder, source->pause);
    const bool was_collecting = pauses_collecting(source) && PyGC_Disable();
    PyObject *const value = parse_utf8(decoder, source);
    if (value == NULL && decoder->error.kind == ERROR_UNFINISHED) {
        decoder_pause(decoder, source->pause);
    }
    decoder_clear(decoder);
    if (was_collecting) {
        PyGC_Enable();
    }
    if (shapes != NULL) {
        shape_tree_leave(shapes);
    }
    *error = decoder->error;
    PyMem_Free(decoder);
    return value;
}

#endif
