/* SPDX-License-Identifier: MIT */
/* Encode one object: choose the output, walk, and go on in a wider output where one is wanted. */
#ifndef SSRJSON_ENCODE_ENCODE_H
#define SSRJSON_ENCODE_ENCODE_H

#include "encode/notes.h"
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

/* The JSON text of an object as the options say, a new reference; NULL with *error filled. */
static NOINLINE PyObject *encode_object(PyObject *object, const struct encode_options *options,
                                        struct encode_error *error) {
    char stack[WRITER_STACK_BYTES] __attribute__((aligned(16)));
    struct encoder encoder;
    encoder.options = options;
    encoder.frames = encoder.inline_frames;
    encoder.n_frames = 0;
    encoder.frames_capacity = INLINE_FRAMES;
    encoder.n_default_frames = 0;
    encoder.n_frames_by_python = 0;
    encoder.n_distinct_frames = 0;
    encoder.is_compact = options->indent == NULL && options->item_separator == NULL &&
                         options->key_separator == NULL;
    encoder.is_owning = IS_FREE_THREADED;
    encoder.resume = RESUME_VALUE;
    encoder.value = object;
    encoder.error = (struct encode_error){.error = {.kind = ERROR_NONE}};
    encoder.has_failed_at_key = false;

    enum text_form form = options->to_bytes ? TEXT_UTF8 : TEXT_ASCII;
    bool to_bytes = options->to_bytes;
    bool is_converted = false;
    if (options->ensure_ascii) {
        form = TEXT_ASCII;
    }
    if (UNLIKELY(!encoder.is_compact)) {
        const enum text_form literals_form = encode_literals_form(options);
        if (literals_form != TEXT_ASCII) {
            is_converted = true;
            to_bytes = options->ensure_ascii;
            form = options->ensure_ascii ? TEXT_ASCII : literals_form;
        }
    }
    writer_init(&encoder.writer, stack, form, to_bytes, options->scratch_slot);
    encoder.cursor = encoder.writer.begin;

    enum walk_status status = encode_walk(&encoder);
    while (UNLIKELY(status == WALK_WANTS_WIDER)) {
        if (!encode_widen(&encoder)) {
            encoder_fail(&encoder, ERROR_RAISED, NULL);
            status = WALK_FAILED;
            break;
        }
        status = encode_walk(&encoder);
    }
    PyObject *result = NULL;
    if (LIKELY(status == WALK_DONE)) {
        is_converted = is_converted || encoder.writer.to_bytes != options->to_bytes;
        result = writer_finish(&encoder.writer, encoder.cursor);
        if (UNLIKELY(is_converted)) {
            result = encode_convert(result, options->to_bytes);
        }
        if (UNLIKELY(result == NULL)) {
            encoder_fail(&encoder, ERROR_RAISED, NULL);
        }
    } else {
        encoder.error.notes = encoder_notes(&encoder);
    }
    encoder_clear(&encoder);
    *error = encoder.error;
    return result;
}

#endif
