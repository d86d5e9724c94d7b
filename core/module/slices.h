/* SPDX-License-Identifier: MIT */
/* Work on large objects that is done a part at a time, so that an event loop runs other tasks
 * between the parts: ssrjson_web/_shared/slices.py calls it. */
#ifndef SSRJSON_MODULE_SLICES_H
#define SSRJSON_MODULE_SLICES_H

#include "pyobject/python.h"

extern PyType_Spec filled_bytes_spec; /* _FilledBytes: bytes that are set bit by bit */

#define RELEASE_PART_DOC \
    "_release_part($module, held, n, /)\n--\n\n" \
    "Release about n objects that a list holds, the last ones first; whether it is empty.\n\n" \
    "Lists and dicts that nobody else has are emptied before they are released themselves."
PyObject *core_release_part(PyObject *module, PyObject *const *args, Py_ssize_t n_args);

#endif
