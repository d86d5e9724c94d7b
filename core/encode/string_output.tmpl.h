/* SPDX-License-Identifier: MIT */
/* Template: write strs and fragments to one kind of output. Nothing here can run Python code: see
 * output.h.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2 and ucs4, and OUTPUT_BITS, the width of its
 * unit. Defines put_any_string_<output> and put_fragment_<output>.
 *
 * The functions take and return what those of output.tmpl.h do. */

#define OUTPUT_IS_UTF8 (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_utf8)
#define OUTPUT_IS_ASCII (CONCAT(OUTPUT_NUMBER, OUTPUT) == OUTPUT_NUMBER_ascii)
#define OUTPUT_IS_STR (CONCAT(OUTPUT_NUMBER, OUTPUT) >= OUTPUT_NUMBER_ucs1)
#define NAME(noun) CONCAT(noun, OUTPUT)
#define unit_t VEC_UNIT(OUTPUT_BITS)

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
        } else if (n_more > WRITER_MAX_EXPECTED_BYTES / 4) {
            n_more = measure_escaped(text.data, n_more, unit_bytes, to_utf8);
        }
    }
#endif
    char *const grown = writer_grow_for(&output->writer, (char *)out, n_more, is_direct);
    output->frames_stop = NULL;
    if (grown == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
    }
    return (unit_t *)grown;
}

/* Write a str of any kind and length in quotes, of which the first n_done characters are written
 * already, up to `to`. NULL where it cannot be written: the error is recorded, or wanted_form says
 * which output could hold it. */
static NOINLINE unit_t *NAME(put_rest_of_string)(struct output *output, unit_t *out,
                                                 PyObject *string, size_t n_done, unit_t *to) {
    if (UNLIKELY(!unicode_is_ready(string))) {
        output_fail(output, ERROR_RAISED, NULL);
        return NULL;
    }
#if OUTPUT_IS_UTF8
    if (UNLIKELY(output->options->line_safe) && !output->has_line_end) {
        output->has_line_end = encode_has_line_end(string);
    }
#endif
    const struct text text = NAME(text_of)(output, string);
    const size_t start = (size_t)((char *)out - output->writer.begin);
    ptrdiff_t n_written = to - out;
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
        n_done = 0; /* what is beyond out does not move with it */
        n_written = 1;
    }
    *out = '"';
    out += n_written;
    const char *from = text.data;
    const char *const end = from + (size_t)text.length * text_form_unit_bytes(text.form);
    from += n_done * text_form_unit_bytes(text.form);
    const unit_t *limit = (const unit_t *)output->writer.limit;
    for (;;) {
        switch (text.form) {
#if OUTPUT_IS_UTF8
        case TEXT_LATIN1: from = write_utf8_run(from, end, 1, &out, limit); break;
        case TEXT_UCS2: from = write_utf8_run(from, end, 2, &out, limit); break;
        case TEXT_UCS4: from = write_utf8_run(from, end, 4, &out, limit); break;
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
        if (UNIT_NAME(has_room)(output, out)) {
            /* a surrogate, which UTF-8 cannot encode */
            output->cursor = output->writer.begin + start;
            output->wanted_form = TEXT_UCS4;
            return NULL;
        }
        out = UNIT_NAME(grow)(output, out, (size_t)(end - from) * (OUTPUT_IS_UTF8 ? 2 : 1));
        if (out == NULL) {
            return NULL;
        }
        limit = (const unit_t *)output->writer.limit;
    }
    *out = '"';
    return out + 1;
}

static ALWAYS_INLINE unit_t *NAME(put_long_string)(struct output *output, unit_t *out,
                                                   PyObject *string) {
    return NAME(put_rest_of_string)(output, out, string, 0, out + 1);
}

#if OUTPUT_IS_UTF8
/* Write a str in quotes whose first n_stored units are stored already, up to `to`. Apart from
 * the functions below, which so save fewer registers. */
static NOINLINE unit_t *NAME(put_rest)(struct output *output, unit_t *out, PyObject *string,
                                       size_t n_stored, uint8_t *to) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    const int unit_bytes = (int)PyUnicode_KIND(string);
    const char *const from = (const char *)((const PyCompactUnicodeObject *)string + 1);
    const char *const end = from + n * (size_t)unit_bytes;
    if (UNLIKELY(escape_utf8_run(from + n_stored * (size_t)unit_bytes, end, unit_bytes, &to,
                                 (const uint8_t *)output->writer.limit) != end)) {
        return NAME(put_long_string)(output, out, string); /* once more, with more room */
    }
    *out = '"';
    *to = '"';
    return to + 1;
}

/* Write a str in quotes whose first n_stored units are stored already, up to `to`: usually all. */
static ALWAYS_INLINE unit_t *NAME(finish_plain)(struct output *output, unit_t *out,
                                                PyObject *string, size_t n_stored, uint8_t *to) {
    if (UNLIKELY(n_stored != (size_t)PyUnicode_GET_LENGTH(string))) {
        return NAME(put_rest)(output, out, string, n_stored, to);
    }
    *out = '"';
    *to = '"';
    return to + 1;
}

/* Write a str in quotes that has room even if it takes four bytes a unit. A function for each kind,
 * which so saves only the registers that it needs. */

static NOINLINE unit_t *NAME(put_plain_latin1)(struct output *output, unit_t *out,
                                               PyObject *string) {
    uint8_t *to = out + 1;
    const size_t n = plain_utf8_8((const uint8_t *)((const PyCompactUnicodeObject *)string + 1),
                                  (size_t)PyUnicode_GET_LENGTH(string), &to);
    return NAME(finish_plain)(output, out, string, n, to);
}

static NOINLINE unit_t *NAME(put_short_ucs2)(struct output *output, unit_t *out, PyObject *string) {
    uint8_t *to = out + 1;
    const size_t n =
        plain_utf8_short_16((const uint16_t *)((const PyCompactUnicodeObject *)string + 1),
                            (size_t)PyUnicode_GET_LENGTH(string), &to);
    return NAME(finish_plain)(output, out, string, n, to);
}

static NOINLINE unit_t *NAME(put_plain_ucs2)(struct output *output, unit_t *out, PyObject *string) {
    uint8_t *to = out + 1;
    const size_t n = plain_utf8_16((const uint16_t *)((const PyCompactUnicodeObject *)string + 1),
                                   (size_t)PyUnicode_GET_LENGTH(string), &to);
    return NAME(finish_plain)(output, out, string, n, to);
}

static NOINLINE unit_t *NAME(put_plain_ucs4)(struct output *output, unit_t *out, PyObject *string) {
    uint8_t *to = out + 1;
    const size_t n = plain_utf8_32((const uint32_t *)((const PyCompactUnicodeObject *)string + 1),
                                   (size_t)PyUnicode_GET_LENGTH(string), &to);
    return NAME(finish_plain)(output, out, string, n, to);
}
#endif

#if !OUTPUT_IS_ASCII
/* Longer strs are copied by copy_plain. */
#define MEDIUM_CHARS 1024

/* Whether a str is longer than n_short, but not long, and has room as it is. */
static ALWAYS_INLINE bool NAME(is_medium)(const struct output *output, const unit_t *out,
                                          PyObject *string, Py_ssize_t n_short) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(string);
    return n > n_short && n <= MEDIUM_CHARS && n <= (const unit_t *)output->writer.limit - out;
}

#if OUTPUT_BITS == 8
/* Write a str of ASCII in quotes that is to be escaped; its first n_stored characters are stored
 * already. */
static NOINLINE unit_t *NAME(put_escaped_ascii)(struct output *output, unit_t *out,
                                                PyObject *string, size_t n_stored) {
    const uint8_t *const begin = (const uint8_t *)((const PyASCIIObject *)string + 1);
    const uint8_t *const end = begin + PyUnicode_GET_LENGTH(string);
    unit_t *to = out + 1 + n_stored;
    const uint8_t *const from =
        escape_few(begin + n_stored, end, &to, (const uint8_t *)output->writer.limit);
    if (from != end) {
        return NAME(put_rest_of_string)(output, out, string, (size_t)(from - begin), to);
    }
    *out = '"';
    *to = '"';
    return to + 1;
}
#endif

/* Put quotes around a medium str whose first n_stored units are stored already: usually all. */
static ALWAYS_INLINE unit_t *NAME(finish_medium)(struct output *output, unit_t *out,
                                                 PyObject *string, size_t n_stored) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (UNLIKELY(n_stored != n)) {
#if OUTPUT_BITS == 8
        if (PyUnicode_IS_ASCII(string)) {
            return NAME(put_escaped_ascii)(output, out, string, n_stored);
        }
#endif
        return NAME(put_rest_of_string)(output, out, string, n_stored, out + 1 + n_stored);
    }
    out[0] = '"';
    out[n + 1] = '"';
    return out + n + 2;
}

/* Write a medium str whose units are bytes, in quotes. */
static NOINLINE unit_t *NAME(put_medium_bytes)(struct output *output, unit_t *out, PyObject *string,
                                               const uint8_t *bytes) {
    const size_t n =
        CONCAT(copy_blocks_8, OUTPUT_BITS)(bytes, (size_t)PyUnicode_GET_LENGTH(string), out + 1);
    return NAME(finish_medium)(output, out, string, n);
}
#endif

#if OUTPUT_IS_STR
/* Write a medium str of the output's own kind in quotes. */
static NOINLINE unit_t *NAME(put_medium_string)(struct output *output, unit_t *out,
                                                PyObject *string) {
    const unit_t *const from = (const unit_t *)((const PyCompactUnicodeObject *)string + 1);
#if OUTPUT_BITS == 8
    return NAME(put_medium_bytes)(output, out, string, from);
#else
    const size_t n = CONCAT(copy_blocks, CONCAT(OUTPUT_BITS, OUTPUT_BITS))(
        from, (size_t)PyUnicode_GET_LENGTH(string), out + 1);
    return NAME(finish_medium)(output, out, string, n);
#endif
}
#endif

#if OUTPUT_IS_STR && OUTPUT_BITS > 8
/* Write a str in quotes, with few instructions where it is short and narrower than the output. */
static NOINLINE unit_t *NAME(put_narrow_string)(struct output *output, unit_t *out,
                                                PyObject *string) {
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string)) {
        const void *const from = (const PyCompactUnicodeObject *)string + 1;
        const int unit_bytes = (int)PyUnicode_KIND(string);
        bool is_plain = false;
        out[0] = '"';
        if (unit_bytes == 1 && n <= COPY_SHORT_NARROW) {
            is_plain = CONCAT(copy_short_plain_8, OUTPUT_BITS)(from, n, out + 1);
        }
#if OUTPUT_BITS == 32
        if (unit_bytes == 2 && n <= COPY_SHORT_BLOCKS * U32_LANES) {
            is_plain = copy_short_plain_16_32(from, n, out + 1);
        }
#endif
        if (is_plain) {
            out[n + 1] = '"';
            return out + n + 2;
        }
    }
    return NAME(put_long_string)(output, out, string);
}
#endif

/* Write a str in quotes, with few instructions where it is short and not ASCII. Its UTF-8 cache is
 * not used then: the cache is elsewhere in memory, and fetching it costs more than transcoding
 * (bench, strings/chinese-0-64 out of the cache: 87 us with it, 30 without; Zen 4, 2026-11-21). */
static NOINLINE unit_t *NAME(put_any_string)(struct output *output, unit_t *out, PyObject *string) {
#if !OUTPUT_IS_ASCII
    if (PyUnicode_IS_COMPACT_ASCII(string)) {
#if OUTPUT_BITS == 8
        const Py_ssize_t n = PyUnicode_GET_LENGTH(string);
        if (n <= SHORT_ASCII_CHARS) { /* most of these need an escape */
            return NAME(put_escaped_ascii)(output, out, string, 0);
        }
#endif
        if (NAME(is_medium)(output, out, string, SHORT_ASCII_CHARS)) {
            const PyASCIIObject *const ascii = (const PyASCIIObject *)string;
            return NAME(put_medium_bytes)(output, out, string, (const uint8_t *)(ascii + 1));
        }
    }
#endif
#if OUTPUT_IS_STR
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) &&
        (int)PyUnicode_KIND(string) == OUTPUT_BITS / 8 &&
        (OUTPUT_BITS > 8 || output->writer.form == TEXT_LATIN1)) {
        const Py_ssize_t n_short = COPY_SHORT_BLOCKS * VEC_LANES(OUTPUT_BITS);
        const unit_t *const from = (const unit_t *)((PyCompactUnicodeObject *)string + 1);
        if (NAME(is_medium)(output, out, string, n_short)) {
            return NAME(put_medium_string)(output, out, string);
        }
        if (n <= (size_t)n_short &&
            LIKELY(CONCAT(copy_short_plain, CONCAT(OUTPUT_BITS, OUTPUT_BITS))(from, n, out + 1))) {
            out[0] = '"';
            out[n + 1] = '"';
            return out + n + 2;
        }
    }
#elif OUTPUT_IS_UTF8
    const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
    if (PyUnicode_IS_COMPACT(string) && !PyUnicode_IS_ASCII(string) &&
        !output->looks_into_strings &&
        (n <= PLAIN_UTF8_SHORT_UNITS ||
         (n <= PLAIN_UTF8_UNITS &&
          PLAIN_UTF8_ROOM(n) <= (size_t)(output->writer.limit - (char *)out) + TEXT_BLOCK_ROOM))) {
        const int unit_bytes = (int)PyUnicode_KIND(string);
        if (LIKELY(unit_bytes == 2)) {
            const uint16_t *const from =
                (const uint16_t *)((const PyCompactUnicodeObject *)string + 1);
            return plain_utf8_is_short(from, n) ? NAME(put_short_ucs2)(output, out, string)
                                                : NAME(put_plain_ucs2)(output, out, string);
        }
        return unit_bytes == 1 ? NAME(put_plain_latin1)(output, out, string)
                               : NAME(put_plain_ucs4)(output, out, string);
    }
#endif
#if OUTPUT_IS_STR && OUTPUT_BITS > 8
    return NAME(put_narrow_string)(output, out, string);
#else
    return NAME(put_long_string)(output, out, string);
#endif
}

/* Write the text of a Fragment unchanged, except where it must be on one line, and with
 * ensure_ascii: its non-ASCII characters are in strings only, so they may be escaped. NULL as in
 * put_any_string. */
static NOINLINE unit_t *NAME(put_fragment)(struct output *output, unit_t *out, PyObject *fragment) {
    output->has_line_end |= output->options->line_safe;
#if OUTPUT_IS_UTF8
    PyObject *bytes = fragment_utf8(fragment, options_codec_errors(output->options));
    if (bytes != NULL && options_write_lines(output->options)) {
        Py_SETREF(bytes, fragment_on_one_line(bytes));
    }
    if (bytes == NULL) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    out = UNIT_NAME(put_bytes)(output, out, PyBytes_AS_STRING(bytes),
                               (size_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return out;
#else
    PyObject *string = fragment_str(fragment);
    if (string != NULL && options_write_lines(output->options)) {
        Py_SETREF(string, fragment_on_one_line(string));
    }
    if (string == NULL) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    const struct text text = unicode_text(string);
    if (text.form == TEXT_ASCII) {
        out = UNIT_NAME(put_bytes)(output, out, text.data, (size_t)text.length);
    }
#if OUTPUT_IS_ASCII
    for (Py_ssize_t i = 0; text.form != TEXT_ASCII && i < text.length && out != NULL; i++) {
        if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
            out = UNIT_NAME(grow)(output, out, (size_t)(text.length - i));
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
        out = UNIT_NAME(put_raw)(output, out, string);
    }
#endif
    Py_DECREF(string);
    return out;
#endif
}

#undef MEDIUM_CHARS
#undef OUTPUT_IS_UTF8
#undef OUTPUT_IS_ASCII
#undef OUTPUT_IS_STR
#undef NAME
#undef unit_t
