/* SPDX-License-Identifier: MIT */
/* Template: decode UTF-8 into units of TARGET_BITS. Defines decode_utf8_<target>. */

#if TARGET_BITS == 8
typedef uint8_t decode_unit_8;
typedef u8x16 decode_ascii_8;
#elif TARGET_BITS == 16
typedef uint16_t decode_unit_16;
typedef uint16_t decode_ascii_16 __attribute__((vector_size(32)));
#else
typedef uint32_t decode_unit_32;
typedef uint32_t decode_ascii_32 __attribute__((vector_size(64)));
#endif

#define unit_t CONCAT(decode_unit, TARGET_BITS)
#define ascii_t CONCAT(decode_ascii, TARGET_BITS)
#define NAME(noun) CONCAT(noun, TARGET_BITS)

#if defined(SIMD_HAS_SHUFFLE)
/* A run of sequences longer than one byte, out of a block that starts with one. Returns how many
 * code points were written, 0 where the block does not start a run of well-formed ones or the
 * target has no room for a whole store. */
static ALWAYS_INLINE size_t NAME(decode_utf8_run)(u8x16 bytes, size_t n_usable, unit_t *to,
                                                  size_t n_room, size_t *n_bytes) {
    const uint32_t continues = u8x16_mask((u8x16)((bytes & 0xc0) == 0x80));
    const uint8_t lead = bytes[0];
    if (n_room < 8) {
        return 0;
    }
    if (lead < 0xe0) {
        const uint32_t leads = u8x16_mask((u8x16)((bytes & 0xe0) == 0xc0));
        const size_t n = utf8_run_length((leads & 0x5555) | (continues & 0xaaaa), 2, n_usable);
        const u16x8 c = utf8_decode_pairs(bytes);
        const uint64_t overlong = u8x16_mask((u8x16)(c < 0x80)) & low_bits(2 * n);
        if (overlong != 0) {
            return 0;
        }
#if TARGET_BITS == 8
        typedef uint8_t u8x8 __attribute__((vector_size(8)));
        const u8x8 units = __builtin_convertvector(c, u8x8);
#elif TARGET_BITS == 16
        const u16x8 units = c;
#else
        typedef uint32_t u32x8 __attribute__((vector_size(32)));
        const u32x8 units = __builtin_convertvector(c, u32x8);
#endif
        memcpy(to, &units, sizeof units);
        *n_bytes = 2 * n;
        return n;
    }
#if TARGET_BITS > 8
    if (lead < 0xf0) {
        const uint32_t leads = u8x16_mask((u8x16)((bytes & 0xf0) == 0xe0));
        const size_t n = utf8_run_length((leads & 0x1249) | (continues & 0x6db6), 3, n_usable);
        const u16x8 c = utf8_decode_triples(bytes);
        const uint64_t overlong = u8x16_mask((u8x16)(c < 0x800)) & low_bits(2 * n);
        if (overlong != 0) {
            return 0;
        }
#if TARGET_BITS == 16
        const u16x8 units = c;
#else
        typedef uint32_t u32x8 __attribute__((vector_size(32)));
        const u32x8 units = __builtin_convertvector(c, u32x8);
#endif
        memcpy(to, &units, sizeof units);
        *n_bytes = 3 * n;
        return n;
    }
#endif
#if TARGET_BITS == 32
    {
        const uint32_t leads = u8x16_mask((u8x16)((bytes & 0xf8) == 0xf0));
        const size_t n = utf8_run_length((leads & 0x1111) | (continues & 0xeeee), 4, n_usable);
        const u32x4 c = utf8_decode_quads(bytes);
        const uint64_t outside = u8x16_mask((u8x16)((c - 0x10000) >= 0x100000)) & low_bits(4 * n);
        if (outside != 0) {
            return 0;
        }
        memcpy(to, &c, sizeof c);
        *n_bytes = 4 * n;
        return n;
    }
#else
    return 0;
#endif
}
#endif

/* Decode [from, end) into `to`, which has room for the code points that the text's lead bytes
 * announce, up to to_end, and can hold the longest sequence among them. Bytes up to readable_end
 * may be read. False where the text is not well-formed. */
static inline bool NAME(decode_utf8)(const uint8_t *from, const uint8_t *const end,
                                     const uint8_t *const readable_end, unit_t *to,
                                     const unit_t *const to_end) {
    while (from < end) {
        if (readable_end - from >= 16) {
            const size_t n_left = (size_t)(end - from);
            const size_t n_usable = n_left < 16 ? n_left : 16;
            const size_t n_room = (size_t)(to_end - to);
            const u8x16 bytes = u8x16_load(from);
            const uint64_t longer = u8x16_mask((u8x16)(bytes >= 0x80)) | (uint64_t)1 << n_usable;
            const size_t n_ascii = trailing_zeros(longer);
            if (n_ascii > 0 && n_room >= 16) {
                const ascii_t units = __builtin_convertvector(bytes, ascii_t);
                memcpy(to, &units, sizeof units);
                from += n_ascii;
                to += n_ascii;
                continue;
            }
#if defined(SIMD_HAS_SHUFFLE)
            size_t n_bytes = 0;
            const size_t n =
                n_ascii > 0 ? 0 : NAME(decode_utf8_run)(bytes, n_usable, to, n_room, &n_bytes);
            if (n > 0) {
                from += n_bytes;
                to += n;
                continue;
            }
#endif
        }
        size_t n_bytes;
        const int32_t c = utf8_code_point(from, end, &n_bytes);
        if (UNLIKELY(c < 0)) {
            return false;
        }
        assert(to < to_end);
        *to++ = (unit_t)c;
        from += n_bytes;
    }
    return true;
}

#undef unit_t
#undef ascii_t
#undef NAME
#undef TARGET_BITS
