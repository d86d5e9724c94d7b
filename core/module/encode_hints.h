/* SPDX-License-Identifier: MIT */
/* Which option would write a value that JSON has no form for. */
#ifndef SSRJSON_MODULE_ENCODE_HINTS_H
#define SSRJSON_MODULE_ENCODE_HINTS_H

#include "encode/native/enabled.h"

/* Text that follows the place of a value, empty where no option would write it. */
struct hint {
    char text[80];
};

/* What follows the place of a value or key that was refused. May run Python code. */
COLD struct hint hint_for(const struct encode_options *options, PyObject *value, bool is_key);

#endif
