/* SPDX-License-Identifier: MIT */
/* Whether the running interpreter keeps its objects as this build reads and makes them in place.
 *
 * A build knows the layouts of the Python whose headers it was compiled with. A later release of
 * the same version, or a distribution's own changes, may differ. So objects made through the public
 * API are read in place at import, and objects made in place are read through the public API. Where
 * an answer differs, only the portable level is used, which keeps to the public API. */
#ifndef SSRJSON_PYOBJECT_LAYOUT_PROBE_H
#define SSRJSON_PYOBJECT_LAYOUT_PROBE_H

#include "pyobject/python.h"

/* Whether the layouts of int, str, list and dict hold; they are looked at in the first call of a
 * process. False also where memory is short, and where the environment variable SSRJSON_LAYOUTS is
 * `unknown`. No exception is set. */
bool layouts_hold(void);

/* Whether the layout of decimal.Decimal, the class of the C code, holds. No exception is set, and
 * no Python code runs. */
bool layout_of_decimal_holds(PyTypeObject *decimal);

/* Whether objects of pydantic's TzInfo hold their offset where pydantic_zone_seconds reads it. No
 * exception is set, and no Python code runs. */
bool layout_of_pydantic_zone_holds(PyTypeObject *zone);

#endif
