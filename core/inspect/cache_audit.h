/* SPDX-License-Identifier: MIT */
/* _audit_utf8_cache: where under a root the UTF-8 copies are, and where there would be more.
 *
 * The walk of cache_scan.h with the way to each object in mind: by levels, so that an object has
 * the shortest way to it, and by names, of keys and attributes. */
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
