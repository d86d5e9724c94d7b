/* SPDX-License-Identifier: MIT */
/* Dates and times as ISO 8601 text: by their parts, and as whole values where no Python code is
 * needed. */
#ifndef SSRJSON_ENCODE_NATIVE_MOMENT_TEXT_H
#define SSRJSON_ENCODE_NATIVE_MOMENT_TEXT_H

#include "encode/options.h"

/* Store a datetime, date or time without its offset and return the end. */
char *moment_put_parts(char *out, enum native_type which, const struct moment *moment,
                       enum time_precision precision);

/* Store a datetime, date or time and return the end; out has room for ISO_TIME_ROOM. NULL
 * for a value of another type, also a derived one, and for one that is not simple: it is in a zone
 * other than UTC, or in another format, or its type is written in Python. Runs no Python code. */
char *moment_put_simple(char *out, const struct encode_options *options, PyObject *value);

#endif
