/* SPDX-License-Identifier: MIT */
/* Whether bytes are UTF-8, with or without encoded surrogates. */
#ifndef SSRJSON_TEXT_CHECK_UTF8_H
#define SSRJSON_TEXT_CHECK_UTF8_H

#include "text/decode_utf8.h"

/* What is wrong with bytes, which follow those of `before`, in the highest bits of their lanes. */
static ALWAYS_INLINE u8part utf8_text_faults(u8part bytes, u8part before, bool allows_surrogates) {
    const struct utf8_context context = utf8_context(bytes, before);
    u8part faults = utf8_faults(&context, 4) | (u8part)(bytes > u8part_splat(0xf4));
    if (UNLIKELY(!allows_surrogates)) { /* 11101101 101aaaaa */
        faults |=
            (u8part)(context.before1 == u8part_splat(0xed)) & (u8part)(bytes >= u8part_splat(0xa0));
    }
    return faults;
}

/* Reads no page other than those of the n bytes. */
static NOINLINE bool utf8_is_well_formed(const uint8_t *from, size_t n, bool allows_surrogates) {
    if (n == 0) {
        return true;
    }
    const bool is_cut = utf8_is_cut(from, n);
    u8part before = {0};
    u8part faults = {0};
    u8part all = {0};
    for (; n >= PART_BYTES; from += PART_BYTES, n -= PART_BYTES) {
        const u8part bytes = u8part_load(from);
        faults |= utf8_text_faults(bytes, before, allows_surrogates);
        all |= bytes;
        before = bytes;
    }
    if (n > 0) { /* zeros after the text are ASCII */
        const u8part bytes = u8part_load_first(from, n);
        faults |= utf8_text_faults(bytes, before, allows_surrogates);
        all |= bytes;
    }
    const bool is_ascii = u8part_mask((u8part)((i8part)all < 0)) == 0;
    return is_ascii || (!is_cut && u8part_mask((u8part)((i8part)faults < 0)) == 0);
}

#endif
