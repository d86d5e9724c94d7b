/* SPDX-License-Identifier: MIT */
/* What some options do with the finished text, and whether a str makes that necessary. */
#ifndef SSRJSON_ENCODE_RESULT_H
#define SSRJSON_ENCODE_RESULT_H

#include "encode/options.h"

#define encode_escape_surrogates SHARED_NAME(encode_escape_surrogates)
#define encode_convert SHARED_NAME(encode_convert)
#define encode_escape_specials SHARED_NAME(encode_escape_specials)
#define encode_has_line_end SHARED_NAME(encode_has_line_end)

/* A str with its lone surrogates escaped: `text` is stolen. */
COLD PyObject *encode_escape_surrogates(PyObject *text);

/* The finished text in the type that the caller wants, a new reference. `result` is stolen. */
COLD PyObject *encode_convert(PyObject *result, const struct encode_options *options);

/* Finished JSON text, bytes or str, with the characters escaped that html_safe and line_safe name:
 * `text` is stolen, also on failure. */
COLD PyObject *encode_escape_specials(PyObject *text, const struct encode_options *options);

/* Whether a str holds one of the characters that line_safe escapes. */
COLD bool encode_has_line_end(PyObject *string);

#endif
