/* SPDX-License-Identifier: MIT */
/* Objects whose pairs are written otherwise than their container has them: their keys are replaced
 * by those that are written, and sorted by these. */
#ifndef SSRJSON_ENCODE_ARRANGED_PAIRS_H
#define SSRJSON_ENCODE_ARRANGED_PAIRS_H

#include "encode/encoder.h"
#include "encode/types/native.h"

#define encoder_arrange_fields SHARED_NAME(encoder_arrange_fields)
#define encoder_enter_arranged SHARED_NAME(encoder_enter_arranged)
#define encoder_enter_arranged_items SHARED_NAME(encoder_enter_arranged_items)

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
