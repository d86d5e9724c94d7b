/* SPDX-License-Identifier: MIT */
/* scan_utf8_cache: the UTF-8 copies held by the strings that can be reached from some objects. */
#ifndef SSRJSON_INSPECT_CACHE_SCAN_H
#define SSRJSON_INSPECT_CACHE_SCAN_H

#include "inspect/object_walk.h"
#include "pyobject/type.h"
#include "pyobject/unicode.h"
#include <stdlib.h>

extern const char scan_utf8_cache_doc[];

PyObject *core_scan_utf8_cache(PyObject *module, PyObject *const *roots, Py_ssize_t n_roots);

#endif
