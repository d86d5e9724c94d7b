/* SPDX-License-Identifier: MIT */
/* The notes of an exception about the place where an encoding failed: the path, or from Python 3.14
 * on the notes of stdlib's json, "when serializing dict item 'a'", the innermost first. */
#ifndef SSRJSON_ENCODE_NOTES_H
#define SSRJSON_ENCODE_NOTES_H

#include "encode/encoder.h"

#define encoder_note_place SHARED_NAME(encoder_note_place)
#define encoder_note_surrogate SHARED_NAME(encoder_note_surrogate)

/* Record in the error where the encoding failed: the path where the exception will be of our
 * classes, otherwise stdlib's notes. */
COLD void encoder_note_place(struct encoder *encoder);

/* Record in the error the place of a lone surrogate: the whole text will be refused because of it
 * when it is finished. */
COLD void encoder_note_surrogate(struct encoder *encoder);

#endif
