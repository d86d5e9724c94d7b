/* SPDX-License-Identifier: MIT */
/* Whether text is exactly what the encoder writes for a date, a datetime or a UUID, so that reading
 * it and writing the result again would give the same text. */
#ifndef SSRJSON_TEXT_STANDARD_TEXT_H
#define SSRJSON_TEXT_STANDARD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The number that two digits make; more than 99 where they are none. */
static ALWAYS_INLINE unsigned two_digits_at(const uint8_t *p) {
    const unsigned tens = p[0] - '0';
    const unsigned ones = p[1] - '0';
    return tens < 10 && ones < 10 ? tens * 10 + ones : 100;
}

/* 2026-11-23, a day that the calendar has. */
static inline bool is_standard_date(const uint8_t *p, size_t n) {
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (n != 10 || p[4] != '-' || p[7] != '-') {
        return false;
    }
    const unsigned century = two_digits_at(p);
    const unsigned rest = two_digits_at(p + 2);
    const unsigned month = two_digits_at(p + 5);
    const unsigned day = two_digits_at(p + 8);
    if (century > 99 || rest > 99 || century + rest == 0 || month - 1 > 11) {
        return false;
    }
    const bool is_leap_year = rest % 4 == 0 && (rest != 0 || century % 4 == 0);
    return day >= 1 && day <= days[month - 1] + (unsigned)(is_leap_year && month == 2);
}

/* .000001, not zero. */
static inline bool is_standard_fraction(const uint8_t *p) {
    const unsigned first = two_digits_at(p + 1);
    const unsigned second = two_digits_at(p + 3);
    const unsigned third = two_digits_at(p + 5);
    return p[0] == '.' && first < 100 && second < 100 && third < 100 && first + second + third > 0;
}

/* Nothing, Z, or an offset such as +02:00 that is not zero. */
static inline bool is_standard_offset(const uint8_t *p, size_t n) {
    if (n <= 1) {
        return n == 0 || *p == 'Z';
    }
    if (n != 6 || (p[0] != '+' && p[0] != '-') || p[3] != ':') {
        return false;
    }
    const unsigned hour = two_digits_at(p + 1);
    const unsigned minute = two_digits_at(p + 4);
    return hour < 24 && minute < 60 && hour + minute > 0;
}

/* 2026-11-23T01:02:03, with microseconds and an offset where there are some; UTC is Z. */
static inline bool is_standard_datetime(const uint8_t *p, size_t n) {
    if (n < 19 || !is_standard_date(p, 10) || p[10] != 'T' || p[13] != ':' || p[16] != ':' ||
        two_digits_at(p + 11) > 23 || two_digits_at(p + 14) > 59 || two_digits_at(p + 17) > 59) {
        return false;
    }
    size_t at = 19;
    if (n > at && p[at] == '.') {
        if (n < at + 7 || !is_standard_fraction(p + at)) {
            return false;
        }
        at += 7;
    }
    return is_standard_offset(p + at, n - at);
}

/* 00000000-0000-0000-0000-000000000000, in small letters. */
static inline bool is_standard_uuid(const uint8_t *p, size_t n) {
    if (n != 36) {
        return false;
    }
    bool is_standard = true;
    for (size_t i = 0; i < 36; i++) {
        const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        const bool is_digit = (p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f');
        is_standard &= is_hyphen ? p[i] == '-' : is_digit;
    }
    return is_standard;
}

#endif
