/* SPDX-License-Identifier: MIT */
/* Python.h, and what differs between the versions and builds that are supported. */
#ifndef SSRJSON_PYOBJECT_PYTHON_H
#define SSRJSON_PYOBJECT_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/compiler.h"

#if PY_VERSION_HEX < 0x030a0000
#error "ssrjson_web needs Python 3.10 or newer"
#endif

#ifdef Py_GIL_DISABLED
#define IS_FREE_THREADED 1
#else
#define IS_FREE_THREADED 0
#endif

/* Threads without the GIL take turns at an object; with it, between two calls that run no Python
 * code, they do anyway. */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

#endif
