/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one string of one kind of source text. Defines
 * read_string_<source>. */

/* The value of four hex digits at p, -1 where there are not four. */
static ALWAYS_INLINE int32_t NAME(hex_value)(const unit_t *p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t c = p[i];
        const uint32_t letter = (c | 0x20) - 'a';
        if (c - '0' < 10) {
            value = value << 4 | (int32_t)(c - '0');
        } else if (letter < 6) {
            value = value << 4 | (int32_t)(letter + 10);
        } else {
            return -1;
        }
    }
    return value;
}

/* The code point of the escape whose backslash is at p, *n_units long; -1 with the error
 * recorded. A high surrogate takes the low one behind it along. */
static NOINLINE int32_t NAME(read_escape)(const struct NAME(reader) * reader, const unit_t *p,
                                          const unit_t *string_begin, size_t *n_units) {
    const unit_t *const end = reader->end;
    if (end - p < 2) {
        NAME(fail)(reader, ERROR_UNTERMINATED_STRING, string_begin);
        return -1;
    }
    *n_units = 2;
    switch (p[1]) {
    case '"': return '"';
    case '\\': return '\\';
    case '/': return '/';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: NAME(fail)(reader, ERROR_INVALID_ESCAPE, p); return -1;
    }
    const ptrdiff_t n_behind = reader->decoder->options->manners.wants_text_behind_escape;
    int32_t c = end - p < 6 + n_behind ? -1 : NAME(hex_value)(p + 2);
    if (c < 0) {
        NAME(fail)(reader, ERROR_INVALID_UNICODE_ESCAPE, p + 1);
        return -1;
    }
    *n_units = 6;
    if ((c & 0xfc00) == 0xd800 && end - p >= 12 + n_behind && p[6] == '\\' && p[7] == 'u') {
        const int32_t low = NAME(hex_value)(p + 8);
        if (low < 0) {
            NAME(fail)(reader, ERROR_INVALID_UNICODE_ESCAPE, p + 7);
            return -1;
        }
        if ((low & 0xfc00) == 0xdc00) {
            *n_units = 12;
            return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
        }
    }
    return c;
}

static ALWAYS_INLINE const unit_t *NAME(scan)(const struct NAME(reader) * reader, const unit_t *p,
                                              uint32_t *widest) {
    return CONCAT(scan_string, SOURCE_BITS)(p, reader->end, widest);
}

/* A str of the text in scratch, or of plain source text; NULL with the error recorded. */
static ALWAYS_INLINE PyObject *NAME(build)(const struct NAME(reader) * reader,
                                           const scratch_unit_t *from, size_t n, uint32_t widest,
                                           const scratch_unit_t *readable_end) {
#if SOURCE_IS_UTF8
    if (LIKELY(widest < 0x80)) {
        return build_ascii(from, n);
    }
    bool is_malformed;
    PyObject *const string = build_from_utf8(from, n, widest, readable_end, &is_malformed);
    if (UNLIKELY(string == NULL && is_malformed)) {
        NAME(fail)(reader, ERROR_INVALID_UTF8, reader->begin);
    }
    return string;
#else
    (void)reader;
    (void)readable_end;
    return build_from_units(from, sizeof *from, n, widest);
#endif
}

/* A string with escapes: [begin, p) is plain and has greatest unit `widest`; p is at a backslash.
 * *after is set behind the closing quote. */
static NOINLINE PyObject *NAME(read_escaped_string)(const struct NAME(reader) * reader,
                                                    const unit_t *const begin, const unit_t *p,
                                                    uint32_t widest, const unit_t **after) {
    struct decoder *const decoder = reader->decoder;
    const unit_t *run = begin;
    size_t n = 0; /* scratch units */
    for (;;) {
        const size_t n_run = (size_t)(p - run);
        const size_t room = (n_run + 4 + UTF8_DECODE_ROOM) * sizeof(scratch_unit_t);
        if (!decoder_reserve_scratch(decoder, n * sizeof(scratch_unit_t), room)) {
            return NULL;
        }
        scratch_unit_t *const scratch = decoder->scratch;
        for (size_t i = 0; i < n_run; i++) {
            scratch[n + i] = run[i];
        }
        n += n_run;
        if (p < reader->end && *p == '"') {
            break;
        }
        if (p == reader->end || *p != '\\') {
            if (p == reader->end) {
                NAME(fail)(reader, ERROR_UNTERMINATED_STRING, begin - 1);
            } else {
                NAME(fail)(reader, ERROR_CONTROL_CHARACTER, p);
            }
            return NULL;
        }
        size_t n_units;
        const int32_t c = NAME(read_escape)(reader, p, begin - 1, &n_units);
        if (c < 0) {
            return NULL;
        }
#if SOURCE_IS_UTF8
        uint8_t *const behind = utf8_store_code_point(scratch + n, (uint32_t)c);
        const uint32_t lead = scratch[n];
        widest = widest > lead ? widest : lead;
        n = (size_t)(behind - scratch);
#else
        widest = widest > (uint32_t)c ? widest : (uint32_t)c;
        scratch[n++] = (uint32_t)c;
#endif
        run = p + n_units;
        p = NAME(scan)(reader, run, &widest);
    }
    *after = p + 1;
    const scratch_unit_t *const scratch = decoder->scratch;
    return NAME(build)(reader, scratch, n, widest, scratch + n + UTF8_DECODE_ROOM);
}

/* A short ASCII key out of the cache; NULL without an error where it is not one. */
static ALWAYS_INLINE PyObject *NAME(find_key)(const struct NAME(reader) * reader,
                                              const unit_t *from, size_t n) {
    if (reader->decoder->options->key_cache == NULL || n == 0 || n > KEY_CACHE_MAX_BYTES) {
        return NULL;
    }
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

/* The string whose first character is at p: a new str, and the place behind its closing quote;
 * NULL with the error recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_string)(const struct NAME(reader) * reader,
                                                     const unit_t *const p, bool is_key,
                                                     PyObject **string) {
    uint32_t widest = 0;
    const unit_t *const stop = NAME(scan)(reader, p, &widest);
    const size_t n = (size_t)(stop - p);
    const unit_t *after = stop + 1;
    if (UNLIKELY(stop == reader->end || *stop != '"')) {
        *string = NAME(read_escaped_string)(reader, p, stop, widest, &after);
    } else {
        if (is_key && widest < 0x80) {
            *string = NAME(find_key)(reader, p, n);
            if (LIKELY(*string != NULL)) {
                return after;
            }
        }
#if SOURCE_IS_UTF8
        *string = NAME(build)(reader, p, n, widest, reader->end);
#else
        *string = build_from_units(p, sizeof *p, n, widest);
#endif
    }
    if (is_key && LIKELY(*string != NULL)) {
        *string = decoder_share_key(reader->decoder, *string);
    }
    return after;
}
