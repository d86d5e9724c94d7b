/* SPDX-License-Identifier: MIT */
#include "module/document/document.h"

#include "decode/comment.h"
#include "module/call.h"

/* A document that is being decoded: made where it stays, because the CPU waits where what was
 * stored in parts is copied at once. */
struct document {
    struct module_state *state;
    struct source source;
};

static ALWAYS_INLINE PyObject *document_value(const struct document *document,
                                              struct error *error) {
    return decode_source(document->state, &document->source, error);
}

/* ---- lines --------------------------------------------------------------------------------- */

static Py_UCS4 text_unit(const struct text *text, Py_ssize_t i) {
    switch (text_form_unit_bytes(text->form)) {
    case 1: return ((const uint8_t *)text->data)[i];
    case 2: return ((const uint16_t *)text->data)[i];
    default: return ((const uint32_t *)text->data)[i];
    }
}

/* The index of the line feed that ends the line that begins at start, or the text's end. */
static Py_ssize_t text_line_end(const struct text *text, Py_ssize_t start) {
    const size_t unit_bytes = text_form_unit_bytes(text->form);
    const uint8_t *const bytes = text->data;
    const size_t n = (size_t)text->length * unit_bytes;
    size_t i = (size_t)start * unit_bytes;
    while (i < n) {
        const uint8_t *const feed = memchr(bytes + i, '\n', n - i);
        if (feed == NULL) {
            break;
        }
        const size_t at = (size_t)(feed - bytes);
        if (text_unit(text, (Py_ssize_t)(at / unit_bytes)) == '\n') {
            return (Py_ssize_t)(at / unit_bytes);
        }
        i = at + 1; /* a part of a wider unit */
    }
    return text->length;
}

/* The index after the line's last unit: without the carriage return before its line feed, which an
 * error of a cut string would name otherwise. */
static Py_ssize_t text_line_stop(const struct text *text, Py_ssize_t start, Py_ssize_t end) {
    assert(0 <= start && start <= end && end <= text->length);
    const bool has_return = end > start && end < text->length && text_unit(text, end - 1) == '\r';
    return end - has_return;
}

struct text text_part(const struct text *text, Py_ssize_t start, Py_ssize_t end) {
    return (struct text){
        .data = (const char *)text->data + (size_t)start * text_form_unit_bytes(text->form),
        .length = end - start,
        .form = text->form,
    };
}

/* Whether there is nothing but white space and, with the option jsonc, comments. */
static bool text_is_blank(const struct text *text, Py_ssize_t start, Py_ssize_t end,
                          bool is_jsonc) {
    if (UNLIKELY(is_jsonc)) {
        const struct text line = text_part(text, start, end);
        size_t position = 0;
        const enum comment_end status = skip_comments(&line, &position, false);
        PyErr_Clear(); /* decoding the line raises it again */
        return status == COMMENT_END_TOKEN && (Py_ssize_t)position == line.length;
    }
    for (Py_ssize_t i = start; i < end; i++) {
        const Py_UCS4 unit = text_unit(text, i);
        if (unit != ' ' && unit != '\t' && unit != '\r') {
            return false;
        }
    }
    return true;
}

/* A list of each line's value, a new reference; NULL with *error filled. */
static PyObject *document_lines(const struct document *document, struct error *error) {
    const struct text *const text = &document->source.text;
    PyObject *const values = PyList_New(0);
    Py_ssize_t end;
    for (Py_ssize_t start = 0; values != NULL && start < text->length; start = end + 1) {
        end = text_line_end(text, start);
        const Py_ssize_t stop = text_line_stop(text, start, end);
        if (text_is_blank(text, start, stop, document->source.options->is_jsonc)) {
            continue;
        }
        struct document line = *document;
        line.source.text = text_part(text, start, stop);
        PyObject *const value = document_value(&line, error);
        const int status = value != NULL ? PyList_Append(values, value) : -1;
        if (value == NULL) {
            error->position += (size_t)start;
        } else if (status != 0) {
            error->kind = ERROR_RAISED;
        }
        Py_XDECREF(value);
        if (status != 0) {
            Py_DECREF(values);
            return NULL;
        }
    }
    if (values == NULL) {
        error->kind = ERROR_RAISED;
    }
    return values;
}

static ALWAYS_INLINE PyObject *document_read(const struct document *document,
                                             enum document_form form, struct error *error) {
    return LIKELY(form == DOCUMENT_VALUE) ? document_value(document, error)
                                          : document_lines(document, error);
}

/* ---- str ----------------------------------------------------------------------------------- */

bool document_fits(const struct module_state *state, const struct decode_arguments *arguments,
                   Py_ssize_t length) {
    if (UNLIKELY(length > arguments->max_size)) {
        raise_size_error(state, arguments->max_size);
        return false;
    }
    return true;
}

/* The first length characters of a str, a new reference: the doc of an exception. */
static PyObject *document_of(PyObject *string, Py_ssize_t length) {
    return length == PyUnicode_GET_LENGTH(string) ? Py_NewRef(string)
                                                  : PyUnicode_Substring(string, 0, length);
}

/* Decode the first length characters of a str; a body has spare room after them. */
static PyObject *document_decode_text(struct module_state *state,
                                      const struct decode_arguments *arguments, PyObject *string,
                                      Py_ssize_t length, enum document_form form) {
    struct document document = {
        .state = state,
        .source = {.text = document_text(string), .options = &arguments->options},
    };
    document.source.text.length = length;
    struct error error;
    PyObject *const value = document_read(&document, form, &error);
    if (UNLIKELY(value == NULL) && error.kind != ERROR_RAISED) {
        PyObject *const whole = document_of(string, length);
        if (whole != NULL) {
            raise_decode_error(state, error.kind, &arguments->options, whole,
                               (Py_ssize_t)error.position);
            Py_DECREF(whole);
        }
    }
    return value;
}

COLD void raise_for_byte_order_mark(const struct module_state *state, PyObject *string,
                                    Py_ssize_t length) {
    PyObject *const whole = document_of(string, length);
    if (whole != NULL) {
        raise_decode_error_of(state->decode_error, "Unexpected UTF-8 BOM (decode using utf-8-sig)",
                              whole, 0);
        Py_DECREF(whole);
    }
}

PyObject *document_decode_str(struct module_state *state, const struct decode_arguments *arguments,
                              PyObject *string, Py_ssize_t length, enum document_form form) {
    if (UNLIKELY(length > 0 && PyUnicode_READ_CHAR(string, 0) == 0xfeff)) {
        raise_for_byte_order_mark(state, string, length);
        return NULL;
    }
    return document_decode_text(state, arguments, string, length, form);
}

/* ---- bytes --------------------------------------------------------------------------------- */

const char *detect_encoding(const uint8_t *bytes, Py_ssize_t n) {
    if (n >= 4 &&
        (memcmp(bytes, "\0\0\xfe\xff", 4) == 0 || memcmp(bytes, "\xff\xfe\0\0", 4) == 0)) {
        return "utf-32";
    }
    if (n >= 2 && (memcmp(bytes, "\xfe\xff", 2) == 0 || memcmp(bytes, "\xff\xfe", 2) == 0)) {
        return "utf-16";
    }
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        return "utf-8-sig";
    }
    if (n >= 4) {
        if (bytes[0] == 0) {
            return bytes[1] != 0 ? "utf-16-be" : "utf-32-be";
        }
        if (bytes[1] == 0) {
            return bytes[2] != 0 || bytes[3] != 0 ? "utf-16-le" : "utf-32-le";
        }
    } else if (n == 2) {
        if (bytes[0] == 0) {
            return "utf-16-be";
        }
        if (bytes[1] == 0) {
            return "utf-16-le";
        }
    }
    return "utf-8";
}

/* The characters, a new reference. A cut one at the end is left out. */
static PyObject *utf8_characters(const struct utf8 *utf8) {
    if (!utf8->is_cut) {
        return PyUnicode_Decode(utf8->bytes, utf8->length,
                                utf8->n_skipped > 0 ? "utf-8-sig" : "utf-8", "surrogatepass");
    }
    Py_ssize_t n_read;
    return PyUnicode_DecodeUTF8Stateful(utf8->bytes + utf8->n_skipped,
                                        utf8->length - utf8->n_skipped, "surrogatepass", &n_read);
}

size_t utf8_count_characters(const char *bytes, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += (bytes[i] & 0xc0) != 0x80;
    }
    return count;
}

COLD void raise_decode_error_in_bytes(const struct module_state *state,
                                      const struct decode_options *options,
                                      const struct error *error, const struct utf8 *utf8) {
    PyObject *const whole = utf8_characters(utf8);
    if (whole == NULL) {
        return;
    }
    if (error->kind == ERROR_INVALID_UTF8) {
        PyErr_SetString(PyExc_SystemError, "ssrjson_web refuses UTF-8 that Python accepts");
    } else {
        assert((Py_ssize_t)error->position <= utf8->length - utf8->n_skipped);
        const size_t position =
            utf8_count_characters(utf8->bytes + utf8->n_skipped, error->position);
        raise_decode_error(state, error->kind, options, whole, (Py_ssize_t)position);
    }
    Py_DECREF(whole);
}

PyObject *document_decode_bytes(struct module_state *state,
                                const struct decode_arguments *arguments, const char *bytes,
                                Py_ssize_t n, enum document_form form) {
    /* two ASCII characters begin UTF-8 only */
    const bool is_plain = n >= 2 && (int8_t)bytes[0] > 0 && (int8_t)bytes[1] > 0;
    const char *const encoding = is_plain ? "utf-8" : detect_encoding((const uint8_t *)bytes, n);
    if (!is_plain && UNLIKELY(strncmp(encoding, "utf-8", 5) != 0)) {
        PyObject *const string = PyUnicode_Decode(bytes, n, encoding, "surrogatepass");
        if (string == NULL) {
            return NULL;
        }
        PyObject *const value =
            document_decode_text(state, arguments, string, PyUnicode_GET_LENGTH(string), form);
        Py_DECREF(string);
        return value;
    }
    const struct utf8 utf8 = {
        .bytes = bytes, .length = n, .n_skipped = encoding[5] != '\0' ? 3 : 0};
    const struct document document = {
        .state = state,
        .source = {.text = {.data = bytes + utf8.n_skipped,
                            .length = n - utf8.n_skipped,
                            .form = TEXT_UTF8},
                   .options = &arguments->options},
    };
    struct error error;
    PyObject *const value = document_read(&document, form, &error);
    if (UNLIKELY(value == NULL) && error.kind != ERROR_RAISED) {
        raise_decode_error_in_bytes(state, &arguments->options, &error, &utf8);
    }
    return value;
}

/* Whether the items of a buffer are bytes: format B, b or c, with any mark of byte order. */
static bool buffer_is_of_bytes(const Py_buffer *buffer) {
    const char *format = buffer->format != NULL ? buffer->format : "B";
    format += *format != '\0' && strchr("@=<>!", *format) != NULL;
    return buffer->itemsize == 1 && (*format == 'B' || *format == 'b' || *format == 'c') &&
           format[1] == '\0';
}

int take_buffer(PyObject *object, Py_buffer *buffer) {
    if (!PyObject_CheckBuffer(object)) {
        raise_with_class_name(PyExc_TypeError,
                              "the JSON object must be str, bytes or bytearray, not %S", object);
        return -1;
    }
    if (PyObject_GetBuffer(object, buffer, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0) {
        return -1;
    }
    if (!buffer_is_of_bytes(buffer)) {
        PyErr_Format(PyExc_TypeError,
                     "the JSON object must hold bytes (format B, b or c), not items of format %s",
                     buffer->format != NULL ? buffer->format : "B");
        PyBuffer_Release(buffer);
        return -1;
    }
    return 0;
}

const char *buffer_bytes(const Py_buffer *buffer) {
    return buffer->buf != NULL ? buffer->buf : "";
}

PyObject *document_decode_buffer(struct module_state *state,
                                 const struct decode_arguments *arguments, PyObject *object,
                                 enum document_form form) {
    Py_buffer buffer;
    if (take_buffer(object, &buffer) != 0) {
        return NULL;
    }
    PyObject *value = NULL;
    if (document_fits(state, arguments, buffer.len)) {
#if IS_FREE_THREADED /* another thread may change what a bytearray holds between two looks at it \
                      */
        PyObject *const copy = PyBytes_FromStringAndSize(buffer.buf, buffer.len);
        if (copy != NULL) {
            value =
                document_decode_bytes(state, arguments, PyBytes_AS_STRING(copy), buffer.len, form);
        }
        Py_XDECREF(copy);
#else
        value = document_decode_bytes(state, arguments, buffer_bytes(&buffer), buffer.len, form);
#endif
    }
    PyBuffer_Release(&buffer);
    return value;
}

/* ---- all that loads takes ------------------------------------------------------------------ */

COLD PyObject *document_decode_and_record(struct module_state *state,
                                          const struct decode_arguments *arguments,
                                          PyObject *object, enum document_form form) {
    const Py_ssize_t size = recorded_size(object);
    struct timing timing;
    if (timing_begin(&timing, state) != 0) {
        return NULL;
    }
    PyObject *const value = document_decode_unrecorded(state, arguments, object, form);
    timing_end(&timing, DIRECTION_DECODE, 1, size);
    return value;
}
