/* SPDX-License-Identifier: MIT */
/* Template: write values, separators and brackets to one kind of output. Part of walk.tmpl.h, which
 * defines its parameters. Nothing here can run Python code: see output.h.
 *
 * Each function takes the cursor and returns its new place, or NULL with the error recorded. Unless
 * its comment says otherwise, it writes no more than the room that its caller has reserved. */

static ALWAYS_INLINE bool NAME(has_room)(const struct output *output, const unit_t *out) {
    return (const char *)out <= output->writer.limit;
}

static COLD unit_t *NAME(grow)(struct output *output, unit_t *out, size_t n_more) {
    char *const grown = writer_grow(&output->writer, (char *)out, n_more);
    if (grown == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
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

/* A str without quotes or escapes: separators, indentation, the digits of big ints. */
static NOINLINE unit_t *NAME(put_raw)(struct output *output, unit_t *out, PyObject *string) {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    const int kind = (int)PyUnicode_KIND(string);
    const void *const data = PyUnicode_DATA(string);
    for (Py_ssize_t i = 0; i < length; i++) {
        if (UNLIKELY(!NAME(has_room)(output, out))) {
            out = NAME(grow)(output, out, (size_t)(length - i));
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

/* A line break and the indentation of `depth` levels, where that is something else than a few
 * characters of one kind. */
static NOINLINE unit_t *NAME(put_odd_line_break)(struct output *output, unit_t *out, size_t depth) {
    *out++ = '\n';
    for (size_t level = 0; level < depth && out != NULL; level++) {
        out = NAME(put_raw)(output, out, output->options->indent);
    }
    return out;
}

/* A line break and the indentation of `depth` levels. */
static ALWAYS_INLINE unit_t *NAME(put_line_break)(struct output *output, unit_t *out,
                                                  size_t depth) {
    const size_t n = depth * output->n_indent;
    if (UNLIKELY(output->n_indent == 0) || UNLIKELY(n > INDENT_ROOM)) {
        return NAME(put_odd_line_break)(output, out, depth);
    }
    *out++ = '\n';
    for (size_t begin = 0; begin < n; begin += 16) {
        for (size_t i = 0; i < 16; i++) {
            out[begin + i] = output->indent_char;
        }
    }
    return out + n;
}

/* The separator before an item in a layout other than the compact one. */
static NOINLINE unit_t *NAME(put_item_separator)(struct output *output, unit_t *out, bool is_first,
                                                 size_t depth) {
    const struct encode_options *const options = output->options;
    if (!is_first) {
        if (options->item_separator == NULL) {
            *out++ = ',';
        } else {
            out = NAME(put_raw)(output, out, options->item_separator);
        }
    }
    if (options->indent != NULL && out != NULL) {
        out = NAME(put_line_break)(output, out, depth);
    }
    return out;
}

/* A separator of a few ASCII characters; it may store SEPARATOR_ROOM units. */
static ALWAYS_INLINE unit_t *NAME(put_short_separator)(unit_t *out,
                                                       const struct short_separator *separator) {
#if OUTPUT_BITS == 8
    memcpy(out, separator->text, SEPARATOR_ROOM);
#else
    for (size_t i = 0; i < SEPARATOR_ROOM; i++) {
        out[i] = (uint8_t)separator->text[i];
    }
#endif
    return out + separator->n;
}

/* The separator before an item of a container that is `depth` levels deep. */
static ALWAYS_INLINE unit_t *NAME(begin_item_at)(struct output *output, unit_t *out, bool is_first,
                                                 size_t depth) {
    if (LIKELY(output->is_compact)) {
        *out = ',';
        return out + !is_first;
    }
    if (LIKELY(output->is_on_one_line)) {
        return is_first ? out : NAME(put_short_separator)(out, &output->item_separator);
    }
    return NAME(put_item_separator)(output, out, is_first, depth);
}

static ALWAYS_INLINE unit_t *NAME(put_key_separator)(struct output *output, unit_t *out) {
    if (LIKELY(output->is_compact)) {
        *out = ':';
        return out + 1;
    }
    if (LIKELY(output->key_separator.is_short)) {
        return NAME(put_short_separator)(out, &output->key_separator);
    }
    return NAME(put_raw)(output, out, output->options->key_separator);
}

/* The text to escape: the UTF-8 cache of the str where one may be used. */
static ALWAYS_INLINE struct text NAME(text_of)(const struct output *output, PyObject *string) {
    struct text text = unicode_text(string);
#if OUTPUT_IS_UTF8
    if (text.form != TEXT_ASCII) {
        struct text cache = unicode_cached_utf8(string);
        if (cache.data == NULL && output->options->is_write_cache) {
            cache = unicode_make_cached_utf8(string);
        }
        if (cache.data != NULL) {
            return cache;
        }
    }
#else
    (void)output;
#endif
    return text;
}

/* Reserve room for a text, or for its estimated size. Only a long text is measured: one with the
 * same ratio throughout that is the whole output goes directly to its final place, and another one
 * that would outgrow the room for texts of unknown size gets no more memory than it needs. */
static COLD unit_t *NAME(grow_for_text)(struct output *output, unit_t *out, struct text text) {
    size_t n_more = (size_t)text.length;
    bool is_direct = false;
#if !OUTPUT_IS_ASCII
    const size_t unit_bytes = text_form_unit_bytes(text.form);
    const bool to_utf8 = OUTPUT_IS_UTF8 && text.form != TEXT_ASCII && text.form != TEXT_UTF8;
    if (n_more * (to_utf8 ? 3 : 1) >= WRITER_DIRECT_UNITS) {
        const size_t ratio = measure_ratio(text.data, n_more, unit_bytes, to_utf8);
        if (ratio != 0) {
            n_more *= ratio;
            is_direct = (char *)out == output->writer.begin; /* the whole output is this string */
        } else if (n_more > WRITER_MOST_EXPECTED_BYTES / 4) {
            n_more = measure_escaped(text.data, n_more, unit_bytes, to_utf8);
        }
    }
#endif
    char *const grown = writer_grow_for(&output->writer, (char *)out, n_more, is_direct);
    if (grown == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
    }
    return (unit_t *)grown;
}

/* Write a str of any kind and length in quotes. NULL where it cannot be written: the error is
 * recorded, or wanted_form says which output could hold it. */
static NOINLINE unit_t *NAME(put_long_string)(struct output *output, unit_t *out,
                                              PyObject *string) {
    if (UNLIKELY(!unicode_is_ready(string))) {
        output_fail(output, ERROR_RAISED, NULL);
        return NULL;
    }
    const struct text text = NAME(text_of)(output, string);
    const size_t start = (size_t)((char *)out - output->writer.begin);
#if OUTPUT_IS_STR
    if (UNLIKELY(text.form > output->writer.form)) {
        output->cursor = (char *)out;
        output->wanted_form = text.form;
        return NULL;
    }
#endif
    if (UNLIKELY(text.length > (const unit_t *)output->writer.limit - out)) {
        out = NAME(grow_for_text)(output, out, text);
        if (out == NULL) {
            return NULL;
        }
    }
    *out++ = '"';
    const char *from = text.data;
    const char *const end = from + (size_t)text.length * text_form_unit_bytes(text.form);
    const unit_t *limit = (const unit_t *)output->writer.limit;
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
        if (NAME(has_room)(output, out)) {
            /* a surrogate, which UTF-8 cannot encode */
            output->cursor = output->writer.begin + start;
            output->wanted_form = TEXT_UCS4;
            return NULL;
        }
        out = NAME(grow)(output, out, (size_t)(end - from) * (OUTPUT_IS_UTF8 ? 2 : 1));
        if (out == NULL) {
            return NULL;
        }
        limit = (const unit_t *)output->writer.limit;
    }
    *out = '"';
    return out + 1;
}

#if OUTPUT_IS_UTF8
/* These are apart from put_any_string, which so saves no registers. */

/* Write a str in quotes whose first n_stored units are stored already, up to `to`. */
static NOINLINE unit_t *NAME(put_rest)(struct output *output, unit_t *out, PyObject *string,
                                       size_t n_stored, uint8_t *to) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    const int unit_bytes = (int)PyUnicode_KIND(string);
    const char *const from = (const char *)((const PyCompactUnicodeObject *)string + 1);
    uint8_t *end = NULL;
    if (LIKELY(n <= UTF8_SHORT_UNITS)) { /* otherwise escapes could take more than the room */
        end = escape_utf8_short(from + n_stored * (size_t)unit_bytes, n - n_stored, unit_bytes, to);
    }
    if (UNLIKELY(end == NULL)) {
        return NAME(put_long_string)(output, out, string);
    }
    *out = '"';
    *end = '"';
    return end + 1;
}

/* Write a str of UCS-2 of at most UTF8_PAIRS_UNITS in quotes; one whose units are all of at most
 * two bytes is fastest, and where they are not, a short rest goes on from there. */
static NOINLINE unit_t *NAME(put_pairs)(struct output *output, unit_t *out, PyObject *string) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    const uint16_t *const from = (const uint16_t *)((const PyCompactUnicodeObject *)string + 1);
    uint8_t *end = out + 1;
    const size_t n_stored = utf8_store_pairs(from, n, &end);
    if (UNLIKELY(n_stored != n)) {
        return NAME(put_rest)(output, out, string, n_stored, end);
    }
    *out = '"';
    *end = '"';
    return end + 1;
}

/* Write a short str of UCS-2 in quotes; one whose units are all of three bytes is fastest. */
static NOINLINE unit_t *NAME(put_short_triples)(struct output *output, unit_t *out,
                                                PyObject *string) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (UNLIKELY(!escape_utf8_short_triples(
            (const uint16_t *)((const PyCompactUnicodeObject *)string + 1), n, out + 1))) {
        return NAME(put_rest)(output, out, string, 0, out + 1);
    }
    out[0] = '"';
    out[3 * n + 1] = '"';
    return out + 3 * n + 2;
}
#endif

/* Write a str in quotes, with few instructions where it is short and not ASCII. Its UTF-8 cache is
 * not used then: the cache is elsewhere in memory, and fetching it costs more than transcoding
 * (bench, strings/chinese-0-64 out of the cache: 87 us with it, 30 without; Zen 4, 2026-11-21). */
static NOINLINE unit_t *NAME(put_any_string)(struct output *output, unit_t *out, PyObject *string) {
#if OUTPUT_IS_STR
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) &&
        (int)PyUnicode_KIND(string) == OUTPUT_BITS / 8 &&
        (OUTPUT_BITS > 8 || output->writer.form == TEXT_LATIN1) &&
        n <= COPY_SHORT_BLOCKS * (VEC_BYTES / sizeof *out)) {
        out[0] = '"';
        const unit_t *const from = (const unit_t *)((PyCompactUnicodeObject *)string + 1);
        if (LIKELY(CONCAT(copy_short_plain, CONCAT(OUTPUT_BITS, OUTPUT_BITS))(from, n, out + 1))) {
            out[n + 1] = '"';
            return out + n + 2;
        }
    }
#elif OUTPUT_IS_UTF8
    const Py_ssize_t n = PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) && n <= UTF8_PAIRS_UNITS &&
        !output->options->is_write_cache) {
        const bool is_ucs2 = (int)PyUnicode_KIND(string) == 2;
        if (is_ucs2 && *(const uint16_t *)((const PyCompactUnicodeObject *)string + 1) < 0x800) {
            return NAME(put_pairs)(output, out, string);
        }
        if (n <= UTF8_SHORT_UNITS) {
            return is_ucs2 ? NAME(put_short_triples)(output, out, string)
                           : NAME(put_rest)(output, out, string, 0, out + 1);
        }
    }
#endif
    return NAME(put_long_string)(output, out, string);
}

/* Write a str in quotes; a short plain one of ASCII is written inline. */
static ALWAYS_INLINE unit_t *NAME(put_string)(struct output *output, unit_t *out,
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
    return NAME(put_any_string)(output, out, string);
}

/* Write bytes that are already text of this output. */
static NOINLINE unit_t *NAME(put_bytes)(struct output *output, unit_t *out, const char *bytes,
                                        size_t n) {
    if ((const unit_t *)output->writer.limit - out < (Py_ssize_t)n) {
        out = NAME(grow)(output, out, n);
        if (out == NULL) {
            return NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)bytes[i];
    }
    return out + n;
}

/* Write the text of a Fragment unchanged, except with ensure_ascii: its non-ASCII characters are in
 * strings only, so they may be escaped. NULL as in put_any_string. */
static NOINLINE unit_t *NAME(put_fragment)(struct output *output, unit_t *out, PyObject *fragment) {
#if OUTPUT_IS_UTF8
    PyObject *const bytes = fragment_utf8(fragment, options_codec_errors(output->options));
    if (bytes == NULL) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    out = NAME(put_bytes)(output, out, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return out;
#else
    PyObject *const string = fragment_str(fragment);
    if (string == NULL) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    const struct text text = unicode_text(string);
    if (text.form == TEXT_ASCII) {
        out = NAME(put_bytes)(output, out, text.data, (size_t)text.length);
    }
#if OUTPUT_IS_ASCII
    for (Py_ssize_t i = 0; text.form != TEXT_ASCII && i < text.length && out != NULL; i++) {
        if (UNLIKELY(!NAME(has_room)(output, out))) {
            out = NAME(grow)(output, out, (size_t)(text.length - i));
        }
        if (LIKELY(out != NULL)) {
            const Py_UCS4 c = PyUnicode_READ_CHAR(string, i);
            *out = (unit_t)c;
            out = c < 0x80 ? out + 1 : store_ascii_escape(out, c);
        }
    }
#else
    if (text.form > output->writer.form) {
        output->wanted_form = text.form;
        output->cursor = (char *)out;
        out = NULL;
    } else if (text.form != TEXT_ASCII) {
        out = NAME(put_raw)(output, out, string);
    }
#endif
    Py_DECREF(string);
    return out;
#endif
}

static ALWAYS_INLINE unit_t *NAME(put_magnitude)(unit_t *out, bool is_negative,
                                                 uint64_t magnitude) {
    *out = '-';
    out += is_negative;
#if OUTPUT_BITS == 8
    return (unit_t *)format_u64((char *)out, magnitude);
#else
    char digits[FORMAT_INT_ROOM];
    return NAME(put_ascii)(out, digits, (size_t)(format_u64(digits, magnitude) - digits));
#endif
}

/* Write an int that a double cannot hold exactly, where the options ask for more than its
 * digits. */
static NOINLINE unit_t *NAME(put_unsafe_int)(struct output *output, unit_t *out, PyObject *number) {
    if (output->options->int53 == INT53_ERROR) {
        output_fail(output, ERROR_INT53, number);
        return NULL;
    }
    bool is_negative;
    uint64_t magnitude;
    long_magnitude(number, &is_negative, &magnitude);
    const bool is_quoted = !output->is_in_key;
    *out = '"';
    out = NAME(put_magnitude)(out + is_quoted, is_negative, magnitude);
    *out = '"';
    return out + is_quoted;
}

/* An int with |value| < 2^64, of a subclass too. */
static ALWAYS_INLINE unit_t *NAME(put_int64)(struct output *output, unit_t *out, PyObject *number) {
    bool is_negative;
    uint64_t magnitude = 0;
    const bool is_below_2_64 = long_magnitude(number, &is_negative, &magnitude);
    assert(is_below_2_64);
    (void)is_below_2_64;
    if (UNLIKELY(magnitude > MAX_SAFE_INT) && UNLIKELY(output->options->int53 != INT53_NUMBER)) {
        return NAME(put_unsafe_int)(output, out, number);
    }
    return NAME(put_magnitude)(out, is_negative, magnitude);
}

/* The digits of an int beyond 64 bits, made by encoder_int_repr. */
static NOINLINE unit_t *NAME(put_digits)(struct output *output, unit_t *out, PyObject *digits) {
    const bool is_quoted = output->options->int53 == INT53_STR && !output->is_in_key;
    *out = '"';
    out = NAME(put_raw)(output, out + is_quoted, digits);
    if (out != NULL) {
        *out = '"';
        out += is_quoted;
    }
    return out;
}

/* NaN or an infinity, as the options say; `culprit` is recorded where they refuse it. */
static NOINLINE unit_t *NAME(put_not_finite)(struct output *output, unit_t *out, double value,
                                             PyObject *culprit) {
    if (output->options->nan_as_null) {
        return NAME(put_ascii)(out, "null", 4);
    }
    if (!output->options->allow_nan) {
        output_fail(output, ERROR_NOT_FINITE, culprit);
        return NULL;
    }
    if (__builtin_isnan(value)) {
        return NAME(put_ascii)(out, "NaN", 3);
    }
    return value > 0 ? NAME(put_ascii)(out, "Infinity", 8) : NAME(put_ascii)(out, "-Infinity", 9);
}

/* A finite float where the options ask for a layout other than Python's. */
static NOINLINE unit_t *NAME(put_float_unlike_repr)(const struct output *output, unit_t *out,
                                                    double value) {
    char text[FORMAT_FLOAT_ROOM];
    char *const end = float_text_unlike_repr(text, format_double(text, value),
                                             output->options->floats == FLOAT_PYDANTIC);
    return NAME(put_ascii)(out, text, (size_t)(end - text));
}

static ALWAYS_INLINE unit_t *NAME(put_finite_float)(const struct output *output, unit_t *out,
                                                    double value) {
    if (UNLIKELY(output->options->floats != FLOAT_REPR) && !is_float_without_exponent(value)) {
        return NAME(put_float_unlike_repr)(output, out, value);
    }
#if OUTPUT_BITS == 8
    return (unit_t *)format_double((char *)out, value);
#else
    char digits[FORMAT_FLOAT_ROOM];
    return NAME(put_ascii)(out, digits, (size_t)(format_double(digits, value) - digits));
#endif
}

static ALWAYS_INLINE unit_t *NAME(put_float)(struct output *output, unit_t *out, PyObject *number) {
    const double value = PyFloat_AS_DOUBLE(number);
    if (UNLIKELY(!__builtin_isfinite(value))) {
        return NAME(put_not_finite)(output, out, value, number);
    }
    return NAME(put_finite_float)(output, out, value);
}

/* The None, True and False at the start of the items, at most CONSTANT_RUN, with commas between
 * them; *n is their number, at least one. No branch depends on which they are: it could not be
 * predicted. */
static NOINLINE unit_t *NAME(put_constants)(unit_t *out, PyObject *const *items, Py_ssize_t n_items,
                                            Py_ssize_t *n) {
    static const char texts[4][8] = {"", "null,", "true,", "false,"};
    const Py_ssize_t n_most = n_items < CONSTANT_RUN ? n_items : CONSTANT_RUN;
    uint8_t which[CONSTANT_RUN];
    for (Py_ssize_t i = 0; i < n_most; i++) {
        which[i] = (uint8_t)((items[i] == Py_None) + 2 * (items[i] == Py_True) +
                             3 * (items[i] == Py_False));
    }
    Py_ssize_t i = 0;
    do {
        NAME(put_ascii)(out, texts[which[i]], 8);
        out += 5 + (which[i] == 3);
        i++;
    } while (i < n_most && which[i] != 0);
    *n = i;
    return out - 1;
}

#if OUTPUT_BITS == 8
/* Runs of numbers are computed before the first is stored. The place of a number depends on the
 * length of the one before, so it is known late, and loads cannot pass a store whose address is
 * unknown. */

/* The ints of at most eight digits at the start of the items, at most INT_RUN, with commas between
 * them; *n is their number, at least one. */
static NOINLINE unit_t *NAME(put_ints)(unit_t *out, PyObject *const *items, Py_ssize_t n_items,
                                       Py_ssize_t *n) {
    uint64_t values[INT_RUN];
    bool is_negative[INT_RUN];
    Py_ssize_t n_ints = 0;
    do {
        long_magnitude(items[n_ints], &is_negative[n_ints], &values[n_ints]);
        n_ints++;
    } while (n_ints < n_items && n_ints < INT_RUN && PyLong_CheckExact(items[n_ints]) &&
             long_is_below_1e8(items[n_ints]));
    for (Py_ssize_t i = 0; i < n_ints; i += U64_LANES) {
        u64_store(values + i, split_digits(u64_load(values + i)));
    }
    for (Py_ssize_t i = 0; i < n_ints; i++) {
        *out = '-';
        out = (unit_t *)store_split_digits((char *)out + is_negative[i], values[i]);
        *out++ = ',';
    }
    *n = n_ints;
    return out - 1;
}

/* The finite floats at the start of the items, at most FLOAT_RUN, with commas between them; *n is
 * their number, at least one. */
static NOINLINE unit_t *NAME(put_floats)(unit_t *out, PyObject *const *items, Py_ssize_t n_items,
                                         Py_ssize_t *n) {
    Py_ssize_t n_floats = 1;
    while (n_floats < n_items && n_floats < FLOAT_RUN && is_finite_float(items[n_floats])) {
        n_floats++;
    }
    *n = n_floats;
    if (n_floats < FLOAT_RUN_LEAST) {
        struct float_text texts[FLOAT_RUN_LEAST - 1];
        for (Py_ssize_t i = 0; i < n_floats; i++) {
            texts[i] = float_text(PyFloat_AS_DOUBLE(items[i]));
        }
        for (Py_ssize_t i = 0; i < n_floats; i++) {
            out = (unit_t *)store_float((char *)out, texts[i]);
            *out++ = ',';
        }
        return out - 1;
    }
    struct float_run run;
    float_run(&run, items, (size_t)n_floats);
    for (Py_ssize_t i = 0; i < n_floats; i++) {
        out = (unit_t *)store_float((char *)out, float_run_text(&run, (size_t)i));
        *out++ = ',';
    }
    return out - 1;
}

/* The lists of finite floats at the start of the items, such as coordinates, with commas between
 * them: as many as hold FLOAT_RUN floats together. *n is the number of lists, at least one. */
static NOINLINE unit_t *NAME(put_float_lists)(unit_t *out, PyObject *const *items,
                                              Py_ssize_t n_items, Py_ssize_t *n) {
    PyObject *floats[FLOAT_RUN]; /* borrowed, of all lists */
    size_t ends[FLOAT_RUN];      /* the end of each list in `floats` */
    size_t n_floats = 0;
    Py_ssize_t n_lists = 0;
    do {
        PyListObject *const list = (PyListObject *)items[n_lists];
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
            floats[n_floats++] = list->ob_item[i];
        }
        ends[n_lists++] = n_floats;
    } while (n_lists < n_items &&
             is_short_float_list(items[n_lists], FLOAT_RUN - (Py_ssize_t)n_floats));
    struct float_run run;
    float_run(&run, floats, n_floats);
    size_t i = 0;
    for (Py_ssize_t list = 0; list < n_lists; list++) {
        *out++ = '[';
        do {
            out = (unit_t *)store_float((char *)out, float_run_text(&run, i));
            *out++ = ',';
        } while (++i < ends[list]);
        out[-1] = ']';
        *out++ = ',';
    }
    *n = n_lists;
    return out - 1;
}
#endif
