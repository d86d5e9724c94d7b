/* SPDX-License-Identifier: MIT */
/* Parse ISO 8601 texts that Python code returned, to write them as the options say. */
#ifndef SSRJSON_ENCODE_TYPES_ISO_TEXT_H
#define SSRJSON_ENCODE_TYPES_ISO_TEXT_H

#include "text/iso_time.h"
#include "encode/types/time64.h"

/* The longest text that is parsed: with added digits and an offset it fits ISO_TIME_ROOM. */
#define ISO_TEXT_MAX 64

/* Take exactly n digits, at most 9; false where there are fewer. */
static inline bool iso_take_digits(const char **at, const char *end, int n, unsigned *value) {
    if (end - *at < n) {
        return false;
    }
    *value = 0;
    for (int i = 0; i < n; i++) {
        const unsigned digit = (unsigned)((*at)[i] - '0');
        if (digit > 9) {
            return false;
        }
        *value = *value * 10 + digit;
    }
    *at += n;
    return true;
}

static inline bool iso_take(const char **at, const char *end, char wanted) {
    const bool is_there = *at != end && **at == wanted;
    *at += is_there;
    return is_there;
}

/* Take the digits after a point, if there is one: 1 to 18 of them, otherwise false. */
static inline bool iso_take_fraction(const char **at, const char *end, const char **digits,
                                     int *n_digits) {
    *n_digits = 0;
    if (!iso_take(at, end, '.')) {
        return true;
    }
    *digits = *at;
    for (; *at != end && **at >= '0' && **at <= '9'; ++*at) {
        ++*n_digits;
    }
    return *n_digits >= 1 && *n_digits <= 18;
}

/* Take +05:30, perhaps with seconds and microseconds, up to the end of the text. */
static inline bool iso_take_offset(const char *at, const char *end, int64_t *microseconds) {
    const bool is_negative = *at == '-';
    unsigned hours;
    unsigned minutes;
    unsigned seconds = 0;
    unsigned rest = 0;
    if (!iso_take(&at, end, is_negative ? '-' : '+') || !iso_take_digits(&at, end, 2, &hours) ||
        !iso_take(&at, end, ':') || !iso_take_digits(&at, end, 2, &minutes)) {
        return false;
    }
    if (iso_take(&at, end, ':') && !iso_take_digits(&at, end, 2, &seconds)) {
        return false;
    }
    if (iso_take(&at, end, '.') && !iso_take_digits(&at, end, 6, &rest)) {
        return false;
    }
    const int64_t magnitude =
        (((int64_t)hours * 60 + minutes) * 60 + seconds) * INT64_C(1000000) + rest;
    *microseconds = is_negative ? -magnitude : magnitude;
    return at == end;
}

/* The number of digits of a fraction that are written. */
static inline int iso_n_digits(const char *digits, int n_digits, enum time_precision precision) {
    bool is_zero = true; /* up to the microsecond */
    for (int i = 0; i < n_digits && i < 6; i++) {
        is_zero &= digits[i] == '0';
    }
    switch (precision) {
    case PRECISION_AUTO: break;
    case PRECISION_AUTO_MILLISECONDS: return is_zero ? 0 : 3;
    case PRECISION_SECONDS: return 0;
    case PRECISION_MILLISECONDS: return 3;
    case PRECISION_MICROSECONDS: return 6;
    }
    return n_digits;
}

/* Rewrite 12:34:56, perhaps with a fraction and an offset, up to the end of the text, with the
 * digits and the offset that the options ask for. Without an offset it is in UTC, or in no zone.
 * Returns the end of what is written; NULL for another text. */
static inline char *iso_rewrite_time(char *out, const char *at, const char *end,
                                     const struct native_options *options, bool is_in_utc) {
    unsigned parts[3];
    for (int i = 0; i < 3; i++) {
        if ((i != 0 && !iso_take(&at, end, ':')) || !iso_take_digits(&at, end, 2, &parts[i])) {
            return NULL;
        }
    }
    const char *digits = at;
    int n_digits;
    int64_t offset = 0;
    if (!iso_take_fraction(&at, end, &digits, &n_digits)) {
        return NULL;
    }
    const bool is_z = end - at == 1 && *at == 'Z';
    const bool has_offset = !is_z && at != end;
    if (has_offset && !iso_take_offset(at, end, &offset)) {
        return NULL;
    }
    out = iso_put_time(out, parts[0], parts[1], parts[2], 0, PRECISION_SECONDS);
    const int n_wanted = iso_n_digits(digits, n_digits, options->precision);
    if (n_wanted != 0) {
        *out++ = '.';
    }
    for (int i = 0; i < n_wanted; i++) {
        *out++ = i < n_digits ? digits[i] : '0';
    }
    if (is_z) {
        *out++ = 'Z';
    } else if (has_offset || is_in_utc) {
        out = iso_put_offset(out, offset, options->is_utc_z, options->is_in_minutes);
    }
    return out;
}

/* Rewrite 2026-11-21T12:34:56.789+00:00 with a year of any length; the date is copied unchanged. */
static inline char *iso_rewrite_datetime(char *out, const char *text, const char *end,
                                         const struct native_options *options) {
    const char *at = text;
    while (at != end && ((*at >= '0' && *at <= '9') || *at == '-' || *at == '+')) {
        at++;
    }
    const size_t n = (size_t)(at - text);
    if (!iso_take(&at, end, 'T') || n == 0) {
        return NULL;
    }
    memcpy(out, text, n + 1);
    return iso_rewrite_time(out + n + 1, at, end, options, options->is_naive_utc);
}

/* Take a number and the letter after it; nothing is taken where they are not there. */
static inline bool iso_take_number(const char **at, const char *end, char letter, int64_t *value) {
    const char *from = *at;
    const bool is_negative = iso_take(&from, end, '-');
    *value = 0;
    int n_digits = 0;
    for (; from != end && *from >= '0' && *from <= '9' && n_digits < 15; from++, n_digits++) {
        *value = *value * 10 + (*from - '0');
    }
    if (n_digits == 0 || !iso_take(&from, end, letter)) {
        *value = 0;
        return false;
    }
    *value = is_negative ? -*value : *value;
    *at = from;
    return true;
}

/* Take the hours, minutes and seconds of a duration, of which at least one must be there. */
static inline bool iso_take_clock(const char **at, const char *end, int64_t *seconds,
                                  uint64_t *attoseconds) {
    const char *const from = *at;
    int64_t hours;
    int64_t minutes;
    iso_take_number(at, end, 'H', &hours);
    iso_take_number(at, end, 'M', &minutes);
    const char *digits = *at;
    int n_digits = 0;
    if (!iso_take_number(at, end, 'S', seconds) && iso_take_number(at, end, '.', seconds)) {
        --*at;
        if (!iso_take_fraction(at, end, &digits, &n_digits) || !iso_take(at, end, 'S')) {
            return false;
        }
    }
    *seconds += (hours * 60 + minutes) * 60;
    *attoseconds = 0;
    for (int i = 0; i < 18; i++) {
        *attoseconds = *attoseconds * 10 + (i < n_digits ? (uint64_t)(digits[i] - '0') : 0);
    }
    return *at != from;
}

/* Read P1DT2H3M4.5S. Each part may be missing, and the days may be negative, as in pandas: the rest
 * is then added to them. False for another text. */
static inline bool iso_read_duration(const char *at, const char *end, struct span *span) {
    int64_t days;
    int64_t seconds = 0;
    uint64_t attoseconds = 0;
    const bool is_negative = iso_take(&at, end, '-');
    if (!iso_take(&at, end, 'P')) {
        return false;
    }
    const bool has_days = iso_take_number(&at, end, 'D', &days);
    const bool has_clock = iso_take(&at, end, 'T');
    if ((!has_days && !has_clock) ||
        (has_clock && !iso_take_clock(&at, end, &seconds, &attoseconds))) {
        return false;
    }
    *span = (struct span){.seconds = (__int128)days * 86400 + seconds,
                          .microseconds = (unsigned)(attoseconds / 1000000000000),
                          .below = attoseconds % 1000000000000};
    if (is_negative) {
        *span = span_negate(*span);
    }
    return at == end;
}

#endif
