/* SPDX-License-Identifier: MIT */
/* Options of other JSON libraries, and what to write instead. */
#ifndef SSRJSON_MODULE_ARGS_FOREIGN_OPTIONS_H
#define SSRJSON_MODULE_ARGS_FOREIGN_OPTIONS_H

#include "pyobject/python.h"

/* What to write instead of another library's option, for encoding or for decoding; NULL where no
 * other library is known to have one of this name. */
COLD const char *foreign_option_advice(PyObject *name, bool is_of_encoding);

#endif
