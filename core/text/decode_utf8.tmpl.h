/* SPDX-License-Identifier: MIT */
/* Template: decode UTF-8 into units of TARGET_BITS. Defines decode_utf8_<target>. */

#define NAME(noun) CONCAT(noun, TARGET_BITS)
#if TARGET_BITS == 8
#define unit_t uint8_t
#define LONGEST 2
#elif TARGET_BITS == 16
#define unit_t uint16_t
#define LONGEST 3
#else
#define unit_t uint32_t
#define LONGEST 4
#endif

/* Decode n > 0 bytes, whose leads announce at most LONGEST bytes, into their n_units units: one for
 * each byte that is no continuation byte. The byte after the text can be read and is none, either.
 * False where the text is malformed. */
static NOINLINE bool NAME(decode_utf8)(const uint8_t *from, size_t n, unit_t *to,
                                       const size_t n_units) {
    const uint8_t *const end = from + n;
    if (UNLIKELY(n_units == 0 || (from[0] & 0xc0) == 0x80 || utf8_is_cut(from, n))) {
        return false;
    }
    u8part before = {0};
    u8part faults = {0};
    size_t n_room = n_units;
    if (n >= 4 * PART_BYTES && n_room >= PART_BYTES) {
        /* the next block is read before this one is stored: a load stalls until the address of
         * every older store is known, and the end of this block's units is known late */
        u8part bytes = u8part_load(from);
        uint64_t ends = utf8_ends(from);
        for (;;) {
            const struct utf8_context context = utf8_context(bytes, before);
            const uint64_t block_ends = ends;
            before = bytes;
            from += PART_BYTES;
            n_room -= count_ones(block_ends);
            const bool is_last = (size_t)(end - from) < PART_BYTES || n_room < PART_BYTES;
            if (!is_last) {
                bytes = u8part_load(from);
                ends = utf8_ends(from);
            }
            faults |= utf8_faults(&context, LONGEST);
            to = NAME(utf8_write)(to, &context, block_ends, false);
            if (is_last) {
                break;
            }
        }
    }
    while (from < end) {
        /* where the target has no room for whole stores */
        const size_t n_left = (size_t)(end - from);
        const size_t n_block = n_left < PART_BYTES ? n_left : PART_BYTES;
        const u8part bytes = u8part_load_first(from, n_block);
        const uint8_t next = from[n_block];
        const uint64_t is_start =
            ~(uint64_t)u8part_mask(utf8_is_continuation(bytes)) >> 1 & low_bits(n_block - 1);
        const uint64_t ends = is_start | (uint64_t)((next & 0xc0) != 0x80) << (n_block - 1);
        const struct utf8_context context = utf8_context(bytes, before);
        faults |= utf8_faults(&context, LONGEST);
        to = NAME(utf8_write)(to, &context, ends, true);
        before = bytes;
        from += n_block;
    }
    return u8part_mask((u8part)((i8part)faults < 0)) == 0;
}

#undef unit_t
#undef LONGEST
#undef NAME
