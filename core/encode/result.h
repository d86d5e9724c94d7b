/* SPDX-License-Identifier: MIT */
/* What some options do with the finished text. */
#ifndef SSRJSON_ENCODE_RESULT_H
#define SSRJSON_ENCODE_RESULT_H

#include "encode/options.h"

#define encode_escape_surrogates SHARED_NAME(encode_escape_surrogates)
#define encode_convert SHARED_NAME(encode_convert)
#define encode_escape_html SHARED_NAME(encode_escape_html)

/* A str with its lone surrogates escaped: `text` is stolen. */
COLD PyObject *encode_escape_surrogates(PyObject *text);

/* The finished text in the type that the caller wants, a new reference. `result` is stolen. */
COLD PyObject *encode_convert(PyObject *result, const struct encode_options *options);

/* Finished JSON text, bytes or str, with the characters that are special in HTML escaped: `text` is
 * stolen, also on failure. */
COLD PyObject *encode_escape_html(PyObject *text);

#endif
