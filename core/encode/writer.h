/* SPDX-License-Identifier: MIT */
/* The growing output: first an array on the C stack, then the final object itself.
 *
 * A copy of half a megabyte takes longer than it takes to write it, and memory that is new to the
 * process four times as long. So a text that outgrows the stack goes to an object with room for as
 * much as the last such text had, and the object gives back at the end what it has too much. Where
 * the caller drops the results, malloc serves each from the memory of the one before.
 *
 * The text is written at a cursor that the walk keeps in a register. While cursor <= limit there is
 * room for WRITER_ROOM units, so that short texts are written without a check. */
#ifndef SSRJSON_ENCODE_WRITER_H
#define SSRJSON_ENCODE_WRITER_H

#include "pyobject/unicode.h"
#include "text/escape.h"

#define WRITER_ROOM (TEXT_BLOCK_ROOM + 192)
/* A longer indentation asks for its room. */
#define INDENT_ROOM 64
#define WRITER_STACK_BYTES 8192
/* A text of at least this many units whose end is in sight is written directly into the final
 * object. */
#define WRITER_DIRECT_UNITS ((size_t)1 << 16)
/* No object is made larger than this for a text of unknown size before half of it is full. */
#define WRITER_MOST_EXPECTED_BYTES ((size_t)4 << 20)

struct writer {
    char *begin;
    char *limit;
    char *end;
    PyObject *object;         /* owned bytes or str, NULL while the stack is used */
    size_t *n_expected_bytes; /* of a text that outgrows the stack; kept between calls */
    enum text_form form;
    bool to_bytes;
};

static ALWAYS_INLINE size_t writer_unit_bytes(const struct writer *writer) {
    return text_form_unit_bytes(writer->form);
}

/* The units of n_bytes: by a shift, because a division takes as long as a short text. */
static ALWAYS_INLINE size_t writer_units(const struct writer *writer, size_t n_bytes) {
    return n_bytes >> (writer->form == TEXT_UCS4 ? 2 : writer->form == TEXT_UCS2);
}

static ALWAYS_INLINE void writer_set_room(struct writer *writer, char *begin, size_t n_units) {
    const size_t unit = writer_unit_bytes(writer);
    assert(n_units >= WRITER_ROOM);
    writer->begin = begin;
    writer->end = begin + n_units * unit;
    writer->limit = begin + (n_units - WRITER_ROOM) * unit;
}

/* Begin in `room`, an array that belongs to the caller. */
static ALWAYS_INLINE void writer_init(struct writer *writer, char *room, size_t n_bytes,
                                      enum text_form form, bool to_bytes,
                                      size_t *n_expected_bytes) {
    writer->object = NULL;
    writer->n_expected_bytes = n_expected_bytes;
    writer->form = form;
    writer->to_bytes = to_bytes;
    writer_set_room(writer, room, writer_units(writer, n_bytes));
}

static ALWAYS_INLINE PyObject *writer_new_object(const struct writer *writer, Py_ssize_t n_units) {
    return writer->to_bytes ? PyBytes_FromStringAndSize(NULL, n_units)
                            : unicode_new(n_units, writer->form);
}

static ALWAYS_INLINE char *writer_object_data(const struct writer *writer) {
    return writer->to_bytes ? PyBytes_AS_STRING(writer->object)
                            : (char *)PyUnicode_DATA(writer->object);
}

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

/* The units to begin an object with, of `unit` bytes each: as many as are expected, or n_otherwise
 * where n_needed are more than that. An object that must give much back at the end costs its pages
 * again in each call: malloc learns the size that is freed, not that which was asked for. */
static inline size_t writer_first_units(const struct writer *writer, size_t unit, size_t n_needed,
                                        size_t n_otherwise) {
    const size_t n_expected = *writer->n_expected_bytes / unit + WRITER_ROOM;
    return n_expected >= n_needed ? n_expected : n_otherwise;
}

/* Make room for n_more units after cursor and return the cursor's new place; NULL with MemoryError
 * set. Where is_last, little text follows those units, so the object gets no more room than that.
 */
static COLD char *writer_grow_for(struct writer *writer, char *cursor, size_t n_more,
                                  bool is_last) {
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

static COLD char *writer_grow(struct writer *writer, char *cursor, size_t n_more) {
    return writer_grow_for(writer, cursor, n_more, false);
}

/* Widen n_units from `from` to `to`, which may be the same place: from the last to the first, so
 * that no unit is overwritten before it was read. */
static ALWAYS_INLINE void widen_units(void *to, size_t to_unit, const void *from, size_t from_unit,
                                      size_t n_units) {
    assert(to_unit > from_unit);
    enum { BLOCK = 16 };
    size_t n_left = n_units;
    while (n_left > 0) {
        const size_t n = n_left >= BLOCK ? BLOCK : 1;
        n_left -= n;
        const char *const source = (const char *)from + n_left * from_unit;
        char *const target = (char *)to + n_left * to_unit;
        uint16_t narrow[BLOCK];
        uint32_t wide[BLOCK];
        if (n == 1) {
            wide[0] = from_unit == 1 ? *(const uint8_t *)source : *(const uint16_t *)source;
            memcpy(target, wide, to_unit);
            continue;
        }
        for (int i = 0; i < BLOCK; i++) {
            const uint32_t c =
                from_unit == 1 ? ((const uint8_t *)source)[i] : ((const uint16_t *)source)[i];
            narrow[i] = (uint16_t)c;
            wide[i] = c;
        }
        memcpy(target, to_unit == 2 ? (const void *)narrow : wide, BLOCK * to_unit);
    }
}

static void writer_widen_units(void *to, size_t to_unit, const void *from, size_t from_unit,
                               size_t n_units) {
    switch (to_unit * 8 + from_unit) {
    case 8 + 1: memmove(to, from, n_units); break;
    case 16 + 1: widen_units(to, 2, from, 1, n_units); break;
    case 32 + 1: widen_units(to, 4, from, 1, n_units); break;
    default: widen_units(to, 4, from, 2, n_units); break;
    }
}

/* Convert the text of a str to a wider form and return the cursor's new place; NULL with
 * MemoryError set. What is on the stack is widened in place if it fits. */
static COLD char *writer_widen(struct writer *writer, char *cursor, enum text_form form) {
    assert(!writer->to_bytes && form > writer->form && form != TEXT_UTF8);
    const size_t old_unit = writer_unit_bytes(writer);
    const size_t unit = text_form_unit_bytes(form);
    const size_t n_used = (size_t)(cursor - writer->begin) / old_unit;
    const size_t n_bytes = (n_used + 2 * WRITER_ROOM) * unit;
    if (writer->object == NULL && n_bytes <= (size_t)(writer->end - writer->begin)) {
        writer_widen_units(writer->begin, unit, writer->begin, old_unit, n_used);
        writer->form = form;
        writer_set_room(writer, writer->begin, (size_t)(writer->end - writer->begin) / unit);
        return writer->begin + n_used * unit;
    }
    const size_t n_needed = n_used + 2 * WRITER_ROOM;
    const size_t n_units = writer_first_units(writer, unit, n_needed, n_needed + n_used / 2);
    PyObject *const object = unicode_new((Py_ssize_t)n_units, form);
    if (object == NULL) {
        return NULL;
    }
    writer_widen_units(PyUnicode_DATA(object), unit, writer->begin, old_unit, n_used);
    Py_XSETREF(writer->object, object);
    writer->form = form;
    writer_set_room(writer, PyUnicode_DATA(object), n_units);
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

/* The finished object, a new reference, trimmed to its length; NULL with MemoryError set. */
static inline PyObject *writer_finish(struct writer *writer, const char *cursor) {
    const Py_ssize_t n_units = (Py_ssize_t)writer_units(writer, (size_t)(cursor - writer->begin));
    if (writer->object == NULL) {
        writer->object = writer_new_object(writer, n_units);
        if (writer->object == NULL) {
            return NULL;
        }
        memcpy(writer_object_data(writer), writer->begin, (size_t)(cursor - writer->begin));
    } else {
        writer_note_size(writer, (size_t)(cursor - writer->begin));
        if (!writer_resize_object(writer, n_units)) {
            return NULL;
        }
    }
    PyObject *const object = writer->object;
    writer->object = NULL;
    return object;
}

static inline void writer_clear(struct writer *writer) {
    Py_CLEAR(writer->object);
}

#endif
