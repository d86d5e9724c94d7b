/* SPDX-License-Identifier: MIT */
/* What pays for long text: copy a run in which nothing is to be escaped, and measure the units that
 * a run takes once it is escaped, so that a writer asks for memory once, and for no more than it
 * needs. */
#ifndef SSRJSON_TEXT_LONG_TEXT_H
#define SSRJSON_TEXT_LONG_TEXT_H

#include "text/escape.h"

/* The minimum number of vectors that are copied so. */
#define COPY_PLAIN_MIN 16

#define SOURCE_BITS 8
#include "text/long_text.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/long_text.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/long_text.tmpl.h"
#undef SOURCE_BITS

/* Both measurements, for units of unit_bytes. */

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
