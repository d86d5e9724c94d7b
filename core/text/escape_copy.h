/* SPDX-License-Identifier: MIT */
/* Escape a str of one PEP 393 kind into text of the same or a wider kind. The 8 to 8 form also
 * escapes UTF-8 into UTF-8: no byte of a longer sequence is special. */
#ifndef SSRJSON_TEXT_ESCAPE_COPY_H
#define SSRJSON_TEXT_ESCAPE_COPY_H

#define SOURCE_BITS 8
#define TARGET_BITS 8
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 8
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 8
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 16
#define TARGET_BITS 16
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 16
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

#define SOURCE_BITS 32
#define TARGET_BITS 32
#include "text/escape_copy.tmpl.h"

/* Copy a short ASCII string, n <= 16, where nothing in it is to be escaped; false where something
 * is. Stores sixteen bytes. Most keys and many values end here. */
static ALWAYS_INLINE bool copy_short_plain(const uint8_t *from, size_t n, uint8_t *to) {
    const u8x16 bytes = u8x16_load_within_page(from, n);
    u8x16_store(to, bytes);
    const u8x16 is_special = (u8x16)(bytes < 0x20) | (u8x16)(bytes == '"') | (u8x16)(bytes == '\\');
    return (u8x16_mask(is_special) & low_bits(n)) == 0;
}

#endif
