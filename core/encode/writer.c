/* SPDX-License-Identifier: MIT */
#include "encode/writer.h"

#include "pyobject/object.h"

/* Set the length of an object that nobody else has seen, keeping the memory after it. */
static inline void writer_trim_object(struct writer *writer, Py_ssize_t n_units) {
    char *const end = writer_object_data(writer) + (size_t)n_units * writer_unit_bytes(writer);
    memset(end, 0, writer_unit_bytes(writer));
    if (writer->to_bytes) {
        Py_SET_SIZE(writer->object, n_units);
        return;
    }
    ((PyASCIIObject *)writer->object)->length = n_units;
#if PY_VERSION_HEX < 0x030c0000
    if (writer_unit_bytes(writer) == sizeof(wchar_t)) {
        ((PyCompactUnicodeObject *)writer->object)->wstr_length = n_units; /* they share the text */
    }
#endif
}

/* Set the object's length in units, keeping its text; on failure the object is freed. A small rest
 * of memory stays: giving it back can lose malloc's block for results of this size, and then the
 * next result takes fresh pages. */
static inline bool writer_resize_object(struct writer *writer, Py_ssize_t n_units) {
    const Py_ssize_t capacity =
        (Py_ssize_t)writer_units(writer, (size_t)(writer->end - writer->begin));
    if (n_units <= capacity && capacity - n_units <= capacity / 64) {
        writer_trim_object(writer, n_units);
        return true;
    }
    if (writer->to_bytes) {
        return _PyBytes_Resize(&writer->object, n_units) == 0;
    }
    if (PyUnicode_Resize(&writer->object, n_units) != 0) {
        Py_CLEAR(writer->object);
        return false;
    }
    return true;
}

/* Move the text, n_used units, into an object of n_units; false with MemoryError set. */
static inline bool writer_use_object(struct writer *writer, size_t n_used, size_t n_units) {
    if (writer->object != NULL) {
        if (!writer_resize_object(writer, (Py_ssize_t)n_units)) {
            return false;
        }
    } else {
        writer->object = writer_new_object(writer, (Py_ssize_t)n_units);
        if (writer->object == NULL) {
            return false;
        }
        memcpy(writer_object_data(writer), writer->begin, n_used * writer_unit_bytes(writer));
    }
    writer_set_room(writer, writer_object_data(writer), n_units);
    return true;
}

char *writer_grow_for(struct writer *writer, char *cursor, size_t n_more, bool is_last) {
    const size_t unit = writer_unit_bytes(writer);
    const size_t n_used = writer_units(writer, (size_t)(cursor - writer->begin));
    const size_t n_needed = n_used + n_more + WRITER_ROOM;
    if (UNLIKELY(n_needed < n_more || n_needed > (size_t)PY_SSIZE_T_MAX / 16)) {
        PyErr_NoMemory();
        return NULL;
    }
    const size_t n_doubled = 2 * writer_units(writer, (size_t)(writer->end - writer->begin));
    const bool is_direct = is_last && n_more >= WRITER_DIRECT_UNITS;
    size_t n_units = n_doubled > n_needed ? n_doubled : n_needed;
    if (is_direct || n_more * unit > WRITER_MAX_EXPECTED_BYTES) {
        n_units = n_needed;
    } else if (writer->object == NULL) {
        n_units = writer_first_units(writer, unit, n_needed, 2 * n_needed);
    }
    if (!writer_use_object(writer, n_used, n_units)) {
        return NULL;
    }
    return writer->begin + n_used * unit;
}

/* Remember the size of a text that outgrew the stack. Where sizes vary, smaller ones count by half:
 * too much room costs less than too little. */
static inline void writer_note_size(const struct writer *writer, size_t n_bytes) {
    const size_t before = *writer->n_expected_bytes;
    const size_t expected = n_bytes >= before ? n_bytes : before / 2 + n_bytes / 2;
    *writer->n_expected_bytes =
        expected < WRITER_MAX_EXPECTED_BYTES ? expected : WRITER_MAX_EXPECTED_BYTES;
}

PyObject *writer_finish(struct writer *writer, const char *cursor) {
    const size_t n_bytes = (size_t)(cursor - writer->begin);
    const Py_ssize_t n_units = (Py_ssize_t)writer_units(writer, n_bytes);
    if (LIKELY(writer->object == NULL)) {
        PyObject *const result = writer_new_object(writer, n_units);
        if (LIKELY(result != NULL)) {
            memcpy(writer_data_of(writer, result), writer->begin, n_bytes);
        }
        return result;
    }
    writer_note_size(writer, n_bytes);
    if (!writer_resize_object(writer, n_units)) {
        return NULL;
    }
    PyObject *const object = writer->object;
    writer->object = NULL;
    return object;
}
