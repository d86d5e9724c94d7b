/* SPDX-License-Identifier: MIT */
/* Skip an object or a list of UTF-8 text by bits: 64 bytes at a time, a bit for each.
 *
 * JSON's grammar is checked by what may follow what. A token is a string, a scalar (a number, true,
 * false or null), or one of { } [ ] : and the comma. The bits after all tokens of a class, moved
 * beyond white space by one addition, must be first bits of tokens that may follow:
 *
 *     { and the comma of an object       a string, which is a key; after { also }
 *     a key                              :
 *     : and [ and the comma of a list    a value; after [ also ]
 *     a value                            , } ]
 *
 * Brackets are taken one by one, because they decide whether a comma is one of an object. So are
 * scalars and escapes, for their own grammar. The rest costs the same for all texts. */
#ifndef SSRJSON_DECODE_SKIP_CONTAINER_H
#define SSRJSON_DECODE_SKIP_CONTAINER_H

#include "decode/skip_scalars.h"

/* What one block leaves to the next. */
struct skip_state {
    const struct skipper *skipper;
    uint8_t *is_object; /* for each open container; no object is around them */
    size_t depth;       /* the number of open containers, without those around the outermost one */
    size_t max_depth;
    u8part utf8_faults;
    u8part last_bytes; /* of the block before, if it is not ASCII */
    struct skip_scalar_state scalars;
    bool was_not_ascii;
    bool is_in_long_string; /* the block before was in a string from its first to its last byte */
    uint64_t in_escape;     /* a bit for each byte of the next block that belongs to an escape */
    uint64_t in_string;     /* all ones: the next block begins in a string */
    /* one bit each, at the start of the next block */
    uint64_t after_open_or_comma; /* only white space was there since */
    uint64_t after_colon_or_comma;
    uint64_t after_key;
    uint64_t after_value;
};

/* A bit for each byte of a block. */
struct skip_bits {
    uint64_t quote;
    uint64_t backslash;
    uint64_t control; /* below 0x20 */
    uint64_t space;
    uint64_t comma;
    uint64_t colon;
    uint64_t open;  /* { [ */
    uint64_t close; /* } ] */
};

/* ---- what bytes are ------------------------------------------------------------------------- */

static ALWAYS_INLINE u8vec skip_is_space(u8vec bytes) {
#if defined(SIMD_HAS_SHUFFLE)
    static const uint8_t SPACES[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
    u8vec spaces;
    for (int i = 0; i < VEC_BYTES; i += 16) {
        memcpy((char *)&spaces + i, SPACES, sizeof SPACES);
    }
    return (u8vec)(u8_look_up_low_half(spaces, bytes) == bytes);
#else
    return (u8vec)(bytes == ' ') | (u8vec)(bytes == '\n') | (u8vec)(bytes == '\r') |
           (u8vec)(bytes == '\t');
#endif
}

static ALWAYS_INLINE struct skip_bits skip_classify(const uint8_t *block) {
    return (struct skip_bits){
        .quote = U8X64_WHERE(block, bytes == '"'),
        .backslash = U8X64_WHERE(block, bytes == '\\'),
        .control = U8X64_WHERE(block, bytes < 0x20),
        .space = U8X64_WHERE(block, skip_is_space(bytes)),
        .comma = U8X64_WHERE(block, bytes == ','),
        .colon = U8X64_WHERE(block, bytes == ':'),
        .open = U8X64_WHERE(block, (bytes | 0x20) == '{'), /* '[' differs in this bit */
        .close = U8X64_WHERE(block, (bytes | 0x20) == '}'),
    };
}

/* Note where the bytes of a block, which follow those of the block before, are not UTF-8. */
static NOINLINE void skip_check_utf8(struct skip_state *state, const uint8_t *block) {
    u8part faults = state->utf8_faults;
    u8part before = state->last_bytes;
    for (int i = 0; i < SKIP_BLOCK; i += PART_BYTES) {
        const u8part bytes = u8part_load(block + i);
        faults |= utf8_text_faults(bytes, before, state->skipper->options->allow_surrogates);
        before = bytes;
    }
    state->utf8_faults = faults;
    state->last_bytes = before;
}

static ALWAYS_INLINE void skip_check_if_not_ascii(struct skip_state *state, const uint8_t *block) {
    u8vec either = {0};
    for (int i = 0; i < SKIP_BLOCK; i += VEC_BYTES) {
        either |= u8_load(block + i);
    }
    const bool is_ascii = u8_mask((u8vec)((i8vec)either < (i8vec)u8_splat(0))) == 0;
    if (!is_ascii || state->was_not_ascii) {
        skip_check_utf8(state, block);
        state->was_not_ascii = !is_ascii;
    }
}

/* Each bit is the exclusive or of all up to it: between pairs of bits, with the first of them. */
static ALWAYS_INLINE uint64_t skip_between_pairs(uint64_t bits) {
    for (int n = 1; n < 64; n *= 2) {
        bits ^= bits << n;
    }
    return bits;
}

/* ---- what is taken one by one --------------------------------------------------------------- */

/* Check the escapes of the block at p, and take their bytes out of the bits. False where one is no
 * escape. */
static ALWAYS_INLINE bool skip_escapes(struct skip_state *state, const uint8_t *p,
                                       struct skip_bits *bits) {
    uint64_t covered = state->in_escape;
    state->in_escape = 0;
    for (uint64_t left = bits->backslash & ~covered; left != 0; left &= ~covered) {
        const size_t begin = trailing_zeros(left);
        const uint8_t *const after = skip_escape(state->skipper, p + begin);
        if (UNLIKELY(after == NULL)) {
            return false;
        }
        const size_t end = (size_t)(after - p);
        covered |= low_bits(end < SKIP_BLOCK ? end : SKIP_BLOCK) & ~low_bits(begin);
        state->in_escape = end > SKIP_BLOCK ? low_bits(end - SKIP_BLOCK) : 0;
    }
    bits->quote &= ~covered;
    return true;
}

/* Enter and leave the containers whose brackets are in the block at p. The bits that belong to the
 * outermost container; zero where brackets do not match. A bit of *in_object says whether the
 * innermost container around a byte is an object. */
static ALWAYS_INLINE uint64_t skip_brackets(struct skip_state *state, const uint8_t *p,
                                            uint64_t open, uint64_t close, uint64_t *in_object) {
    uint8_t *const is_object = state->is_object;
    uint64_t objects = -(uint64_t)is_object[state->depth];
    uint8_t mismatch = 0;
    *in_object = objects;
    for (uint64_t left = open | close; left != 0; left &= left - 1) {
        const unsigned at = trailing_zeros(left);
        const uint8_t is_open = open >> at & 1;
        const uint8_t is_brace = p[at] >> 5 & 1; /* as '{' and '}', unlike '[' and ']' */
        const size_t depth = state->depth + is_open;
        if (UNLIKELY(depth > state->max_depth)) {
            return 0;
        }
        mismatch |= (is_object[depth] ^ is_brace) & (is_open ^ 1);
        is_object[depth] = is_brace;
        state->depth = depth - (is_open ^ 1);
        const uint64_t are_objects = -(uint64_t)is_object[state->depth];
        *in_object ^= (objects ^ are_objects) & ~(uint64_t)1 << at;
        objects = are_objects;
        if (state->depth == 0) {
            return mismatch != 0 ? 0 : low_bits(at + 1);
        }
    }
    return mismatch != 0 ? 0 : ~(uint64_t)0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The bits of the block at p, whose bytes are given, that belong to the container: all but in its
 * last block. Zero where the text has a fault. */
static ALWAYS_INLINE uint64_t skip_block(struct skip_state *state, const uint8_t *p,
                                         const uint8_t *block) {
    skip_check_if_not_ascii(state, block);
    struct skip_bits bits = skip_classify(block);
    if (UNLIKELY((bits.backslash | state->in_escape) != 0) && !skip_escapes(state, p, &bits)) {
        return 0;
    }
    /* from a string's first quote to the last byte before its other quote */
    const uint64_t string = skip_between_pairs(bits.quote) ^ state->in_string;
    state->in_string = -(string >> 63);
    if (bits.quote == 0 && string != 0) { /* a string goes on */
        state->is_in_long_string = true;
        return bits.control != 0 ? 0 : string;
    }
    const uint64_t string_open = bits.quote & string;
    const uint64_t string_close = bits.quote & ~string;
    const uint64_t space = bits.space & ~string;
    const uint64_t comma = bits.comma & ~string;
    const uint64_t colon = bits.colon & ~string;
    const uint64_t open = bits.open & ~string;
    const uint64_t close = bits.close & ~string;

    uint64_t in_object;
    const uint64_t inside = skip_brackets(state, p, open, close, &in_object);
    if (UNLIKELY(inside == 0)) {
        return 0;
    }

    const uint64_t scalar = ~(string | string_close | space | comma | colon | open | close);
    const uint64_t after_scalar = skip_after(scalar, &state->scalars.in_scalar);
    const uint64_t scalar_open = scalar & ~after_scalar;
    uint64_t faults = skip_scalar_faults(&state->scalars, state->skipper, p, block, scalar & inside,
                                         scalar_open & inside);

    const uint64_t value_open = string_open | scalar_open | open;
    const uint64_t at_item = skip_following(open | comma, space, &state->after_open_or_comma);
    const uint64_t at_no_end = skip_following(colon | comma, space, &state->after_colon_or_comma);
    const uint64_t key_open = string_open & at_item & in_object;
    const uint64_t after_key =
        skip_beyond(key_open, string | string_close | space, &state->after_key);
    const uint64_t value_close = string_close | close;
    const uint64_t after_value =
        skip_beyond(value_close << 1 | (after_scalar & ~scalar), space, &state->after_value);
    state->after_value |= value_close >> 63;

    faults |= ((at_item | at_no_end) & ~(value_open | close)) | (at_no_end & close);
    faults |= at_item & in_object & ~(string_open | close);
    faults |= (after_key ^ colon) | (after_value & ~(colon | comma | close));
    faults |= bits.control & string;
    return UNLIKELY((faults & inside) != 0) ? 0 : inside;
}

/* The first block from p on that has a quote, an escape or a control character, or is the last one;
 * p is in a string. */
static ALWAYS_INLINE const uint8_t *skip_plain_blocks(struct skip_state *state, const uint8_t *p) {
    state->is_in_long_string = false;
    while (state->in_escape == 0 && state->skipper->end - p >= SKIP_BLOCK) {
        u8vec special = {0};
        for (int i = 0; i < SKIP_BLOCK; i += VEC_BYTES) {
            special |= u8_needs_escape(u8_load(p + i));
        }
        if (u8_mask(special) != 0) {
            break;
        }
        skip_check_if_not_ascii(state, p);
        p += SKIP_BLOCK;
    }
    return p;
}

/* The unit after the container that p opens, within `depth` others. */
static NOINLINE const uint8_t *skip_container(const struct skipper *skipper, const uint8_t *p,
                                              size_t depth) {
    uint8_t is_object[SKIP_MAX_DEPTH + 2];
    is_object[0] = false;
    struct skip_state state = {
        .skipper = skipper,
        .is_object = is_object,
        .max_depth = skipper->max_depth - depth,
    };
    while (p < skipper->end) {
        const size_t n_left = (size_t)(skipper->end - p);
        uint8_t last[SKIP_BLOCK];
        const uint8_t *block = p;
        if (UNLIKELY(n_left < SKIP_BLOCK)) {
            memset(last, ' ', sizeof last);
            block = memcpy(last, p, n_left);
        }
        const uint64_t inside = skip_block(&state, p, block);
        if (UNLIKELY(inside == 0)) {
            return NULL;
        }
        p += SKIP_BLOCK;
        if (state.is_in_long_string) {
            p = skip_plain_blocks(&state, p);
        }
        if (state.depth == 0) {
            const bool is_utf8 = u8part_mask((u8part)((i8part)state.utf8_faults < 0)) == 0;
            return is_utf8 ? p - leading_zeros(inside) : NULL;
        }
    }
    return NULL;
}

/* The unit after the value at p, which is before the end of the text, within `depth` containers. */
static ALWAYS_INLINE const uint8_t *skip_value(const struct skipper *skipper, const uint8_t *p,
                                               size_t depth) {
    return *p == '{' || *p == '[' ? skip_container(skipper, p, depth) : skip_scalar(skipper, p);
}

#endif
