/* SPDX-License-Identifier: MIT */
/* Short ints that follow each other in a list, from text of bytes. Read one by one, each waits for
 * the length of the one before it, and for the reference count of that one to be stored at an
 * address that depends on the text. Here the places of all numbers in a block of text are found at
 * once, and their objects are made after their values are known. */
#ifndef SSRJSON_DECODE_SHORT_INTS_H
#define SSRJSON_DECODE_SHORT_INTS_H

#include "number/digit_string.h"
#include "pyobject/long.h"

#define SHORT_INTS_BLOCK 64
_Static_assert(999999999 <= PyLong_MASK, "nine digits are one digit of an int");
/* Each takes two characters or more. */
#define SHORT_INTS_MOST (SHORT_INTS_BLOCK / 2)

/* Where things are in a block of text: a bit for each character, the first one the lowest. */
struct short_int_places {
    uint64_t starts; /* of the ints that may be read, the first digit of each */
    uint64_t ends;   /* the comma or bracket after each */
    uint64_t minus;  /* all minus signs */
};

/* Find the ints of at most nine digits from the comma at p on, up to the first thing that is not
 * one of those after a comma, perhaps a space, and perhaps a minus. */
static ALWAYS_INLINE struct short_int_places find_short_ints(const uint8_t *p) {
    uint64_t digits = 0;
    uint64_t zeros = 0;
    uint64_t commas = 0;
    uint64_t spaces = 0;
    uint64_t minus = 0;
    uint64_t brackets = 0;
    for (unsigned i = 0; i < SHORT_INTS_BLOCK; i += VEC_BYTES) {
        const u8vec c = u8_load(p + i);
        digits |= u8_mask((u8vec)((u8vec)(c - '0') < u8_splat(10))) << i;
        zeros |= u8_mask((u8vec)(c == u8_splat('0'))) << i;
        commas |= u8_mask((u8vec)(c == u8_splat(','))) << i;
        spaces |= u8_mask((u8vec)(c == u8_splat(' '))) << i;
        minus |= u8_mask((u8vec)(c == u8_splat('-'))) << i;
        brackets |= u8_mask((u8vec)(c == u8_splat(']'))) << i;
    }
    uint64_t may_start = commas << 1;
    may_start |= (spaces & may_start) << 1;
    may_start |= (minus & may_start) << 1;
    const uint64_t after_digit = digits << 1;
    const uint64_t runs_of_two = digits & digits >> 1;
    const uint64_t runs_of_four = runs_of_two & runs_of_two >> 2;
    const uint64_t runs_of_ten = runs_of_four & runs_of_four >> 4 & runs_of_two >> 8;
    const uint64_t starts = digits & ~after_digit;
    const uint64_t ends = (commas | brackets) & after_digit;
    const uint64_t wrong_starts =
        starts & (~may_start | runs_of_ten | (zeros & runs_of_two)); /* or with leading zeros */
    const uint64_t wrong_ends = after_digit & ~digits & ~ends;
    const uint64_t wrong_commas = commas & ~after_digit & ~(uint64_t)1; /* one is at p */
    const uint64_t wrong = wrong_starts | wrong_ends | wrong_commas | brackets << 1;
    return (struct short_int_places){
        .starts = starts,
        .ends = ends & (wrong == 0 ? ~(uint64_t)0 : low_bits(trailing_zeros(wrong))),
        .minus = minus,
    };
}

/* Read ints of at most nine digits in a list, from the comma at p on, as long as there are such,
 * the text has enough more, and there is room up to `limit`. Appends them to *top; returns the
 * place after the last, p where there is none, or NULL with an exception set. */
static NOINLINE const uint8_t *read_short_ints(struct long_stock *stock, const uint8_t *p,
                                               const uint8_t *end, PyObject ***top,
                                               PyObject **limit) {
    PyObject **to = *top;
    while (end - p >= SHORT_INTS_BLOCK + 16 && limit - to >= SHORT_INTS_MOST) {
        struct short_int_places places = find_short_ints(p);
        digit magnitudes[SHORT_INTS_MOST];
        bool are_negative[SHORT_INTS_MOST];
        size_t n = 0;
        const uint8_t *after = p;
        for (; places.ends != 0; places.ends &= places.ends - 1) {
            const unsigned start = trailing_zeros(places.starts);
            const unsigned stop = trailing_zeros(places.ends);
            assert(1 <= start && start < stop && stop <= start + 9 && stop < SHORT_INTS_BLOCK + 1);
            places.starts &= places.starts - 1;
            magnitudes[n] = (digit)digit_string(load_characters_8(p + start), stop - start);
            are_negative[n] = places.minus >> (start - 1) & 1;
            n++;
            after = p + stop;
        }
        for (size_t i = 0; i < n; i++) {
            PyObject *const number = long_stock_take(stock, magnitudes[i], are_negative[i]);
            if (UNLIKELY(number == NULL)) {
                *top = to;
                return NULL;
            }
            *to++ = number;
        }
        const bool may_go_on = after != p && *after == ',';
        p = after;
        if (!may_go_on) {
            break;
        }
    }
    *top = to;
    return p;
}

#endif
