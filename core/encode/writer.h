/* SPDX-License-Identifier: MIT */
/* The growing output: first an array on the C stack, then the final object itself.
 *
 * To copy half a megabyte takes longer than to write it, and memory that is new to the process
 * takes four times as long. So a text that outgrows the stack goes to an object with room for as
 * much as the last such text had, which gives back at the end what it has too much.
 *
 * The text is written at a cursor that the walk keeps in a register. While cursor <= limit there is
 * room for WRITER_ROOM units, so that short texts are written without a check. */
#ifndef SSRJSON_ENCODE_WRITER_H
#define SSRJSON_ENCODE_WRITER_H

#include "pyobject/unicode.h"
#include "text/escape.h"

#define WRITER_ROOM (TEXT_BLOCK_ROOM + 192)
#define WRITER_STACK_BYTES 8192
/* A text of at least this many units whose end is in sight is written directly into the final
 * object. */
#define WRITER_DIRECT_UNITS ((size_t)1 << 16)
/* No object is made larger than this for a text of unknown size before half of it is full. */
#define WRITER_MAX_EXPECTED_BYTES ((size_t)4 << 20)

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

/* The text of an object of the writer's type. */
static ALWAYS_INLINE char *writer_data_of(const struct writer *writer, PyObject *object) {
    return writer->to_bytes ? PyBytes_AS_STRING(object) : (char *)PyUnicode_DATA(object);
}

static ALWAYS_INLINE char *writer_object_data(const struct writer *writer) {
    return writer_data_of(writer, writer->object);
}

/* The units to begin an object with, of `unit` bytes each: as many as are expected, or n_otherwise
 * where n_needed are more than that. An object that must give much back at the end costs its pages
 * again in each call: malloc learns the size that is freed, not that which was asked for. */
static inline size_t writer_first_units(const struct writer *writer, size_t unit, size_t n_needed,
                                        size_t n_otherwise) {
    const size_t n_expected = *writer->n_expected_bytes / unit + WRITER_ROOM;
    return n_expected >= n_needed ? n_expected : n_otherwise;
}

#define writer_grow_for SHARED_NAME(writer_grow_for)
#define writer_finish SHARED_NAME(writer_finish)

/* Make room for n_more units after cursor and return the cursor's new place; NULL with MemoryError
 * set. Where is_last, little text follows those units, so the object gets no more room than that.
 */
COLD char *writer_grow_for(struct writer *writer, char *cursor, size_t n_more, bool is_last);

static ALWAYS_INLINE char *writer_grow(struct writer *writer, char *cursor, size_t n_more) {
    return writer_grow_for(writer, cursor, n_more, false);
}

/* The finished object, a new reference, trimmed to its length; NULL with MemoryError set. */
PyObject *writer_finish(struct writer *writer, const char *cursor);

static inline void writer_clear(struct writer *writer) {
    Py_CLEAR(writer->object);
}

#endif
