/* SPDX-License-Identifier: MIT */
/* _audit_utf8_cache: the places under a root that hold UTF-8 caches, and those that could get more.
 *
 * The walk is that of cache_scan.h, and it keeps the path to each object. It goes by levels, so
 * that an object has its shortest path, and names steps by keys and attributes. */
#ifndef SSRJSON_INSPECT_CACHE_AUDIT_H
#define SSRJSON_INSPECT_CACHE_AUDIT_H

#include "inspect/cache_places.h"
#include "inspect/object_walk.h"
#include "pyobject/type.h"
#include "pyobject/unicode.h"
#include "text/utf8_size.h"

extern const char audit_utf8_cache_doc[];

PyObject *core_audit_utf8_cache(PyObject *module, PyObject *args);

#endif
