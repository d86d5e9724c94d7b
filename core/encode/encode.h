/* SPDX-License-Identifier: MIT */
/* Encode one object: choose the output, walk the object, and continue in a wider output where one
 * is needed. */
#ifndef SSRJSON_ENCODE_ENCODE_H
#define SSRJSON_ENCODE_ENCODE_H

#include "encode/encoder.h"
#include "encode/output.h"
#include "encode/stream.h"
#include "encode/walk.h"
#include "encode/widen.h"

static const struct short_separator COMMA = {.is_short = true, .n = 1, .text = {','}};
static const struct short_separator COLON = {.is_short = true, .n = 1, .text = {':'}};

/* The bytes hold UTF-8 up to the cursor, and the next string has a surrogate. Continue as str of
 * the widest form: str.encode then raises the exception that it raises for stdlib's text. */
static COLD bool encode_continue_as_str(struct encoder *encoder) {
    struct writer *const writer = &encoder->output.writer;
    PyObject *const text =
        PyUnicode_DecodeUTF8(writer->begin, encoder->output.cursor - writer->begin, NULL);
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
    encoder->output.cursor = (char *)(units + length);
    return true;
}

/* Continue in the output for wanted_form; false with an exception set. */
static COLD bool encode_widen(struct encoder *encoder) {
    if (encoder->output.writer.to_bytes) {
        encoder_note_surrogate(encoder);
        if (!encode_continue_as_str(encoder)) {
            return false;
        }
    } else {
        encoder->output.cursor = writer_widen(&encoder->output.writer, encoder->output.cursor,
                                              encoder->output.wanted_form);
        if (encoder->output.cursor == NULL) {
            return false;
        }
    }
    encoder->key_format = output_key_format(&encoder->output);
    return true;
}

static ALWAYS_INLINE enum walk_status encode_walk(struct encoder *encoder) {
    switch (encoder->output.writer.form) {
    case TEXT_ASCII:
        if (encoder->options->ensure_ascii) {
            return walk_ascii(encoder);
        }
        return walk_bytes(encoder);
    case TEXT_UTF8:
    case TEXT_LATIN1: return walk_bytes(encoder);
    case TEXT_UCS2: return walk_ucs2(encoder);
    case TEXT_UCS4: return walk_ucs4(encoder);
    }
    __builtin_unreachable();
}

/* Begin where the options are not plain: the output's form, and whether it is one of bytes. */
static COLD void encode_begin_by_options(struct encoder *encoder, enum text_form *form,
                                         bool *to_bytes) {
    const struct encode_options *const options = encoder->options;
    struct output *const output = &encoder->output;
    encoder->looks_into_dicts = options_look_into_dicts(options);
    encoder->has_float_runs = options->floats < FLOAT_PYDANTIC_OLD;
    output->looks_into_strings |= options->line_safe;
    if (options->canonical && !options->to_bytes) { /* bytes first: they hold no surrogate */
        encoder->is_converted = true;
        *form = TEXT_UTF8;
        *to_bytes = true;
    }
    if (options->ensure_ascii) {
        *form = TEXT_ASCII;
    }
    assert(*form == TEXT_ASCII || *form == TEXT_UTF8);
    if (options_have_spacing(options)) {
        output->is_compact = false;
        encoder->has_float_runs = false;
        output->item_separator = encode_short_separator(options->item_separator, &COMMA);
        output->key_separator = encode_short_separator(options->key_separator, &COLON);
        if (options->indent != NULL) {
            encode_note_indent(output);
        }
        output->is_on_one_line = options->indent == NULL && output->item_separator.is_short;
        encoder->reads_in_place = output->key_separator.is_short;
        const enum text_form literals_form = encode_literals_form(options);
        if (literals_form != TEXT_ASCII) {
            encoder->is_converted = true;
            *to_bytes = options->ensure_ascii;
            *form = options->ensure_ascii ? TEXT_ASCII : literals_form;
        }
    }
    output->has_line_end = options->line_safe & (*form != TEXT_UTF8);
}

/* Begin to encode an object; `frames` are INLINE_FRAMES, and `room` is the writer's first memory,
 * n_bytes of it. */
static ALWAYS_INLINE void encode_begin(struct encoder *encoder, PyObject *object,
                                       const struct encode_options *options, struct frame *frames,
                                       char *room, size_t n_bytes, size_t *n_expected_bytes) {
    struct output *const output = &encoder->output;
    output->options = options;
    output->error = (struct encode_error){.error = {.kind = ERROR_NONE}};
    output->item_separator = COMMA;
    output->key_separator = COLON;
    output->is_compact = true;
    output->is_on_one_line = true;
    output->is_in_key = false;
    output->has_line_end = false;
    output->looks_into_strings = options->is_write_cache;
    encoder->options = options;
    encoder->value = object;
    encoder->frames = frames;
    encoder->frames_end = frames + INLINE_FRAMES;
    output->frames_stop = frames + FIRST_CYCLE_CHECK;
    encoder->first_frames = frames;
    encoder->reads_in_place = true;
    encoder->has_float_runs = true;
    encoder->looks_into_dicts = false;
    encoder->is_streaming = false;
    encoder->is_converted = false;
    encoder->has_failed_at_key = false;
    encoder->has_failed_at_next = false;
    encoder->resume = RESUME_VALUE;
    encoder->n_frames = 0;
    encoder->n_replacement_frames = 0;
    encoder->n_frames_by_python = 0;
    encoder->n_final_frames = 0;
    encoder->pydantic_depth = 0;
    encoder->n_cycle_check = FIRST_CYCLE_CHECK;
    encoder->n_distinct_frames = 0;
    encoder->distinct = (struct address_set){0};
    encoder->n_owning_frames = 0;
    encoder->key = NULL;
    encoder->native_key = NULL;
    encoder->held_value = NULL;
    encoder->streamed_key = NULL;
#if IS_FREE_THREADED
    memset(encoder->held_plans, 0, sizeof encoder->held_plans);
    encoder->uuid_slot.version = 0;
#endif
#if HAS_KEY_TEXTS
    encoder->key_texts = key_texts_first(&options->context->key_texts);
#endif
#ifndef NDEBUG
    encoder->generation = 0;
#endif
    enum text_form form = options->to_bytes ? TEXT_UTF8 : TEXT_ASCII;
    bool to_bytes = options->to_bytes;
    if (UNLIKELY(!options->is_plain)) {
        encode_begin_by_options(encoder, &form, &to_bytes);
    }
    writer_init(&output->writer, room, n_bytes, form, to_bytes, n_expected_bytes);
    output->cursor = room;
    encoder->key_format = output_key_format(output);
}

/* Walk on until the end, a pause or an error, changing to a wider output as often as needed. */
static ALWAYS_INLINE enum walk_status encode_go_on(struct encoder *encoder) {
    enum walk_status status = encode_walk(encoder);
    while (UNLIKELY(status == WALK_WANTS_WIDER)) {
        if (encoder->options->orjson.is_on) { /* its bytes never hold what is no UTF-8 */
            encoder_fail(encoder, ERROR_SURROGATE, NULL);
            return WALK_FAILED;
        }
        if (!encode_widen(encoder)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return WALK_FAILED;
        }
        encoder->output.has_line_end |= encoder->options->line_safe;
        status = encode_walk(encoder);
    }
    return status;
}

/* Append a line feed to the text; false with the error recorded. */
static COLD bool encode_append_newline(struct encoder *encoder) {
    struct writer *const writer = &encoder->output.writer;
    if (encoder->output.cursor > writer->limit) {
        encoder->output.cursor = writer_grow(writer, encoder->output.cursor, 1);
        if (encoder->output.cursor == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
    }
    const uint32_t line_feed = '\n';
    memcpy(encoder->output.cursor, &line_feed, writer_unit_bytes(writer));
    encoder->output.cursor += writer_unit_bytes(writer);
    return true;
}

/* Change the finished text as the options say, and to the type that the caller wants: `result` is
 * stolen and may be NULL, as may what is returned. */
static COLD PyObject *encode_change_text(struct encoder *encoder, PyObject *result,
                                         bool is_converted) {
    const struct encode_options *const options = encoder->options;
    if (is_converted) {
        result = encode_convert(result, options);
        if (result != NULL) {
            Py_CLEAR(encoder->output.error.path);
        }
    }
    if (options->escape_surrogates && !options->to_bytes && result != NULL) {
        result = encode_escape_surrogates(result);
    }
    if ((options->html_safe | encoder->output.has_line_end) && result != NULL) {
        result = encode_escape_specials(result, options);
    }
    return result;
}

/* The text so far in the type that the caller wants, a new reference; NULL with the error
 * recorded. */
static ALWAYS_INLINE PyObject *encode_take_text(struct encoder *encoder) {
    const struct encode_options *const options = encoder->options;
    const bool is_converted =
        encoder->is_converted || encoder->output.writer.to_bytes != options->to_bytes;
    PyObject *result = writer_finish(&encoder->output.writer, encoder->output.cursor);
    if (UNLIKELY(is_converted) || !options->is_plain) {
        result = encode_change_text(encoder, result, is_converted);
    }
    if (UNLIKELY(result == NULL)) {
        encoder_fail(encoder, ERROR_REFUSED, NULL); /* a lone surrogate, or no memory */
    }
    return result;
}

/* The memory of one call, 16 KB: half the stack of the smallest thread that Python starts. It is on
 * the C stack, except for calls within calls, which hooks and finalizers make: those must not
 * overflow the stack before RecursionError ends them. */
struct encode_call {
    struct encoder encoder;
    struct frame frames[INLINE_FRAMES];
    char text[WRITER_STACK_BYTES] __attribute__((aligned(16)));
};

static ALWAYS_INLINE PyObject *encode_in(struct encode_call *call, PyObject *object,
                                         const struct encode_options *options,
                                         struct encode_error *error) {
    struct encoder *const encoder = &call->encoder;
#if IS_FREE_THREADED
    size_t *const n_expected_bytes = options->n_expected_bytes;
#else
    size_t *const n_expected_bytes = &options->context->n_expected_bytes;
    options->context->n_calls++;
#endif
    encode_begin(encoder, object, options, call->frames, call->text, sizeof call->text,
                 n_expected_bytes);
    PyObject *result = NULL;
    if (LIKELY(encode_go_on(encoder) == WALK_DONE)) {
        if (LIKELY(!options->append_newline) || encode_append_newline(encoder)) {
            result = encode_take_text(encoder);
        }
    } else {
        encoder_note_place(encoder);
    }
    encoder_clear(encoder);
#if !IS_FREE_THREADED
    options->context->n_calls--;
#endif
    if (UNLIKELY(result == NULL)) {
        *error = encoder->output.error;
    }
    return result;
}

static COLD PyObject *encode_on_heap(PyObject *object, const struct encode_options *options,
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
#if IS_FREE_THREADED
    const bool is_on_stack = !options->is_in_call;
#else
    const bool is_on_stack = options->context->n_calls == 0;
#endif
    return LIKELY(is_on_stack) ? encode_on_stack(object, options, error)
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
    stream->n_expected_bytes = 0;
    stream->room_bytes = room;
    stream->is_done = false;
    encode_begin(&stream->encoder, object, options, stream->frames, stream->room, room,
                 &stream->n_expected_bytes);
    stream->encoder.is_streaming = true;
    stream->encoder.reads_in_place = false;
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
#if IS_FREE_THREADED
    encoder_forget_plans(encoder); /* the collector does not see them */
#endif
    stream->is_done = status != WALK_PAUSED;
    if (status == WALK_FAILED) {
        encoder_note_place(encoder);
    } else if (status == WALK_PAUSED || !encoder->options->append_newline ||
               encode_append_newline(encoder)) {
        chunk = encode_take_text(encoder);
    }
    if (chunk == NULL) {
        stream->is_done = true;
        *error = encoder->output.error;
        encoder->output.error = (struct encode_error){.error = {.kind = ERROR_NONE}};
        return NULL;
    }
    const enum text_form form = encoder->output.writer.form;
    const bool to_bytes = encoder->output.writer.to_bytes;
    writer_clear(&encoder->output.writer);
    writer_init(&encoder->output.writer, stream->room, stream->room_bytes, form, to_bytes,
                &stream->n_expected_bytes);
    encoder->output.cursor = encoder->output.writer.begin;
    return chunk;
}

static void encode_stream_free(struct encode_stream *stream) {
    encoder_clear(&stream->encoder);
    Py_DECREF(stream->root);
    PyMem_Free(stream);
}

#endif
