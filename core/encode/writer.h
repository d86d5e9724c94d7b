/* SPDX-License-Identifier: MIT */
/* The growing output: first a scratch on the C stack, then the final object itself.
 *
 * The text is written at a cursor that the walk keeps in a register. While cursor <= limit there
 * is room for WRITER_ROOM units, so that small things are written without asking. */
#ifndef SSRJSON_ENCODE_WRITER_H
#define SSRJSON_ENCODE_WRITER_H

#include "pyobject/unicode.h"
#include "text/escape.h"

#define WRITER_ROOM (TEXT_BLOCK_ROOM + 128)
#define WRITER_SCRATCH_BYTES 8192

struct writer {
    char *begin;
    char *limit;
    char *end;
    PyObject *object; /* owned bytes or str, NULL while the scratch serves */
    enum text_form form;
    bool to_bytes;
};

static ALWAYS_INLINE size_t writer_unit_bytes(const struct writer *writer) {
    return text_form_unit_bytes(writer->form);
}

static ALWAYS_INLINE void writer_set_room(struct writer *writer, char *begin, size_t n_units) {
    const size_t unit = writer_unit_bytes(writer);
    assert(n_units >= WRITER_ROOM);
    writer->begin = begin;
    writer->end = begin + n_units * unit;
    writer->limit = begin + (n_units - WRITER_ROOM) * unit;
}

static ALWAYS_INLINE void writer_init(struct writer *writer, char *scratch, enum text_form form,
                                      bool to_bytes) {
    writer->object = NULL;
    writer->form = form;
    writer->to_bytes = to_bytes;
    writer_set_room(writer, scratch, WRITER_SCRATCH_BYTES / writer_unit_bytes(writer));
}

static ALWAYS_INLINE PyObject *writer_new_object(const struct writer *writer, Py_ssize_t n_units) {
    return writer->to_bytes ? PyBytes_FromStringAndSize(NULL, n_units)
                            : unicode_new(n_units, writer->form);
}

static ALWAYS_INLINE char *writer_object_data(const struct writer *writer) {
    return writer->to_bytes ? PyBytes_AS_STRING(writer->object)
                            : (char *)PyUnicode_DATA(writer->object);
}

/* Set the object's length in units, keeping its text; on failure the object is gone. */
static inline bool writer_resize_object(struct writer *writer, Py_ssize_t n_units) {
    if (writer->to_bytes) {
        return _PyBytes_Resize(&writer->object, n_units) == 0;
    }
    if (PyUnicode_Resize(&writer->object, n_units) != 0) {
        Py_CLEAR(writer->object);
        return false;
    }
    return true;
}

/* Make room for n_more units behind cursor, at least doubling, and return the cursor's new
 * place; NULL with MemoryError set. */
static COLD char *writer_grow(struct writer *writer, char *cursor, size_t n_more) {
    const size_t unit = writer_unit_bytes(writer);
    const size_t n_used = (size_t)(cursor - writer->begin) / unit;
    size_t n_units = (size_t)(writer->end - writer->begin) / unit * 2;
    const size_t n_needed = n_used + n_more + WRITER_ROOM;
    n_units = n_units < n_needed ? n_needed : n_units;
    if (UNLIKELY(n_needed < n_more || n_units > (size_t)PY_SSIZE_T_MAX / 8)) {
        PyErr_NoMemory();
        return NULL;
    }
    if (writer->object != NULL) {
        if (!writer_resize_object(writer, (Py_ssize_t)n_units)) {
            return NULL;
        }
    } else {
        writer->object = writer_new_object(writer, (Py_ssize_t)n_units);
        if (writer->object == NULL) {
            return NULL;
        }
        memcpy(writer_object_data(writer), writer->begin, n_used * unit);
    }
    writer_set_room(writer, writer_object_data(writer), n_units);
    return writer->begin + n_used * unit;
}

static ALWAYS_INLINE void widen_units(void *to, size_t to_unit, const void *from, size_t from_unit,
                                      size_t n_units) {
    assert(to_unit > from_unit);
    for (size_t i = 0; i < n_units; i++) {
        const uint32_t c =
            from_unit == 1 ? ((const uint8_t *)from)[i] : ((const uint16_t *)from)[i];
        if (to_unit == 2) {
            ((uint16_t *)to)[i] = (uint16_t)c;
        } else {
            ((uint32_t *)to)[i] = c;
        }
    }
}

/* Turn a str's text into a wider form and return the cursor's new place; NULL with MemoryError
 * set. */
static COLD char *writer_widen(struct writer *writer, char *cursor, enum text_form form) {
    assert(!writer->to_bytes && form > writer->form && form != TEXT_UTF8);
    const size_t old_unit = writer_unit_bytes(writer);
    const size_t n_used = (size_t)(cursor - writer->begin) / old_unit;
    if (writer->object == NULL && text_form_unit_bytes(form) == old_unit) {
        writer->form = form; /* the scratch holds ASCII and Latin-1 alike */
        return cursor;
    }
    const size_t old_units = (size_t)(writer->end - writer->begin) / old_unit;
    PyObject *const object = unicode_new((Py_ssize_t)old_units, form);
    if (object == NULL) {
        return NULL;
    }
    void *const to = PyUnicode_DATA(object);
    switch (text_form_unit_bytes(form) * 8 + old_unit) {
    case 8 + 1: memcpy(to, writer->begin, n_used); break;
    case 16 + 1: widen_units(to, 2, writer->begin, 1, n_used); break;
    case 32 + 1: widen_units(to, 4, writer->begin, 1, n_used); break;
    default: widen_units(to, 4, writer->begin, 2, n_used); break;
    }
    Py_XSETREF(writer->object, object);
    writer->form = form;
    writer_set_room(writer, to, old_units);
    return writer->begin + n_used * writer_unit_bytes(writer);
}

/* The finished object, a new reference, cut to its length; NULL with MemoryError set. */
static inline PyObject *writer_finish(struct writer *writer, const char *cursor) {
    const Py_ssize_t n_units = (cursor - writer->begin) / (Py_ssize_t)writer_unit_bytes(writer);
    if (writer->object == NULL) {
        writer->object = writer_new_object(writer, n_units);
        if (writer->object == NULL) {
            return NULL;
        }
        memcpy(writer_object_data(writer), writer->begin, (size_t)(cursor - writer->begin));
    } else if (!writer_resize_object(writer, n_units)) {
        return NULL;
    }
    PyObject *const object = writer->object;
    writer->object = NULL;
    return object;
}

static inline void writer_clear(struct writer *writer) {
    Py_CLEAR(writer->object);
}

#endif
