/* SPDX-License-Identifier: MIT */
/* How many units a run of text takes once it is escaped: what a writer of a long text needs to
 * know to ask for memory once, and for no more than that. */
#ifndef SSRJSON_TEXT_MEASURE_H
#define SSRJSON_TEXT_MEASURE_H

#define SOURCE_BITS 8
#include "text/measure.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/measure.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/measure.tmpl.h"
#undef SOURCE_BITS

/* The same for units of unit_bytes. */

static inline size_t measure_escaped(const void *from, size_t n, size_t unit_bytes, bool to_utf8) {
    return unit_bytes == 4   ? measure_escaped_32(from, n, to_utf8)
           : unit_bytes == 2 ? measure_escaped_16(from, n, to_utf8)
                             : measure_escaped_8(from, n, to_utf8);
}

static inline size_t measure_ratio(const void *from, size_t n, size_t unit_bytes, bool to_utf8) {
    return unit_bytes == 4   ? measure_ratio_32(from, n, to_utf8)
           : unit_bytes == 2 ? measure_ratio_16(from, n, to_utf8)
                             : measure_ratio_8(from, n, to_utf8);
}

#endif
