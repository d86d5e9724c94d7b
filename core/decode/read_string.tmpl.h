/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one string of one kind of source text. Defines
 * read_string_<source>. */

/* The code point of the \uXXXX at p, whose first two units are there, *n_units long; -1 with the
 * error recorded. A high surrogate includes the low one after it. Reads no further than the end. */
static ALWAYS_INLINE int32_t NAME(read_unicode_escape)(const struct NAME(reader) * reader,
                                                       const unit_t *p, size_t *n_units) {
    assert(reader->end - p >= 2);
    const ptrdiff_t n_after = reader->decoder->options->quirks.wants_text_after_escape;
    const ptrdiff_t n_left = reader->end - p - n_after;
    const int32_t c = n_left < 6 ? -1 : CONCAT(hex_value, SOURCE_BITS)(p + 2);
    if (UNLIKELY(c < 0)) {
        NAME(fail)(reader, ERROR_INVALID_UNICODE_ESCAPE, p + 1);
        return -1;
    }
    *n_units = 6;
    if (LIKELY(!is_surrogate_unit((uint32_t)c))) {
        return c;
    }
    if (c < 0xdc00 && n_left >= 12 && p[6] == '\\' && p[7] == 'u') {
        const int32_t low = CONCAT(hex_value, SOURCE_BITS)(p + 8);
        if (low < 0) {
            NAME(fail)(reader, ERROR_INVALID_UNICODE_ESCAPE, p + 7);
            return -1;
        }
        if ((low & 0xfc00) == 0xdc00) {
            *n_units = 12;
            return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
        }
    }
    if (!reader->decoder->options->allow_surrogates) {
        NAME(fail)(reader, ERROR_SURROGATE, p);
        return -1;
    }
    return c;
}

/* Record the error at p, where a string cannot continue: at the backslash before p if p is escaped,
 * otherwise at p. The string begins at `begin`, after its quote. */
static COLD void NAME(fail_in_string)(const struct NAME(reader) * reader, const unit_t *begin,
                                      const unit_t *p, bool is_escaped) {
    assert(reader->begin < begin && begin <= p && p <= reader->end && (!is_escaped || begin < p));
    if (p == reader->end) {
        NAME(fail)(reader, ERROR_UNTERMINATED_STRING, begin - 1);
    } else if (is_escaped) {
        NAME(fail)(reader, ERROR_INVALID_ESCAPE, p - 1);
    } else {
        NAME(fail)(reader, ERROR_CONTROL_CHARACTER, p);
    }
}

/* Whether [p, end) has no raw surrogates; otherwise false with the first one recorded. Called only
 * where the options refuse them. */
static COLD bool NAME(has_no_surrogates)(const struct NAME(reader) * reader, const unit_t *p,
                                         const unit_t *end) {
    for (; p < end; p++) {
#if SOURCE_IS_UTF8
        p = memchr(p, 0xed, (size_t)(end - p));
        if (p == NULL) {
            return true;
        }
        /* 11101101 101aaaaa 10bbbbbb */
        if (end - p >= 3 && (p[1] & 0xe0) == 0xa0) {
#else
        if (is_surrogate_unit(*p)) {
#endif
            NAME(fail)(reader, ERROR_SURROGATE, p);
            return false;
        }
    }
    return true;
}

#if SOURCE_IS_UTF8
/* A str of n bytes of UTF-8 with greatest byte `widest`; the byte after them is no continuation
 * byte. NULL with the error recorded. */
static ALWAYS_INLINE PyObject *NAME(build)(const struct NAME(reader) * reader, const uint8_t *from,
                                           size_t n, size_t n_code_points, uint32_t widest) {
    if (widest < 0x80) {
        return build_ascii(from, n);
    }
    bool is_malformed;
    PyObject *const string = build_from_utf8(from, n, n_code_points, widest, &is_malformed);
    if (UNLIKELY(string == NULL && is_malformed)) {
        NAME(fail)(reader, ERROR_INVALID_UTF8, reader->begin);
    }
    return string;
}
#endif

#if SOURCE_BITS < 32 && !SOURCE_IS_UTF8
/* Read a string with escapes of code points that are wider than the source's units: unit by unit
 * from its start, with its code points in scratch. */
static COLD PyObject *NAME(read_widened_string)(const struct NAME(reader) * reader,
                                                const unit_t *const begin, const unit_t **after) {
    struct decoder *const decoder = reader->decoder;
    const bool is_strict = decoder->options->is_strict;
    const unit_t *from = begin;
    size_t n = 0;
    for (;;) {
        if (!decoder_reserve_scratch(decoder, n * sizeof(uint32_t), sizeof(uint32_t))) {
            return NULL;
        }
        uint32_t *const out = (uint32_t *)decoder->scratch + n;
        if (from == reader->end || (is_strict && *from < 0x20)) {
            NAME(fail_in_string)(reader, begin, from, false);
            return NULL;
        }
        *out = *from++;
        if (*out == '"') {
            break;
        }
        n++;
        if (*out != '\\') {
            continue;
        }
        if (from < reader->end && *from == 'u') {
            size_t n_units;
            const int32_t c = NAME(read_unicode_escape)(reader, from - 1, &n_units);
            if (c < 0) {
                return NULL;
            }
            *out = (uint32_t)c;
            from += n_units - 1;
            continue;
        }
        *out = from < reader->end ? escape_meaning(*from) : 0;
        if (*out == 0) {
            NAME(fail_in_string)(reader, begin, from, true);
            return NULL;
        }
        from++;
    }
    const uint32_t *const scratch = decoder->scratch;
    uint32_t widest = 0;
    *after = from;
    if (UNLIKELY(!decoder->options->allow_surrogates) &&
        !NAME(has_no_surrogates)(reader, begin, from)) {
        return NULL;
    }
    VECTORIZED
    for (size_t i = 0; i < n; i++) {
        widest = widest > scratch[i] ? widest : scratch[i];
    }
    return build_from_units(scratch, sizeof *scratch, n, widest);
}
#endif

/* Whether a \uXXXX begins at p, well-formed or not. */
static ALWAYS_INLINE bool NAME(is_code_point)(const struct NAME(reader) * reader, const unit_t *p) {
    return reader->end - p >= 2 && p[0] == '\\' && p[1] == 'u';
}

/* Append the \uXXXX at *p and those that follow it to the n units in scratch, and move *p after
 * them. Returns the new number of units; SIZE_MAX with the error recorded, or with *too_wide set to
 * a code point that is wider than a unit. */
static ALWAYS_INLINE size_t NAME(append_code_points)(const struct NAME(reader) * reader,
                                                     const unit_t **p, size_t n, uint32_t *widest,
                                                     uint32_t *too_wide) {
    do {
        size_t n_units;
        const int32_t c = NAME(read_unicode_escape)(reader, *p, &n_units);
        if (UNLIKELY(c < 0) ||
            !decoder_reserve_scratch(reader->decoder, n * sizeof **p, 4 * sizeof **p)) {
            return SIZE_MAX;
        }
        *p += n_units;
        unit_t *const out = (unit_t *)reader->decoder->scratch + n;
#if SOURCE_IS_UTF8
        (void)too_wide;
        n += (size_t)(utf8_store_code_point(out, (uint32_t)c) - out);
#else
        *out = (unit_t)c;
        if (UNLIKELY(*out != (uint32_t)c)) {
            *too_wide = (uint32_t)c;
            return SIZE_MAX;
        }
        n++;
#endif
        *widest = *widest > *out ? *widest : *out;
    } while (NAME(is_code_point)(reader, *p));
    return n;
}

/* A str of the n units in scratch, whose greatest is `widest`, from the source text [begin, end);
 * NULL with the error recorded. */
static ALWAYS_INLINE PyObject *NAME(build_scratch)(const struct NAME(reader) * reader, size_t n,
                                                   uint32_t widest, const unit_t *begin,
                                                   const unit_t *end) {
    struct decoder *const decoder = reader->decoder;
    if (UNLIKELY(!decoder->options->allow_surrogates) &&
        !NAME(has_no_surrogates)(reader, begin, end)) {
        return NULL;
    }
    unit_t *const scratch = decoder->scratch;
#if SOURCE_IS_UTF8
    scratch[n] = '"';
    const size_t n_code_points = widest < 0x80 ? n : utf8_count_code_points(scratch, n);
    return NAME(build)(reader, scratch, n, n_code_points, widest);
#else
    return build_from_units(scratch, sizeof *scratch, n, widest);
#endif
}

#if SOURCE_IS_UTF8
/* Whether the \uXXXX at p, with only ASCII text before it, is the first of more. */
static ALWAYS_INLINE bool NAME(is_first_of_more)(const struct NAME(reader) * reader,
                                                 const uint8_t *p, uint32_t widest,
                                                 u8vec greatest) {
    return widest < 0x80 && reader->end - p >= 6 && hex_value_8(p + 2) >= 0x80 &&
           u8_mask((u8vec)(greatest >= u8_splat(0x80))) == 0;
}

/* Read a string from its beginning, with the function for the kind of its first \uXXXX, at p. The
 * results are those of read_escaped_ascii_16. */
static ALWAYS_INLINE PyObject *NAME(read_from_ascii)(const struct NAME(reader) * reader,
                                                     const uint8_t *begin, const uint8_t *p,
                                                     const uint8_t **after, bool *is_given_up) {
    struct decoder *const decoder = reader->decoder;
    return is_surrogate_unit((uint32_t)hex_value_8(p + 2))
               ? read_escaped_ascii_32(decoder, begin, reader->end, 0, 0, after, is_given_up)
               : read_escaped_ascii_16(decoder, begin, reader->end, 0, 0, after, is_given_up);
}
#endif

/* Read any string with escapes, from its beginning on. is_given_up: read_from_ascii was tried, and
 * gave up. The results are those of read_escaped_string. */
#if !SOURCE_IS_UTF8 /* three functions, and str are decoded less often than bytes */
SMALL
#endif
static NOINLINE PyObject *NAME(unescape_string)(const struct NAME(reader) * reader,
                                                const unit_t *const begin, const unit_t *p,
                                                uint32_t widest, const unit_t **after,
                                                bool is_given_up) {
    (void)is_given_up; /* of UTF-8 only */
    struct decoder *const decoder = reader->decoder;
    CONCAT(unescape_vec, SOURCE_BITS) greatest = {0};
    size_t n = (size_t)(p - begin); /* number of units in scratch */
    if (!decoder_reserve_scratch(decoder, 0, n * sizeof *p)) {
        return NULL;
    }
    copy_short(decoder->scratch, begin, n * sizeof *p);
    bool is_escaped = false;
    for (;;) {
        if (!is_escaped && NAME(is_code_point)(reader, p)) {
#if SOURCE_IS_UTF8
            if (!is_given_up && NAME(is_first_of_more)(reader, p, widest, greatest)) {
                PyObject *const string =
                    NAME(read_from_ascii)(reader, begin, p, after, &is_given_up);
                if (LIKELY(!is_given_up)) {
                    return string;
                }
                n = 0; /* scratch was overwritten: start again */
                p = begin;
                continue;
            }
#endif
            uint32_t too_wide = 0;
            n = NAME(append_code_points)(reader, &p, n, &widest, &too_wide);
            if (UNLIKELY(n == SIZE_MAX)) {
#if SOURCE_BITS < 32 && !SOURCE_IS_UTF8
                if (too_wide != 0) {
                    return NAME(read_widened_string)(reader, begin, after);
                }
#endif
                return NULL;
            }
        }
        if (!decoder_reserve_scratch(decoder, n * sizeof *p, UNESCAPE_ROOM_BYTES)) {
            return NULL;
        }
        unit_t *const scratch = decoder->scratch;
        const struct CONCAT(unescaped, SOURCE_BITS) text = CONCAT(unescape, SOURCE_BITS)(
            p, reader->end, is_escaped, decoder->options->is_strict, scratch + n, &greatest);
        n = (size_t)(text.out - scratch);
        p = text.from;
        is_escaped = text.is_escaped;
        if (!text.has_stopped) {
            continue;
        }
        if (p < reader->end && *p == '"' && !is_escaped) {
            break;
        }
        if (UNLIKELY(p == reader->end || *p != 'u' || !is_escaped)) {
            NAME(fail_in_string)(reader, begin, p, is_escaped);
            return NULL;
        }
        assert(p > begin); /* the backslash is before p */
        p--;
        is_escaped = false;
    }
    const uint32_t found = __builtin_reduce_max(greatest);
    *after = p + 1;
    return NAME(build_scratch)(reader, n, widest > found ? widest : found, begin, p);
}

/* Read a string with escapes: [begin, p) is plain and has greatest unit `widest`; p is at a
 * backslash or another stop. *after is set to the place after the closing quote. */
static NOINLINE PyObject *NAME(read_escaped_string)(const struct NAME(reader) * reader,
                                                    const unit_t *const begin, const unit_t *p,
                                                    uint32_t widest, const unit_t **after) {
    bool is_given_up = false;
#if SOURCE_IS_UTF8
    if (NAME(is_code_point)(reader, p) && NAME(is_first_of_more)(reader, p, widest, (u8vec){0})) {
        PyObject *const string = NAME(read_from_ascii)(reader, begin, p, after, &is_given_up);
        if (LIKELY(!is_given_up)) {
            return string;
        }
    }
#endif
    return NAME(unescape_string)(reader, begin, p, widest, after, is_given_up);
}

#if SOURCE_IS_UTF8
/* Read a string of at most SHORT_UTF8_BYTES that has sequences of four bytes. NULL, without an
 * error, where it is another string. */
static NOINLINE PyObject *NAME(read_string_of_quads)(const struct NAME(reader) * reader,
                                                     const uint8_t *const begin,
                                                     const uint8_t **after) {
    uint32_t units[SHORT_UTF8_UNITS];
    struct utf8_extent extent = {.stop = begin};
    if (scan_short_utf8(&extent, reader->end, units, true) != SHORT_UTF8_DECODED ||
        UNLIKELY(extent.stop == reader->end) || *extent.stop != '"' ||
        UNLIKELY(!reader->decoder->options->allow_surrogates)) {
        return NULL;
    }
    PyObject *const string = unicode_new((Py_ssize_t)extent.n_units, TEXT_UCS4);
    if (LIKELY(string != NULL)) {
        copy_short(unicode_new_data(string, TEXT_UCS4), units, extent.n_units * sizeof *units);
        *after = extent.stop + 1;
    }
    return string;
}

/* Read a string that is not ASCII. *after is set to the place after the closing quote. */
static NOINLINE PyObject *NAME(read_wide_string)(const struct NAME(reader) * reader,
                                                 const uint8_t *const begin,
                                                 const uint8_t **after) {
    const uint8_t *const end = reader->end;
    uint16_t units[SHORT_UTF8_UNITS];
    struct utf8_extent extent = {.stop = begin};
    enum short_utf8 state = scan_short_utf8(&extent, end, units, false);
    if (UNLIKELY(state == SHORT_UTF8_HAS_QUADS)) {
        PyObject *const string = NAME(read_string_of_quads)(reader, begin, after);
        if (LIKELY(string != NULL) || PyErr_Occurred()) {
            return string;
        }
        state = SHORT_UTF8_GOES_ON;
    }
    if (state == SHORT_UTF8_GOES_ON) {
        scan_utf8(&extent, end);
    }
    if (UNLIKELY(extent.stop >= end || *extent.stop != '"')) {
        return NAME(read_escaped_string)(reader, begin, extent.stop < end ? extent.stop : end,
                                         extent.widest, after);
    }
    *after = extent.stop + 1;
    if (UNLIKELY(!reader->decoder->options->allow_surrogates) && extent.widest >= 0xed &&
        !NAME(has_no_surrogates)(reader, begin, extent.stop)) {
        return NULL;
    }
    if (state == SHORT_UTF8_GOES_ON) {
        return NAME(build)(reader, begin, (size_t)(extent.stop - begin), extent.n_units,
                           extent.widest);
    }
    if (UNLIKELY(state == SHORT_UTF8_MALFORMED)) {
        NAME(fail)(reader, ERROR_INVALID_UTF8, reader->begin);
        return NULL;
    }
    return build_from_short_units(units, extent.n_units, extent.widest < 0xc4);
}
#endif

/* A short ASCII key, from the cache if it is there; NULL with MemoryError set. */
static ALWAYS_INLINE PyObject *NAME(find_key)(const struct NAME(reader) * reader,
                                              const unit_t *from, size_t n) {
    assert(n > 0 && n <= KEY_CACHE_MAX_BYTES);
#if SOURCE_BITS == 8
    return key_cache_get(reader->decoder->options->key_cache, (const char *)from, n);
#else
    char ascii[KEY_CACHE_MAX_BYTES];
    for (size_t i = 0; i < n; i++) {
        ascii[i] = (char)from[i];
    }
    return key_cache_get(reader->decoder->options->key_cache, ascii, n);
#endif
}

#if !SOURCE_IS_UTF8
/* The place of the quote that seems to close the last string of the text, which is after p; NULL
 * where none is near the end. */
static inline const unit_t *NAME(find_closing_quote)(const struct NAME(reader) * reader,
                                                     const unit_t *p) {
    const unit_t *quote = reader->end;
    do {
        quote--;
    } while (quote > p && *quote != '"' && reader->end - quote < CLOSING_UNITS);
    return quote > p && *quote == '"' ? quote : NULL;
}

/* Scan on from a plain unit at p: the first special one, or the end. */
static NOINLINE const unit_t *NAME(scan_on)(const unit_t *p, const unit_t *end, uint32_t *widest) {
    const unit_t *before;
    do {
        before = p;
        p = CONCAT(scan_string, SOURCE_BITS)(p, end, widest);
    } while (p - before >= SCAN_PAUSE_UNITS && p < end);
    return p;
}

/* Read a string whose units [begin, p) are plain, at least SCAN_PAUSE_UNITS, with greatest unit
 * `widest`; p is at another plain one. *after is set to the place after the closing quote.
 *
 * If the last quote of the text seems to close this string, and no unit can make the string wider,
 * its rest is copied while it is scanned. A second pass would find it no longer in the CPU's
 * cache. */
static COLD PyObject *NAME(read_long_string)(const struct NAME(reader) * reader,
                                             const unit_t *const begin, const unit_t *p,
                                             uint32_t widest, const unit_t **after) {
    const unit_t *const end = reader->end;
    const bool may_refuse = !reader->decoder->options->allow_surrogates;
    const unit_t *const closing = NAME(find_closing_quote)(reader, p);
    if (closing != NULL && !may_refuse) {
        const unit_t *const quarter = begin + (closing - begin) / 4;
        p = p < quarter ? NAME(scan_on)(p, quarter, &widest) : p;
        const enum text_form form = form_of_code_point(widest);
        const bool is_widest = widest >= 0x80 && text_form_unit_bytes(form) == sizeof *p;
        PyObject *copy = p >= quarter && is_widest ? unicode_new(closing - begin, form) : NULL;
        if (copy != NULL) {
            unit_t *const to = unicode_new_data(copy, form);
            memcpy(to, begin, (size_t)(p - begin) * sizeof *to);
            p = CONCAT(copy_string, SOURCE_BITS)(p, closing, to + (p - begin));
            if (*p == '"' && (p == closing || PyUnicode_Resize(&copy, p - begin) == 0)) {
                *after = p + 1;
                return copy;
            }
            Py_DECREF(copy);
        }
        PyErr_Clear(); /* of unicode_new or PyUnicode_Resize: the str may be shorter */
    }
    p = NAME(scan_on)(p, end, &widest);
    if (UNLIKELY(p == end) || *p != '"') {
        return NAME(read_escaped_string)(reader, begin, p, widest, after);
    }
    *after = p + 1;
    if (widest >= 0xd800 && may_refuse && !NAME(has_no_surrogates)(reader, begin, p)) {
        return NULL;
    }
    return build_from_units(begin, sizeof *begin, (size_t)(p - begin), widest);
}
#endif

/* Read the string whose first character is at p: a new str, and the place after its closing quote;
 * NULL with the error recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_string)(const struct NAME(reader) * reader,
                                                     const unit_t *const p, bool is_key,
                                                     PyObject **string) {
#if SOURCE_IS_UTF8
    const unit_t *const stop = scan_ascii(p, reader->end);
    const uint32_t widest = 0;
#else
    uint32_t widest = 0;
    const unit_t *const stop = CONCAT(scan_string, SOURCE_BITS)(p, reader->end, &widest);
#endif
    const size_t n = (size_t)(stop - p);
    const unit_t *after = stop + 1;
    if (LIKELY(stop < reader->end && *stop == '"')) {
        if (is_key && widest < 0x80 && LIKELY(n - 1 < KEY_CACHE_MAX_BYTES) &&
            LIKELY(reader->decoder->options->key_cache != NULL)) {
            *string = NAME(find_key)(reader, p, n);
            return after;
        }
#if SOURCE_IS_UTF8
        *string = build_ascii(p, n);
#else
        const bool is_refused = widest >= 0xd800 && !reader->decoder->options->allow_surrogates &&
                                !NAME(has_no_surrogates)(reader, p, stop);
        *string = is_refused ? NULL : build_from_units(p, sizeof *p, n, widest);
#endif
#if SOURCE_IS_UTF8
    } else if (stop < reader->end && *stop >= 0x80) {
        *string = NAME(read_wide_string)(reader, p, &after);
#else
    } else if (n >= SCAN_PAUSE_UNITS) {
        *string = NAME(read_long_string)(reader, p, stop, widest, &after);
#endif
    } else {
        *string = NAME(read_escaped_string)(reader, p, stop, widest, &after);
    }
    if (is_key && LIKELY(*string != NULL)) {
        *string = decoder_share_key(reader->decoder, *string, p, after);
    }
    return after;
}

#if SOURCE_IS_UTF8
/* Read the string at p, which is not known, and remember it. The results are those of read_string.
 */
static NOINLINE const unit_t *NAME(read_unknown_string)(const struct NAME(reader) * reader,
                                                        const unit_t *const p,
                                                        struct string_text text,
                                                        PyObject **string) {
    const unit_t *const after = NAME(read_string)(reader, p, false, string);
    if (LIKELY(*string != NULL) && string_text_is(text, (size_t)(after - p) - 1)) {
        string_cache_add(reader->decoder->string_cache, p, text, *string);
    }
    return after;
}

/* Read the string at p, or find it in the cache. STRING_CACHE_BYTES can be read at p. The results
 * are those of read_string. */
static ALWAYS_INLINE const unit_t *NAME(find_string)(const struct NAME(reader) * reader,
                                                     const unit_t *const p, string_misses *misses,
                                                     PyObject **string) {
    const struct string_text text = string_text(p, 1);
    *string = decoder_known_string(reader->decoder, p, text, 1, misses);
    if (LIKELY(*string != NULL)) {
        return p + text.n + 1;
    }
    return NAME(read_unknown_string)(reader, p, text, string);
}
#endif
