/* SPDX-License-Identifier: MIT */
/* Objects whose pairs are written otherwise than their container has them: their keys are replaced
 * by those that are written, and sorted by these. */
#ifndef SSRJSON_ENCODE_ARRANGED_PAIRS_H
#define SSRJSON_ENCODE_ARRANGED_PAIRS_H

#include "encode/encoder.h"
#include "encode/types/native.h"

#define encoder_read_fragment SHARED_NAME(encoder_read_fragment)
#define encoder_enter_fragment SHARED_NAME(encoder_enter_fragment)
#define encoder_arrange_fields SHARED_NAME(encoder_arrange_fields)
#define encoder_enter_arranged SHARED_NAME(encoder_enter_arranged)
#define encoder_enter_arranged_items SHARED_NAME(encoder_enter_arranged_items)

/* The value of the text of a Fragment, so that what is in it is arranged, too: a new reference,
 * NULL with the error recorded. May run Python code. */
COLD PyObject *encoder_read_fragment(struct encoder *encoder, PyObject *fragment);

/* Replace a Fragment by the value of its text, which the frame on top then holds. */
COLD enum native_outcome encoder_enter_fragment(struct encoder *encoder, PyObject *fragment);

/* Arrange the fields of an object, n > 0 pairs whose keys are strs of no subclass. Runs no Python
 * code. False with the error recorded. */
bool encoder_arrange_fields(struct encoder *encoder, struct pairs *pairs);

/* Enter an object by its pairs, which are stolen, also on failure: all are owned, or none. May run
 * Python code. */
enum native_outcome encoder_enter_arranged(struct encoder *encoder, struct pairs *pairs,
                                           PyObject *object, bool is_made_by_python);

/* Enter an object by a list of its (key, value) tuples, which is stolen, also on failure. */
enum native_outcome encoder_enter_arranged_items(struct encoder *encoder, PyObject *items,
                                                 PyObject *object, bool is_made_by_python);

#endif
