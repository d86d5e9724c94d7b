/* SPDX-License-Identifier: MIT */
/* Hints for error texts: the option that would write a value for which JSON has no form. */
#ifndef SSRJSON_MODULE_ERRORS_ENCODE_HINTS_H
#define SSRJSON_MODULE_ERRORS_ENCODE_HINTS_H

#include "encode/types/enabled.h"

/* Text that follows the path of a value in an error; empty where no option would write the
 * value. */
struct hint {
    char text[80];
};

/* The hint for a value or a key that was refused. May run Python code. */
COLD struct hint hint_for(const struct encode_options *options, PyObject *value, bool is_key);

#endif
