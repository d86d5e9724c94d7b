/* SPDX-License-Identifier: MIT */
/* Encode one object: choose the output, walk, and go on in a wider output where one is wanted. */
#ifndef SSRJSON_ENCODE_ENCODE_H
#define SSRJSON_ENCODE_ENCODE_H

#include "encode/html.h"
#include "encode/notes.h"
#include "encode/stream.h"
#include "encode/walk.h"

/* The narrowest form that holds what the options themselves put into the text. */
static inline enum text_form encode_literals_form(const struct encode_options *options) {
    PyObject *const literals[] = {options->indent, options->item_separator, options->key_separator};
    enum text_form form = TEXT_ASCII;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        if (literals[i] != NULL) {
            const enum text_form own = unicode_text(literals[i]).form;
            form = own > form ? own : form;
        }
    }
    return form;
}

/* A separator in the form that is written quickly; NULL is the compact one. */
static inline struct short_separator encode_short_separator(PyObject *separator, char compact) {
    struct short_separator result = {.is_short = true, .n = 1, .text = {compact}};
    if (separator != NULL) {
        const struct text text = unicode_text(separator);
        result.is_short = text.form == TEXT_ASCII && text.length <= SEPARATOR_ROOM;
        if (result.is_short) {
            result.n = (uint8_t)text.length;
            memcpy(result.text, text.data, (size_t)text.length);
        }
    }
    return result;
}

/* bytes hold UTF-8 up to the cursor, and what comes next has a surrogate. Go on as str of the
 * widest form: str.encode then says what is wrong as it does for stdlib's text. */
static COLD bool encode_continue_as_str(struct encoder *encoder) {
    struct writer *const writer = &encoder->writer;
    PyObject *const text =
        PyUnicode_DecodeUTF8(writer->begin, encoder->cursor - writer->begin, NULL);
    if (text == NULL) {
        return false;
    }
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    const size_t n_units = (size_t)length + WRITER_STACK_BYTES;
    PyObject *const object = unicode_new((Py_ssize_t)n_units, TEXT_UCS4);
    if (object == NULL) {
        Py_DECREF(text);
        return false;
    }
    Py_UCS4 *const units = PyUnicode_4BYTE_DATA(object);
    for (Py_ssize_t i = 0; i < length; i++) {
        units[i] = PyUnicode_READ_CHAR(text, i);
    }
    Py_DECREF(text);
    Py_XSETREF(writer->object, object);
    writer->form = TEXT_UCS4;
    writer->to_bytes = false;
    writer_set_room(writer, (char *)units, n_units);
    encoder->cursor = (char *)(units + length);
    return true;
}

/* Prepare the output for wanted_form; false with an exception set. */
static COLD bool encode_widen(struct encoder *encoder) {
    if (encoder->writer.to_bytes) {
        return encode_continue_as_str(encoder);
    }
    encoder->cursor = writer_widen(&encoder->writer, encoder->cursor, encoder->wanted_form);
    return encoder->cursor != NULL;
}

static ALWAYS_INLINE enum walk_status encode_walk(struct encoder *encoder) {
    switch (encoder->writer.form) {
    case TEXT_UTF8: return walk_utf8(encoder);
    case TEXT_ASCII:
        return encoder->options->ensure_ascii ? walk_ascii(encoder) : walk_ucs1(encoder);
    case TEXT_LATIN1: return walk_ucs1(encoder);
    case TEXT_UCS2: return walk_ucs2(encoder);
    case TEXT_UCS4: return walk_ucs4(encoder);
    }
    __builtin_unreachable();
}

/* The finished text as the caller wants it, a new reference. `result` is stolen. */
static COLD PyObject *encode_convert(PyObject *result, bool to_bytes) {
    if (result != NULL && PyBytes_Check(result)) {
        /* literals of any kind among ASCII text */
        Py_SETREF(result, PyUnicode_DecodeUTF8(PyBytes_AS_STRING(result), PyBytes_GET_SIZE(result),
                                               "surrogatepass"));
    }
    if (result != NULL) {
        /* made for a separator or a surrogate, it may be wider than what it holds */
        Py_SETREF(result,
                  PyUnicode_FromKindAndData((int)PyUnicode_KIND(result), PyUnicode_DATA(result),
                                            PyUnicode_GET_LENGTH(result)));
    }
    if (result != NULL && to_bytes) {
        Py_SETREF(result, PyUnicode_AsEncodedString(result, "utf-8", NULL));
    }
    return result;
}

/* Begin with an object; `room` holds the first n_bytes of text. */
static ALWAYS_INLINE void encode_begin(struct encoder *encoder, PyObject *object,
                                       const struct encode_options *options, char *room,
                                       size_t n_bytes, struct scratch_slot *slot) {
    encoder->options = options;
    encoder->frames = encoder->inline_frames;
    encoder->n_frames = 0;
    encoder->frames_capacity = INLINE_FRAMES;
    encoder->n_default_frames = 0;
    encoder->n_frames_by_python = 0;
    encoder->n_final_frames = 0;
    encoder->n_distinct_frames = 0;
    encoder->n_owning_frames = 0;
    encoder->is_compact = options->indent == NULL && options->item_separator == NULL &&
                          options->key_separator == NULL;
    encoder->has_float_runs = encoder->is_compact && options->floats == FLOAT_REPR;
    encoder->looks_into_dicts = IS_FREE_THREADED || options->sort_keys || options->exact_types;
    encoder->is_streaming = false;
    encoder->is_converted = false;
    encoder->is_in_key = false;
    encoder->resume = RESUME_VALUE;
    encoder->key = NULL;
    encoder->value = object;
    encoder->native_key = NULL;
    encoder->streamed_key = NULL;
    encoder->sort_memory.n = 0;
    encoder->error = (struct encode_error){.error = {.kind = ERROR_NONE}};
    encoder->has_failed_at_key = false;

    enum text_form form = options->to_bytes ? TEXT_UTF8 : TEXT_ASCII;
    bool to_bytes = options->to_bytes;
    if (options->ensure_ascii) {
        form = TEXT_ASCII;
    }
    if (UNLIKELY(!encoder->is_compact)) {
        encoder->item_separator = encode_short_separator(options->item_separator, ',');
        encoder->key_separator = encode_short_separator(options->key_separator, ':');
        encoder->is_on_one_line = options->indent == NULL && encoder->item_separator.is_short;
        const enum text_form literals_form = encode_literals_form(options);
        if (literals_form != TEXT_ASCII) {
            encoder->is_converted = true;
            to_bytes = options->ensure_ascii;
            form = options->ensure_ascii ? TEXT_ASCII : literals_form;
        }
    }
    writer_init(&encoder->writer, room, n_bytes, form, to_bytes, slot);
    encoder->cursor = encoder->writer.begin;
}

/* Walk on to the end, a pause or an error, through as many forms of text as it takes. */
static ALWAYS_INLINE enum walk_status encode_go_on(struct encoder *encoder) {
    enum walk_status status = encode_walk(encoder);
    while (UNLIKELY(status == WALK_WANTS_WIDER)) {
        if (!encode_widen(encoder)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return WALK_FAILED;
        }
        status = encode_walk(encoder);
    }
    return status;
}

/* A line feed behind the text; false with the error recorded. */
static COLD bool encode_append_newline(struct encoder *encoder) {
    struct writer *const writer = &encoder->writer;
    if (encoder->cursor > writer->limit) {
        encoder->cursor = writer_grow(writer, encoder->cursor, 1);
        if (encoder->cursor == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
    }
    const uint32_t line_feed = '\n';
    memcpy(encoder->cursor, &line_feed, writer_unit_bytes(writer));
    encoder->cursor += writer_unit_bytes(writer);
    return true;
}

/* The text so far as the caller wants it, a new reference; NULL with the error recorded. */
static ALWAYS_INLINE PyObject *encode_take_text(struct encoder *encoder) {
    const struct encode_options *const options = encoder->options;
    const bool is_converted =
        encoder->is_converted || encoder->writer.to_bytes != options->to_bytes;
    PyObject *result = writer_finish(&encoder->writer, encoder->cursor);
    if (UNLIKELY(is_converted)) {
        result = encode_convert(result, options->to_bytes);
    }
    if (UNLIKELY(options->html_safe) && result != NULL) {
        result = html_escape(result);
    }
    if (UNLIKELY(result == NULL)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return result;
}

/* What one call needs, 15 KB: on the C stack, but for calls within calls, as hooks make them, which
 * must leave it to RecursionError to end them. */
struct encode_call {
    struct encoder encoder;
    char text[WRITER_STACK_BYTES] __attribute__((aligned(16)));
};

#define MAX_CALLS_ON_STACK 8

static ALWAYS_INLINE PyObject *encode_in(struct encode_call *call, PyObject *object,
                                         const struct encode_options *options,
                                         struct encode_error *error) {
    struct encoder *const encoder = &call->encoder;
    /* other threads may come in between the load and the store: the count decides on a place only
     */
    size_t *const n_calls = &options->context->n_calls;
    __atomic_store_n(n_calls, __atomic_load_n(n_calls, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    encode_begin(encoder, object, options, call->text, sizeof call->text,
                 &options->context->scratch_slot);
    PyObject *result = NULL;
    if (LIKELY(encode_go_on(encoder) == WALK_DONE)) {
        if (LIKELY(!options->append_newline) || encode_append_newline(encoder)) {
            result = encode_take_text(encoder);
        }
    } else {
        encoder->error.notes = encoder_notes(encoder);
    }
    encoder_clear(encoder);
    __atomic_store_n(n_calls, __atomic_load_n(n_calls, __ATOMIC_RELAXED) - 1, __ATOMIC_RELAXED);
    *error = encoder->error;
    return result;
}

static NOINLINE PyObject *encode_on_heap(PyObject *object, const struct encode_options *options,
                                         struct encode_error *error) {
    struct encode_call *const call = PyMem_Malloc(sizeof *call);
    if (call == NULL) {
        *error = (struct encode_error){.error.kind = ERROR_RAISED};
        return PyErr_NoMemory();
    }
    PyObject *const result = encode_in(call, object, options, error);
    PyMem_Free(call);
    return result;
}

static NOINLINE PyObject *encode_on_stack(PyObject *object, const struct encode_options *options,
                                          struct encode_error *error) {
    struct encode_call call;
    return encode_in(&call, object, options, error);
}

/* The JSON text of an object as the options say, a new reference; NULL with *error filled. */
static PyObject *encode_object(PyObject *object, const struct encode_options *options,
                               struct encode_error *error) {
    const size_t n_outer = __atomic_load_n(&options->context->n_calls, __ATOMIC_RELAXED);
    return LIKELY(n_outer < MAX_CALLS_ON_STACK) ? encode_on_stack(object, options, error)
                                                : encode_on_heap(object, options, error);
}

/* ---- in chunks ----------------------------------------------------------------------------- */

/* Begin to encode an object into chunks: NULL where memory is short. The options must outlive the
 * stream. */
static struct encode_stream *encode_stream_new(PyObject *object,
                                               const struct encode_options *options,
                                               size_t chunk_bytes) {
    const size_t room = chunk_bytes + WRITER_STACK_BYTES;
    struct encode_stream *const stream = PyMem_Malloc(sizeof *stream + room);
    if (stream == NULL) {
        return NULL;
    }
    stream->root = Py_NewRef(object);
    stream->slot.kept = NULL;
    stream->room_bytes = room;
    stream->is_done = false;
    encode_begin(&stream->encoder, object, options, stream->room, room, &stream->slot);
    stream->encoder.is_streaming = true;
    stream->encoder.chunk_bytes = chunk_bytes;
    return stream;
}

/* The next chunk, a new reference, never empty; NULL at the end, or with *error filled. */
static PyObject *encode_stream_next(struct encode_stream *stream, struct encode_error *error) {
    struct encoder *const encoder = &stream->encoder;
    *error = (struct encode_error){.error = {.kind = ERROR_NONE}};
    if (stream->is_done) {
        return NULL;
    }
    PyObject *chunk = NULL;
    const enum walk_status status = encode_go_on(encoder);
    stream->is_done = status != WALK_PAUSED;
    if (status == WALK_FAILED) {
        encoder->error.notes = encoder_notes(encoder);
    } else if (status == WALK_PAUSED || !encoder->options->append_newline ||
               encode_append_newline(encoder)) {
        chunk = encode_take_text(encoder);
    }
    if (chunk == NULL) {
        stream->is_done = true;
        *error = encoder->error;
        encoder->error = (struct encode_error){.error = {.kind = ERROR_NONE}};
        return NULL;
    }
    const enum text_form form = encoder->writer.form;
    const bool to_bytes = encoder->writer.to_bytes;
    writer_clear(&encoder->writer);
    writer_init(&encoder->writer, stream->room, stream->room_bytes, form, to_bytes, &stream->slot);
    encoder->cursor = encoder->writer.begin;
    return chunk;
}

static void encode_stream_free(struct encode_stream *stream) {
    encoder_clear(&stream->encoder);
    PyMem_Free(scratch_take(&stream->slot));
    Py_DECREF(stream->root);
    PyMem_Free(stream);
}

#endif
