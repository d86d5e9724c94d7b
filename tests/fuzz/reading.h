/* SPDX-License-Identifier: MIT */
/* The kernels that read text, held against one character at a time. */
#ifndef SSRJSON_FUZZ_READING_H
#define SSRJSON_FUZZ_READING_H

#include "floors.h"
#include "text/decode_utf8.h"
#include "text/unescape.h"
#include "text/scan.h"

static bool is_white_space(uint32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void fuzz_skip_space(const struct units *text) {
    const void *const end = units_end(text);
    const size_t unit = text->unit_bytes;
    size_t n_expected = 0;
    while (n_expected < text->n && is_white_space(units_get(text, n_expected))) {
        n_expected++;
    }
    const void *const got = unit == 1   ? (const void *)skip_space_8(text->from, end)
                            : unit == 2 ? (const void *)skip_space_16(text->from, end)
                                        : (const void *)skip_space_32(text->from, end);
    CHECK((size_t)((const char *)got - (char *)text->from) == n_expected * unit);
}

static void fuzz_scan_string(const struct units *text) {
    const void *const end = units_end(text);
    const size_t unit = text->unit_bytes;
    size_t n_expected = 0;
    uint32_t greatest = 0;
    while (n_expected < text->n && !is_escaped(units_get(text, n_expected))) {
        const uint32_t c = units_get(text, n_expected++);
        greatest = c > greatest ? c : greatest;
    }
    uint32_t widest = 0;
    const void *got = text->from;
    const void *before;
    do { /* it may pause in long text */
        before = got;
        got = unit == 1   ? (const void *)scan_string_8(before, end, &widest)
              : unit == 2 ? (const void *)scan_string_16(before, end, &widest)
                          : (const void *)scan_string_32(before, end, &widest);
    } while ((size_t)((const char *)got - (const char *)before) >= SCAN_PAUSE_UNITS * unit);
    CHECK((size_t)((const char *)got - (char *)text->from) == n_expected * unit);
    CHECK(greatest < 0x80 ? widest < 0x80 : widest == greatest);
}

static void fuzz_copy_string(const struct units *text) {
    const void *const end = units_end(text);
    const size_t unit = text->unit_bytes;
    size_t n_expected = 0;
    while (n_expected < text->n && !is_escaped(units_get(text, n_expected))) {
        n_expected++;
    }
    void *const to = malloc(text->n * unit + 1); /* of exact size: a store after it is found */
    CHECK(to != NULL);
    const void *const got = unit == 1   ? (const void *)copy_string_8(text->from, end, to)
                            : unit == 2 ? (const void *)copy_string_16(text->from, end, to)
                                        : (const void *)copy_string_32(text->from, end, to);
    CHECK((size_t)((const char *)got - (char *)text->from) == n_expected * unit);
    CHECK(memcmp(to, text->from, n_expected * unit) == 0);
    free(to);
}

static void fuzz_scan_ascii(const struct units *text) {
    const uint8_t *const bytes = text->from;
    size_t n_expected = 0;
    while (n_expected < text->n && bytes[n_expected] < 0x80 && !is_escaped(bytes[n_expected])) {
        n_expected++;
    }
    CHECK(scan_ascii(bytes, bytes + text->n) == bytes + n_expected);
}

/* UTF-8 of `n` bytes, surrogates allowed, into code points: their number, -1 where malformed. */
static ptrdiff_t decode_slowly(const uint8_t *bytes, size_t n, uint32_t *code_points) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    size_t count = 0;
    for (size_t i = 0; i < n;) {
        const uint8_t lead = bytes[i++];
        const int n_tails = lead < 0x80                   ? 0
                            : lead >= 0xc0 && lead < 0xe0 ? 1
                            : lead >= 0xe0 && lead < 0xf0 ? 2
                            : lead >= 0xf0 && lead < 0xf8 ? 3
                                                          : -1;
        if (n_tails < 0 || n - i < (size_t)n_tails) {
            return -1;
        }
        uint32_t c = n_tails == 0 ? lead : lead & (0x3fu >> n_tails);
        for (int tail = 0; tail < n_tails; tail++, i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                return -1;
            }
            c = c << 6 | (bytes[i] & 0x3f);
        }
        if (c < least[n_tails] || c > 0x10ffff) {
            return -1;
        }
        code_points[count++] = c;
    }
    return (ptrdiff_t)count;
}

/* The text, its leads held to those that a kind of `unit` bytes can hold, and one byte more. */
static void fuzz_decode_utf8(const struct units *text, size_t unit, uint8_t after) {
    if (text->n == 0) {
        return;
    }
    const uint8_t greatest = unit == 1 ? 0xc3 : unit == 2 ? 0xef : 0xf4;
    const struct units source = units_new(text->n + 1, 1, 0);
    uint8_t *const bytes = source.from;
    size_t n_units = 0;
    for (size_t i = 0; i < text->n; i++) {
        const uint8_t c = (uint8_t)units_get(text, i);
        bytes[i] = c > greatest ? c & 0xbf & greatest : c;
        n_units += (bytes[i] & 0xc0) != 0x80;
    }
    bytes[text->n] = after & 0x7f;
    CHECK(utf8_count_code_points(bytes, text->n) == n_units);

    uint32_t *const expected = malloc((text->n + 1) * sizeof *expected);
    const ptrdiff_t n_expected = decode_slowly(bytes, text->n, expected);
    const struct units to = units_new(n_units, unit, 0);
    const bool is_well_formed = unit == 1   ? decode_utf8_8(bytes, text->n, to.from, n_units)
                                : unit == 2 ? decode_utf8_16(bytes, text->n, to.from, n_units)
                                            : decode_utf8_32(bytes, text->n, to.from, n_units);
    CHECK(is_well_formed == (n_expected >= 0));
    if (is_well_formed) {
        CHECK((size_t)n_expected == n_units);
        for (size_t i = 0; i < n_units; i++) {
            CHECK(units_get(&to, i) == expected[i]);
        }
    }
    units_free(&to);
    units_free(&source);
    free(expected);
}

/* What a string's start is scanned and decoded by, as the parser does it. */
static void fuzz_scan_utf8(const struct units *text, bool is_short_first) {
    const uint8_t *const begin = text->from;
    const uint8_t *const end = begin + text->n;
    size_t n = 0;
    size_t n_units = 0;
    uint32_t greatest = 0;
    while (n < text->n && !is_escaped(begin[n])) {
        greatest = begin[n] > greatest ? begin[n] : greatest;
        n_units += (begin[n++] & 0xc0) != 0x80;
    }
    if (text->n == 0) {
        return;
    }
    struct utf8_extent extent = {.stop = begin};
    uint16_t units_16[SHORT_UTF8_UNITS];
    uint32_t units_32[SHORT_UTF8_UNITS];
    bool has_quads = false;
    enum short_utf8 state = SHORT_UTF8_GOES_ON;
    if (is_short_first) {
        state = scan_short_utf8(&extent, end, units_16, false);
        has_quads = state == SHORT_UTF8_HAS_QUADS;
        CHECK(!has_quads || greatest >= 0xf0);
        if (has_quads) {
            state = scan_short_utf8(&extent, end, units_32, true);
        }
        CHECK(extent.stop <= end);
    }
    if (state == SHORT_UTF8_GOES_ON) {
        scan_utf8(&extent, end);
    }
    CHECK(extent.stop == begin + n);
    CHECK(greatest < 0x80 ? extent.widest < 0x80 : extent.widest == greatest);
    uint32_t *const expected = malloc((n + 1) * sizeof *expected);
    const ptrdiff_t n_expected = decode_slowly(begin, n, expected);
    if (n_expected >= 0) {
        CHECK(extent.n_units == n_units);
    }
    if (state != SHORT_UTF8_GOES_ON && n > 0) {
        CHECK((state == SHORT_UTF8_DECODED) == (n_expected >= 0));
        for (ptrdiff_t i = 0; i < n_expected; i++) {
            CHECK((has_quads ? units_32[i] : units_16[i]) == expected[i]);
        }
    }
    free(expected);
}

struct unescaped {
    size_t n_read;
    size_t n_written;
    bool is_escaped;
};

/* Up to a quote, a control character or what is no short escape, one unit after another. */
static struct unescaped unescape_slowly(const struct units *text, bool is_strict, uint32_t *out) {
    struct unescaped state = {0};
    for (; state.n_read < text->n; state.n_read++) {
        const uint32_t c = units_get(text, state.n_read);
        if (state.is_escaped) {
            static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
            const char *p = letters;
            while (*p != 0 && (uint8_t)p[0] != c) {
                p += 2;
            }
            if (*p == 0) {
                return state;
            }
            out[state.n_written++] = (uint8_t)p[1];
            state.is_escaped = false;
        } else if (c == '\\') {
            state.is_escaped = true;
        } else if (c == '"' || (is_strict && c < 0x20)) {
            return state;
        } else {
            out[state.n_written++] = c;
        }
    }
    return state;
}

#define FUZZ_UNESCAPE(bits, vec_t, unit_t) \
    static void fuzz_unescape_##bits(const struct units *text, bool is_strict) { \
        const unit_t *from = text->from; \
        const unit_t *const end = units_end(text); \
        uint32_t *const expected = malloc((text->n + 1) * sizeof *expected); \
        const struct unescaped slow = unescape_slowly(text, is_strict, expected); \
        size_t n_written = 0; \
        vec_t greatest = {0}; \
        struct unescape_result_##bits result = {.is_escaped = false}; \
        while (!result.has_stopped) { \
            const struct units room = \
                units_new(UNESCAPE_ROOM_BYTES / sizeof(unit_t), sizeof(unit_t), 0); \
            const struct unescaped_##bits read = \
                unescape_##bits(from, end, result.is_escaped, is_strict, room.from, &greatest); \
            const size_t n = (size_t)(read.out - (unit_t *)room.from); \
            CHECK(n_written + n <= slow.n_written); \
            for (size_t i = 0; i < n; i++) { \
                CHECK(((unit_t *)room.from)[i] == expected[n_written + i]); \
            } \
            n_written += n; \
            CHECK(read.has_stopped || read.from > from); \
            from = read.from; \
            result.has_stopped = read.has_stopped; \
            result.is_escaped = read.is_escaped; \
            units_free(&room); \
        } \
        CHECK((size_t)(from - (const unit_t *)text->from) == slow.n_read); \
        CHECK(n_written == slow.n_written && result.is_escaped == slow.is_escaped); \
        uint32_t widest = 0; \
        for (size_t i = 0; i < slow.n_read; i++) { \
            const uint32_t c = units_get(text, i); \
            widest = c > widest ? c : widest; \
        } \
        CHECK(__builtin_reduce_max(greatest) == widest); \
        free(expected); \
    }

struct unescape_result_8 {
    bool has_stopped, is_escaped;
};
#define unescape_result_16 unescape_result_8
#define unescape_result_32 unescape_result_8
FUZZ_UNESCAPE(8, u8vec, uint8_t)
FUZZ_UNESCAPE(16, u16vec, uint16_t)
FUZZ_UNESCAPE(32, u32vec, uint32_t)

static int hex_digit(uint32_t c) {
    return c >= '0' && c <= '9'   ? (int)c - '0'
           : c >= 'a' && c <= 'f' ? (int)c - 'a' + 10
           : c >= 'A' && c <= 'F' ? (int)c - 'A' + 10
                                  : -1;
}

static int32_t hex_value_slowly(const struct units *text, size_t at) {
    int32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        const int digit = hex_digit(units_get(text, i));
        if (digit < 0) {
            return -1;
        }
        value = value << 4 | digit;
    }
    return value;
}

static void fuzz_hex(const struct units *text) {
    for (size_t i = 0; i + 4 <= text->n; i++) {
        const int32_t got = text->unit_bytes == 1   ? hex_value_8((uint8_t *)text->from + i)
                            : text->unit_bytes == 2 ? hex_value_16((uint16_t *)text->from + i)
                                                    : hex_value_32((uint32_t *)text->from + i);
        const int32_t expected = hex_value_slowly(text, i);
        CHECK(expected < 0 ? got < 0 : got == expected);
    }
#if defined(SIMD_HAS_HEX_ESCAPES)
    if (text->unit_bytes != 1) {
        return;
    }
    for (size_t at = 0; at + HEX_ESCAPES_READ <= text->n; at += 1 + at / 8) {
        uint16_t values[HEX_ESCAPES];
        const uint8_t *const from = (uint8_t *)text->from + at;
        const size_t n = read_hex_escapes(from, values);
        size_t n_expected = 0;
        while (n_expected < HEX_ESCAPES && from[6 * n_expected] == '\\' &&
               from[6 * n_expected + 1] == 'u' &&
               hex_value_slowly(text, at + 6 * n_expected + 2) >= 0) {
            CHECK(n_expected >= n ||
                  values[n_expected] == hex_value_slowly(text, at + 6 * n_expected + 2));
            n_expected++;
        }
        CHECK(n == n_expected);
    }
#endif
}

static void fuzz_reading(struct input *input) {
    const uint8_t choice = input_byte(input);
    const size_t unit = (size_t)1 << choice % 3;
    const bool is_strict = choice & 128;
    const struct units text = input_units(input, unit);
    switch (choice / 3 % 8) {
    case 0: fuzz_skip_space(&text); break;
    case 1:
        fuzz_scan_string(&text);
        fuzz_copy_string(&text);
        break;
    case 2: fuzz_hex(&text); break;
    case 3:
        if (unit == 1) {
            fuzz_scan_ascii(&text);
            fuzz_scan_utf8(&text, is_strict);
        }
        break;
    case 4:
    case 5:
        if (unit == 1) {
            const uint8_t kind = choice / 24;
            fuzz_decode_utf8(&text, (size_t)1 << kind % 3, choice);
            break;
        }
        /* fall through */
    default:
        if (unit == 1) {
            fuzz_unescape_8(&text, is_strict);
        } else if (unit == 2) {
            fuzz_unescape_16(&text, is_strict);
        } else {
            fuzz_unescape_32(&text, is_strict);
        }
    }
    units_free(&text);
}

#endif
