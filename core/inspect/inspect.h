/* SPDX-License-Identifier: MIT */
/* scan_utf8_cache: the UTF-8 caches of all strings that can be reached from some objects. */
#ifndef SSRJSON_INSPECT_INSPECT_H
#define SSRJSON_INSPECT_INSPECT_H

#include "inspect/object_walk.h"
#include "pyobject/type.h"
#include "pyobject/unicode.h"
#include "inspect/cache_places.h"
#include "text/utf8_size.h"

#include <stdlib.h>

extern const char scan_utf8_cache_doc[];

PyObject *core_scan_utf8_cache(PyObject *module, PyObject *const *roots, Py_ssize_t n_roots);

/* _audit_utf8_cache: the places under a root that hold UTF-8 caches, and those that could get more.
 *
 * The walk is that of cache_scan.h, and it keeps the path to each object. It goes by levels, so
 * that an object has its shortest path, and names steps by keys and attributes. */

extern const char audit_utf8_cache_doc[];

PyObject *core_audit_utf8_cache(PyObject *module, PyObject *args);

#endif
