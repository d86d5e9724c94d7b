/* SPDX-License-Identifier: MIT */
/* Template: parse one document of one kind of source text.
 * Parameters: SOURCE, one of utf8, latin1, ucs2, ucs4, and its SOURCE_BITS a unit. Defines
 * parse_<source>. */

#define SOURCE_IS_UTF8 (CONCAT(SOURCE_NUMBER, SOURCE) == SOURCE_NUMBER_utf8)
#define NAME(noun) CONCAT(noun, SOURCE)
#define unit_t CONCAT(SOURCE_UNIT, SOURCE)
/* strings with escapes are put together as UTF-8, or as code points */
#if SOURCE_IS_UTF8
#define scratch_unit_t uint8_t
#else
#define scratch_unit_t uint32_t
#endif

struct NAME(reader) {
    struct decoder *decoder;
    const unit_t *begin;
    const unit_t *end;
};

static ALWAYS_INLINE void NAME(fail)(const struct NAME(reader) * reader, enum error_kind kind,
                                     const unit_t *at) {
    decoder_fail(reader->decoder, kind, (size_t)(at - reader->begin));
}

static ALWAYS_INLINE const unit_t *NAME(skip_space)(const unit_t *p, const unit_t *end) {
    while (p < end && UNLIKELY(*p <= ' ') &&
           (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

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
    const ptrdiff_t n_behind = reader->decoder->manners.wants_text_behind_escape;
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
    if (reader->decoder->key_cache == NULL || n == 0 || n > KEY_CACHE_MAX_BYTES) {
        return NULL;
    }
#if SOURCE_BITS == 8
    return key_cache_get(reader->decoder->key_cache, (const char *)from, n);
#else
    char ascii[KEY_CACHE_MAX_BYTES];
    for (size_t i = 0; i < n; i++) {
        ascii[i] = (char)from[i];
    }
    return key_cache_get(reader->decoder->key_cache, ascii, n);
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

/* The number at p: a new int or float, and the place behind it; *value is NULL where none starts
 * here or an error is set. */
static ALWAYS_INLINE const unit_t *NAME(read_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
#if SOURCE_BITS == 8
    const struct number number = parse_number(p, reader->end);
    *value = build_number(&number, p);
    return number.end;
#else
    /* the characters that a number can have, as bytes: on the C stack, or in scratch if many */
    uint8_t short_text[64];
    uint8_t *text = short_text;
    size_t capacity = sizeof short_text;
    size_t n = 0;
    while (p + n < reader->end && is_number_character(p[n])) {
        if (UNLIKELY(n == capacity)) {
            if (!decoder_reserve_scratch(reader->decoder, 0, 2 * capacity)) {
                return p;
            }
            if (text == short_text) {
                memcpy(reader->decoder->scratch, short_text, n);
            }
            text = reader->decoder->scratch;
            capacity *= 2;
        }
        text[n] = (uint8_t)p[n];
        n++;
    }
    const struct number number = parse_number(text, text + n);
    *value = build_number(&number, text);
    return p + (number.end - text);
#endif
}

/* Whether the literal's characters stand at p. */
static ALWAYS_INLINE bool NAME(is_literal)(const unit_t *p, const unit_t *end, const char *literal,
                                           size_t n) {
    if ((size_t)(end - p) < n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (p[i] != (uint8_t)literal[i]) {
            return false;
        }
    }
    return true;
}

/* A value that is neither string nor container, and the place behind it; NULL with the error
 * recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_scalar)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
    const unit_t *const end = reader->end;
    switch (*p) {
    case 'n':
        if (NAME(is_literal)(p, end, "null", 4)) {
            *value = Py_NewRef(Py_None);
            return p + 4;
        }
        break;
    case 't':
        if (NAME(is_literal)(p, end, "true", 4)) {
            *value = Py_NewRef(Py_True);
            return p + 4;
        }
        break;
    case 'f':
        if (NAME(is_literal)(p, end, "false", 5)) {
            *value = Py_NewRef(Py_False);
            return p + 5;
        }
        break;
    case 'N':
        if (NAME(is_literal)(p, end, "NaN", 3)) {
            *value = PyFloat_FromDouble(__builtin_nan(""));
            return p + 3;
        }
        break;
    case 'I':
        if (NAME(is_literal)(p, end, "Infinity", 8)) {
            *value = PyFloat_FromDouble(__builtin_inf());
            return p + 8;
        }
        break;
    case '-':
        if (NAME(is_literal)(p, end, "-Infinity", 9)) {
            *value = PyFloat_FromDouble(-__builtin_inf());
            return p + 9;
        }
        __attribute__((fallthrough));
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': {
        const unit_t *const behind = NAME(read_number)(reader, p, value);
        if (UNLIKELY(*value == NULL)) {
            if (behind != p || PyErr_Occurred()) {
                decoder_fail(reader->decoder, ERROR_RAISED, 0);
                return NULL;
            }
            break;
        }
        return behind;
    }
    default: break;
    }
    NAME(fail)(reader, ERROR_EXPECTING_VALUE, p);
    return NULL;
}

/* Parse the document: its value, a new reference, or NULL with the error recorded. */
static NOINLINE PyObject *NAME(parse)(struct decoder *decoder, const struct text *text) {
    const struct NAME(reader) reader = {
        .decoder = decoder,
        .begin = text->data,
        .end = (const unit_t *)text->data + text->length,
    };
    const unit_t *const end = reader.end;
    const unit_t *p = reader.begin;
    PyObject *value;

value:
    p = NAME(skip_space)(p, end);
    if (UNLIKELY(p == end)) {
        NAME(fail)(&reader, ERROR_EXPECTING_VALUE, p);
        return NULL;
    }
    if (*p == '"') {
        p = NAME(read_string)(&reader, p + 1, false, &value);
        if (UNLIKELY(!decoder_push_value(decoder, value))) {
            return NULL;
        }
        goto after_value;
    }
    if (*p == '{') {
        p = NAME(skip_space)(p + 1, end);
        if (UNLIKELY(!decoder_open(decoder, true))) {
            return NULL;
        }
        if (p < end && *p == '}') {
            goto close;
        }
        goto key;
    }
    if (*p == '[') {
        p = NAME(skip_space)(p + 1, end);
        if (UNLIKELY(!decoder_open(decoder, false))) {
            return NULL;
        }
        if (p < end && *p == ']') {
            goto close;
        }
        goto value;
    }
    p = NAME(read_scalar)(&reader, p, &value);
    if (UNLIKELY(p == NULL) || UNLIKELY(!decoder_push_value(decoder, value))) {
        return NULL;
    }

after_value:
    p = NAME(skip_space)(p, end);
    if (decoder->n_containers == 0) {
        if (UNLIKELY(p != end)) {
            NAME(fail)(&reader, ERROR_EXTRA_DATA, p);
            return NULL;
        }
        assert(decoder->n_values == 1);
        decoder->n_values = 0;
        return decoder->values[0];
    }
    const bool is_object = decoder->containers[decoder->n_containers - 1].is_object;
    const unit_t closer = is_object ? '}' : ']';
    if (p < end && *p == ',') {
        const unit_t *const comma = p;
        p = NAME(skip_space)(p + 1, end);
        if (p < end && UNLIKELY(*p == closer) && decoder->manners.names_trailing_comma) {
            NAME(fail)(&reader,
                       is_object ? ERROR_TRAILING_COMMA_OBJECT : ERROR_TRAILING_COMMA_ARRAY, comma);
            return NULL;
        }
        if (is_object) {
            goto key;
        }
        goto value;
    }
    if (LIKELY(p < end && *p == closer)) {
        goto close;
    }
    NAME(fail)(&reader, ERROR_EXPECTING_COMMA, p);
    return NULL;

close:
    p++;
    if (UNLIKELY(!decoder_close(decoder))) {
        return NULL;
    }
    goto after_value;

key:
    if (UNLIKELY(p == end || *p != '"')) {
        NAME(fail)(&reader, ERROR_EXPECTING_NAME, p);
        return NULL;
    }
    p = NAME(read_string)(&reader, p + 1, true, &value);
    if (UNLIKELY(!decoder_push_value(decoder, value))) {
        return NULL;
    }
    p = NAME(skip_space)(p, end);
    if (UNLIKELY(p == end || *p != ':')) {
        NAME(fail)(&reader, ERROR_EXPECTING_COLON, p);
        return NULL;
    }
    p++;
    goto value;
}

#undef SOURCE_IS_UTF8
#undef NAME
#undef unit_t
#undef scratch_unit_t
#undef SOURCE
#undef SOURCE_BITS
