/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one number of one kind of source text. Defines
 * read_number_<source>. */

/* Sixteen characters; the 32 characters at a place that are digits, a bit each. */
#define load_characters CONCAT(load_characters, SOURCE_BITS)
#define find_digits CONCAT(find_digits, SOURCE_BITS)

static ALWAYS_INLINE uint64_t NAME(load_eight)(const unit_t *p) {
#if SOURCE_BITS == 8
    return load_u64(p);
#else
    return low_word(load_characters(p));
#endif
}

/* The value of n <= 19 digits of which n_whole stand at p and the others, where there are others,
 * one further on. */
static ALWAYS_INLINE uint64_t NAME(read_digits)(const unit_t *p, unsigned n_whole, unsigned n) {
    assert(n >= 1 && n <= 19);
    const unsigned n_first = n > 16 ? n - 16 : 0;
    const u8x16 digits =
        leave_out_point(load_characters(p + n_first), load_characters(p + n_first + 1),
                        (int)n_whole - (int)n_first) -
        '0';
    const uint64_t last = sixteen_values(u8x16_align_right(digits, n - n_first));
    const u8x16 first = leave_out_point(load_characters(p), load_characters(p + 1), (int)n_whole);
    const uint64_t first_digits = (uint32_t)(low_word(first) ^ 0x30303030);
    return four_values((uint32_t)(first_digits << (32 - 8 * n_first))) * 10000000000000000 + last;
}

/* The exponent whose letter stands at p, and the place behind it; NULL where it has no digits or
 * more than four. */
static ALWAYS_INLINE const unit_t *NAME(read_exponent)(const unit_t *p, int *exponent) {
    const bool is_negative = p[1] == '-';
    p += 1 + (is_negative | (p[1] == '+'));
    const uint64_t digits = NAME(load_eight)(p) ^ 0x3030303030303030;
    /* the first byte above nine gets its highest bit set, behind it any may */
    const uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    const unsigned n = others == 0 ? 8 : trailing_zeros(others) / 8;
    if (UNLIKELY(n - 1 >= 4)) {
        return NULL;
    }
    const int magnitude = (int)four_values((uint32_t)digits << (32 - 8 * n));
    *exponent = is_negative ? -magnitude : magnitude;
    return p + n;
}

/* The number at p, of which so many units can be read, as read_number gives it; NULL: it is not
 * one of the usual ones. */
static ALWAYS_INLINE const unit_t *NAME(read_usual_number)(const struct decode_options *options,
                                                           const unit_t *p, PyObject **value) {
    const bool is_negative = *p == '-';
    const uint64_t digits = find_digits(p) >> is_negative;
    p += is_negative;
    const unsigned n_whole = trailing_zeros(~digits);
    const bool is_zero = *p == '0';
    const unit_t *behind = p + n_whole;
    if (*behind != '.' && (*behind | 0x20) != 'e') {
        if (UNLIKELY(n_whole - 1 >= 19) | UNLIKELY(is_zero & (n_whole > 1)) |
            UNLIKELY(options->parse_int != NULL)) {
            return NULL;
        }
        const uint64_t magnitude = n_whole <= 8 ? short_digit_string(NAME(load_eight)(p), n_whole)
                                                : NAME(read_digits)(p, n_whole, n_whole);
        *value = long_new(magnitude, is_negative);
        return behind;
    }
    const bool has_point = *behind == '.';
    const unsigned n_fraction = has_point ? trailing_zeros(~(digits >> (n_whole + 1))) : 0;
    const unsigned n = n_whole - is_zero + n_fraction;
    if (UNLIKELY(n_whole - 1 >= 19) | UNLIKELY(n > 19) | UNLIKELY(is_zero & (n_whole > 1)) |
        UNLIKELY(n_fraction < has_point) | UNLIKELY(options->parse_float != NULL)) {
        return NULL;
    }
    behind += has_point + n_fraction;
    int exponent = 0;
    if ((*behind | 0x20) == 'e') {
        behind = NAME(read_exponent)(behind, &exponent);
        if (UNLIKELY(behind == NULL)) {
            return NULL;
        }
    }
    exponent -= (int)n_fraction;
    if (UNLIKELY((unsigned)(exponent + 340) > 340 + 308)) {
        return NULL;
    }
    /* "0.": without the zero, which would be a twentieth digit */
    const uint64_t w =
        n == 0 ? 0 : NAME(read_digits)(is_zero ? p + 1 : p, is_zero ? 0 : n_whole, n);
    uint64_t bits;
    if (UNLIKELY(!decimal_to_normal_double(w, exponent, &bits))) {
        return NULL;
    }
    *value = float_new(double_from_bits(bits | (uint64_t)is_negative << 63));
    return behind;
}

/* The characters of the number at p as bytes, at most up to n_units behind it, on the C stack or in
 * scratch; NULL with an exception set. */
static ALWAYS_INLINE const uint8_t *NAME(narrow_number)(const struct NAME(reader) * reader,
                                                        const unit_t *p, size_t *n_bytes) {
#if SOURCE_BITS == 8
    *n_bytes = (size_t)(reader->end - p);
    return p;
#else
    size_t n = 0;
    while (p + n < reader->end && is_number_character(p[n])) {
        n++;
    }
    *n_bytes = n;
    if (!decoder_reserve_scratch(reader->decoder, 0, n)) {
        return NULL;
    }
    uint8_t *const text = reader->decoder->scratch;
    for (size_t i = 0; i < n; i++) {
        text[i] = (uint8_t)p[i];
    }
    return text;
#endif
}

/* Any number, one character after another. */
static COLD const unit_t *NAME(read_any_number)(const struct NAME(reader) * reader, const unit_t *p,
                                                PyObject **value) {
    *value = NULL;
    size_t n_bytes;
    const uint8_t *const text = NAME(narrow_number)(reader, p, &n_bytes);
    if (UNLIKELY(text == NULL)) {
        return p;
    }
    const struct number number = parse_number(text, text + n_bytes);
    const struct decode_options *const options = reader->decoder->options;
    if (number.kind == NUMBER_NONE) {
        return p;
    }
    bool is_out_of_range = false;
    *value = build_number(&number, text, options, &is_out_of_range);
    if (UNLIKELY(*value == NULL)) {
        if (is_out_of_range) {
            NAME(fail)(reader, ERROR_OUT_OF_RANGE, p);
        } else {
            decoder_fail(reader->decoder, ERROR_RAISED, 0);
        }
    }
    return p + (number.end - text);
}

/* A number near the end of the text: as if zeros followed. */
static NOINLINE const unit_t *NAME(read_last_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
    unit_t window[NUMBER_WINDOW] = {0};
    memcpy(window, p, (size_t)((const char *)reader->end - (const char *)p));
    const unit_t *const behind = NAME(read_usual_number)(reader->decoder->options, window, value);
    if (UNLIKELY(behind == NULL)) {
        return NAME(read_any_number)(reader, p, value);
    }
    if (UNLIKELY(*value == NULL)) {
        decoder_fail(reader->decoder, ERROR_RAISED, 0);
    }
    return p + (behind - window);
}

/* The number at p: a new int or float, and the place behind it. *value is NULL where none starts
 * here, the place being p then, or where an error is recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
    if (UNLIKELY(reader->end - p < NUMBER_WINDOW)) {
        return NAME(read_last_number)(reader, p, value);
    }
    const unit_t *const behind = NAME(read_usual_number)(reader->decoder->options, p, value);
    if (UNLIKELY(behind == NULL)) {
        return NAME(read_any_number)(reader, p, value);
    }
    return behind;
}

#undef load_characters
#undef find_digits
