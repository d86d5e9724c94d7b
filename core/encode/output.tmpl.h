/* SPDX-License-Identifier: MIT */
/* Template: write numbers, separators and brackets in units of one width, which are text of every
 * kind of output with that width. Parameter: OUTPUT_BITS, 8, 16 or 32. Nothing here can run Python
 * code: see output.h.
 *
 * Each function takes the cursor and returns its new place, or NULL with the error recorded. Unless
 * its comment says otherwise, it writes no more than the room that its caller has reserved. */

#define unit_t VEC_UNIT(OUTPUT_BITS)

static ALWAYS_INLINE bool UNIT_NAME(has_room)(const struct output *output, const unit_t *out) {
    return (const char *)out <= output->writer.limit;
}

static COLD unit_t *UNIT_NAME(grow)(struct output *output, unit_t *out, size_t n_more) {
    char *const grown = writer_grow(&output->writer, (char *)out, n_more);
    output->frames_stop = NULL;
    if (grown == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
    }
    return (unit_t *)grown;
}

/* ASCII without escapes, at most WRITER_ROOM / 2 of it. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_ascii)(unit_t *out, const char *ascii, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)ascii[i];
    }
    return out + n;
}

/* True or False; stores eight units. No branch depends on which it is: it could not be predicted.
 */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_bool)(unit_t *out, PyObject *boolean) {
    const bool is_false = boolean == Py_False;
    static const char texts[2][8] = {"true", "false"};
    UNIT_NAME(put_ascii)(out, texts[is_false], 8);
    return out + 4 + is_false;
}

/* A str without quotes or escapes: separators, indentation, the digits of big ints. */
static NOINLINE unit_t *UNIT_NAME(put_raw)(struct output *output, unit_t *out, PyObject *string) {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    const int kind = (int)PyUnicode_KIND(string);
    const void *const data = PyUnicode_DATA(string);
    for (Py_ssize_t i = 0; i < length; i++) {
        if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
            out = UNIT_NAME(grow)(output, out, (size_t)(length - i));
            if (out == NULL) {
                return NULL;
            }
        }
        const Py_UCS4 c = PyUnicode_READ(kind, data, i);
#if OUTPUT_BITS == 8
        if (output->writer.to_bytes) {
            out = utf8_store_code_point(out, c);
            continue;
        }
#endif
        *out++ = (unit_t)c;
    }
    return out;
}

/* A separator of a few ASCII characters; it may store SEPARATOR_ROOM units. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_short_separator)(
    unit_t *out, const struct short_separator *separator) {
#if OUTPUT_BITS == 8
    memcpy(out, separator->text, SEPARATOR_ROOM);
#else
    typedef uint8_t bytes_t __attribute__((vector_size(SEPARATOR_ROOM)));
    typedef unit_t units_t __attribute__((vector_size(SEPARATOR_ROOM * sizeof(unit_t))));
    bytes_t bytes;
    memcpy(&bytes, separator->text, sizeof bytes);
    const units_t units = __builtin_convertvector(bytes, units_t);
    memcpy(out, &units, sizeof units);
#endif
    return out + separator->n;
}

/* A line break and the indentation of `depth` levels. */
static NOINLINE unit_t *UNIT_NAME(put_line_break)(struct output *output, unit_t *out,
                                                  size_t depth) {
    *out++ = '\n';
    if (UNLIKELY(output->n_indent == 0)) {
        for (size_t level = 0; level < depth && out != NULL; level++) {
            out = UNIT_NAME(put_raw)(output, out, output->options->indent);
        }
        return out;
    }
    const size_t n = depth * output->n_indent;
    if (UNLIKELY((ptrdiff_t)n > (const unit_t *)output->writer.limit - out)) {
        out = UNIT_NAME(grow)(output, out, n);
        if (out == NULL) {
            return NULL;
        }
    }
#if OUTPUT_BITS == 8
    memset(out, output->indent_char, n);
#else
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)output->indent_char;
    }
#endif
    return out + n;
}

/* The separator before an item in a layout other than the compact one. */
static NOINLINE unit_t *UNIT_NAME(put_item_separator)(struct output *output, unit_t *out,
                                                      bool is_first, size_t depth) {
    const struct encode_options *const options = output->options;
    if (!is_first) {
        if (options->item_separator == NULL) {
            *out++ = ',';
        } else {
            out = UNIT_NAME(put_raw)(output, out, options->item_separator);
        }
    }
    if (options->indent != NULL && out != NULL) {
        out = UNIT_NAME(put_line_break)(output, out, depth);
    }
    return out;
}

/* The separator before an item of a container that is `depth` levels deep. */
static ALWAYS_INLINE unit_t *UNIT_NAME(begin_item_at)(struct output *output, unit_t *out,
                                                      bool is_first, size_t depth) {
    if (LIKELY(output->is_compact)) {
        *out = ',';
        return out + !is_first;
    }
    if (LIKELY(output->is_on_one_line)) {
        return is_first ? out : UNIT_NAME(put_short_separator)(out, &output->item_separator);
    }
    return UNIT_NAME(put_item_separator)(output, out, is_first, depth);
}

static ALWAYS_INLINE unit_t *UNIT_NAME(put_key_separator)(struct output *output, unit_t *out) {
    if (LIKELY(output->is_compact)) {
        *out = ':';
        return out + 1;
    }
    if (LIKELY(output->key_separator.is_short)) {
        return UNIT_NAME(put_short_separator)(out, &output->key_separator);
    }
    return UNIT_NAME(put_raw)(output, out, output->options->key_separator);
}

/* Write bytes that are already text of this output. */
static NOINLINE unit_t *UNIT_NAME(put_bytes)(struct output *output, unit_t *out, const char *bytes,
                                             size_t n) {
    if ((const unit_t *)output->writer.limit - out < (Py_ssize_t)n) {
        out = UNIT_NAME(grow)(output, out, n);
        if (out == NULL) {
            return NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)bytes[i];
    }
    return out + n;
}

/* Write a str in quotes that is ASCII of at most n_max characters, n_max <= SHORT_ASCII_CHARS,
 * and plain; NULL where it is another one. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_short_ascii)(unit_t *out, PyObject *string,
                                                        Py_ssize_t n_max) {
    if (LIKELY(PyUnicode_IS_COMPACT_ASCII(string)) && PyUnicode_GET_LENGTH(string) <= n_max) {
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
    return NULL;
}

#if OUTPUT_BITS != 8
/* n characters of ASCII, of which whole sixteens can be read; as many units are stored. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_wide)(unit_t *out, const uint8_t *ascii, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        CONCAT(copy_sixteen_8, OUTPUT_BITS)(u8x16_load(ascii + i), out + i);
    }
    return out + n;
}

/* The text of a number, at most 32 characters of those at `ascii`: 8, 16 or 32 units are stored.
 * Where the text is short only its first store is read, because a load of bytes from two stores
 * waits for both. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_number_text)(unit_t *out, const char ascii[32],
                                                        size_t n) {
    typedef uint8_t narrow_t __attribute__((vector_size(8)));
    typedef unit_t wide_t __attribute__((vector_size(8 * sizeof(unit_t))));
    if (LIKELY(n <= 8)) {
        narrow_t narrow;
        memcpy(&narrow, ascii, sizeof narrow);
        const wide_t wide = __builtin_convertvector(narrow, wide_t);
        memcpy(out, &wide, sizeof wide);
        return out + n;
    }
    return UNIT_NAME(put_wide)(out, (const uint8_t *)ascii, n);
}
#endif

static ALWAYS_INLINE unit_t *UNIT_NAME(put_magnitude)(unit_t *out, bool is_negative,
                                                      uint64_t magnitude) {
    *out = '-';
    out += is_negative;
#if OUTPUT_BITS == 8
    return (unit_t *)format_u64((char *)out, magnitude);
#else
    char digits[FORMAT_INT_ROOM < 32 ? 32 : FORMAT_INT_ROOM];
    return UNIT_NAME(put_number_text)(out, digits,
                                      (size_t)(format_u64(digits, magnitude) - digits));
#endif
}

#if OUTPUT_BITS == 8
/* An int by its sign and magnitude, out of line: for where ints are rare. */
static NOINLINE unit_t *UNIT_NAME(put_rare_magnitude)(unit_t *out, bool is_negative,
                                                      uint64_t magnitude) {
    return UNIT_NAME(put_magnitude)(out, is_negative, magnitude);
}
#else
/* What is rare is written as ASCII first, so that its code exists once. `end` is what the function
 * that wrote the text has returned. */
static NOINLINE unit_t *UNIT_NAME(put_widened)(unit_t *out, const uint8_t *text,
                                               const uint8_t *end) {
    return end == NULL ? NULL : UNIT_NAME(put_wide)(out, text, (size_t)(end - text));
}
#endif

#if OUTPUT_BITS == 8
/* Write the canonical text of the number that a decimal text gives; a culprit is recorded where
 * there is none. */
static COLD uint8_t *put_canonical_number(struct output *output, uint8_t *out, const char *text,
                                          size_t n, PyObject *culprit) {
    char number[CANONICAL_NUMBER_ROOM];
    const size_t n_number = canonical_number(number, text, n);
    if (n_number == 0) {
        output_fail(output, ERROR_NOT_CANONICAL, culprit);
        return NULL;
    }
    memcpy(out, number, sizeof number);
    return out + n_number;
}
#endif

/* Write an int that a double cannot hold exactly, where the options ask for more than its
 * digits. */
static COLD unit_t *UNIT_NAME(put_unsafe_int)(struct output *output, unit_t *out,
                                              PyObject *number) {
#if OUTPUT_BITS == 8
    bool is_negative;
    uint64_t magnitude;
    long_magnitude(number, &is_negative, &magnitude);
    const bool is_of_64_bits = !is_negative || magnitude <= (uint64_t)1 << 63;
    const enum int_format format = options_int_format(output->options, is_of_64_bits);
    if (format == INT_ERROR) {
        output_fail(output, options_int_error(output->options), number);
        return NULL;
    }
    const bool is_quoted = format == INT_STR && !output->is_in_key;
    *out = '"';
    unit_t *const digits = out + is_quoted;
    out = UNIT_NAME(put_rare_magnitude)(digits, is_negative, magnitude);
    if (format == INT_CANONICAL && !output->is_in_key) {
        return put_canonical_number(output, digits, (const char *)digits, (size_t)(out - digits),
                                    number);
    }
    *out = '"';
    return out + is_quoted;
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_unsafe_int_8(output, text, number));
#endif
}

/* An int with |value| < 2^64, of a subclass too, where ints are rare: the walk has its own lines.
 */
static NOINLINE unit_t *UNIT_NAME(put_rare_int64)(struct output *output, unit_t *out,
                                                  PyObject *number) {
#if OUTPUT_BITS == 8
    bool is_negative;
    uint64_t magnitude = 0;
    const bool is_below_2_64 = long_magnitude(number, &is_negative, &magnitude);
    assert(is_below_2_64);
    (void)is_below_2_64;
    if (UNLIKELY(magnitude > MAX_SAFE_INT) && UNLIKELY(options_limit_ints(output->options))) {
        return UNIT_NAME(put_unsafe_int)(output, out, number);
    }
    return UNIT_NAME(put_rare_magnitude)(out, is_negative, magnitude);
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_rare_int64_8(output, text, number));
#endif
}

/* A number of any length, given by its decimal text. */
static COLD unit_t *UNIT_NAME(put_canonical_digits)(struct output *output, unit_t *out,
                                                    const char *digits, size_t n,
                                                    PyObject *number) {
#if OUTPUT_BITS == 8
    return put_canonical_number(output, out, digits, n, number);
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_canonical_number(output, text, digits, n, number));
#endif
}

/* A number of any length, given by its decimal text in a str. */
static COLD unit_t *UNIT_NAME(put_canonical_text)(struct output *output, unit_t *out,
                                                  PyObject *digits, PyObject *number) {
    const size_t n = PyUnicode_IS_ASCII(digits) ? (size_t)PyUnicode_GET_LENGTH(digits) : 0;
    return UNIT_NAME(put_canonical_digits)(output, out, PyUnicode_DATA(digits), n, number);
}

/* The digits of an int beyond 64 bits, made by encoder_int_repr. */
static NOINLINE unit_t *UNIT_NAME(put_digits)(struct output *output, unit_t *out, PyObject *digits,
                                              PyObject *number) {
    const enum int_format format = options_int_format(output->options, false);
    if (format == INT_CANONICAL && !output->is_in_key) {
        return UNIT_NAME(put_canonical_text)(output, out, digits, number);
    }
    const bool is_quoted = format == INT_STR && !output->is_in_key;
    *out = '"';
    out = UNIT_NAME(put_raw)(output, out + is_quoted, digits);
    if (out != NULL) {
        *out = '"';
        out += is_quoted;
    }
    return out;
}

/* A float beyond greatest_float: NaN or an infinity, as the options say, or any of canonical JSON;
 * `culprit` is recorded where they refuse it. */
static NOINLINE unit_t *UNIT_NAME(put_unusual_float)(struct output *output, unit_t *out,
                                                     double value, PyObject *culprit) {
#if OUTPUT_BITS == 8
    if (__builtin_isfinite(value)) {
        return (unit_t *)format_ecmascript((char *)out, value);
    }
    const bool is_quoted = output->options->nan_as_str && !output->is_in_key;
    if (output->options->nan_as_null && !output->options->nan_as_str) {
        return UNIT_NAME(put_ascii)(out, "null", 4);
    }
    if (!output->options->allow_nan && !output->options->nan_as_str) {
        output_fail(output, ERROR_NOT_FINITE, culprit);
        return NULL;
    }
    *out = '"';
    out += is_quoted;
    if (__builtin_isnan(value)) {
        out = UNIT_NAME(put_ascii)(out, "NaN", 3);
    } else {
        out = value > 0 ? UNIT_NAME(put_ascii)(out, "Infinity", 8)
                        : UNIT_NAME(put_ascii)(out, "-Infinity", 9);
    }
    *out = '"';
    return out + is_quoted;
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_unusual_float_8(output, text, value, culprit));
#endif
}

/* A finite float where the options ask for a layout other than Python's. */
static NOINLINE unit_t *UNIT_NAME(put_float_unlike_repr)(const struct output *output, unit_t *out,
                                                         double value) {
#if OUTPUT_BITS == 8
    return (unit_t *)float_text_unlike_repr((char *)out, format_any_double((char *)out, value),
                                            output->options->floats == FLOAT_PYDANTIC);
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_float_unlike_repr_8(output, text, value));
#endif
}

/* A float up to greatest_float. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_usual_float)(const struct output *output, unit_t *out,
                                                        double value) {
    if (UNLIKELY(output->options->floats != FLOAT_REPR) && !is_float_without_exponent(value)) {
        return UNIT_NAME(put_float_unlike_repr)(output, out, value);
    }
#if OUTPUT_BITS == 8
    return (unit_t *)format_double((char *)out, value);
#else
    char digits[FORMAT_FLOAT_ROOM];
    return UNIT_NAME(put_number_text)(out, digits, (size_t)(format_double(digits, value) - digits));
#endif
}

static ALWAYS_INLINE unit_t *UNIT_NAME(put_float)(struct output *output, unit_t *out,
                                                  PyObject *number) {
    const double value = PyFloat_AS_DOUBLE(number);
    if (UNLIKELY(!output_float_is_usual(output, value))) {
        return UNIT_NAME(put_unusual_float)(output, out, value, number);
    }
    return UNIT_NAME(put_usual_float)(output, out, value);
}

/* The same, where floats are rare. */
static NOINLINE unit_t *UNIT_NAME(put_rare_float)(struct output *output, unit_t *out,
                                                  PyObject *number) {
#if OUTPUT_BITS == 8
    return UNIT_NAME(put_float)(output, out, number);
#else
    uint8_t text[NUMBER_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_rare_float_8(output, text, number));
#endif
}

/* The None, True and False at the start of the items, at most CONSTANT_RUN, with commas between
 * them; *n is their number, at least one. No branch depends on which they are: it could not be
 * predicted. */
static NOINLINE unit_t *UNIT_NAME(put_constants)(unit_t *out, PyObject *const *items,
                                                 Py_ssize_t n_items, Py_ssize_t *n) {
#if OUTPUT_BITS == 8
    static const char texts[4][8] = {"", "null,", "true,", "false,"};
    const Py_ssize_t n_max = n_items < CONSTANT_RUN ? n_items : CONSTANT_RUN;
    uint8_t which[CONSTANT_RUN];
    VECTORIZED
    for (Py_ssize_t i = 0; i < n_max; i++) {
        which[i] = (uint8_t)((items[i] == Py_None) + 2 * (items[i] == Py_True) +
                             3 * (items[i] == Py_False));
    }
    Py_ssize_t i = 0;
    do {
        UNIT_NAME(put_ascii)(out, texts[which[i]], 8);
        out += 5 + (which[i] == 3);
        i++;
    } while (i < n_max && which[i] != 0);
    *n = i;
    return out - 1;
#else
    uint8_t text[CONSTANT_RUN * 6 + 8];
    return UNIT_NAME(put_widened)(out, text, put_constants_8(text, items, n_items, n));
#endif
}

/* The run of ints at the start of the items, with commas between them; *n is their number. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_ints)(unit_t *out, PyObject *const *items,
                                                 Py_ssize_t n_items, Py_ssize_t *n) {
#if OUTPUT_BITS == 8
    return (unit_t *)store_int_run((char *)out, items, n_items, n) - 1;
#else
    char text[INT_RUN_ROOM];
    const char *const end = store_int_run(text, items, n_items, n) - 1;
    return UNIT_NAME(put_wide)(out, (const uint8_t *)text, (size_t)(end - text));
#endif
}

#if OUTPUT_BITS == 8
/* The finite floats at the start of the items, at most FLOAT_RUN, with commas between them; *n is
 * their number, at least one. Like ints in runs, they are computed before the first is stored. */
static NOINLINE unit_t *UNIT_NAME(put_floats)(struct output *output, unit_t *out,
                                              PyObject *const *items, Py_ssize_t n_items,
                                              Py_ssize_t *n) {
#if defined(SIMD_HAS_COMPRESS)
    char *const after_short = store_short_float_run((char *)out, items, n_items, n);
    if (*n != 0) {
        return (unit_t *)after_short - 1;
    }
#endif
    const bool is_repr = output->options->floats == FLOAT_REPR;
    Py_ssize_t n_floats = 1;
    while (n_floats < n_items && n_floats < FLOAT_RUN && is_finite_float(items[n_floats])) {
        n_floats++;
    }
    *n = n_floats;
    Py_ssize_t i = 0;
    for (; i < n_floats; i++) {
        char *const end = format_short_double((char *)out, PyFloat_AS_DOUBLE(items[i]));
        if (end == NULL) {
            break;
        }
        *end = ',';
        out = (unit_t *)end + 1;
    }
    const Py_ssize_t n_left = n_floats - i;
    items += i;
    if (n_left < FLOAT_RUN_MIN) {
        for (Py_ssize_t j = 0; j < n_left; j++) {
            out = UNIT_NAME(put_rare_float)(output, out, items[j]);
            *out++ = ',';
        }
        return out - 1;
    }
    struct float_run run;
    float_run(&run, items, (size_t)n_left);
    for (Py_ssize_t j = 0; j < n_left; j++) {
        out = (unit_t *)store_float_as((char *)out, float_run_text(&run, (size_t)j), is_repr);
        *out++ = ',';
    }
    return out - 1;
}

/* The lists of finite floats at the start of the items, such as coordinates, with commas between
 * them: as many as hold FLOAT_RUN floats together. *n is the number of lists, at least one. */
static NOINLINE unit_t *UNIT_NAME(put_float_lists)(const struct output *output, unit_t *out,
                                                   PyObject *const *items, Py_ssize_t n_items,
                                                   Py_ssize_t *n) {
    const bool is_repr = output->options->floats == FLOAT_REPR;
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
            out = (unit_t *)store_float_as((char *)out, float_run_text(&run, i), is_repr);
            *out++ = ',';
        } while (++i < ends[list]);
        out[-1] = ']';
        *out++ = ',';
    }
    *n = n_lists;
    return out - 1;
}
#else
/* Such runs are written as bytes first. */

static NOINLINE unit_t *UNIT_NAME(put_floats)(struct output *output, unit_t *out,
                                              PyObject *const *items, Py_ssize_t n_items,
                                              Py_ssize_t *n) {
    uint8_t text[ITEM_ROOM];
    const uint8_t *const end = put_floats_8(output, text, items, n_items, n);
    return UNIT_NAME(put_wide)(out, text, (size_t)(end - text));
}

static NOINLINE unit_t *UNIT_NAME(put_float_lists)(const struct output *output, unit_t *out,
                                                   PyObject *const *items, Py_ssize_t n_items,
                                                   Py_ssize_t *n) {
    uint8_t text[ITEM_ROOM];
    const uint8_t *const end = put_float_lists_8(output, text, items, n_items, n);
    return UNIT_NAME(put_wide)(out, text, (size_t)(end - text));
}
#endif

#undef unit_t
