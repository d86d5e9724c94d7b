/* SPDX-License-Identifier: MIT */
/* The kernels that write text, held against one character at a time. */
#ifndef SSRJSON_FUZZ_WRITING_H
#define SSRJSON_FUZZ_WRITING_H

#include "floors.h"
#include "text/base64.h"
#include "text/escape_ascii.h"
#include "text/escape_copy.h"
#include "text/escape_utf8.h"
#include "text/long_text.h"
#include "text/utf8_size.h"

/* What text becomes: units of the output's width, room for twelve a character. */
struct expected {
    uint32_t *units;
    size_t n;
    size_t n_read; /* fewer than all where a surrogate stops it */
};

enum form { FORM_UTF8, FORM_ASCII, FORM_COPY };

static void expected_add(struct expected *expected, uint32_t unit) {
    expected->units[expected->n++] = unit;
}

static void expected_add_hex(struct expected *expected, uint32_t unit) {
    char text[8];
    snprintf(text, sizeof text, "\\u%04x", (unsigned)unit);
    for (const char *p = text; *p != 0; p++) {
        expected_add(expected, (uint8_t)*p);
    }
}

static void expected_add_utf8(struct expected *expected, uint32_t c) {
    if (c < 0x80) {
        expected_add(expected, c);
        return;
    }
    const int n_tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t tags[] = {0, 0xc0, 0xe0, 0xf0};
    expected_add(expected, tags[n_tails] | c >> (6 * n_tails));
    for (int i = n_tails - 1; i >= 0; i--) {
        expected_add(expected, 0x80 | (c >> (6 * i) & 0x3f));
    }
}

static bool expected_add_escape(struct expected *expected, uint32_t c) {
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *p = letters; *p != 0; p += 2) {
        if ((uint8_t)p[0] == c) {
            expected_add(expected, '\\');
            expected_add(expected, (uint8_t)p[1]);
            return true;
        }
    }
    if (c < 0x20) {
        expected_add_hex(expected, c);
        return true;
    }
    return false;
}

static struct expected expected_text(const struct units *text, enum form form) {
    struct expected expected = {.units = malloc((12 * text->n + 1) * sizeof(uint32_t))};
    for (; expected.n_read < text->n; expected.n_read++) {
        const uint32_t c = units_get(text, expected.n_read);
        if (expected_add_escape(&expected, c)) {
            continue;
        }
        if (form == FORM_COPY || (form == FORM_ASCII && c < 0x7f)) {
            expected_add(&expected, c);
        } else if (form == FORM_UTF8) {
            if (c >= 0xd800 && c < 0xe000) {
                break;
            }
            expected_add_utf8(&expected, c);
        } else if (c < 0x10000) {
            expected_add_hex(&expected, c);
        } else {
            expected_add_hex(&expected, 0xd7c0 + (c >> 10));
            expected_add_hex(&expected, 0xdc00 + (c & 0x3ff));
        }
    }
    return expected;
}

/* One call of a kernel: where it stopped. */
static const void *escape_once(const struct units *text, const void *from, enum form form,
                               const struct units *room, void **out) {
    const void *const limit = (char *)room->from + (room->n - TEXT_BLOCK_ROOM) * room->unit_bytes;
    const void *const end = units_end(text);
    const size_t source = text->unit_bytes;
#define ESCAPE(kernel, source_t, target_t) \
    (const void *)kernel((const source_t *)from, (const source_t *)end, (target_t **)out, \
                         (const target_t *)limit)
    if (form == FORM_UTF8) {
        return source == 1   ? ESCAPE(escape_utf8_8, uint8_t, uint8_t)
               : source == 2 ? ESCAPE(escape_utf8_16, uint16_t, uint8_t)
                             : ESCAPE(escape_utf8_32, uint32_t, uint8_t);
    }
    if (form == FORM_ASCII) {
        return source == 1   ? ESCAPE(escape_ascii_8, uint8_t, uint8_t)
               : source == 2 ? ESCAPE(escape_ascii_16, uint16_t, uint8_t)
                             : ESCAPE(escape_ascii_32, uint32_t, uint8_t);
    }
    if (room->unit_bytes == 4) {
        return source == 1   ? ESCAPE(escape_copy_8_32, uint8_t, uint32_t)
               : source == 2 ? ESCAPE(escape_copy_16_32, uint16_t, uint32_t)
                             : ESCAPE(escape_copy_32_32, uint32_t, uint32_t);
    }
    if (room->unit_bytes == 2) {
        return source == 1 ? ESCAPE(escape_copy_8_16, uint8_t, uint16_t)
                           : ESCAPE(escape_copy_16_16, uint16_t, uint16_t);
    }
    return ESCAPE(escape_copy_8_8, uint8_t, uint8_t);
#undef ESCAPE
}

static void check_units(const struct units *room, size_t n, const struct expected *expected,
                        size_t at) {
    CHECK(at + n <= expected->n);
    for (size_t i = 0; i < n; i++) {
        CHECK(units_get(room, i) == expected->units[at + i]);
    }
}

/* A kernel over all of a text, in outputs that hold `n_room` units before their limit. */
static void fuzz_escape(const struct units *text, enum form form, size_t target, size_t n_room) {
    const struct expected expected = expected_text(text, form);
    const void *from = text->from;
    size_t n_written = 0;
    for (;;) {
        const struct units room = units_new(n_room + TEXT_BLOCK_ROOM, target, 0);
        void *out = room.from;
        const void *const stop = escape_once(text, from, form, &room, &out);
        const size_t n = (size_t)((char *)out - (char *)room.from) / target;
        check_units(&room, n, &expected, n_written);
        n_written += n;
        const bool is_at_surrogate = stop != units_end(text) && n <= n_room;
        const bool has_moved = stop != from;
        units_free(&room);
        from = stop;
        if (is_at_surrogate || from == units_end(text)) {
            break;
        }
        CHECK(has_moved);
    }
    CHECK((size_t)((const char *)from - (const char *)text->from) ==
          expected.n_read * text->unit_bytes);
    CHECK(n_written == expected.n);
    free(expected.units);
}

static void fuzz_measure(const struct units *text, bool to_utf8) {
    size_t n_expected = 0;
    for (size_t i = 0; i < text->n; i++) {
        const uint32_t c = units_get(text, i);
        uint32_t memory[12];
        struct expected one = {.units = memory};
        if (!expected_add_escape(&one, c)) {
            if (to_utf8) {
                expected_add_utf8(&one, c);
            } else {
                expected_add(&one, c);
            }
        }
        n_expected += one.n;
    }
    CHECK(measure_escaped(text->from, text->n, text->unit_bytes, to_utf8) == n_expected);
    if (text->n >= 1024) {
        measure_ratio(text->from, text->n, text->unit_bytes, to_utf8);
    }
    if (!to_utf8) {
        return;
    }
    size_t n_bytes = 0;
    bool has_surrogate = false;
    for (size_t i = 0; i < text->n; i++) {
        const uint32_t c = units_get(text, i);
        n_bytes += 1u + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
        has_surrogate |= c >= 0xd800 && c < 0xe000;
    }
    const size_t got = text->unit_bytes == 1   ? utf8_size_of_latin1(text->from, text->n)
                       : text->unit_bytes == 2 ? utf8_size_of_ucs2(text->from, text->n)
                                               : utf8_size_of_ucs4(text->from, text->n);
    CHECK(got == (has_surrogate ? 0 : n_bytes));
}

/* Short texts, which are written without a look at the room. */
static void fuzz_short(struct units *text, size_t target) {
    const bool is_narrow = text->unit_bytes == 1 && target > 1;
    const size_t n_most = is_narrow ? COPY_SHORT_NARROW : COPY_SHORT_BLOCKS * (VEC_BYTES / target);
    const size_t n_beyond = is_narrow ? 16 : VEC_BYTES / target;
    const struct units whole = *text;
    if (text->n > n_most) { /* the last ones, which end where the memory ends */
        text->from = (char *)text->from + (text->n - n_most) * text->unit_bytes;
        text->n = n_most;
    }
    const struct expected expected = expected_text(text, FORM_COPY);
    const size_t n = text->n;
    for (int narrow = 0; narrow < 2; narrow++) {
        const size_t n_room = target == 1 && narrow && n < 32 ? 32 : 0;
        const struct units room =
            units_new(n_room > n + n_beyond ? n_room : n + n_beyond, target, 0);
        void *const to = room.from;
        bool is_plain;
        if (target == 1) {
            is_plain = narrow ? copy_short_plain(text->from, n, to)
                              : copy_short_plain_8_8(text->from, n, to);
        } else if (target == 2) {
            is_plain = text->unit_bytes == 1 ? copy_short_plain_8_16(text->from, n, to)
                                             : copy_short_plain_16_16(text->from, n, to);
        } else {
            is_plain = text->unit_bytes == 1   ? copy_short_plain_8_32(text->from, n, to)
                       : text->unit_bytes == 2 ? copy_short_plain_16_32(text->from, n, to)
                                               : copy_short_plain_32_32(text->from, n, to);
        }
        CHECK(is_plain == (expected.n == n));
        if (is_plain) {
            check_units(&room, n, &expected, 0);
        }
        units_free(&room);
    }
    free(expected.units);
    *text = whole;
}

/* The number of units before the first to be escaped. */
static size_t n_plain_units(const struct units *text) {
    size_t n = 0;
    while (n < text->n && !is_escaped(units_get(text, n))) {
        n++;
    }
    return n;
}

/* Texts of medium length: the units before the first to be escaped, or up to a step less. */
static void fuzz_blocks(const struct units *text, size_t target) {
    const size_t step = (text->unit_bytes == target ? 2 : 1) * VEC_BYTES / text->unit_bytes;
    if (text->n < step || text->n < VEC_BYTES / target) {
        return;
    }
    const struct units room = units_new(text->n, target, 0);
    size_t n;
    if (target == 1) {
        n = copy_blocks_8_8(text->from, text->n, room.from);
    } else if (target == 2) {
        n = text->unit_bytes == 1 ? copy_blocks_8_16(text->from, text->n, room.from)
                                  : copy_blocks_16_16(text->from, text->n, room.from);
    } else {
        n = text->unit_bytes == 1   ? copy_blocks_8_32(text->from, text->n, room.from)
            : text->unit_bytes == 2 ? copy_blocks_16_32(text->from, text->n, room.from)
                                    : copy_blocks_32_32(text->from, text->n, room.from);
    }
    const size_t n_plain = n_plain_units(text);
    CHECK(n <= n_plain && n_plain - n <= step);
    CHECK((n == text->n) == (n_plain == text->n));
    for (size_t i = 0; i < n; i++) {
        CHECK(units_get(&room, i) == units_get(text, i));
    }
    units_free(&room);
}

/* ASCII with few escapes: all of it, or its beginning. The bytes lose their highest bits. */
static void fuzz_few_escapes(struct units *bytes, size_t n_limit) {
    for (size_t i = 0; i < bytes->n; i++) {
        units_set(bytes, i, units_get(bytes, i) & 0x7f);
    }
    const struct units room = units_new(n_limit + TEXT_BLOCK_ROOM, 1, 0);
    uint8_t *to = room.from;
    const uint8_t *const from = bytes->from;
    const size_t n = (size_t)(escape_few(from, from + bytes->n, &to, to + n_limit) - from);
    const struct units first = {.from = bytes->from, .n = n, .unit_bytes = 1};
    const struct expected expected_first = expected_text(&first, FORM_COPY);
    CHECK((size_t)(to - (uint8_t *)room.from) == expected_first.n);
    check_units(&room, expected_first.n, &expected_first, 0);
#if !defined(SIMD_HAS_COMPRESS)
    const struct expected expected = expected_text(bytes, FORM_COPY);
    CHECK(n == bytes->n || expected_first.n > n_limit || expected.n - bytes->n > 2);
    free(expected.units);
#else
    CHECK(n == bytes->n || expected_first.n > n_limit);
#endif
    units_free(&room);
    free(expected_first.units);
}

/* As the encoder calls it for a text of this length. */
static size_t plain_utf8(const struct units *text, uint8_t **out) {
    if (text->unit_bytes == 2 && plain_utf8_is_short(text->from, text->n)) {
        return plain_utf8_short_16(text->from, text->n, out);
    }
    return text->unit_bytes == 1   ? plain_utf8_8(text->from, text->n, out)
           : text->unit_bytes == 2 ? plain_utf8_16(text->from, text->n, out)
                                   : plain_utf8_32(text->from, text->n, out);
}

/* The beginning of a text, as far as nothing is to be escaped, and then the rest of it. */
static void fuzz_plain_utf8(const struct units *text) {
    if (text->n == 0 || text->n > PLAIN_UTF8_UNITS) {
        return;
    }
    const struct expected whole = expected_text(text, FORM_UTF8);
    const struct units room =
        units_new(PLAIN_UTF8_ROOM(text->n) + 6 * text->n + TEXT_BLOCK_ROOM, 1, 0);
    uint8_t *end = room.from;
    const size_t n_stored = plain_utf8(text, &end);
    const struct units first = {.from = text->from, .n = n_stored, .unit_bytes = text->unit_bytes};
    const struct expected expected_first = expected_text(&first, FORM_UTF8);
    CHECK(n_stored <= text->n && expected_first.n_read == n_stored);
    CHECK((size_t)(end - (uint8_t *)room.from) == expected_first.n);
    check_units(&room, expected_first.n, &expected_first, 0);
    const char *const from = text->from;
    const char *const text_end = from + text->n * text->unit_bytes;
    const uint8_t *const limit = (uint8_t *)room.from + 6 * text->n;
    const bool is_done = escape_utf8_run(from + n_stored * text->unit_bytes, text_end,
                                         (int)text->unit_bytes, &end, limit) == text_end;
    CHECK(is_done == (whole.n_read == text->n));
    CHECK((size_t)(end - (uint8_t *)room.from) == whole.n);
    check_units(&room, whole.n, &whole, 0);
    end = room.from;
    CHECK((write_utf8_run(from, text_end, (int)text->unit_bytes, &end, limit) == text_end) ==
          is_done);
    CHECK((size_t)(end - (uint8_t *)room.from) == whole.n);
    check_units(&room, whole.n, &whole, 0);
    units_free(&room);
    free(expected_first.units);
    free(whole.units);
}

static void fuzz_base64(const struct units *bytes, bool is_url_safe) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t n_chars = base64_length(bytes->n);
    const struct units out = units_new(n_chars, 1, 0);
    base64_encode(bytes->from, bytes->n, out.from, is_url_safe);
    CHECK(n_chars == (bytes->n + 2) / 3 * 4);
    for (size_t i = 0; i < n_chars; i++) {
        unsigned value = 0;
        bool is_padding = true;
        for (size_t bit = 0; bit < 6; bit++) {
            const size_t at = 6 * i + bit;
            const unsigned byte = at / 8 < bytes->n ? units_get(bytes, at / 8) : 0;
            is_padding &= at / 8 >= bytes->n;
            value = value << 1 | (byte >> (7 - at % 8) & 1);
        }
        const char expected = is_padding    ? '='
                              : value < 62  ? plain[value]
                              : value == 62 ? (is_url_safe ? '-' : '+')
                                            : (is_url_safe ? '_' : '/');
        CHECK((char)units_get(&out, i) == expected);
    }
    units_free(&out);
}

static void fuzz_compress(struct input *input, uint64_t keep) {
    uint8_t bytes[VEC_BYTES];
    for (size_t i = 0; i < VEC_BYTES; i++) {
        bytes[i] = input_byte(input);
    }
    const u8vec lanes = u8_load(bytes);
    for (size_t unit = 1; unit <= 4; unit *= 2) {
        const struct units out = units_new(2 * VEC_BYTES / unit, unit, 0);
        const uint64_t bits = keep & low_bits(VEC_BYTES / unit);
        const void *const end = unit == 1   ? (void *)compress_8(out.from, lanes, bits)
                                : unit == 2 ? (void *)compress_16(out.from, (u16vec)lanes, bits)
                                            : (void *)compress_32(out.from, (u32vec)lanes, bits);
        size_t n = 0;
        for (size_t i = 0; i < VEC_BYTES / unit; i++) {
            if (bits >> i & 1) {
                CHECK(memcmp((char *)out.from + n * unit, bytes + i * unit, unit) == 0);
                n++;
            }
        }
        CHECK((const char *)end == (char *)out.from + n * unit);
        units_free(&out);
    }
}

#if defined(SIMD_HAS_SHUFFLE)
static void fuzz_pack(struct input *input, uint64_t first, uint64_t second, uint64_t third) {
    uint8_t bytes[VEC_BYTES];
    uint8_t expected[VEC_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < VEC_BYTES; i++) {
        bytes[i] = input_byte(input);
    }
    const u8vec lanes = u8_load(bytes);
    const struct units out = units_new(2 * VEC_BYTES, 1, 0);
    const uint32_t two = (uint32_t)(first & low_bits(U16_LANES));
    const uint8_t *end = pack_two_bytes(out.from, (u16vec)lanes, two);
    for (size_t i = 0; i < U16_LANES; i++) {
        expected[n++] = bytes[2 * i];
        if (two >> i & 1) {
            expected[n++] = bytes[2 * i + 1];
        }
    }
    CHECK(end == (uint8_t *)out.from + n && memcmp(out.from, expected, n) == 0);

    const uint32_t two_units = (uint32_t)(first & low_bits(U32_LANES));
    end = (uint8_t *)pack_two_units(out.from, (u32vec)lanes, two_units);
    n = 0;
    for (size_t i = 0; i < U32_LANES; i++) {
        const size_t n_bytes = two_units >> i & 1 ? 4 : 2;
        memcpy(expected + n, bytes + 4 * i, n_bytes);
        n += n_bytes;
    }
    CHECK(end == (uint8_t *)out.from + n && memcmp(out.from, expected, n) == 0);

    n = 0;
#if defined(SIMD_HAS_COMPRESS)
    (void)second;
    (void)third;
    end = pack_nonzero_bytes(out.from, lanes);
    for (size_t i = 0; i < VEC_BYTES; i++) {
        if (bytes[i] != 0) {
            expected[n++] = bytes[i];
        }
    }
#else
    const uint32_t three_of_four = two_units & (uint32_t)second;
    const uint32_t four_of_four = three_of_four & (uint32_t)third;
    end = pack_four_bytes(out.from, (u32vec)lanes,
                          u32_from_mask(two_units ^ three_of_four ^ four_of_four),
                          u32_from_mask(three_of_four));
    for (size_t i = 0; i < U32_LANES; i++) {
        const size_t n_bytes =
            1 + (two_units >> i & 1) + (three_of_four >> i & 1) + (four_of_four >> i & 1);
        memcpy(expected + n, bytes + 4 * i + 4 - n_bytes, n_bytes);
        n += n_bytes;
    }
#endif
    CHECK(end == (uint8_t *)out.from + n && memcmp(out.from, expected, n) == 0);
    units_free(&out);
}
#endif

static void fuzz_writing(struct input *input) {
    const uint8_t choice = input_byte(input);
    if (choice >= 0xf8) {
        const uint64_t keep = input_u64(input);
#if defined(SIMD_HAS_SHUFFLE)
        if (choice & 1) {
            fuzz_pack(input, keep, input_u64(input), input_u64(input));
            return;
        }
#endif
        fuzz_compress(input, keep);
        return;
    }
    const size_t source = (size_t)1 << choice % 3;
    const size_t target = (size_t)1 << choice / 3 % 3;
    const uint8_t work = input_byte(input);
    const size_t n_room = input_byte(input) * (size_t)(1 + work / 8 % 8);
    struct units text = input_units(input, source);
    switch (work % 8) {
    case 0:
    case 1: fuzz_escape(&text, FORM_UTF8, 1, n_room); break;
    case 2: fuzz_escape(&text, FORM_ASCII, 1, n_room); break;
    case 3: fuzz_measure(&text, work & 128); break;
    case 4: fuzz_plain_utf8(&text); break;
    case 5:
        if (source == 1) {
            fuzz_base64(&text, work & 128);
            break;
        }
        /* fall through */
    default:
        if (target < source) {
            fuzz_escape(&text, FORM_COPY, source, n_room);
        } else if (work & 128) {
            fuzz_escape(&text, FORM_COPY, target, n_room);
        } else {
            fuzz_short(&text, target);
            fuzz_blocks(&text, target);
            if (source == 1) {
                fuzz_few_escapes(&text, n_room);
            }
        }
    }
    units_free(&text);
}

#endif
