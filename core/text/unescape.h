/* SPDX-License-Identifier: MIT */
/* Take escapes out of the text of a string, a block at a time. */
#ifndef SSRJSON_TEXT_UNESCAPE_H
#define SSRJSON_TEXT_UNESCAPE_H

#include "simd/compress.h"
#include "text/unescape_table.h"

/* Blocks that are read in one go. */
#define UNESCAPE_BLOCKS 8
#define UNESCAPE_ROOM_BYTES ((UNESCAPE_BLOCKS + 1) * VEC_BYTES)

/* Of a block's backslashes those that begin an escape: every other one of a run, from its first.
 * is_first_escaped: an escape began with the last unit before the block. */
static ALWAYS_INLINE uint64_t escape_leads(uint64_t backslashes, uint64_t is_first_escaped) {
    const uint64_t even = 0x5555555555555555;
    const uint64_t runs = backslashes & ~is_first_escaped;
    const uint64_t starts = runs & ~(runs << 1);
    /* a sum carries through the run that it is added to, and clears it */
    const uint64_t from_even = runs & ~(runs + (starts & even));
    return (from_even & even) | (runs & ~from_even & ~even);
}

/* What the letter behind a backslash means; 0 where that is nothing, or a code point. */
static const uint8_t ESCAPE_MEANINGS[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static ALWAYS_INLINE uint32_t escape_meaning(uint32_t letter) {
    return letter < 0x80 ? ESCAPE_MEANINGS[letter] : 0;
}

#define SOURCE_BITS 8
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

#endif
