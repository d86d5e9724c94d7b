/* SPDX-License-Identifier: MIT */
/* Ready JSON text in the walk: it replaces a value, or is replaced by the value that it is of. */
#ifndef SSRJSON_ENCODE_FRAGMENTS_H
#define SSRJSON_ENCODE_FRAGMENTS_H

#include "encode/encoder.h"
#include "encode/types/native.h"

#define encoder_read_fragment SHARED_NAME(encoder_read_fragment)
#define encoder_enter_fragment SHARED_NAME(encoder_enter_fragment)
#define encoder_replace_by_text SHARED_NAME(encoder_replace_by_text)

/* The value of the text of a Fragment, so that what is in it is arranged, too: a new reference,
 * NULL with the error recorded. May run Python code. */
COLD PyObject *encoder_read_fragment(struct encoder *encoder, PyObject *fragment);

/* Replace a Fragment by the value of its text, which the frame on top then holds. */
COLD enum native_outcome encoder_enter_fragment(struct encoder *encoder, PyObject *fragment);

/* Replace an object by JSON text in UTF-8, which is stolen: a Fragment of it is in the frame on
 * top. False with the error recorded. */
COLD bool encoder_replace_by_text(struct encoder *encoder, PyObject *object, PyObject *text);

#endif
