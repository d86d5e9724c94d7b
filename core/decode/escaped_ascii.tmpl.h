/* SPDX-License-Identifier: MIT */
/* Template: read ASCII text with escapes as units of TARGET_BITS. Defines
 * read_escaped_ascii_<target>. */

#define TARGET_UNIT VEC_UNIT(TARGET_BITS)
#define NAME(noun) CONCAT(noun, TARGET_BITS)

/* Store 32 characters of ASCII. */
static ALWAYS_INLINE void NAME(put_ascii_32)(TARGET_UNIT *to, const uint8_t *ascii) {
    typedef uint8_t bytes_t __attribute__((vector_size(32)));
    typedef TARGET_UNIT units_t __attribute__((vector_size(32 * sizeof *to)));
    bytes_t bytes;
    memcpy(&bytes, ascii, sizeof bytes);
    const units_t units = __builtin_convertvector(bytes, units_t);
    memcpy(to, &units, sizeof units);
}

#if defined(SIMD_HAS_HEX_ESCAPES)
/* Read the first escapes of a run. Returns the number of their bytes, 0 where there is a surrogate
 * or no such escape. */
static ALWAYS_INLINE size_t NAME(read_escape_run)(const uint8_t *p, TARGET_UNIT **out,
                                                  uint32_t *all_bits) {
    TARGET_UNIT *const to = *out;
    size_t n_read;
    const size_t n_stored = NAME(store_hex_escapes)(p, to, &n_read);
    if (UNLIKELY(n_stored == 0)) {
        return 0;
    }
    for (size_t i = 0; i < n_stored; i++) {
        *all_bits |= to[i];
    }
    *out = to + n_stored;
    return 6 * n_read;
}

#if TARGET_BITS == 16
/* Read an escape that is one unit, at a backslash. Returns the number of its bytes, 0 where it is a
 * surrogate or malformed. */
static ALWAYS_INLINE size_t read_usual_escape(const uint8_t *p, TARGET_UNIT **out,
                                              uint32_t *all_bits) {
    uint32_t c = ESCAPE_MEANINGS[p[1]];
    size_t n_read = 2;
    if (LIKELY(p[1] == 'u')) {
        c = (uint32_t)hex_value_8(p + 2); /* above all units where it is malformed */
        if (UNLIKELY(is_surrogate_unit(c)) || UNLIKELY(c > 0xffff)) {
            return 0;
        }
        n_read = 6;
    } else if (UNLIKELY(c == 0)) {
        return 0;
    }
    *(*out)++ = (TARGET_UNIT)c;
    *all_bits |= c;
    return n_read;
}

/* Read text and escapes up to the end of a block, or a little beyond it. Returns where it stopped:
 * there, or at what it does not read: the end of the string, a surrogate, what is not
 * ASCII or malformed. One look at the block tells where its escapes are; a look for the next one
 * after each would take twice as long. */
static ALWAYS_INLINE const uint8_t *read_escaped_block(const uint8_t *p, TARGET_UNIT **out,
                                                       uint32_t *all_bits) {
    TARGET_UNIT *to = *out;
    uint64_t stops = 0;
    for (size_t half = 0; half < ESCAPED_BLOCK; half += 32) {
        struct u8x32s block;
        memcpy(&block, p + half, sizeof block);
        stops |= (uint64_t)u8x32s_mask(u8x32s_scan_stops(block)) << half;
    }
    size_t at = 0;
    while (stops != 0) {
        const size_t stop = trailing_zeros(stops);
        NAME(put_ascii_32)(to, p + at);
        if (UNLIKELY(stop - at > 32)) {
            NAME(put_ascii_32)(to + 32, p + at + 32);
        }
        to += stop - at;
        at = stop;
        if (UNLIKELY(p[at] != '\\')) {
            break;
        }
        const size_t n_read = is_escape_run(p + at) ? NAME(read_escape_run)(p + at, &to, all_bits)
                                                    : read_usual_escape(p + at, &to, all_bits);
        if (UNLIKELY(n_read == 0)) {
            break;
        }
        at += n_read;
        stops = at < ESCAPED_BLOCK ? stops >> at << at : 0;
    }
    if (stops == 0 && at < ESCAPED_BLOCK) {
        NAME(put_ascii_32)(to, p + at);
        NAME(put_ascii_32)(to + 32, p + at + 32);
        to += ESCAPED_BLOCK - at;
        at = ESCAPED_BLOCK;
    }
    *out = to;
    return p + at;
}
#endif
#endif

/* Read on at p a string of ASCII text and escapes. n units of it are in scratch; all_bits has the
 * bits of those that are not ASCII. NULL with *is_given_up where it has other text or an error:
 * another function reads it again. */
static NOINLINE PyObject *NAME(read_escaped_ascii)(struct decoder *decoder, const uint8_t *p,
                                                   const uint8_t *const end, size_t n,
                                                   uint32_t all_bits, const uint8_t **after,
                                                   bool *is_given_up) {
    const struct decode_options *const options = decoder->options;
    *is_given_up = true;
    /* a pointer, not an index: a load waits for the address of each store before it */
    TARGET_UNIT *to = (TARGET_UNIT *)decoder->scratch + n;
    const TARGET_UNIT *limit =
        (TARGET_UNIT *)decoder->scratch + decoder->scratch_bytes / sizeof *to;
    for (;;) {
        if (UNLIKELY(limit - to < ESCAPED_ASCII_ROOM)) {
            n = (size_t)(to - (TARGET_UNIT *)decoder->scratch);
            if (!decoder_reserve_scratch(decoder, n * sizeof *to,
                                         ESCAPED_ASCII_ROOM * sizeof *to)) {
                *is_given_up = false;
                return NULL;
            }
            to = (TARGET_UNIT *)decoder->scratch + n;
            limit = (TARGET_UNIT *)decoder->scratch + decoder->scratch_bytes / sizeof *to;
        }
        if (p < end && *p == '\\') {
            if (UNLIKELY(end - p < 2)) {
                return NULL;
            }
            if (p[1] != 'u') {
                *to++ = ESCAPE_MEANINGS[p[1]];
                p += 2;
                if (UNLIKELY(to[-1] == 0)) {
                    return NULL;
                }
                continue;
            }
            if (UNLIKELY(end - p <= 6)) {
                return NULL;
            }
#if defined(SIMD_HAS_HEX_ESCAPES)
            if (end - p >= HEX_ESCAPES_READ && is_escape_run(p)) {
                const size_t n_read = NAME(read_escape_run)(p, &to, &all_bits);
                if (LIKELY(n_read != 0)) {
                    p += n_read;
                    continue;
                }
            }
#endif
            int32_t c = hex_value_8(p + 2);
            if (UNLIKELY(c < 0)) {
                return NULL;
            }
            if (UNLIKELY(is_surrogate_unit((uint32_t)c))) {
#if TARGET_BITS == 16
                n = (size_t)(to - (TARGET_UNIT *)decoder->scratch);
                if (!decoder_widen_scratch(decoder, n)) {
                    *is_given_up = false;
                    return NULL;
                }
                return read_escaped_ascii_32(decoder, p, end, n, all_bits, after, is_given_up);
#else
                if (c < 0xdc00 && end - p > 12 && is_unicode_escape(p + 6, end)) {
                    const int32_t low = hex_value_8(p + 8);
                    if ((low & ~0x3ff) == 0xdc00) {
                        c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
                        p += 6;
                    }
                }
                if (UNLIKELY(c < 0x10000 && !options->allow_surrogates)) {
                    return NULL;
                }
#endif
            }
            *to++ = (TARGET_UNIT)c;
            all_bits |= (uint32_t)c;
            p += 6;
            continue;
        }
#if defined(SIMD_HAS_HEX_ESCAPES) && TARGET_BITS == 16 /* there is less plain text beside emoji */
        if (LIKELY(end - p >= ESCAPED_BLOCK_READ)) {
            const uint8_t *const begin = p;
            p = read_escaped_block(p, &to, &all_bits);
            if (*p == '"') {
                break;
            }
            if (LIKELY(p != begin)) {
                continue;
            }
        }
#endif
        /* 32 bytes: whether fewer are free of escapes is harder to predict */
        struct u8x32s block;
        uint32_t stops = 0;
        if (LIKELY(end - p >= 32)) {
            memcpy(&block, p, sizeof block);
        } else if (UNLIKELY(p == end)) {
            break;
        } else {
            block = u8x32s_load_at_least(p, (size_t)(end - p));
            stops = (uint32_t)1 << (end - p);
        }
        stops |= u8x32s_mask(u8x32s_scan_stops(block));
        NAME(put_ascii_32)(to, (const uint8_t *)&block);
        if (stops == 0) { /* a branch, so that the next load does not wait for the count */
            to += 32;
            p += 32;
            continue;
        }
        const size_t n_plain = trailing_zeros(stops);
        to += n_plain;
        p += n_plain;
        if (LIKELY(p < end) && LIKELY(*p == '\\')) {
            continue;
        }
        if (UNLIKELY(p == end) || *p == '"') {
            break;
        }
        if (UNLIKELY(*p >= 0x80 || (*p < ' ' && options->is_strict))) {
            return NULL;
        }
        *to++ = *p++; /* a control character */
    }
    if (UNLIKELY(p == end)) {
        return NULL;
    }
    *after = p + 1;
    *is_given_up = false;
    n = (size_t)(to - (TARGET_UNIT *)decoder->scratch);
    /* what is wider than a form has a bit that nothing in that form has */
#if TARGET_BITS == 16
    if (LIKELY(n <= SHORT_UTF8_BYTES)) {
        return build_from_short_units(decoder->scratch, n, all_bits < 0x100);
    }
#endif
    return build_from_units(decoder->scratch, sizeof *to, n, all_bits);
}

#undef TARGET_UNIT
#undef NAME
