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

#if HAS_RECYCLED
/* What a str that is not ASCII takes of its room for text, beside the text. */
static inline size_t writer_extra_bytes(const struct writer *writer) {
    return writer->to_bytes || writer->form == TEXT_ASCII
               ? 0
               : sizeof(PyCompactUnicodeObject) - sizeof(PyASCIIObject) +
                     writer_unit_bytes(writer) - 1;
}

/* Give an object that only we can reach, and that has room for it, the length of a text. */
static inline void writer_set_length(const struct writer *writer, PyObject *object,
                                     size_t n_units) {
    if (writer->to_bytes) {
        bytes_set_length(object, (Py_ssize_t)n_units);
    } else {
        unicode_set_fields(object, (Py_ssize_t)n_units, writer->form);
    }
}

/* Keep a reference to an object with room for n_units. */
static inline void writer_keep(const struct writer *writer, PyObject *object, size_t n_units) {
    recycled_keep(writer->recycled, Py_NewRef(object),
                  n_units * writer_unit_bytes(writer) + writer_extra_bytes(writer));
}

/* Take the last result as the object, if it has room for n_units: how many it has room for, or 0.
 */
static inline size_t writer_take_recycled(struct writer *writer, size_t n_units) {
    struct recycled *const recycled = writer->recycled;
    const size_t unit = writer_unit_bytes(writer);
    const size_t n_extra = writer_extra_bytes(writer);
    if (recycled == NULL || !recycled_is_free(recycled) ||
        recycled->n_bytes < n_units * unit + n_extra) {
        return 0;
    }
    const size_t n_room = writer_units(writer, recycled->n_bytes - n_extra);
    writer->object = recycled_take(recycled);
    writer->is_recycled = true;
    writer_set_length(writer, writer->object, n_room);
    return n_room;
}

/* A new object for a text of n_units. Where it is to be kept it has room for a quarter more,
 * because the next text will have another length. */
static NOINLINE PyObject *writer_new_result(const struct writer *writer, size_t n_units) {
    const size_t n_bytes = n_units * writer_unit_bytes(writer);
    if (writer->recycled == NULL || !recycled_wants(writer->recycled, n_bytes)) {
        return writer_new_object(writer, (Py_ssize_t)n_units);
    }
    const size_t n_room = n_units + n_units / 4;
    PyObject *const object = writer_new_object(writer, (Py_ssize_t)n_room);
    if (object != NULL) {
        writer_set_length(writer, object, n_units);
        writer_keep(writer, object, n_room);
    }
    return object;
}

/* The object for a text of n_units that is on the stack. */
static inline PyObject *writer_result_for(const struct writer *writer, size_t n_units) {
    struct recycled *const recycled = writer->recycled;
    if (LIKELY(recycled != NULL) &&
        LIKELY(recycled_fits(recycled,
                             n_units * writer_unit_bytes(writer) + writer_extra_bytes(writer)))) {
        writer_set_length(writer, recycled->object, n_units);
        return Py_NewRef(recycled->object);
    }
    return writer_new_result(writer, n_units);
}

/* The last result has got the text: it is the result again, unless the text is much too short. */
static PyObject *writer_finish_recycled(struct writer *writer, size_t n_units) {
    struct recycled *const recycled = writer->recycled;
    PyObject *const object = writer->object;
    const size_t n_room = writer_units(writer, (size_t)(writer->end - writer->begin));
    writer->object = NULL;
    if (LIKELY(2 * n_units >= n_room)) {
        writer_set_length(writer, object, n_units);
        writer_keep(writer, object, n_room);
        return object;
    }
    PyObject *const result = writer_new_object(writer, (Py_ssize_t)n_units);
    if (result != NULL) {
        memcpy(writer_data_of(writer, result), writer->begin, n_units * writer_unit_bytes(writer));
    }
    if (recycled_note_misfit(recycled)) {
        writer_keep(writer, object, n_room);
    }
    Py_DECREF(object);
    return result;
}

/* Give the object the length of its text, n_units; on failure it is freed. Where it is to be kept,
 * it keeps room for a text that is a little longer. */
static bool writer_end_object(struct writer *writer, size_t n_units) {
    size_t n_room = writer_units(writer, (size_t)(writer->end - writer->begin));
    const size_t n_most = n_units + n_units / 16 + WRITER_ROOM;
    if (writer->recycled == NULL ||
        !recycled_wants(writer->recycled, n_units * writer_unit_bytes(writer))) {
        return writer_resize_object(writer, (Py_ssize_t)n_units);
    }
    if (n_room > n_most) {
        if (!writer_resize_object(writer, (Py_ssize_t)n_most)) {
            return false;
        }
        n_room = n_most;
    }
    writer_set_length(writer, writer->object, n_units);
    writer_keep(writer, writer->object, n_room);
    return true;
}
#else
static inline size_t writer_take_recycled(struct writer *writer, size_t n_units) {
    (void)writer;
    (void)n_units;
    return 0;
}

static inline PyObject *writer_result_for(const struct writer *writer, size_t n_units) {
    return writer_new_object(writer, (Py_ssize_t)n_units);
}

static inline PyObject *writer_finish_recycled(struct writer *writer, size_t n_units) {
    (void)writer;
    (void)n_units;
    __builtin_unreachable();
}

static inline bool writer_end_object(struct writer *writer, size_t n_units) {
    return writer_resize_object(writer, (Py_ssize_t)n_units);
}
#endif

/* Move the text, n_used units, into an object of n_units; false with MemoryError set. */
static inline bool writer_use_object(struct writer *writer, size_t n_used, size_t n_units) {
    if (writer->object != NULL) {
        writer->is_recycled = false;
        if (!writer_resize_object(writer, (Py_ssize_t)n_units)) {
            return false;
        }
    } else {
        const size_t n_room = writer_take_recycled(writer, n_units);
        if (n_room != 0) {
            n_units = n_room;
        } else {
            writer->object = writer_new_object(writer, (Py_ssize_t)n_units);
        }
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
    if (is_direct || n_more * unit > WRITER_MOST_EXPECTED_BYTES) {
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
        expected < WRITER_MOST_EXPECTED_BYTES ? expected : WRITER_MOST_EXPECTED_BYTES;
}

PyObject *writer_finish(struct writer *writer, const char *cursor) {
    const size_t n_bytes = (size_t)(cursor - writer->begin);
    const size_t n_units = writer_units(writer, n_bytes);
    if (LIKELY(writer->object == NULL)) {
        PyObject *const result = writer_result_for(writer, n_units);
        if (LIKELY(result != NULL)) {
            memcpy(writer_data_of(writer, result), writer->begin, n_bytes);
        }
        return result;
    }
    writer_note_size(writer, n_bytes);
    if (writer->is_recycled) {
        return writer_finish_recycled(writer, n_units);
    }
    if (!writer_end_object(writer, n_units)) {
        return NULL;
    }
    PyObject *const object = writer->object;
    writer->object = NULL;
    return object;
}
