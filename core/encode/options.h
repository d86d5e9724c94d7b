/* SPDX-License-Identifier: MIT */
/* What an encoding call was asked for, validated. */
#ifndef SSRJSON_ENCODE_OPTIONS_H
#define SSRJSON_ENCODE_OPTIONS_H

#include "base/error.h"
#include "encode/scratch.h"
#include "pyobject/python.h"

/* What differs between versions of stdlib's json; ours follows the running one. */
struct encode_manners {
    bool keeps_line_of_skipped; /* an indented dict whose keys are all skipped has an empty line */
};

struct encode_options {
    PyObject *default_hook;   /* borrowed; NULL: none */
    PyObject *indent;         /* owned str, one level of it; NULL: on one line */
    PyObject *item_separator; /* owned str; NULL: "," */
    PyObject *key_separator;  /* owned str; NULL: ":" */
    bool skipkeys;
    bool ensure_ascii;
    bool check_circular;
    bool allow_nan;
    bool sort_keys;
    bool is_write_cache; /* keep the UTF-8 of non-ASCII strings inside them */
    bool to_bytes;       /* UTF-8 bytes, else str */
    struct encode_manners manners;
    struct scratch_slot *scratch_slot; /* borrowed */
};

struct encode_error {
    struct error error;
    PyObject *culprit; /* owned; the value or key at fault, NULL where the kind says it all */
    PyObject *notes;   /* owned list of str for the exception, or NULL */
};

#endif
