/* SPDX-License-Identifier: MIT */
/* Documents to decode: from a str, or from bytes in one of the encodings that stdlib's json
 * detects, as one value or as lines of values. Errors give the position in the whole document. */
#ifndef SSRJSON_MODULE_DOCUMENT_DOCUMENT_H
#define SSRJSON_MODULE_DOCUMENT_DOCUMENT_H

#include "module/args/arguments.h"
#include "module/errors/exceptions.h"
#include "module/recorder.h"

/* What a document holds: one value, or lines of values. */
enum document_form {
    DOCUMENT_VALUE,
    DOCUMENT_LINES,
};

/* A part of a text: the units from start to end. */
struct text text_part(const struct text *text, Py_ssize_t start, Py_ssize_t end);

/* The text of a str as the codec reads it. */
static ALWAYS_INLINE struct text document_text(PyObject *string) {
    struct text text = unicode_text(string);
    if (text.form == TEXT_ASCII) {
        text.form = TEXT_UTF8;
    }
    return text;
}

bool document_fits(const struct module_state *state, const struct decode_arguments *arguments,
                   Py_ssize_t length);

PyObject *document_decode_str(struct module_state *state, const struct decode_arguments *arguments,
                              PyObject *string, Py_ssize_t length, enum document_form form);

PyObject *document_decode_bytes(struct module_state *state,
                                const struct decode_arguments *arguments, const char *bytes,
                                Py_ssize_t n, enum document_form form);

/* The encoding that stdlib's json detects in bytes; "utf-8" for all that is not UTF-16 or 32, and
 * "utf-8-sig" where a byte order mark precedes it. Four bytes, or all of them, tell it. */
const char *detect_encoding(const uint8_t *bytes, Py_ssize_t n);

/* Raise for a str that begins with a byte order mark, as stdlib's loads does. */
COLD void raise_for_byte_order_mark(const struct module_state *state, PyObject *string,
                                    Py_ssize_t length);

/* UTF-8 bytes. */
struct utf8 {
    const char *bytes;
    Py_ssize_t length;
    Py_ssize_t n_skipped; /* the byte order mark */
    bool is_cut;          /* more of it may come, so the last character may lack bytes */
};

/* The number of characters that begin in n bytes of UTF-8. */
size_t utf8_count_characters(const char *bytes, size_t n);

/* Raise for an error in UTF-8. stdlib decodes the bytes first, so an error of the encoding comes
 * first; otherwise the error is at the unit that `error` names. */
COLD void raise_decode_error_in_bytes(const struct module_state *state,
                                      const struct decode_options *options,
                                      const struct error *error, const struct utf8 *utf8);

/* The buffer of bytes that an object offers, which the caller releases; -1 with an exception set.
 * While the buffer is held, a bytearray keeps its size and an mmap stays open. */
int take_buffer(PyObject *object, Py_buffer *buffer);

/* The bytes of a buffer; never NULL, although an empty buffer may have no memory. */
const char *buffer_bytes(const Py_buffer *buffer);

PyObject *document_decode_buffer(struct module_state *state,
                                 const struct decode_arguments *arguments, PyObject *object,
                                 enum document_form form);

static ALWAYS_INLINE PyObject *document_decode_unrecorded(struct module_state *state,
                                                          const struct decode_arguments *arguments,
                                                          PyObject *object,
                                                          enum document_form form) {
    if (PyBytes_Check(object)) {
        const Py_ssize_t n = PyBytes_GET_SIZE(object);
        return document_fits(state, arguments, n)
                   ? document_decode_bytes(state, arguments, PyBytes_AS_STRING(object), n, form)
                   : NULL;
    }
    if (PyUnicode_Check(object)) {
        if (!unicode_is_ready(object)) {
            return NULL;
        }
        const Py_ssize_t n = PyUnicode_GET_LENGTH(object);
        return document_fits(state, arguments, n)
                   ? document_decode_str(state, arguments, object, n, form)
                   : NULL;
    }
    return document_decode_buffer(state, arguments, object, form);
}

COLD PyObject *document_decode_and_record(struct module_state *state,
                                          const struct decode_arguments *arguments,
                                          PyObject *object, enum document_form form);

/* The value of a document, or a list of the values of its lines: a new reference; NULL with an
 * exception set. */
static ALWAYS_INLINE PyObject *document_decode_as(struct module_state *state,
                                                  const struct decode_arguments *arguments,
                                                  PyObject *object, enum document_form form) {
    return is_recording(state) ? document_decode_and_record(state, arguments, object, form)
                               : document_decode_unrecorded(state, arguments, object, form);
}

static ALWAYS_INLINE PyObject *document_decode(struct module_state *state,
                                               const struct decode_arguments *arguments,
                                               PyObject *object) {
    return document_decode_as(state, arguments, object, DOCUMENT_VALUE);
}

#endif
