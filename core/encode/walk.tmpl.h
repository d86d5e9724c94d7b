/* SPDX-License-Identifier: MIT */
/* Template: walk a tree of Python objects and write JSON text to one kind of output.
 * Parameters: OUTPUT, one of utf8, ascii, ucs1, ucs2, ucs4, and its OUTPUT_BITS a unit. Defines
 * walk_<output>. */

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

/* A str in quotes. NULL where it cannot be written: the error is recorded, or wanted_form says
 * which output could hold it. */
static NOINLINE unit_t *NAME(put_any_string)(struct encoder *encoder, unit_t *out,
                                             PyObject *string) {
    if (UNLIKELY(!unicode_is_ready(string))) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    const struct text text = NAME(text_of)(encoder, string);
#if OUTPUT_IS_STR
    if (UNLIKELY(text.form > encoder->writer.form)) {
        encoder->wanted_form = text.form;
        return NULL;
    }
#endif
    if (UNLIKELY(text.length > (const unit_t *)encoder->writer.limit - out)) {
        out = NAME(grow)(encoder, out, (size_t)text.length);
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
            encoder->wanted_form = TEXT_UCS4; /* a surrogate, which UTF-8 cannot hold */
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

/* The same; a short plain one in line. */
static ALWAYS_INLINE unit_t *NAME(put_string)(struct encoder *encoder, unit_t *out,
                                              PyObject *string) {
#if OUTPUT_BITS == 8 && !OUTPUT_IS_ASCII
    if (LIKELY(PyUnicode_IS_COMPACT_ASCII(string)) &&
        PyUnicode_GET_LENGTH(string) <= SHORT_PLAIN_BYTES) {
        const size_t n = (size_t)PyUnicode_GET_LENGTH(string);
        out[0] = '"';
        if (LIKELY(copy_short_plain((const uint8_t *)((PyASCIIObject *)string + 1), n, out + 1))) {
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

/* A key that is not a str, as stdlib coerces it, in quotes. `*is_skipped` where skipkeys drops
 * it. */
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

static ALWAYS_INLINE enum walk_status NAME(stop)(struct encoder *encoder, const unit_t *out,
                                                 enum resume_point point, PyObject *value) {
    if (encoder->error.error.kind != ERROR_NONE) {
        encoder->has_failed_at_key = point == RESUME_KEY;
        return WALK_FAILED;
    }
    encoder->cursor = (char *)out;
    encoder->resume = point;
    encoder->value = value;
    return WALK_WANTS_WIDER;
}

/* Behind the last item of a container: the closing line's indentation, if any, and the bracket. */
static ALWAYS_INLINE unit_t *NAME(put_closing)(struct encoder *encoder, unit_t *out, char bracket,
                                               bool has_output) {
    if (UNLIKELY(encoder->options->indent != NULL) &&
        (has_output || encoder->options->manners.keeps_line_of_skipped)) {
        if (!has_output) {
            out = NAME(put_line_break)(encoder, out,
                                       encoder->n_frames + 1 - encoder->n_default_frames);
            if (out == NULL) {
                return NULL;
            }
        }
        out = NAME(put_line_break)(encoder, out, encoder->n_frames - encoder->n_default_frames);
        if (out == NULL) {
            return NULL;
        }
    }
    *out = (unit_t)bracket;
    return out + 1;
}

/* Write encoder->value and all that the frames still hold. */
static NOINLINE enum walk_status NAME(walk)(struct encoder *encoder) {
    unit_t *out = (unit_t *)encoder->cursor;
    unit_t *next;                     /* behind what was just written, NULL where that failed */
    PyObject *value = encoder->value; /* borrowed */
    struct frame *frame = NULL;       /* on top */
    /* the frame on top, unpacked: stale once Python code has run, so not used from then on */
    enum walk_place place = IN_FRAME;
    PyObject *const *items = NULL;
    struct dict_entries entries = {0};
    Py_ssize_t index = 0;
    Py_ssize_t n_items = 0;
    if (encoder->resume == RESUME_KEY) {
        goto key;
    }

value:
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
value_in_room: {
    PyTypeObject *const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        next = NAME(put_string)(encoder, out, value);
    } else if (type == &PyLong_Type) {
        next = NAME(put_int)(encoder, out, value);
    } else if (type == &PyFloat_Type) {
#if OUTPUT_BITS == 8
        if (place == IN_ARRAY && encoder->is_compact && index < n_items &&
            Py_TYPE(items[index]) == type && __builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
            Py_ssize_t n;
            next = NAME(put_floats)(out, items + index - 1, n_items - index + 1, &n);
            index += n - 1;
            frame->index = index;
            goto scalar;
        }
#endif
        next = NAME(put_float)(encoder, out, value);
    } else if (type == &PyDict_Type) {
        goto dict;
    } else if (type == &PyList_Type) {
        goto list;
    } else if (value == Py_None || value == Py_True || value == Py_False) {
        if (place == IN_ARRAY && encoder->is_compact) {
            Py_ssize_t n;
            next = NAME(put_constants)(out, items + index - 1, n_items - index + 1, &n);
            index += n - 1;
            frame->index = index;
            goto scalar;
        }
        next = value == Py_None   ? NAME(put_ascii)(out, "null", 4)
               : value == Py_True ? NAME(put_ascii)(out, "true", 4)
                                  : NAME(put_ascii)(out, "false", 5);
    } else if (type == &PyTuple_Type) {
        goto tuple;
    } else {
        goto uncommon;
    }
}
scalar:
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(encoder, out, RESUME_VALUE, value);
    }
    out = next;

behind_value:
    if (LIKELY(!encoder->is_owning)) {
        if (place == IN_ARRAY) {
            goto array_item;
        }
        if (place == IN_DICT) {
            goto dict_item;
        }
    }

frame:
    if (UNLIKELY(encoder->n_frames == 0)) {
        encoder->cursor = (char *)out;
        return WALK_DONE;
    }
    /* closing brackets come here one after the other */
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    frame = &encoder->frames[encoder->n_frames - 1];
    index = frame->index;
    place = IN_FRAME;
    switch (frame->kind) {
    case FRAME_LIST:
        items = ((PyListObject *)frame->items)->ob_item;
        n_items = PyList_GET_SIZE(frame->items);
        place = IN_ARRAY;
        goto array_item;
    case FRAME_TUPLE:
        items = ((PyTupleObject *)frame->items)->ob_item;
        n_items = PyTuple_GET_SIZE(frame->items);
        place = IN_ARRAY;
        goto array_item;
    case FRAME_DICT:
        entries = dict_entries(frame->items);
        place = IN_DICT;
        goto dict_item;
    case FRAME_DICT_SLOWLY:
        if (!PyDict_Next(frame->items, &frame->index, &encoder->key, &value)) {
            goto close_dict;
        }
        goto pair;
    case FRAME_ITEMS: {
        if (index >= PyList_GET_SIZE(frame->items)) {
            goto close_dict;
        }
        PyObject *const pair = PyList_GET_ITEM(frame->items, index);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
            encoder_fail(encoder, ERROR_ITEMS_NOT_PAIRS, NULL);
            encoder->has_failed_at_key = true;
            return WALK_FAILED;
        }
        frame->index++;
        encoder->key = PyTuple_GET_ITEM(pair, 0);
        value = PyTuple_GET_ITEM(pair, 1);
        goto pair;
    }
    case FRAME_DEFAULT: encoder_pop(encoder); goto frame;
    }
    __builtin_unreachable();

array_item:
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    if (index >= n_items) {
        encoder_pop(encoder);
        out = NAME(put_closing)(encoder, out, ']', true);
        if (UNLIKELY(out == NULL)) {
            return WALK_FAILED;
        }
        goto frame;
    }
    out = NAME(begin_item)(encoder, out, index == 0);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    value = items[index];
    frame->index = ++index;
    goto value_in_room;

dict_item:
    do {
        if (index >= entries.n) {
            goto close_dict;
        }
    } while (UNLIKELY(!dict_entry(&entries, index++, &encoder->key, &value)));
    frame->index = index;

pair:
    if (UNLIKELY(!PyUnicode_CheckExact(encoder->key) && !PyUnicode_Check(encoder->key)) &&
        !encoder_is_coercible_key(encoder->key)) {
        if (encoder->options->skipkeys) {
            goto behind_value;
        }
        encoder_fail(encoder, ERROR_KEY_TYPE, encoder->key);
        encoder->has_failed_at_key = true;
        return WALK_FAILED;
    }
    if (UNLIKELY(!NAME(has_room)(encoder, out))) {
        out = NAME(grow)(encoder, out, 0);
        if (out == NULL) {
            return WALK_FAILED;
        }
    }
    out = NAME(begin_item)(encoder, out, !frame->has_output);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    frame->has_output = true;

key:
    next = LIKELY(PyUnicode_Check(encoder->key))
               ? NAME(put_string)(encoder, out, encoder->key)
               : NAME(put_coerced_key)(encoder, out, encoder->key);
    if (UNLIKELY(next == NULL)) {
        return NAME(stop)(encoder, out, RESUME_KEY, value);
    }
    out = NAME(put_key_separator)(encoder, next);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto value;

close_dict: {
    const bool has_output = frame->has_output;
    encoder_pop(encoder);
    out = NAME(put_closing)(encoder, out, '}', has_output);
    if (UNLIKELY(out == NULL)) {
        return WALK_FAILED;
    }
    goto frame;
}

list:
    if (PyList_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    if (IS_FREE_THREADED) {
        goto slow_array;
    }
#if OUTPUT_BITS == 8
    if (place == IN_ARRAY && encoder->is_compact && is_short_float_list(value, FLOAT_RUN)) {
        Py_ssize_t n;
        next = NAME(put_float_lists)(out, items + index - 1, n_items - index + 1, &n);
        index += n - 1;
        frame->index = index;
        goto scalar;
    }
#endif
    *out++ = '[';
    if (UNLIKELY(!encoder_enter(encoder, value, FRAME_LIST))) {
        return WALK_FAILED;
    }
    goto frame;

tuple:
    if (PyTuple_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "[]", 2);
        goto scalar;
    }
    *out++ = '[';
    if (UNLIKELY(!encoder_enter(encoder, value, FRAME_TUPLE))) {
        return WALK_FAILED;
    }
    goto frame;

dict:
    if (PyDict_GET_SIZE(value) == 0) {
        next = NAME(put_ascii)(out, "{}", 2);
        goto scalar;
    }
    if (IS_FREE_THREADED || UNLIKELY(encoder->options->sort_keys || encoder->is_owning)) {
        goto slow_dict;
    }
    *out++ = '{';
    if (UNLIKELY(!encoder_enter(encoder, value,
                                dict_has_entries(value) ? FRAME_DICT : FRAME_DICT_SLOWLY))) {
        return WALK_FAILED;
    }
    goto frame;

uncommon:
    if (PyUnicode_Check(value)) {
        next = NAME(put_string)(encoder, out, value);
        goto scalar;
    }
    if (PyLong_Check(value)) {
        next = NAME(put_int)(encoder, out, value);
        goto scalar;
    }
    if (PyFloat_Check(value)) {
        next = NAME(put_float)(encoder, out, value);
        goto scalar;
    }
    if (PyList_Check(value) || PyTuple_Check(value)) {
        goto slow_array;
    }
    if (PyDict_Check(value)) {
        if (PyDict_GET_SIZE(value) == 0) {
            next = NAME(put_ascii)(out, "{}", 2);
            goto scalar;
        }
        goto slow_dict;
    }
    place = IN_FRAME;
    value = encoder_call_default(encoder, value);
    if (value == NULL) {
        return WALK_FAILED;
    }
    goto value_in_room;

slow_array: {
    bool is_empty = false;
    if (!encoder_enter_slowly(encoder, value, &is_empty)) {
        return WALK_FAILED;
    }
    out = is_empty ? NAME(put_ascii)(out, "[]", 2) : NAME(put_ascii)(out, "[", 1);
    goto frame;
}

slow_dict: {
    bool is_empty = false;
    if (!encoder_enter_slowly(encoder, value, &is_empty)) {
        return WALK_FAILED;
    }
    out = is_empty ? NAME(put_ascii)(out, "{}", 2) : NAME(put_ascii)(out, "{", 1);
    goto frame;
}
}

#undef OUTPUT_IS_UTF8
#undef OUTPUT_IS_ASCII
#undef OUTPUT_IS_STR
#undef NAME
#undef unit_t
#undef OUTPUT_BITS
#undef OUTPUT
