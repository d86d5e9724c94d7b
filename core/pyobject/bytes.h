/* SPDX-License-Identifier: MIT */
/* bytes that are changed before anyone sees them. */
#ifndef SSRJSON_PYOBJECT_BYTES_H
#define SSRJSON_PYOBJECT_BYTES_H

#include "pyobject/python.h"

/* Set the length of a bytes object that nobody else can reach, for which it has memory: its text
 * may change, so a hash that was computed before is not valid. */
static ALWAYS_INLINE void bytes_set_length(PyObject *bytes, Py_ssize_t n) {
    Py_SET_SIZE(bytes, n);
    PyBytes_AS_STRING(bytes)[n] = '\0';
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations" /* not for those who only read it */
    ((PyBytesObject *)bytes)->ob_shash = -1;
#pragma clang diagnostic pop
}

#endif
