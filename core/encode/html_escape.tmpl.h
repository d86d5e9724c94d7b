/* SPDX-License-Identifier: MIT */
/* Template: find and escape the special characters of a text. Parameters: SPECIALS_BITS, 8, 16 or
 * 32 a unit, and SPECIALS_IS_UTF8. The names of the functions end in utf8, 8, 16 or 32. */

#define NAME_(noun, bits) CONCAT(noun, bits)
#if SPECIALS_IS_UTF8
#define NAME(noun) noun##_utf8
#else
#define NAME(noun) NAME_(noun, SPECIALS_BITS)
#endif
#define VECTOR VEC(SPECIALS_BITS)
#define UNIT VEC_UNIT(SPECIALS_BITS)
#define LANES ((size_t)VEC_LANES(SPECIALS_BITS))
#define VERB(verb) CONCAT(VEC_PREFIX(SPECIALS_BITS), verb)
/* Units after a vector that its test reads, too. */
#define READ_AHEAD (SPECIALS_IS_UTF8 ? 2 : 0)

/* Which of the units begin a special character. */
static ALWAYS_INLINE VECTOR NAME(specials_begin)(struct specials specials, const UNIT *from) {
    const VECTOR html = VERB(splat)(specials.html ? (UNIT)-1 : 0);
    const VECTOR lines = VERB(splat)(specials.lines ? (UNIT)-1 : 0);
    VECTOR c;
    memcpy(&c, from, sizeof c);
    VECTOR begin = html & ((VECTOR)((c | 2) == '>') | (VECTOR)(c == '&')); /* '<' | 2 is '>' */
#if SPECIALS_IS_UTF8
    const u8vec second = u8_load(from + 1);
    const u8vec third = u8_load(from + 2);
    begin |= (u8vec)(c == 0xe2) & (u8vec)(second == 0x80) & (u8vec)((third | 1) == 0xa9);
    begin |= lines & (u8vec)(c == 0xc2) & (u8vec)(second == 0x85);
#else
    begin |= lines & (VECTOR)(c == 0x85);
#if SPECIALS_BITS > 8
    begin |= (VECTOR)((c | 1) == 0x2029);
#endif
#endif
    return begin;
}

/* The special character at the start of n >= 1 units, 0 where there is none, and how many of them
 * it takes. */
static ALWAYS_INLINE Py_UCS4 NAME(specials_first)(struct specials specials, const UNIT *from,
                                                  size_t n, size_t *n_units) {
    Py_UCS4 c = from[0];
    *n_units = 1;
#if SPECIALS_IS_UTF8
    if (c == 0xc2 && n >= 2) { /* 110000aa 10bbbbbb */
        *n_units = 2;
        c = 0x80 | (from[1] & 0x3f);
    } else if (c == 0xe2 && n >= 3 && from[1] == 0x80) { /* 11100010 10000000 10bbbbbb */
        *n_units = 3;
        c = 0x2000 | (from[2] & 0x3f);
    } else if (c >= 0x80) {
        return 0;
    }
#else
    (void)n;
#endif
    return specials_hold(specials, c) ? c : 0;
}

/* One bit for each of the next LANES units, set where a special character begins. */
static ALWAYS_INLINE uint64_t NAME(specials_places)(struct specials specials, const UNIT *from,
                                                    size_t n) {
    if (LIKELY(n >= LANES + READ_AHEAD)) {
        return VERB(mask)(NAME(specials_begin)(specials, from));
    }
    uint64_t places = 0;
    for (size_t i = 0; i < n && i < LANES; i++) {
        size_t n_units;
        const bool is_special = NAME(specials_first)(specials, from + i, n - i, &n_units) != 0;
        places |= (uint64_t)is_special << i;
    }
    return places;
}

/* How many more units n units take with the special characters escaped. */
static size_t NAME(specials_count)(struct specials specials, const UNIT *from, size_t n) {
    size_t n_more = 0;
    for (size_t at = 0; at < n; at += LANES) {
        uint64_t places = NAME(specials_places)(specials, from + at, n - at);
        for (; places != 0; places &= places - 1) {
            const size_t place = at + trailing_zeros(places);
            size_t n_units;
            (void)NAME(specials_first)(specials, from + place, n - place, &n_units);
            n_more += HEX_ESCAPE_UNITS - n_units;
        }
    }
    return n_more;
}

/* Write n units with the special characters escaped: as many more as specials_count tells. */
static void NAME(specials_escape)(struct specials specials, const UNIT *from, size_t n, UNIT *to) {
    size_t n_done = 0;
    for (size_t at = 0; at < n; at += LANES) {
        uint64_t places = NAME(specials_places)(specials, from + at, n - at);
        for (; places != 0; places &= places - 1) {
            const size_t place = at + trailing_zeros(places);
            memcpy(to, from + n_done, (place - n_done) * sizeof *to);
            to += place - n_done;
            size_t n_units;
            const Py_UCS4 c = NAME(specials_first)(specials, from + place, n - place, &n_units);
            uint8_t escape[HEX_ESCAPE_UNITS];
            (void)store_hex_escape(escape, (uint16_t)c);
            for (int i = 0; i < HEX_ESCAPE_UNITS; i++) {
                *to++ = escape[i];
            }
            n_done = place + n_units;
        }
    }
    memcpy(to, from + n_done, (n - n_done) * sizeof *to);
}

#undef NAME_
#undef NAME
#undef VECTOR
#undef UNIT
#undef LANES
#undef VERB
#undef READ_AHEAD
