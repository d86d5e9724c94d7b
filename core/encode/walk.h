/* SPDX-License-Identifier: MIT */
/* The walk over Python objects, once for each kind of output. */
#ifndef SSRJSON_ENCODE_WALK_H
#define SSRJSON_ENCODE_WALK_H

#include "encode/canonical.h"
#include "encode/float_run.h"
#include "encode/fragments.h"
#include "encode/types/fragment.h"
#include "encode/int_run.h"
#include "encode/keys.h"
#include "encode/orjson/texts.h"
#include "encode/types/native.h"
#include "encode/top.h"
#include "encode/slow_path.h"
#include "number/format_int.h"
#include "pyobject/dict.h"
#include "pyobject/long.h"
#include "text/escape_ascii.h"
#include "text/escape_copy.h"
#include "text/escape_utf8.h"
#include "text/long_text.h"

#define OUTPUT_NUMBER_utf8 1
#define OUTPUT_NUMBER_ascii 2
#define OUTPUT_NUMBER_ucs1 3
#define OUTPUT_NUMBER_ucs2 4
#define OUTPUT_NUMBER_ucs4 5
#define OUTPUT_NUMBER_bytes 6

/* Strs of ASCII up to this length are short. */
#define SHORT_ASCII_CHARS (OUTPUT_BITS == 8 ? COPY_SHORT_BLOCKS * VEC_BYTES : COPY_SHORT_NARROW)

/* What a number that is not in a run may need, in quotes. */
#define NUMBER_ROOM 64
_Static_assert(NUMBER_ROOM >= FORMAT_FLOAT_ROOM + 2 && NUMBER_ROOM >= FORMAT_INT_ROOM + 3, "");
#define ITEM_ROOM (WRITER_ROOM - KEY_TEXT_ROOM - 2 * SEPARATOR_ROOM)
_Static_assert(FLOAT_RUN * (24 + 3) + FORMAT_FLOAT_ROOM <= ITEM_ROOM, "commas and brackets too");
_Static_assert(SHORT_FLOAT_RUN * 16 + VEC_BYTES <= ITEM_ROOM, "commas too");
_Static_assert(TEXT_BLOCK_ROOM + 2 <= ITEM_ROOM, "a block in quotes");
_Static_assert(INT_RUN_ROOM <= ITEM_ROOM, "a run of ints");
/* The maximum number of consecutive constants that are written together. */
#define CONSTANT_RUN 16

/* Whether an object is None, True or False. */
static ALWAYS_INLINE bool is_constant(PyObject *object) {
    return object == Py_None || object == Py_True || object == Py_False;
}

/* Keys of ASCII up to this length are written without a test of room. */
#define SHORT_KEY_CHARS 32
_Static_assert(SHORT_KEY_CHARS + 2 + SEPARATOR_ROOM <= KEY_TEXT_ROOM, "room for the text of a key");

/* What the walk did with a value. */
enum put {
    PUT_ENDED,   /* it is written. Or something was entered, and the frame is to be looked up */
    PUT_ENTERED, /* a container was entered that is not empty and read in place */
    PUT_STOPPED, /* it was not written: the error is recorded, or a wider output is wanted */
};

/* What the walk took of the frame on top. */
enum taken {
    TAKEN_VALUE,   /* an entry, of which the value is not written yet */
    TAKEN_KEY,     /* an entry, of which the key, an exact str, and the value are not written yet */
    TAKEN_PAIR,    /* an entry, of which the item separator, the key and the value are not */
    TAKEN_NOTHING, /* an entry was skipped, or the container closed: look again */
    TAKEN_ALL,     /* nothing is left; a frame whose entries are pulled is popped already */
    /* the walk ends */
    TAKEN_FAILED, /* the error is recorded */
    TAKEN_NO_KEY, /* a key was not written: the error is recorded, or a wider output is wanted */
    TAKEN_PAUSE,  /* the chunk of a stream is full */
    TAKEN_DONE,   /* no frame is left */
};

/* The functions for units of OUTPUT_BITS. */
#define UNIT_NAME(noun) CONCAT(noun, OUTPUT_BITS)

#define OUTPUT_BITS 8
#include "encode/output.tmpl.h"

#include "encode/encoder_output.tmpl.h"
#include "encode/types/ndarray_output.tmpl.h"
#undef OUTPUT_BITS

#include "encode/types/arrow_output.h"

#define OUTPUT_BITS 16
#include "encode/output.tmpl.h"

#include "encode/encoder_output.tmpl.h"
#include "encode/types/ndarray_output.tmpl.h"
#undef OUTPUT_BITS

#define OUTPUT_BITS 32
#include "encode/output.tmpl.h"

#include "encode/encoder_output.tmpl.h"
#include "encode/types/ndarray_output.tmpl.h"
#undef OUTPUT_BITS

/* The functions for kinds of output. */

#define OUTPUT utf8
#define OUTPUT_BITS 8
#include "encode/string_output.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

#define OUTPUT ucs1
#define OUTPUT_BITS 8
#include "encode/string_output.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

/* UTF-8, and a str of one byte a unit, are one kind of output to the walk: they differ in how a str
 * that is not ASCII is written. */

static NOINLINE uint8_t *put_any_string_bytes(struct output *output, uint8_t *out,
                                              PyObject *string) {
    return output->writer.form == TEXT_UTF8 ? put_any_string_utf8(output, out, string)
                                            : put_any_string_ucs1(output, out, string);
}

static uint8_t *put_fragment_bytes(struct output *output, uint8_t *out, PyObject *fragment) {
    return output->writer.form == TEXT_UTF8 ? put_fragment_utf8(output, out, fragment)
                                            : put_fragment_ucs1(output, out, fragment);
}

#define OUTPUT bytes
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

#define OUTPUT ucs2
#define OUTPUT_BITS 16
#include "encode/walk.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

#define OUTPUT ucs4
#define OUTPUT_BITS 32
#include "encode/walk.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

#define OUTPUT ascii
#define OUTPUT_BITS 8
#include "encode/walk.tmpl.h"
#undef OUTPUT_BITS
#undef OUTPUT

#endif
