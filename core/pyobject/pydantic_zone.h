/* SPDX-License-Identifier: MIT */
/* The offset of pydantic's TzInfo, read in place. Each datetime that pydantic has parsed has a
 * TzInfo of its own, and its method makes a timedelta. */
#ifndef SSRJSON_PYOBJECT_PYDANTIC_ZONE_H
#define SSRJSON_PYOBJECT_PYDANTIC_ZONE_H

#include <string.h>

#include "pyobject/python.h"

/* The offset from UTC in seconds, which never changes. Only where layout_of_pydantic_zone_holds. */
static ALWAYS_INLINE int32_t pydantic_zone_seconds(PyObject *zone) {
    int32_t seconds;
    memcpy(&seconds, zone + 1, sizeof seconds);
    return seconds;
}

#endif
