/* SPDX-License-Identifier: MIT */
/* Arrays of Arrow as JSON text in UTF-8. An output of another kind gets the finished text.
 *
 * The functions take and return what those of output.tmpl.h do. Recursion is as deep as the type,
 * at most ARROW_MAX_DEPTH levels. */
#ifndef SSRJSON_ENCODE_TYPES_ARROW_OUTPUT_H
#define SSRJSON_ENCODE_TYPES_ARROW_OUTPUT_H

#include "encode/fragments.h"
#include "encode/types/arrow.h"
#include "text/base64.h"
#include "text/check_utf8.h"

struct arrow_writer {
    struct output *output;
    struct native_options in_utc; /* those of timestamps with a time zone */
    bool leaves_out_none;
    size_t n_until_check; /* bytes of the text that are written before signals are handled */
};

/* Bytes of text between two checks for signals, so that Ctrl+C ends a long array. A small array can
 * stand for a text that fits no memory: lists may share their items, and nulls take no memory. */
#define ARROW_BYTES_BETWEEN_CHECKS ((size_t)1 << 20)

static uint8_t *put_arrow_item(struct arrow_writer *writer, uint8_t *out,
                               const struct arrow_node *node, int64_t index, size_t depth);

static COLD uint8_t *arrow_refuse(struct output *output, const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    output_fail(output, ERROR_REFUSED, NULL);
    return NULL;
}

/* Make room for an item; NULL stays NULL. */
static ALWAYS_INLINE uint8_t *arrow_make_room(struct output *output, uint8_t *out) {
    return LIKELY(out != NULL) && UNLIKELY(!has_room_8(output, out)) ? grow_8(output, out, 0) : out;
}

/* Let handlers of signals run: Python code. NULL where one raises. */
static COLD uint8_t *arrow_check_signals(struct arrow_writer *writer, uint8_t *out, size_t n) {
    writer->n_until_check = n + ARROW_BYTES_BETWEEN_CHECKS;
    if (PyErr_CheckSignals() != 0) {
        output_fail(writer->output, ERROR_REFUSED, NULL);
        return NULL;
    }
    return out;
}

/* Begin an item within brackets, and make room for it. */
static ALWAYS_INLINE uint8_t *arrow_begin(struct arrow_writer *writer, uint8_t *out, bool is_first,
                                          size_t depth) {
    struct output *const output = writer->output;
    out = arrow_make_room(output, out);
    const size_t n = LIKELY(out != NULL) ? (size_t)(out - (uint8_t *)output->writer.begin) : 0;
    if (UNLIKELY(n >= writer->n_until_check)) {
        out = arrow_check_signals(writer, out, n);
    }
    return LIKELY(out != NULL)
               ? arrow_make_room(output, begin_item_at_8(output, out, is_first, depth))
               : NULL;
}

/* Close a container that is `depth` levels deep. */
static ALWAYS_INLINE uint8_t *arrow_end(struct output *output, uint8_t *out, char bracket,
                                        bool is_empty, size_t depth) {
    out = arrow_make_room(output, out);
    if (UNLIKELY(output->options->indent != NULL) && !is_empty && out != NULL) {
        out = put_line_break_8(output, out, depth);
    }
    if (LIKELY(out != NULL)) {
        *out++ = (uint8_t)bracket;
    }
    return out;
}

/* ---- texts --------------------------------------------------------------------------------- */

/* Text that is UTF-8, in quotes. */
static uint8_t *put_arrow_utf8(struct output *output, uint8_t *out, const uint8_t *from, size_t n) {
    *out = '"';
    if (n <= 32 && copy_short_plain(from, n, out + 1)) {
        out[n + 1] = '"';
        return out + n + 2;
    }
    out++;
    const uint8_t *const end = from + n;
    for (;;) {
        from = escape_copy_8_8(from, end, &out, (const uint8_t *)output->writer.limit);
        if (LIKELY(from == end)) {
            break;
        }
        out = grow_8(output, out, (size_t)(end - from));
        if (out == NULL) {
            return NULL;
        }
    }
    *out = '"';
    return out + 1;
}

static NOINLINE uint8_t *put_arrow_base64(struct output *output, uint8_t *out, const uint8_t *from,
                                          size_t n, bool is_url_safe) {
    const size_t length = base64_length(n);
    if ((size_t)((const uint8_t *)output->writer.limit - out) < length) {
        out = grow_8(output, out, length);
        if (out == NULL) {
            return NULL;
        }
    }
    *out = '"';
    base64_encode(from, n, (char *)out + 1, is_url_safe);
    out[length + 1] = '"';
    return out + length + 2;
}

static NOINLINE uint8_t *put_arrow_text(struct output *output, uint8_t *out,
                                        const struct arrow_node *node, int64_t place) {
    const char *text;
    int64_t n;
    if (UNLIKELY(!arrow_text(node, place, &text, &n))) {
        return arrow_refuse(output, "a text of an Arrow array is outside of its buffers");
    }
    switch (node->bytes) {
    case BYTES_BASE64:
        return put_arrow_base64(output, out, (const uint8_t *)text, (size_t)n, false);
    case BYTES_BASE64URL:
        return put_arrow_base64(output, out, (const uint8_t *)text, (size_t)n, true);
    case BYTES_UTF8:
    case BYTES_OFF: break; /* of a column of bytes refused before */
    }
    if (UNLIKELY(!utf8_is_well_formed((const uint8_t *)text, (size_t)n, false))) {
        PyObject *const decoded = PyUnicode_DecodeUTF8(text, n, NULL); /* says where */
        assert(decoded == NULL);
        Py_XDECREF(decoded);
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    return put_arrow_utf8(output, out, (const uint8_t *)text, (size_t)n);
}

/* ---- dates and times ----------------------------------------------------------------------- */

static char *put_arrow_time(char *out, const struct ndarray *items, int64_t value,
                            const struct native_options *options) {
    static const int64_t steps[] = {1, 1000, 1000000, 1000000000};
    const int64_t a_second = steps[items->unit - UNIT_SECOND];
    if (value < 0 || value / a_second >= 86400) {
        PyErr_SetString(PyExc_ValueError, "time of an Arrow array outside of a day");
        return NULL;
    }
    const unsigned seconds = (unsigned)(value / a_second);
    const uint64_t nanoseconds = (uint64_t)(value % a_second) * (uint64_t)(1000000000 / a_second);
    const bool has_below = nanoseconds % 1000 != 0 && options->precision == PRECISION_AUTO;
    out = iso_put_time(out, seconds / 3600, seconds / 60 % 60, seconds % 60,
                       (unsigned)(nanoseconds / 1000),
                       has_below ? PRECISION_MICROSECONDS : options->precision);
    return has_below ? iso_put_below(out, nanoseconds % 1000 * 1000000000, 3) : out;
}

/* A date, a time, a timestamp or a duration. */
static NOINLINE uint8_t *put_arrow_moment(struct arrow_writer *writer, uint8_t *out,
                                          const struct arrow_node *node, int64_t place) {
    struct output *const output = writer->output;
    const struct native_options *const options = &output->options->native;
    const struct ndarray *const items = &node->items;
    int64_t value = ndarray_load_signed(arrow_item(node, place), items->item_bytes, false);
    char *const text = (char *)out + 1;
    char *end;
    if (node->kind == ARROW_DURATION && options->timedelta == TIMEDELTA_SECONDS) {
        double seconds;
        if (ndarray_seconds(items, value, &seconds)) {
            return put_array_float(output, out, seconds);
        }
        end = NULL;
    } else if (node->kind == ARROW_DURATION) {
        end = ndarray_put_duration(text, items, value, options->timedelta == TIMEDELTA_ISO_YEARS);
    } else if (node->kind == ARROW_TIME) {
        end = put_arrow_time(text, items, value, options);
    } else {
        if (node->kind == ARROW_DATE_MS) {
            const int64_t a_day = 86400000;
            value = value / a_day - (value % a_day < 0);
        }
        end = ndarray_put_datetime(text, items, value, node->is_utc ? &writer->in_utc : options);
    }
    if (UNLIKELY(end == NULL)) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    *out = '"';
    *end = '"';
    return (uint8_t *)end + 1;
}

/* ---- containers ---------------------------------------------------------------------------- */

/* The number of items from a place on, at most n, that are numbers and not null. */
static ALWAYS_INLINE int64_t arrow_count_valid(const struct arrow_node *node, int64_t place,
                                               int64_t n) {
    int64_t n_valid = 0;
    while (n_valid < n && arrow_is_valid(node, place + n_valid)) {
        n_valid++;
    }
    return n_valid;
}

/* n items of an array, from `index` on, without brackets. */
static NOINLINE uint8_t *put_arrow_items(struct arrow_writer *writer, uint8_t *out,
                                         const struct arrow_node *node, int64_t index, int64_t n,
                                         bool is_first, size_t depth) {
    struct output *const output = writer->output;
    const int64_t n_run_max = output->is_compact ? ARRAY_RUN : 1;
    const int64_t end = index + n;
    while (index < end) {
        out = arrow_begin(writer, out, is_first, depth);
        if (UNLIKELY(out == NULL)) {
            return NULL;
        }
        is_first = false;
        int64_t n_run = 0;
        if (node->kind == ARROW_NUMBER) {
            n_run = arrow_count_valid(node, node->offset + index,
                                      end - index < n_run_max ? end - index : n_run_max);
        }
        if (LIKELY(n_run > 0)) {
            out = put_array_run(output, out, &node->items, arrow_item(node, node->offset + index),
                                (Py_ssize_t)n_run, node->items.item_bytes);
            index += n_run;
        } else {
            out = put_arrow_item(writer, out, node, index, depth);
            index++;
        }
    }
    return out;
}

static uint8_t *put_arrow_list(struct arrow_writer *writer, uint8_t *out,
                               const struct arrow_node *node, int64_t place, size_t depth) {
    int64_t begin;
    int64_t n;
    if (UNLIKELY(!arrow_list(node, place, &begin, &n))) {
        return arrow_refuse(writer->output, "a list of an Arrow array is outside of its items");
    }
    *out++ = '[';
    out = put_arrow_items(writer, out, node->children, begin, n, true, depth + 1);
    return arrow_end(writer->output, out, ']', n == 0, depth);
}

static uint8_t *put_arrow_struct(struct arrow_writer *writer, uint8_t *out,
                                 const struct arrow_node *node, int64_t place, size_t depth) {
    struct output *const output = writer->output;
    const bool is_object = node->kind == ARROW_STRUCT;
    bool is_empty = true;
    *out++ = is_object ? '{' : '[';
    for (int64_t i = 0; i < node->n_children; i++) {
        const struct arrow_node *const field = &node->children[i];
        if (UNLIKELY(writer->leaves_out_none) && is_object && arrow_is_null(field, place)) {
            continue;
        }
        out = arrow_begin(writer, out, is_empty, depth + 1);
        is_empty = false;
        if (LIKELY(out != NULL) && is_object) {
            out = put_arrow_utf8(output, out, (const uint8_t *)PyBytes_AS_STRING(field->key),
                                 (size_t)PyBytes_GET_SIZE(field->key));
            out = arrow_make_room(output, out);
            out = LIKELY(out != NULL) ? put_key_separator_8(output, out) : NULL;
            out = arrow_make_room(output, out);
        }
        if (LIKELY(out != NULL)) {
            out = put_arrow_item(writer, out, field, place, depth + 1);
        }
        if (UNLIKELY(out == NULL)) {
            return NULL;
        }
    }
    return arrow_end(output, out, is_object ? '}' : ']', is_empty, depth);
}

/* One item of an array, within `depth` open levels; there is room for it. */
static uint8_t *put_arrow_item(struct arrow_writer *writer, uint8_t *out,
                               const struct arrow_node *node, int64_t index, size_t depth) {
    struct output *const output = writer->output;
    const int64_t place = node->offset + index;
    if (node->kind == ARROW_NULL || !arrow_is_valid(node, place)) {
        return put_ascii_8(out, "null", 4);
    }
    switch (node->kind) {
    case ARROW_BOOL:
        return ((const uint8_t *)node->buffers[1])[place >> 3] >> (place & 7) & 1
                   ? put_ascii_8(out, "true", 4)
                   : put_ascii_8(out, "false", 5);
    case ARROW_NUMBER:
        return put_array_run(output, out, &node->items, arrow_item(node, place), 1, 0);
    case ARROW_TEXT:
    case ARROW_TEXT_VIEW:
    case ARROW_TEXT_FIXED: return put_arrow_text(output, out, node, place);
    case ARROW_LIST:
    case ARROW_LIST_VIEW:
    case ARROW_LIST_FIXED: return put_arrow_list(writer, out, node, place, depth);
    case ARROW_STRUCT:
    case ARROW_PAIR: return put_arrow_struct(writer, out, node, place, depth);
    case ARROW_DICTIONARY: {
        const int64_t in_dictionary = arrow_index(node, place);
        if (UNLIKELY(in_dictionary < 0 || in_dictionary >= node->children->length)) {
            return arrow_refuse(output, "an index of an Arrow array is outside of its dictionary");
        }
        return put_arrow_item(writer, out, node->children, in_dictionary, depth);
    }
    default: return put_arrow_moment(writer, out, node, place);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* All arrays of an export as one JSON array, within `depth` open levels. May run Python code. */
static NOINLINE uint8_t *put_arrow(struct output *output, uint8_t *out, struct arrow *arrow,
                                   bool leaves_out_none, size_t depth) {
    struct arrow_writer writer = {.output = output,
                                  .in_utc = output->options->native,
                                  .leaves_out_none = leaves_out_none,
                                  .n_until_check = (size_t)(out - (uint8_t *)output->writer.begin) +
                                                   ARROW_BYTES_BETWEEN_CHECKS};
    writer.in_utc.is_naive_utc = true;
    bool is_empty = true;
    *out++ = '[';
    for (;;) {
        const int status = arrow_next(arrow);
        if (status < 0) {
            output_fail(output, ERROR_REFUSED, NULL);
            return NULL;
        }
        if (status == 0) {
            return arrow_end(output, out, ']', is_empty, depth);
        }
        out =
            put_arrow_items(&writer, out, &arrow->root, 0, arrow->root.length, is_empty, depth + 1);
        if (out == NULL) {
            return NULL;
        }
        is_empty &= arrow->root.length == 0;
    }
}

/* The memory in which a text begins that another output gets when it is finished. */
#define ARROW_TEXT_ROOM (2 * WRITER_ROOM)

/* The text, which is stolen, with an escape for each DEL: only strings have it, and ensure_ascii
 * escapes it, too, though it is ASCII. NULL with an exception set. */
static PyObject *arrow_escape_del(PyObject *text) {
    if (memchr(PyBytes_AS_STRING(text), '\x7f', (size_t)PyBytes_GET_SIZE(text)) != NULL) {
        Py_SETREF(text, PyObject_CallMethod(text, "replace", "yy", "\x7f", "\\u007f"));
    }
    return text;
}

/* Put a Fragment of the text of an export on top as the replacement of its source: for outputs
 * other than UTF-8, which may want a wider output, and for canonical JSON, which reads it. False
 * with the error recorded. */
static NOINLINE bool arrow_enter_as_text(struct encoder *encoder, struct arrow *arrow) {
    char room[ARROW_TEXT_ROOM];
    size_t n_expected = 0;
    struct output output = encoder->output; /* another text with the same options */
    writer_init(&output.writer, room, sizeof room, TEXT_UTF8, true, &n_expected);
    uint8_t *const end = put_arrow(&output, (uint8_t *)room, arrow,
                                   encoder_leaves_out_none(encoder), encoder_depth(encoder));
    PyObject *text = end != NULL ? writer_finish(&output.writer, (char *)end) : NULL;
    writer_clear(&output.writer);
    if (text != NULL && output.options->ensure_ascii) {
        text = arrow_escape_del(text);
    }
    if (text == NULL) {
        encoder->output.error = output.error;
        encoder_fail_unless_failed(encoder);
        return false;
    }
    return encoder_replace_by_text(encoder, arrow->source, text);
}

#endif
