/* SPDX-License-Identifier: MIT */
/* Template: write values, separators and brackets to one kind of output. Parameters as in
 * walk.tmpl.h, which includes it.
 *
 * Each function takes the cursor and returns where it got to, or NULL with the error recorded.
 * Unless it says so, it writes little enough for the room that its caller has made sure of. */

#define OUTPUT_IS_UTF8 (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_utf8)
#define OUTPUT_IS_ASCII (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_ascii)
#define OUTPUT_IS_STR (CONCAT(OUTPUT_NUMBER, OUTPUT) >= OUTPUT_NUMBER_ucs1)
#define NAME(noun) CONCAT(noun, OUTPUT)
#define unit_t CONCAT(OUTPUT_UNIT, OUTPUT)

static ALWAYS_INLINE bool NAME(has_room)(const struct encoder *encoder, const unit_t *out) {
    return (const char *)out <= encoder->writer.limit;
}

static COLD unit_t *NAME(grow)(struct encoder *encoder, unit_t *out, size_t n_more) {
    char *const grown = writer_grow(&encoder->writer, (char *)out, n_more);
    if (grown == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return (unit_t *)grown;
}

/* ASCII without escapes, at most WRITER_ROOM / 2 of it. */
static ALWAYS_INLINE unit_t *NAME(put_ascii)(unit_t *out, const char *ascii, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)ascii[i];
    }
    return out + n;
}

/* A str as it is: separators, indentation, the digits of big ints. */
static NOINLINE unit_t *NAME(put_raw)(struct encoder *encoder, unit_t *out, PyObject *string) {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    const int kind = (int)PyUnicode_KIND(string);
    const void *const data = PyUnicode_DATA(string);
    for (Py_ssize_t i = 0; i < length; i++) {
        if (UNLIKELY(!NAME(has_room)(encoder, out))) {
            out = NAME(grow)(encoder, out, (size_t)(length - i));
            if (out == NULL) {
                return NULL;
            }
        }
        const Py_UCS4 c = PyUnicode_READ(kind, data, i);
#if OUTPUT_IS_STR
        *out++ = (unit_t)c;
#else
        out = utf8_store_code_point(out, c);
#endif
    }
    return out;
}

/* A line break and the indentation of `depth` levels. */
static NOINLINE unit_t *NAME(put_line_break)(struct encoder *encoder, unit_t *out, size_t depth) {
    *out++ = '\n';
    for (size_t level = 0; level < depth && out != NULL; level++) {
        out = NAME(put_raw)(encoder, out, encoder->options->indent);
    }
    return out;
}

/* What stands before an item where the layout is not the compact one. */
static NOINLINE unit_t *NAME(put_item_separator)(struct encoder *encoder, unit_t *out,
                                                 bool is_first) {
    const struct encode_options *const options = encoder->options;
    if (!is_first) {
        if (options->item_separator == NULL) {
            *out++ = ',';
        } else {
            out = NAME(put_raw)(encoder, out, options->item_separator);
        }
    }
    if (options->indent != NULL && out != NULL) {
        out = NAME(put_line_break)(encoder, out, encoder->n_frames - encoder->n_default_frames);
    }
    return out;
}

static ALWAYS_INLINE unit_t *NAME(begin_item)(struct encoder *encoder, unit_t *out, bool is_first) {
    if (LIKELY(encoder->is_compact)) {
        *out = ',';
        return out + !is_first;
    }
    return NAME(put_item_separator)(encoder, out, is_first);
}

static ALWAYS_INLINE unit_t *NAME(put_key_separator)(struct encoder *encoder, unit_t *out) {
    if (LIKELY(encoder->options->key_separator == NULL)) {
        *out = ':';
        return out + 1;
    }
    return NAME(put_raw)(encoder, out, encoder->options->key_separator);
}

/* The text to escape: a UTF-8 copy inside the str where one may be used. */
static ALWAYS_INLINE struct text NAME(text_of)(const struct encoder *encoder, PyObject *string) {
    struct text text = unicode_text(string);
#if OUTPUT_IS_UTF8
    if (text.form != TEXT_ASCII) {
        struct text cache = unicode_cached_utf8(string);
        if (cache.data == NULL && encoder->options->is_write_cache) {
            cache = unicode_make_cached_utf8(string);
        }
        if (cache.data != NULL) {
            return cache;
        }
    }
#else
    (void)encoder;
#endif
    return text;
}

/* Room for a text, or for what it is guessed to take. Only where it is long is more known about it:
 * an even one at the end of the output goes right to its final place, and one that would outgrow
 * the scratch gets no more memory than it needs. */
static COLD unit_t *NAME(grow_for_text)(struct encoder *encoder, unit_t *out, struct text text) {
    size_t n_more = (size_t)text.length;
    bool is_direct = false;
#if !OUTPUT_IS_ASCII
    const size_t unit_bytes = text_form_unit_bytes(text.form);
    const bool to_utf8 = OUTPUT_IS_UTF8 && text.form != TEXT_ASCII && text.form != TEXT_UTF8;
    if (n_more * (to_utf8 ? 3 : 1) >= WRITER_DIRECT_UNITS) {
        const size_t ratio = measure_ratio(text.data, n_more, unit_bytes, to_utf8);
        if (ratio != 0) {
            n_more *= ratio;
            is_direct = encoder->n_frames == 0;
        } else if (n_more > SCRATCH_MAX_BYTES / 4) {
            n_more = measure_escaped(text.data, n_more, unit_bytes, to_utf8);
        }
    }
#endif
    char *const grown = writer_grow_for(&encoder->writer, (char *)out, n_more, is_direct);
    if (grown == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return (unit_t *)grown;
}

/* A str of any kind and length in quotes. NULL where it cannot be written: the error is recorded,
 * or wanted_form says which output could hold it. */
static NOINLINE unit_t *NAME(put_long_string)(struct encoder *encoder, unit_t *out,
                                              PyObject *string) {
    if (UNLIKELY(!unicode_is_ready(string))) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    const struct text text = NAME(text_of)(encoder, string);
    const size_t start = (size_t)((char *)out - encoder->writer.begin);
#if OUTPUT_IS_STR
    if (UNLIKELY(text.form > encoder->writer.form)) {
        encoder->cursor = (char *)out;
        encoder->wanted_form = text.form;
        return NULL;
    }
#endif
    if (UNLIKELY(text.length > (const unit_t *)encoder->writer.limit - out)) {
        out = NAME(grow_for_text)(encoder, out, text);
        if (out == NULL) {
            return NULL;
        }
    }
    *out++ = '"';
    const char *from = text.data;
    const char *const end = from + (size_t)text.length * text_form_unit_bytes(text.form);
    const unit_t *limit = (const unit_t *)encoder->writer.limit;
    for (;;) {
        switch (text.form) {
#if OUTPUT_IS_UTF8
        case TEXT_LATIN1:
            from = (const char *)escape_utf8_8((const uint8_t *)from, (const uint8_t *)end, &out,
                                               limit);
            break;
        case TEXT_UCS2:
            from = (const char *)escape_utf8_16((const uint16_t *)from, (const uint16_t *)end, &out,
                                                limit);
            break;
        case TEXT_UCS4:
            from = (const char *)escape_utf8_32((const uint32_t *)from, (const uint32_t *)end, &out,
                                                limit);
            break;
        default:
            from = (const char *)escape_copy_8_8((const uint8_t *)from, (const uint8_t *)end, &out,
                                                 limit);
            break;
#elif OUTPUT_IS_ASCII
        case TEXT_UCS2:
            from = (const char *)escape_ascii_16((const uint16_t *)from, (const uint16_t *)end,
                                                 &out, limit);
            break;
        case TEXT_UCS4:
            from = (const char *)escape_ascii_32((const uint32_t *)from, (const uint32_t *)end,
                                                 &out, limit);
            break;
        default:
            from = (const char *)escape_ascii_8((const uint8_t *)from, (const uint8_t *)end, &out,
                                                limit);
            break;
#else
#if OUTPUT_BITS >= 32
        case TEXT_UCS4:
            from = (const char *)escape_copy_32_32((const uint32_t *)from, (const uint32_t *)end,
                                                   &out, limit);
            break;
#endif
#if OUTPUT_BITS >= 16
        case TEXT_UCS2:
            from = (const char *)CONCAT(escape_copy_16, OUTPUT_BITS)(
                (const uint16_t *)from, (const uint16_t *)end, &out, limit);
            break;
#endif
        default:
            from = (const char *)CONCAT(escape_copy_8, OUTPUT_BITS)(
                (const uint8_t *)from, (const uint8_t *)end, &out, limit);
            break;
#endif
        }
        if (LIKELY(from == end)) {
            break;
        }
        if (NAME(has_room)(encoder, out)) {
            /* a surrogate, which UTF-8 cannot hold */
            encoder->cursor = encoder->writer.begin + start;
            encoder->wanted_form = TEXT_UCS4;
            return NULL;
        }
        out = NAME(grow)(encoder, out, (size_t)(end - from) * (OUTPUT_IS_UTF8 ? 2 : 1));
        if (out == NULL) {
            return NULL;
        }
        limit = (const unit_t *)encoder->writer.limit;
    }
    *out = '"';
    return out + 1;
}

/* The same, in few instructions where it is short and holds more than ASCII. */
static NOINLINE unit_t *NAME(put_any_string)(struct encoder *encoder, unit_t *out,
                                             PyObject *string) {
#if OUTPUT_IS_STR
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) &&
        (int)PyUnicode_KIND(string) == OUTPUT_BITS / 8 &&
        (OUTPUT_BITS > 8 || encoder->writer.form == TEXT_LATIN1) &&
        n <= COPY_SHORT_BLOCKS * (VEC_BYTES / sizeof *out)) {
        out[0] = '"';
        const unit_t *const from = (const unit_t *)((PyCompactUnicodeObject *)string + 1);
        if (LIKELY(CONCAT(copy_short_plain, CONCAT(OUTPUT_BITS, OUTPUT_BITS))(from, n, out + 1))) {
            out[n + 1] = '"';
            return out + n + 2;
        }
    }
#elif OUTPUT_IS_UTF8
    const PyCompactUnicodeObject *const compact = (PyCompactUnicodeObject *)string;
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) && n <= UTF8_SHORT_UNITS &&
        unicode_cached_utf8(string).data == NULL && !encoder->options->is_write_cache) {
        uint8_t *const end =
            escape_utf8_short(compact + 1, n, (int)PyUnicode_KIND(string), out + 1);
        if (LIKELY(end != NULL)) {
            *out = '"';
            *end = '"';
            return end + 1;
        }
    }
#endif
    return NAME(put_long_string)(encoder, out, string);
}

/* The same; a short plain one of ASCII in line. */
static ALWAYS_INLINE unit_t *NAME(put_string)(struct encoder *encoder, unit_t *out,
                                              PyObject *string) {
#if !OUTPUT_IS_ASCII
    if (LIKELY(PyUnicode_IS_COMPACT_ASCII(string)) &&
        PyUnicode_GET_LENGTH(string) <= COPY_SHORT_BLOCKS * (VEC_BYTES / (Py_ssize_t)sizeof *out)) {
        const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
        const uint8_t *const from = (const uint8_t *)((PyASCIIObject *)string + 1);
        out[0] = '"';
#if OUTPUT_BITS == 8
        const bool is_plain = copy_short_plain(from, n, out + 1);
#else
        const bool is_plain = CONCAT(copy_short_plain_8, OUTPUT_BITS)(from, n, out + 1);
#endif
        if (LIKELY(is_plain)) {
            out[n + 1] = '"';
            return out + n + 2;
        }
    }
#endif
    return NAME(put_any_string)(encoder, out, string);
}

/* An int beyond 64 bits; may run Python code. */
static NOINLINE unit_t *NAME(put_big_int)(struct encoder *encoder, unit_t *out, PyObject *number) {
    PyObject *const digits = encoder_int_repr(encoder, number);
    if (digits == NULL) {
        return NULL;
    }
    out = NAME(put_raw)(encoder, out, digits);
    Py_DECREF(digits);
    return out;
}

static ALWAYS_INLINE unit_t *NAME(put_int)(struct encoder *encoder, unit_t *out, PyObject *number) {
    bool is_negative;
    uint64_t magnitude;
    if (UNLIKELY(!long_magnitude(number, &is_negative, &magnitude))) {
        return NAME(put_big_int)(encoder, out, number);
    }
    *out = '-';
    out += is_negative;
#if OUTPUT_BITS == 8
    return (unit_t *)format_u64((char *)out, magnitude);
#else
    char digits[FORMAT_INT_ROOM];
    return NAME(put_ascii)(out, digits, (size_t)(format_u64(digits, magnitude) - digits));
#endif
}

static ALWAYS_INLINE unit_t *NAME(put_float)(struct encoder *encoder, unit_t *out,
                                             PyObject *number) {
    const double value = PyFloat_AS_DOUBLE(number);
    if (UNLIKELY(!__builtin_isfinite(value))) {
        if (!encoder->options->allow_nan) {
            encoder_fail(encoder, ERROR_NOT_FINITE, number);
            return NULL;
        }
        if (__builtin_isnan(value)) {
            return NAME(put_ascii)(out, "NaN", 3);
        }
        return value > 0 ? NAME(put_ascii)(out, "Infinity", 8)
                         : NAME(put_ascii)(out, "-Infinity", 9);
    }
#if OUTPUT_BITS == 8
    return (unit_t *)format_double((char *)out, value);
#else
    char digits[FORMAT_FLOAT_ROOM];
    return NAME(put_ascii)(out, digits, (size_t)(format_double(digits, value) - digits));
#endif
}

/* The None, True and False that items begin with, at most CONSTANT_RUN, with commas between them;
 * *n is how many, at least one. */
static NOINLINE unit_t *NAME(put_constants)(unit_t *out, PyObject *const *items, Py_ssize_t n_items,
                                            Py_ssize_t *n) {
    const Py_ssize_t n_most = n_items < CONSTANT_RUN ? n_items : CONSTANT_RUN;
    Py_ssize_t i = 0;
    do {
        PyObject *const value = items[i];
        *out = ',';
        out += i != 0;
        out = value == Py_False  ? NAME(put_ascii)(out, "false", 5)
              : value == Py_True ? NAME(put_ascii)(out, "true", 4)
                                 : NAME(put_ascii)(out, "null", 4);
        i++;
    } while (i < n_most && (items[i] == Py_None || items[i] == Py_True || items[i] == Py_False));
    *n = i;
    return out;
}

#if OUTPUT_BITS == 8
/* The floats that items begin with, at most FLOAT_RUN, with commas between them; *n is how many,
 * at least one. All digits are worked out before the first is stored: where a number ends, and so
 * where the next one goes, is known late, and loads may not pass a store whose place is unknown. */
static NOINLINE unit_t *NAME(put_floats)(unit_t *out, PyObject *const *items, Py_ssize_t n_items,
                                         Py_ssize_t *n) {
    struct float_text texts[FLOAT_RUN];
    Py_ssize_t n_texts = 0;
    do {
        const double value = PyFloat_AS_DOUBLE(items[n_texts]);
        if (UNLIKELY(!__builtin_isfinite(value))) {
            break;
        }
        texts[n_texts++] = float_text(value);
    } while (n_texts < n_items && n_texts < FLOAT_RUN && Py_TYPE(items[n_texts]) == &PyFloat_Type);
    for (Py_ssize_t i = 0; i < n_texts; i++) {
        *out = ',';
        out += i != 0;
        out = (unit_t *)store_float_text((char *)out, &texts[i]);
    }
    *n = n_texts;
    return out;
}

/* The same for the lists of floats that items begin with, such as coordinates: as many as hold
 * FLOAT_RUN floats together. *n is how many lists, zero where the first is not one. */
static NOINLINE unit_t *NAME(put_float_lists)(unit_t *out, PyObject *const *items,
                                              Py_ssize_t n_items, Py_ssize_t *n) {
    struct float_text texts[FLOAT_RUN];
    Py_ssize_t ends[FLOAT_RUN]; /* of each list, among texts */
    Py_ssize_t n_texts = 0;
    Py_ssize_t n_lists = 0;
    while (n_lists < n_items && is_short_float_list(items[n_lists], FLOAT_RUN - n_texts)) {
        PyObject *const *const floats = ((PyListObject *)items[n_lists])->ob_item;
        const Py_ssize_t n_floats = PyList_GET_SIZE(items[n_lists]);
        for (Py_ssize_t i = 0; i < n_floats; i++) {
            texts[n_texts++] = float_text(PyFloat_AS_DOUBLE(floats[i]));
        }
        ends[n_lists++] = n_texts;
    }
    Py_ssize_t i = 0;
    for (Py_ssize_t list = 0; list < n_lists; list++) {
        *out = ',';
        out += list != 0;
        for (char before = '['; i < ends[list]; i++, before = ',') {
            *out = (unit_t)before;
            out = (unit_t *)store_float_text((char *)out + 1, &texts[i]);
        }
        *out++ = ']';
    }
    *n = n_lists;
    return out;
}
#endif

/* A key that is not a str, as stdlib coerces it, in quotes. */
static NOINLINE unit_t *NAME(put_coerced_key)(struct encoder *encoder, unit_t *out, PyObject *key) {
    *out++ = '"';
    if (PyFloat_Check(key)) {
        out = NAME(put_float)(encoder, out, key);
    } else if (key == Py_True) {
        out = NAME(put_ascii)(out, "true", 4);
    } else if (key == Py_False) {
        out = NAME(put_ascii)(out, "false", 5);
    } else if (key == Py_None) {
        out = NAME(put_ascii)(out, "null", 4);
    } else {
        assert(PyLong_Check(key));
        out = NAME(put_int)(encoder, out, key);
    }
    if (out != NULL) {
        *out++ = '"';
    }
    return out;
}
