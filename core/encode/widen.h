/* SPDX-License-Identifier: MIT */
/* The text so far in wider units, because a string does not fit those that it has. */
#ifndef SSRJSON_ENCODE_WIDEN_H
#define SSRJSON_ENCODE_WIDEN_H

#include "encode/writer.h"

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

#endif
