/* SPDX-License-Identifier: MIT */
/* Python.h, and the differences between the supported versions and builds. */
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

/* Whether this file may read and make objects by layouts that are not in CPython's public API. They
 * are known up to Python 3.15, and layout_probe.c compares them with the running interpreter's at
 * import. The portable level uses the public API only, and is what remains where one differs. */
#if defined(SSRJSON_PUBLIC_API) || PY_VERSION_HEX >= 0x03100000
#define KNOWS_LAYOUTS 0
#else
#define KNOWS_LAYOUTS 1
#endif

/* The name of a function that is compiled twice, not once for each level: with the public API only,
 * for the portable level, and for all others, which share it. */
#ifdef SSRJSON_PUBLIC_API
#define SHARED_NAME(noun) CONCAT(noun, public)
#else
#define SHARED_NAME(noun) CONCAT(noun, layouts)
#endif

/* Threads without the GIL take turns at an object. With the GIL they do so anyway between two calls
 * that run no Python code. */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

/* A field that another thread may write at the same time: the writer stores it once, complete, by
 * STORE_SHARED. With the GIL these are plain accesses. */
#if IS_FREE_THREADED
#define LOAD_SHARED(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define STORE_SHARED(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)
#else
#define LOAD_SHARED(field) (field)
#define STORE_SHARED(field, value) ((field) = (value))
#endif

/* Up to Python 3.11 making an exception may collect garbage and so run finalisers. Not between
 * these two calls, so that borrowed objects stay alive. collector_pause returns whether the
 * collector was on. */
static inline bool collector_pause(void) {
    return PY_VERSION_HEX < 0x030c0000 && PyGC_Disable();
}

static inline void collector_go_on(bool was_on) {
    if (was_on) {
        PyGC_Enable();
    }
}

/* ---- layout_probe.c ------------------------------------------------------------------------ */

/* Whether the running interpreter keeps its objects as this build reads and makes them in place.
 *
 * A build knows the layouts of the Python whose headers it was compiled with. A later release of
 * the same version, or a distribution's own changes, may differ. So objects made through the public
 * API are read in place at import, and objects made in place are read through the public API. Where
 * an answer differs, only the portable level is used, which keeps to the public API. */

/* Whether the layouts of int, str, list and dict hold; they are looked at in the first call of a
 * process. False also where memory is short, and where the environment variable SSRJSON_LAYOUTS is
 * `unknown`. No exception is set. */
bool layouts_hold(void);

/* Whether the layout of decimal.Decimal, the class of the C code, holds. No exception is set.
 * Allocates, so nothing may be borrowed. */
bool layout_of_decimal_holds(PyTypeObject *decimal);

/* Whether objects of pydantic's TzInfo hold their offset where pydantic_zone_seconds reads it. No
 * exception is set. Allocates, so nothing may be borrowed. */
bool layout_of_pydantic_zone_holds(PyTypeObject *zone);

#endif
