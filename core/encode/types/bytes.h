/* SPDX-License-Identifier: MIT */
/* bytes, bytearray and memoryview: as UTF-8 or base64. */
#ifndef SSRJSON_ENCODE_TYPES_BYTES_H
#define SSRJSON_ENCODE_TYPES_BYTES_H

#include "encode/types/native.h"
#include "pyobject/unicode.h"
#include "text/base64.h"

static inline PyObject *native_base64(const Py_buffer *buffer, bool is_url_safe) {
    if ((size_t)buffer->len > (size_t)PY_SSIZE_T_MAX / 2) {
        return PyErr_NoMemory();
    }
    const size_t length = base64_length((size_t)buffer->len);
    PyObject *const text = unicode_new((Py_ssize_t)length, TEXT_ASCII);
    if (text != NULL && length != 0) {
        base64_encode(buffer->buf, (size_t)buffer->len, PyUnicode_DATA(text), is_url_safe);
    }
    return text;
}

static inline PyObject *native_utf8(const Py_buffer *buffer) {
#if IS_FREE_THREADED
    if (!PyBytes_Check(buffer->obj)) { /* another thread may change it between two looks at it */
        PyObject *const bytes = PyBytes_FromStringAndSize(buffer->buf, buffer->len);
        PyObject *const text =
            bytes != NULL ? PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), buffer->len, NULL)
                          : NULL;
        Py_XDECREF(bytes);
        return text;
    }
#endif
    return PyUnicode_DecodeUTF8(buffer->buf, buffer->len, NULL);
}

static inline PyObject *native_text_of_bytes(const Py_buffer *buffer, enum bytes_format format) {
    switch (format) {
    case BYTES_UTF8: return native_utf8(buffer);
    case BYTES_BASE64: return native_base64(buffer, false);
    case BYTES_BASE64URL: return native_base64(buffer, true);
    case BYTES_OFF: break;
    }
    Py_UNREACHABLE();
}

static inline enum native_outcome native_bytes(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    const bool is_exact =
        PyBytes_CheckExact(value) || PyByteArray_CheckExact(value) || PyMemoryView_Check(value);
    if (!is_exact && !native_let_python_run(encoder, value, native)) { /* __buffer__ */
        return NATIVE_FAILED;
    }
    Py_buffer buffer;
    PyObject *text = NULL;
    const bool was_on = collector_pause();
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) == 0) {
        text = native_text_of_bytes(&buffer, encoder->options->native.bytes);
        PyBuffer_Release(&buffer);
    }
    collector_go_on(was_on);
    return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
}

#endif
