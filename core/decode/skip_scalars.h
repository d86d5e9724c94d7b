/* SPDX-License-Identifier: MIT */
/* Check the numbers and literals of a block of text by bits, a bit for each of its 64 bytes. */
#ifndef SSRJSON_DECODE_SKIP_SCALARS_H
#define SSRJSON_DECODE_SKIP_SCALARS_H

#include "decode/skip.h"

#define SKIP_BLOCK 64 /* bytes */

/* Each bit is that of the byte before; *carry is a bit from the block before, and then one for the
 * next. */
static ALWAYS_INLINE uint64_t skip_after(uint64_t bits, uint64_t *carry) {
    const uint64_t after = bits << 1 | *carry;
    *carry = bits >> 63;
    return after;
}

/* Bits that are in one of the runs of `run`, each moved beyond the run; others stay. Where several
 * are in a run, it is as if the first were alone. *carry is a bit from the block before, and then
 * one for the next. */
static ALWAYS_INLINE uint64_t skip_beyond(uint64_t bits, uint64_t run, uint64_t *carry) {
    unsigned long long sum;
    *carry = __builtin_uaddll_overflow(run, bits | *carry, &sum);
    return sum & ~run;
}

/* The first bits beyond the run after each of `bits`. */
static ALWAYS_INLINE uint64_t skip_following(uint64_t bits, uint64_t run, uint64_t *carry) {
    const uint64_t following = skip_beyond(bits << 1, run, carry);
    *carry |= bits >> 63;
    return following;
}

/* What the scalars of one block leave to the next: bits at its start. */
struct skip_scalar_state {
    uint64_t in_scalar;
    uint64_t in_literal; /* of all its bytes */
    uint64_t after_literal;
    uint64_t in_number;
    uint64_t after_digit;
    uint64_t after_minus; /* the first one of a number */
    uint64_t after_first_zero;
    uint64_t after_point;
    uint64_t after_mark; /* e or E */
    uint64_t after_sign; /* of an exponent */
    uint64_t in_fraction;
    uint64_t in_exponent;
};

/* The faults of numbers, whose bytes are given, and the first ones of them. */
static ALWAYS_INLINE uint64_t skip_number_faults(struct skip_scalar_state *state,
                                                 const struct skipper *skipper, const uint8_t *p,
                                                 const uint8_t *block, uint64_t number,
                                                 uint64_t first) {
    const struct decode_options *const options = skipper->options;
    const uint64_t digit = number & U8X64_WHERE(block, bytes - '0' <= 9);
    const uint64_t point = number & U8X64_WHERE(block, bytes == '.');
    const uint64_t minus = number & U8X64_WHERE(block, bytes == '-');
    const uint64_t plus = number & U8X64_WHERE(block, bytes == '+');
    const uint64_t mark = number & U8X64_WHERE(block, (bytes | 0x20) == 'e');
    const uint64_t first_minus = minus & first;
    const uint64_t sign = (minus ^ first_minus) | plus;

    const uint64_t after_minus = skip_after(first_minus, &state->after_minus);
    const uint64_t first_zero = ((first | after_minus) & digit) & U8X64_WHERE(block, bytes == '0');
    const uint64_t after_digit = skip_after(digit, &state->after_digit);
    const uint64_t after_point = skip_after(point, &state->after_point);
    const uint64_t after_mark = skip_after(mark, &state->after_mark);
    const uint64_t after_sign = skip_after(sign, &state->after_sign);
    const uint64_t after_fraction = skip_beyond(after_point, digit, &state->in_fraction);
    const uint64_t after_exponent =
        skip_beyond((after_mark & digit) | after_sign, digit, &state->in_exponent);

    /* what the grammar excludes: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
    uint64_t faults = number & ~(digit | point | sign | first_minus | mark);
    faults |= first & ~(digit | first_minus);
    faults |= skip_after(first_zero, &state->after_first_zero) & digit;
    faults |= (after_minus | after_point | after_sign) & ~digit;
    faults |= (point | mark) & ~after_digit;
    faults |= sign & ~after_mark;
    faults |= after_mark & ~(digit | sign);
    faults |= (after_fraction & point) | (after_exponent & (point | mark));
    if (UNLIKELY(number == ~(uint64_t)0)) {
        return number; /* the parser limits the digits of an int */
    }
    if (UNLIKELY(options->int64 != INT_UNLIMITED)) {
        for (uint64_t left = first; left != 0; left &= left - 1) {
            faults |= skip_number(skipper, p + trailing_zeros(left)) == NULL ? left : 0;
        }
    }
    if (UNLIKELY(!options->allow_nan || options->decimal != NULL)) {
        faults |= mark; /* it may be infinite, or beyond the decimal's exponents */
    }
    return faults;
}

/* Whether the literals that start in the block at p are some. Their bytes are stored. */
static ALWAYS_INLINE bool skip_literals(struct skip_scalar_state *state, const uint8_t *p,
                                        const uint8_t *end, uint64_t starts, uint64_t *literal) {
    *literal = state->in_literal;
    state->in_literal = 0;
    for (; starts != 0; starts &= starts - 1) {
        const size_t at = trailing_zeros(starts);
        if (UNLIKELY(end - p < (ptrdiff_t)at + 5)) { /* a bracket comes after it */
            return false;
        }
        const char *const text = (const char *)p + at;
        const bool is_false = memcmp(text, "false", 5) == 0;
        if (!is_false && memcmp(text, "true", 4) != 0 && memcmp(text, "null", 4) != 0) {
            return false;
        }
        const size_t n = is_false ? 5 : 4;
        *literal |= low_bits(n) << at;
        state->in_literal = at + n > SKIP_BLOCK ? low_bits(at + n - SKIP_BLOCK) : 0;
    }
    return true;
}

/* The faults of scalars, whose bytes are given, and the first ones of them, in the block at p,,
 * whose bytes are given, too. */
static ALWAYS_INLINE uint64_t skip_scalar_faults(struct skip_scalar_state *state,
                                                 const struct skipper *skipper, const uint8_t *p,
                                                 const uint8_t *block, uint64_t scalar,
                                                 uint64_t first) {
    const uint64_t first_letter = first & U8X64_WHERE(block, bytes - 'A' <= 'z' - 'A');
    uint64_t literal;
    if (UNLIKELY(!skip_literals(state, p, skipper->end, first_letter, &literal))) {
        return ~(uint64_t)0;
    }
    const uint64_t number = scalar & ~literal;
    uint64_t faults = skip_after(literal, &state->after_literal) & number;
    if ((number | state->in_number) != 0) {
        faults |= skip_number_faults(state, skipper, p, block, number, first & ~literal);
        state->in_number = number >> 63;
    }
    return faults;
}

#endif
