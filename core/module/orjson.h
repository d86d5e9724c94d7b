/* SPDX-License-Identifier: MIT */
/* dumps and loads with the arguments, the output and the exceptions of the module orjson. */
#ifndef SSRJSON_MODULE_ORJSON_H
#define SSRJSON_MODULE_ORJSON_H

#include "pyobject/python.h"

/* Add both functions to the module, as _orjson_dumps and _orjson_loads; -1 with an exception set.
 */
int add_orjson_functions(PyObject *module);

#endif
