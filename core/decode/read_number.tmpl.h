/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one number of one kind of source text. Defines
 * read_number_<source>. */

/* load_characters: sixteen characters as bytes. find_others: a bit for each of 32 characters that
 * is no digit. */
#define load_characters CONCAT(load_characters, SOURCE_BITS)
#define find_others CONCAT(find_others, SOURCE_BITS)

/* Whether a number may begin with this character. Digits and the minus sign are taken for one
 * range, which saves a branch; the two characters between them begin no number. */
static ALWAYS_INLINE bool NAME(may_begin_number)(unit_t c) {
    return (uint32_t)c - '-' <= '9' - '-';
}

static ALWAYS_INLINE uint64_t NAME(load_eight)(const unit_t *p) {
#if SOURCE_BITS == 8
    return load_u64(p);
#else
    return low_word(load_characters(p));
#endif
}

/* The value of n digits, 16 <= n <= 19. n_whole of them are at p. The others, if there are any,
 * begin one character after those; `after` is the place after the last. */
static ALWAYS_INLINE uint64_t NAME(read_many_digits)(const unit_t *p, unsigned n_whole, unsigned n,
                                                     const unit_t *after) {
    assert(n >= 16 && n <= 19);
    static const uint64_t powers[] = {1, 10, 100, 1000};
    const uint64_t sixteen = sixteen_digits(load_characters(p), load_characters(p + 1), n_whole);
    return sixteen * powers[n - 16] + last_digits(NAME(load_eight)(after - 8), n - 16);
}

/* The exponent whose letter is at p, and the place after it; NULL where it has no digits or more
 * than four. */
static ALWAYS_INLINE const unit_t *NAME(read_exponent)(const unit_t *p, int *exponent) {
    const bool is_negative = p[1] == '-';
    p += 1 + (is_negative | (p[1] == '+'));
    const uint64_t digits = NAME(load_eight)(p) ^ 0x3030303030303030;
    /* the first byte above nine gets its highest bit set; the bytes after it may get it wrongly */
    const uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    const unsigned n = others == 0 ? 8 : trailing_zeros(others) / 8;
    if (UNLIKELY(n - 1 >= 4)) {
        return NULL;
    }
    const int magnitude = (int)four_values((uint32_t)digits << (32 - 8 * n));
    *exponent = is_negative ? -magnitude : magnitude;
    return p + n;
}

/* Read the int of n digits at p; the results are those of read_fast_number. */
static ALWAYS_INLINE const unit_t *NAME(read_fast_int)(struct decoder *decoder, const unit_t *p,
                                                       unsigned n, bool is_negative,
                                                       struct number_target target) {
    const unit_t *const after = p + n;
    if (n <= 8) {
        target_take_int(target, short_digit_string(load_characters(p), n), is_negative, false);
        return after;
    }
    uint64_t magnitude;
    if (n <= 16) {
        magnitude = digit_string(load_characters(p), n);
    } else {
        magnitude = NAME(read_many_digits)(p, 16, n, after);
        if (UNLIKELY((int64_t)magnitude < 0) && is_negative && magnitude > MAX_NEGATIVE_MAGNITUDE &&
            target.plain == NULL && decoder->options->int64 != INT_UNLIMITED) {
            return NULL;
        }
    }
    target_take_int(target, magnitude, is_negative, true);
    return after;
}

/* Read the number at p, of which FAST_NUMBER_UNITS units can be read; the results are those of
 * read_number. NULL where the number needs the slow path. */
static ALWAYS_INLINE const unit_t *NAME(read_fast_number)(struct decoder *decoder, const unit_t *p,
                                                          struct number_target target) {
    const struct decode_options *const options = decoder->options;
    const bool is_negative = *p == '-';
    /* the highest bit limits the search to 32 characters */
    const uint64_t others = (find_others(p) | (uint64_t)1 << 32) >> is_negative;
    p += is_negative;
    const unsigned n_whole = trailing_zeros(others);
    const unsigned is_zero = *p == '0';
    /* from one to nineteen, and no more than one if the first is a zero */
    if (UNLIKELY(n_whole - 1 > (is_zero ? 0 : 18u))) {
        return NULL;
    }
    const unit_t *after = p + n_whole;
    unsigned n_fraction = 0;
    if (*after == '.') {
        /* up to the next character that is no digit; without one, a count that is refused below */
        const unsigned n_characters = trailing_zeros((others & (others - 1)) | (uint64_t)1 << 63);
        n_fraction = n_characters - n_whole - 1;
        /* one or more, and up to nineteen digits in all, without a zero before the point */
        if (UNLIKELY(n_fraction - 1 >= 19 - (n_whole - is_zero)) | UNLIKELY(n_whole > 16)) {
            return NULL;
        }
        after = p + n_characters;
    } else if ((*after | 0x20) != 'e') {
        return target.plain != NULL || LIKELY(options->parse_int == NULL)
                   ? NAME(read_fast_int)(decoder, p, n_whole, is_negative, target)
                   : NULL;
    }
    if (target.plain == NULL && UNLIKELY(options->parse_float != NULL)) {
        return NULL;
    }
    const bool has_exponent = (*after | 0x20) == 'e';
    /* without the zero before a point, which would be a twentieth digit */
    const unsigned n = n_whole - is_zero + n_fraction;
    uint64_t w;
    if (UNLIKELY(n_fraction == 0)) {
        w = n_whole <= 16 ? digit_string(load_characters(p), n_whole)
                          : NAME(read_many_digits)(p, 16, n_whole, after);
    } else if (n > 15) {
        w = NAME(read_many_digits)(p + is_zero, n_whole - is_zero, n, after);
    } else {
        w = decimal_string(load_characters(p + is_zero), n, n_fraction);
        if (LIKELY(!has_exponent)) {
            target_take_float(target,
                              signed_double(short_decimal_to_double(w, n_fraction), is_negative));
            return after;
        }
    }
    int exponent = 0;
    if (has_exponent) {
        after = NAME(read_exponent)(after, &exponent);
        if (UNLIKELY(after == NULL)) {
            return NULL;
        }
    }
    exponent -= (int)n_fraction;
    if (UNLIKELY((unsigned)(exponent + 340) > 340 + 308)) {
        return NULL;
    }
    double magnitude;
    if (UNLIKELY(w == 0) || UNLIKELY(!decimal_to_normal_double(w, exponent, &magnitude))) {
        return NULL;
    }
    target_take_float(target, signed_double(magnitude, is_negative));
    return after;
}

/* The characters of the number at p as bytes. Those of wide text are copied to scratch; NULL with
 * an exception set. */
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

#if SOURCE_IS_UTF8
/* Whether more text could make another number of that at p: it reaches the end of the text, or only
 * the point or the letter of an exponent is between. Such a number is recorded as unfinished. */
static COLD bool NAME(is_unfinished_number)(const struct NAME(reader) * reader, const unit_t *p) {
    const struct number number = parse_number(p, reader->end);
    const unit_t *const after = number.end;
    const ptrdiff_t n_left = reader->end - after;
    const bool is_exponent = n_left > 0 && (*after | 0x20) == 'e';
    if (number.kind == NUMBER_NONE ||
        (n_left != 0 && !(n_left == 1 && (*after == '.' || is_exponent)) &&
         !(n_left == 2 && is_exponent && (after[1] == '+' || after[1] == '-')))) {
        return false;
    }
    NAME(fail)(reader, ERROR_UNFINISHED, p);
    return true;
}
#endif

/* Read any number, one character after another. */
static COLD const unit_t *NAME(read_any_number)(const struct NAME(reader) * reader, const unit_t *p,
                                                PyObject **value) {
    *value = NULL;
#if SOURCE_IS_UTF8
    if (reader->decoder->may_pause && NAME(is_unfinished_number)(reader, p)) {
        return p;
    }
#endif
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
    enum error_kind refusal = ERROR_NONE;
    *value = build_number(&number, text, options, &refusal);
    if (UNLIKELY(*value == NULL)) {
        if (refusal != ERROR_NONE) {
            NAME(fail)(reader, refusal, p);
        } else {
            decoder_fail(reader->decoder, ERROR_RAISED, 0);
        }
    }
    return p + (number.end - text);
}

/* Read an int of up to eighteen digits, one digit after another. Returns the place after it; p
 * where there is no such int. */
static ALWAYS_INLINE const unit_t *NAME(read_short_int)(const unit_t *const p, const unit_t *end,
                                                        PyObject **value) {
    const bool is_negative = *p == '-';
    const unit_t *const begin = p + is_negative;
    const unit_t *after = begin;
    uint64_t magnitude = 0;
    while (after < end && (uint32_t)*after - '0' < 10 && after - begin < 19) {
        magnitude = magnitude * 10 + (uint32_t)*after - '0';
        after++;
    }
    const ptrdiff_t n = after - begin;
    if (n == 0 || n == 19 || (*begin == '0' && n > 1) ||
        (after < end && (*after == '.' || (*after | 0x20) == 'e'))) {
        return p;
    }
    *value = long_new(magnitude, is_negative);
    return after;
}

#if SOURCE_IS_UTF8
/* Read the number in a copy of the end of a text of any kind. The results are those of
 * read_fast_number. */
static NOINLINE const uint8_t *read_copied_number(struct decoder *decoder, const uint8_t *copy,
                                                  PyObject **value) {
    return NAME(read_fast_number)(decoder, copy, (struct number_target){.object = value});
}
#endif

/* Read a number that begins fewer than FAST_NUMBER_UNITS units before the end of the text: an int
 * digit by digit, because numbers in short documents are mostly ints; any other number in a copy
 * with zeros after it. */
static NOINLINE const unit_t *NAME(read_last_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
#if SOURCE_IS_UTF8
    if (UNLIKELY(reader->decoder->may_pause) && NAME(is_unfinished_number)(reader, p)) {
        *value = NULL;
        return p;
    }
#endif
    if (LIKELY(reader->decoder->options->parse_int == NULL)) {
        const unit_t *const after_int = NAME(read_short_int)(p, reader->end, value);
        if (after_int != p) {
            return after_int;
        }
    }
    assert(p < reader->end && reader->end - p < FAST_NUMBER_UNITS);
    uint8_t copy[FAST_NUMBER_UNITS] = {0};
    for (ptrdiff_t i = 0; i < reader->end - p; i++) {
        copy[i] = p[i] < 0x80 ? (uint8_t)p[i] : 0x80; /* no character of a number */
    }
    const uint8_t *const after = read_copied_number(reader->decoder, copy, value);
    if (UNLIKELY(after == NULL)) {
        return NAME(read_any_number)(reader, p, value);
    }
    if (UNLIKELY(*value == NULL)) {
        decoder_fail(reader->decoder, ERROR_RAISED, 0);
    }
    return p + (after - copy);
}

/* Read the number at p: a new int or float, and the place after it. *value is NULL where no number
 * starts here, in which case the place is p, or where an error is recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
    if (UNLIKELY(reader->end - p < FAST_NUMBER_UNITS)) {
        return NAME(read_last_number)(reader, p, value);
    }
    const unit_t *const after =
        NAME(read_fast_number)(reader->decoder, p, (struct number_target){.object = value});
    if (UNLIKELY(after == NULL)) {
        return NAME(read_any_number)(reader, p, value);
    }
    return after;
}

#undef load_characters
#undef find_others
