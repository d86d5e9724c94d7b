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
 * ASCII or malformed. The places of all escapes of the block are computed at once; to search the
 * next one after each would take twice as long. */
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

/* What is read and where it goes. It is kept in registers, because only inlined functions take its
 * address. */
struct NAME(escaped_text) {
    const uint8_t *p; /* the next byte to read */
    const uint8_t *end;
    /* the place of the next unit in scratch. A pointer and not an index: no load can start before
     * the addresses of all earlier stores are known */
    TARGET_UNIT *to;
    uint32_t all_bits; /* of the units that are not ASCII */
};

/* Read the escape at p, or several escapes that follow each other. */
static ALWAYS_INLINE enum escaped_step NAME(read_escape)(struct NAME(escaped_text) * text,
                                                         const struct decode_options *options) {
    const uint8_t *const p = text->p;
    const ptrdiff_t n_left = text->end - p;
    (void)options; /* of code points only */
    if (UNLIKELY(n_left < 2)) {
        return ESCAPED_GIVEN_UP;
    }
    if (p[1] != 'u') {
        const uint8_t meaning = ESCAPE_MEANINGS[p[1]];
        *text->to++ = meaning;
        text->p = p + 2;
        return LIKELY(meaning != 0) ? ESCAPED_GOES_ON : ESCAPED_GIVEN_UP;
    }
    if (UNLIKELY(n_left <= 6)) {
        return ESCAPED_GIVEN_UP;
    }
#if defined(SIMD_HAS_HEX_ESCAPES)
    if (n_left >= HEX_ESCAPES_READ && is_escape_run(p)) {
        const size_t n_read = NAME(read_escape_run)(p, &text->to, &text->all_bits);
        if (LIKELY(n_read != 0)) {
            text->p = p + n_read;
            return ESCAPED_GOES_ON;
        }
    }
#endif
    int32_t c = hex_value_8(p + 2);
    if (UNLIKELY(c < 0)) {
        return ESCAPED_GIVEN_UP;
    }
    text->p = p + 6;
    if (UNLIKELY(is_surrogate_unit((uint32_t)c))) {
#if TARGET_BITS == 16
        text->p = p;
        return ESCAPED_HAS_SURROGATE;
#else
        if (c < 0xdc00 && n_left > 12 && is_unicode_escape(p + 6, text->end)) {
            const int32_t low = hex_value_8(p + 8);
            if ((low & ~0x3ff) == 0xdc00) {
                c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
                text->p = p + 12;
            }
        }
        if (UNLIKELY(c < 0x10000 && !options->allow_surrogates)) {
            return ESCAPED_GIVEN_UP;
        }
#endif
    }
    *text->to++ = (TARGET_UNIT)c;
    text->all_bits |= (uint32_t)c;
    return ESCAPED_GOES_ON;
}

/* Read 32 bytes of text without escapes, or those before an escape or the end of the string. */
static ALWAYS_INLINE enum escaped_step NAME(read_plain)(struct NAME(escaped_text) * text,
                                                        const struct decode_options *options) {
    const size_t n_left = (size_t)(text->end - text->p);
    /* 32 bytes: with fewer, the branch on whether all are plain is mispredicted more often */
    struct u8x32s block;
    uint32_t stops = 0;
    if (LIKELY(n_left >= 32)) {
        memcpy(&block, text->p, sizeof block);
    } else if (UNLIKELY(n_left == 0)) {
        return ESCAPED_GIVEN_UP;
    } else {
        block = u8x32s_load_at_least(text->p, n_left);
        stops = (uint32_t)1 << n_left;
    }
    stops |= u8x32s_mask(u8x32s_scan_stops(block));
    NAME(put_ascii_32)(text->to, (const uint8_t *)&block);
    if (stops == 0) { /* a branch, so that the next load does not depend on the count */
        text->to += 32;
        text->p += 32;
        return ESCAPED_GOES_ON;
    }
    const size_t n_plain = trailing_zeros(stops);
    text->to += n_plain;
    text->p += n_plain;
    if (UNLIKELY(n_plain == n_left)) {
        return ESCAPED_GIVEN_UP;
    }
    const uint8_t stop = *text->p;
    if (LIKELY(stop == '\\')) {
        return ESCAPED_GOES_ON;
    }
    if (stop == '"') {
        return ESCAPED_ENDS;
    }
    if (UNLIKELY(stop >= 0x80 || options->is_strict)) {
        return ESCAPED_GIVEN_UP;
    }
    assert(stop < ' '); /* a control character */
    *text->to++ = stop;
    text->p++;
    return ESCAPED_GOES_ON;
}

/* Read on at p, as much as one step does: not more than ESCAPED_ASCII_ROOM units. */
static ALWAYS_INLINE enum escaped_step NAME(read_escaped)(struct NAME(escaped_text) * text,
                                                          const struct decode_options *options) {
    if (text->p < text->end && *text->p == '\\') {
        return NAME(read_escape)(text, options);
    }
#if defined(SIMD_HAS_HEX_ESCAPES) && TARGET_BITS == 16 /* text with emoji has less plain text */
    if (LIKELY(text->end - text->p >= ESCAPED_BLOCK_READ)) {
        const uint8_t *const begin = text->p;
        text->p = read_escaped_block(begin, &text->to, &text->all_bits);
        if (*text->p == '"') {
            return ESCAPED_ENDS;
        }
        if (LIKELY(text->p != begin)) {
            return ESCAPED_GOES_ON;
        }
    }
#endif
    return NAME(read_plain)(text, options);
}

/* A str of the n units in scratch; all_bits has the bits of those that are not ASCII. */
static ALWAYS_INLINE PyObject *NAME(build_escaped)(const struct decoder *decoder, size_t n,
                                                   uint32_t all_bits) {
    /* what is wider than a form has a bit that nothing in that form has */
#if TARGET_BITS == 16
    if (LIKELY(n <= SHORT_UTF8_BYTES)) {
        return build_from_short_units(decoder->scratch, n, all_bits < 0x100);
    }
#endif
    return build_from_units(decoder->scratch, sizeof(TARGET_UNIT), n, all_bits);
}

/* Read on at p a string of ASCII text and escapes. n units of it are in scratch; all_bits has the
 * bits of those that are not ASCII. NULL with *is_given_up where it has other text or an error:
 * another function reads it again. */
static NOINLINE PyObject *NAME(read_escaped_ascii)(struct decoder *decoder, const uint8_t *p,
                                                   const uint8_t *const end, size_t n,
                                                   uint32_t all_bits, const uint8_t **after,
                                                   bool *is_given_up) {
    struct NAME(escaped_text) text = {
        .p = p,
        .end = end,
        .to = (TARGET_UNIT *)decoder->scratch + n,
        .all_bits = all_bits,
    };
    enum escaped_step step;
    *is_given_up = false;
    do {
        n = (size_t)(text.to - (TARGET_UNIT *)decoder->scratch);
        if (!decoder_reserve_scratch(decoder, n * sizeof *text.to,
                                     ESCAPED_ASCII_ROOM * sizeof *text.to)) {
            return NULL;
        }
        text.to = (TARGET_UNIT *)decoder->scratch + n;
        step = NAME(read_escaped)(&text, decoder->options);
    } while (LIKELY(step == ESCAPED_GOES_ON));
    n = (size_t)(text.to - (TARGET_UNIT *)decoder->scratch);
#if TARGET_BITS == 16
    if (step == ESCAPED_HAS_SURROGATE) {
        return decoder_widen_scratch(decoder, n)
                   ? read_escaped_ascii_32(decoder, text.p, end, n, text.all_bits, after,
                                           is_given_up)
                   : NULL;
    }
#endif
    if (UNLIKELY(step == ESCAPED_GIVEN_UP)) {
        *is_given_up = true;
        return NULL;
    }
    *after = text.p + 1;
    return NAME(build_escaped)(decoder, n, text.all_bits);
}

#undef TARGET_UNIT
#undef NAME
