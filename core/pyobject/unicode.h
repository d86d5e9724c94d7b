/* SPDX-License-Identifier: MIT */
/* str: its PEP 393 form, its UTF-8 cache, and new strings of a known form. */
#ifndef SSRJSON_PYOBJECT_UNICODE_H
#define SSRJSON_PYOBJECT_UNICODE_H

#include "pyobject/python.h"

/* The forms of text in order of width: those of a str and of a writer. */
enum text_form {
    TEXT_ASCII,
    TEXT_LATIN1,
    TEXT_UCS2,
    TEXT_UCS4,
    TEXT_UTF8, /* of bytes, never of a str */
};

static ALWAYS_INLINE size_t text_form_unit_bytes(enum text_form form) {
    return form == TEXT_UCS4 ? 4 : form == TEXT_UCS2 ? 2 : 1;
}

static ALWAYS_INLINE Py_UCS4 text_form_max_char(enum text_form form) {
    assert(form != TEXT_UTF8);
    return form == TEXT_ASCII    ? 0x7f
           : form == TEXT_LATIN1 ? 0xff
           : form == TEXT_UCS2   ? 0xffff
                                 : 0x10ffff;
}

/* A run of text, borrowed from a str or a buffer. */
struct text {
    const void *data;
    Py_ssize_t length; /* units */
    enum text_form form;
};

/* Whether a str can be read; a legacy str of Python <= 3.11 is first converted to its final
 * form. */
static ALWAYS_INLINE bool unicode_is_ready(PyObject *string) {
#if PY_VERSION_HEX < 0x030c0000
    return LIKELY(PyUnicode_IS_READY(string)) || PyUnicode_READY(string) == 0;
#else
    (void)string;
    return true;
#endif
}

/* The text of a str, of a subclass too; the str must be ready. */
static ALWAYS_INLINE struct text unicode_text(PyObject *string) {
    struct text text = {.length = PyUnicode_GET_LENGTH(string)};
    if (LIKELY(PyUnicode_IS_COMPACT_ASCII(string))) {
        text.data = (const PyASCIIObject *)string + 1;
        text.form = TEXT_ASCII;
        return text;
    }
    text.data = PyUnicode_DATA(string);
    const int kind = (int)PyUnicode_KIND(string);
    text.form = kind == PyUnicode_4BYTE_KIND   ? TEXT_UCS4
                : kind == PyUnicode_2BYTE_KIND ? TEXT_UCS2
                : PyUnicode_IS_ASCII(string)   ? TEXT_ASCII
                                               : TEXT_LATIN1;
    return text;
}

/* The UTF-8 cache of a non-ASCII str; data is NULL where it has none. */
static ALWAYS_INLINE struct text unicode_cached_utf8(PyObject *string) {
    const PyCompactUnicodeObject *const compact = (const PyCompactUnicodeObject *)string;
    assert(!PyUnicode_IS_COMPACT_ASCII(string));
    struct text text = {.form = TEXT_UTF8};
#if IS_FREE_THREADED
    text.data = __atomic_load_n(&compact->utf8, __ATOMIC_ACQUIRE);
#else
    text.data = compact->utf8;
#endif
    text.length = text.data != NULL ? compact->utf8_length : 0;
    return text;
}

/* The UTF-8 cache of a non-ASCII str, filled if it has none yet. data is NULL, without an
 * exception, where the str holds a surrogate. */
static inline struct text unicode_make_cached_utf8(PyObject *string) {
    struct text text = {.form = TEXT_UTF8};
    const bool was_on = collector_pause();
    text.data = PyUnicode_AsUTF8AndSize(string, &text.length);
    if (text.data == NULL) {
        PyErr_Clear();
    }
    collector_go_on(was_on);
    return text;
}

/* Whether a str has its final form; a legacy str of Python <= 3.11 gets it before it gets a UTF-8
 * cache. */
static ALWAYS_INLINE bool unicode_has_form(PyObject *string) {
#if PY_VERSION_HEX < 0x030c0000
    return PyUnicode_IS_READY(string);
#else
    (void)string;
    return true;
#endif
}

/* Size of the UTF-8 cache of a str in bytes, its terminator included; 0 where it has none. */
static inline Py_ssize_t unicode_cache_bytes(PyObject *string) {
    if (!unicode_has_form(string) || PyUnicode_IS_ASCII(string)) {
        return 0;
    }
    const struct text cache = unicode_cached_utf8(string);
    /* a legacy str of one byte per character shares its data with the cache */
    return cache.data != NULL && cache.data != PyUnicode_DATA(string) ? cache.length + 1 : 0;
}

/* The layout of a new str is known, and no debug build or tracer must be informed of it. */
#if KNOWS_LAYOUTS && !IS_FREE_THREADED && !defined(Py_DEBUG) && !defined(Py_TRACE_REFS)
#define HAS_RAW_UNICODE 1
#else
#define HAS_RAW_UNICODE 0
#endif

/* The first unit of a str that unicode_new made. */
static ALWAYS_INLINE void *unicode_new_data(PyObject *string, enum text_form form) {
    return form == TEXT_ASCII ? (void *)((PyASCIIObject *)string + 1)
                              : (void *)((PyCompactUnicodeObject *)string + 1);
}

/* Store the zero after `length` units: not by memset, which would be called for two bytes. */
static ALWAYS_INLINE void unicode_end(void *data, Py_ssize_t length, enum text_form form) {
    switch (form) {
    case TEXT_UCS4: ((Py_UCS4 *)data)[length] = 0; break;
    case TEXT_UCS2: ((Py_UCS2 *)data)[length] = 0; break;
    case TEXT_ASCII:
    case TEXT_LATIN1:
    case TEXT_UTF8: ((Py_UCS1 *)data)[length] = 0; break;
    }
}

#if KNOWS_LAYOUTS
/* Set the fields of a str that nobody else can reach, all but the header of every object, and the
 * zero after its text, for which there is memory. */
static ALWAYS_INLINE void unicode_set_fields(PyObject *string, Py_ssize_t length,
                                             enum text_form form) {
    PyASCIIObject *const ascii = (PyASCIIObject *)string;
    ascii->length = length;
    ascii->hash = -1;
    memset(&ascii->state, 0, sizeof ascii->state);
    ascii->state.kind = form == TEXT_UCS4   ? PyUnicode_4BYTE_KIND
                        : form == TEXT_UCS2 ? PyUnicode_2BYTE_KIND
                                            : PyUnicode_1BYTE_KIND;
    ascii->state.compact = 1;
    ascii->state.ascii = form == TEXT_ASCII;
#if PY_VERSION_HEX < 0x030c0000
    ascii->state.ready = 1;
    ascii->wstr = NULL;
#endif
    unicode_end(unicode_new_data(string, form), length, form);
    if (form == TEXT_ASCII) {
        return;
    }
    PyCompactUnicodeObject *const compact = (PyCompactUnicodeObject *)string;
    compact->utf8 = NULL;
    compact->utf8_length = 0;
#if PY_VERSION_HEX < 0x030c0000
    /* units as wide as wchar_t serve as the legacy text too */
    const bool is_shared = sizeof(wchar_t) == text_form_unit_bytes(form) && form != TEXT_LATIN1;
    compact->wstr_length = is_shared ? length : 0;
    ascii->wstr = is_shared ? (wchar_t *)(compact + 1) : NULL;
#endif
}

#endif

/* A new str of n units, to be filled in before anyone sees it; NULL with MemoryError. */
static ALWAYS_INLINE PyObject *unicode_new(Py_ssize_t length, enum text_form form) {
#if HAS_RAW_UNICODE
    if (LIKELY(length > 0)) {
        const size_t unit = text_form_unit_bytes(form);
        const size_t header =
            form == TEXT_ASCII ? sizeof(PyASCIIObject) : sizeof(PyCompactUnicodeObject);
        if (UNLIKELY((size_t)length >= (PY_SSIZE_T_MAX - header) / unit)) {
            PyErr_NoMemory();
            return NULL;
        }
        const size_t n_bytes = (size_t)length * unit;
        PyObject *const string = PyObject_Malloc(header + n_bytes + unit);
        if (UNLIKELY(string == NULL)) {
            PyErr_NoMemory();
            return NULL;
        }
#if PY_VERSION_HEX < 0x030d0000
        string->ob_refcnt = 1;
        string->ob_type = &PyUnicode_Type;
#else
        PyObject_Init(string, &PyUnicode_Type); /* informs tracers of references */
#endif
        unicode_set_fields(string, length, form);
        return string;
    }
#endif
    return PyUnicode_New(length, text_form_max_char(form));
}

#endif
