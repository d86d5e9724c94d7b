/* SPDX-License-Identifier: MIT */
/* The place in the value where an encoding failed, as a path: $.items[3].when, $["a b"][0], key 3
 * of $.items.
 *
 * Making it runs no Python code and makes no object that the garbage collector tracks, so the
 * frames may borrow what they hold. */
#include "encode/encoder.h"
#include "number/float_bits.h"
#include "pyobject/address_set.h"
#include "pyobject/dict.h"

/* Steps that are shown at the beginning and at the end of a path; those between them are
 * omitted. */
#define PATH_STEPS 12
/* Characters of a key, counted with escapes, or of the name of its type. */
#define PATH_KEY_CHARS 40
/* The longest step is a key in brackets and quotes that is cut after an escape. */
#define PATH_STEP_CHARS (PATH_KEY_CHARS + 10 + 8)
/* The end of the longest text before the steps: "key 9223372036854775807 of $". */
#define PATH_HEAD_CHARS 32

struct path_text {
    size_t n;
    Py_UCS4 chars[PATH_HEAD_CHARS + (2 * PATH_STEPS + 1) * PATH_STEP_CHARS];
};

/* ---- which item a frame is at -------------------------------------------------------------- */

/* The number of frames from the bottom whose current item is not finished. In a cycle they are the
 * frames below its second round; at a key, those below its dict. */
static size_t encoder_n_open_frames(const struct encoder *encoder) {
    size_t n = encoder->n_frames;
    if (encoder->output.error.error.kind == ERROR_CIRCULAR) {
        struct address_set seen = {0};
        for (size_t i = 0; i < encoder->n_frames; i++) {
            if (address_set_add(&seen, encoder->frames[i].object) == 0) {
                n = i;
                break;
            }
        }
        address_set_clear(&seen);
    }
    return encoder->has_failed_at_key && n > 0 ? n - 1 : n;
}

/* Whether a frame is on top and failed while it looked for its next item. */
static bool frame_lacks_item(const struct encoder *encoder, const struct frame *frame) {
    return encoder->has_failed_at_next && frame == &encoder->frames[encoder->n_frames - 1];
}

/* The index of the item that a frame is at, -1 before the first. An iterator and the fields of a
 * model increment their index after they have the item. */
static Py_ssize_t frame_place(const struct encoder *encoder, const struct frame *frame) {
    const bool counts_late = frame->kind == FRAME_ITERATOR || frame->kind == FRAME_MODEL ||
                             frame->kind == FRAME_MODEL_PARTLY || frame->kind == FRAME_ITEMS;
    return counts_late && frame_lacks_item(encoder, frame) ? frame->index : frame->index - 1;
}

/* The key of the pair that a frame is at, a new reference. NULL where it is at none: before the
 * first, at the end, or because Python code has changed a list of pairs. */
static PyObject *frame_key(const struct encoder *encoder, const struct frame *frame) {
    Py_ssize_t place = frame_place(encoder, frame);
    if (place < 0) {
        return NULL;
    }
    PyObject *key = NULL;
    switch (frame->kind) {
    case FRAME_PAIRS:
        return place < frame->pairs->n ? Py_NewRef(frame->pairs->pair[place].key) : NULL;
    case FRAME_ITEMS: {
        PyObject *const pair =
            place < PyList_GET_SIZE(frame->items) ? PyList_GET_ITEM(frame->items, place) : NULL;
        const bool is_pair = pair != NULL && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2;
        return is_pair ? Py_NewRef(PyTuple_GET_ITEM(pair, 0)) : NULL;
    }
    case FRAME_MODEL:
    case FRAME_MODEL_PARTLY: {
        const struct plan *const plan = frame->plan;
        return place < plan->n_fields ? Py_NewRef(plan->fields[place].key) : NULL;
    }
    case FRAME_DICT:
        Py_BEGIN_CRITICAL_SECTION(frame->items);
        if (!frame_lacks_item(encoder, frame)) {
            PyDict_Next(frame->items, &place, &key, NULL);
        }
        Py_XINCREF(key);
        Py_END_CRITICAL_SECTION();
        return key;
    default: return NULL;
    }
}

/* The index of the key that a frame is at among the keys of its dict, from 0 on; -1 where it is
 * unknown. */
static Py_ssize_t frame_key_number(const struct encoder *encoder, const struct frame *frame) {
    if (frame->kind == FRAME_ITEMS) {
        return frame_place(encoder, frame);
    }
    PyObject *const wanted = frame_key(encoder, frame);
    bool is_found = false;
    Py_ssize_t number = 0;
    if (wanted != NULL && is_any_dict(frame->object)) {
        Py_ssize_t position = 0;
        PyObject *key;
        Py_BEGIN_CRITICAL_SECTION(frame->object);
        while (!is_found && PyDict_Next(frame->object, &position, &key, NULL)) {
            is_found = key == wanted;
            number += !is_found;
        }
        Py_END_CRITICAL_SECTION();
    }
    Py_XDECREF(wanted);
    return is_found ? number : -1;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void path_put_ascii(struct path_text *text, const char *ascii) {
    for (; *ascii != '\0'; ascii++) {
        text->chars[text->n++] = (unsigned char)*ascii;
    }
}

static void path_put_number(struct path_text *text, Py_ssize_t number) {
    char digits[24];
    PyOS_snprintf(digits, sizeof digits, "%zd", number);
    path_put_ascii(text, digits);
}

/* A character of a quoted key, escaped so that the path is one line that every terminal shows. */
static void path_put_quoted_char(struct path_text *text, Py_UCS4 c) {
    if (c == '"' || c == '\\') {
        text->chars[text->n++] = '\\';
    } else if (!Py_UNICODE_ISPRINTABLE(c)) {
        char escape[12];
        PyOS_snprintf(escape, sizeof escape, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        path_put_ascii(text, escape);
        return;
    }
    text->chars[text->n++] = c;
}

/* The step to a key that is a str. */
static void path_put_str_key(struct path_text *text, PyObject *key) {
    if (!unicode_is_ready(key)) {
        PyErr_Clear();
        path_put_ascii(text, "[?]");
        return;
    }
    const Py_ssize_t n = PyUnicode_GET_LENGTH(key);
    const bool is_plain = n <= PATH_KEY_CHARS && PyUnicode_IsIdentifier(key) > 0;
    path_put_ascii(text, is_plain ? "." : "[\"");
    const size_t begin = text->n;
    Py_ssize_t i = 0;
    while (i < n && text->n - begin < PATH_KEY_CHARS) {
        path_put_quoted_char(text, PyUnicode_READ_CHAR(key, i++));
    }
    path_put_ascii(text, is_plain ? "" : i == n ? "\"]" : "...\"]");
}

/* The step to a key that is not a str: the text that JSON has for it, or the name of its type. */
static void path_put_other_key(struct path_text *text, PyObject *key) {
    int overflow = 0;
    const bool is_int = PyLong_Check(key) && !PyBool_Check(key);
    const long long number = is_int ? PyLong_AsLongLongAndOverflow(key, &overflow) : 0;
    if (key == Py_None || PyBool_Check(key)) {
        path_put_ascii(text, key == Py_None   ? "[\"null\"]"
                             : key == Py_True ? "[\"true\"]"
                                              : "[\"false\"]");
    } else if (is_int && overflow == 0) {
        path_put_ascii(text, "[\"");
        path_put_number(text, (Py_ssize_t)number);
        path_put_ascii(text, "\"]");
    } else if (PyFloat_Check(key)) {
        const double value = PyFloat_AS_DOUBLE(key);
        const uint64_t mode = subnormals_switch_on();
        char *const digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
        subnormals_restore(mode);
        path_put_ascii(text, "[\"");
        path_put_ascii(text, __builtin_isnan(value)                   ? "NaN"
                             : __builtin_isinf(value)                 ? "Infinity"
                             : digits != NULL && strlen(digits) <= 32 ? digits
                                                                      : "?");
        path_put_ascii(text, "\"]");
        PyMem_Free(digits);
        PyErr_Clear();
    } else {
        const char *const name = Py_TYPE(key)->tp_name;
        const char *const last_dot = strrchr(name, '.');
        const char *c = last_dot != NULL ? last_dot + 1 : name;
        path_put_ascii(text, "[<");
        for (const char *const end = c + PATH_KEY_CHARS; c < end && *c != '\0'; c++) {
            text->chars[text->n++] = (unsigned char)*c < 0x80 ? (unsigned char)*c : '?';
        }
        path_put_ascii(text, ">]");
    }
}

/* Whether a frame adds a step to a path: the step to the item it is at. */
static bool frame_has_step(const struct encoder *encoder, const struct frame *frame) {
    switch (frame->kind) {
    case FRAME_LIST:
    case FRAME_TUPLE:
    case FRAME_ITERATOR: return frame_place(encoder, frame) >= 0;
    case FRAME_REPLACEMENT: return false;
    default: {
        PyObject *const key = frame_key(encoder, frame);
        Py_XDECREF(key);
        return key != NULL;
    }
    }
}

static void path_put_step(struct path_text *text, const struct encoder *encoder,
                          const struct frame *frame) {
    PyObject *const key = frame_key(encoder, frame);
    if (key == NULL) {
        path_put_ascii(text, "[");
        path_put_number(text, frame_place(encoder, frame));
        path_put_ascii(text, "]");
    } else if (PyUnicode_Check(key)) {
        path_put_str_key(text, key);
    } else {
        path_put_other_key(text, key);
    }
    Py_XDECREF(key);
}

/* Put the path to what failed. */
static void path_put(struct path_text *text, const struct encoder *encoder) {
    if (encoder->has_failed_at_key && encoder->n_frames > 0) {
        const Py_ssize_t number =
            frame_key_number(encoder, &encoder->frames[encoder->n_frames - 1]);
        path_put_ascii(text, number >= 0 ? "key " : "a key");
        if (number >= 0) {
            path_put_number(text, number);
        }
        path_put_ascii(text, " of ");
    }
    path_put_ascii(text, "$");
    const size_t n_frames = encoder_n_open_frames(encoder);
    size_t n_steps = 0;
    for (size_t i = 0; i < n_frames; i++) {
        n_steps += frame_has_step(encoder, &encoder->frames[i]);
    }
    size_t step = 0;
    for (size_t i = 0; i < n_frames; i++) {
        if (!frame_has_step(encoder, &encoder->frames[i])) {
            continue;
        }
        if (step < PATH_STEPS || step + PATH_STEPS >= n_steps) {
            path_put_step(text, encoder, &encoder->frames[i]);
        } else if (step == PATH_STEPS) {
            path_put_ascii(text, "...");
        }
        step++;
    }
    assert(text->n <= sizeof text->chars / sizeof *text->chars);
}

/* The path to what failed, a new str; NULL, without an exception, where memory is short. An
 * exception that is set stays so. */
static COLD PyObject *encoder_path(const struct encoder *encoder) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    /* not on the stack: the smallest one of Python's has no room for it beside that of the call */
    struct path_text *const text = PyMem_Malloc(sizeof *text);
    PyObject *path = NULL;
    if (text != NULL) {
        text->n = 0;
        path_put(text, encoder);
        path = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text->chars, (Py_ssize_t)text->n);
        PyMem_Free(text);
    }
    PyErr_Restore(type, value, traceback); /* replaces a MemoryError of this function */
    return path;
}

#define STDLIB_NOTES_PLACES (PY_VERSION_HEX >= 0x030e0000)

#if STDLIB_NOTES_PLACES
/* The note of one frame, a new reference; NULL with an exception set, or where the frame is at no
 * item. */
static inline PyObject *frame_note(const struct encoder *encoder, const struct frame *frame) {
    if (frame->kind == FRAME_REPLACEMENT) {
        return PyUnicode_FromFormat("when serializing %T object", frame->object);
    }
    if (!frame_has_step(encoder, frame)) {
        return NULL;
    }
    PyObject *const key = frame_key(encoder, frame);
    PyObject *const note =
        key != NULL ? PyUnicode_FromFormat("when serializing %T item %R", frame->object, key)
                    : PyUnicode_FromFormat("when serializing %T item %zd", frame->object,
                                           frame_place(encoder, frame));
    Py_XDECREF(key);
    return note;
}

/* stdlib's notes on a failed encoding, a new list, empty where one cannot be made. NULL for nesting
 * that stdlib refuses, because there would be a note for each of its levels. An exception that is
 * set stays set. */
static PyObject *encoder_notes(struct encoder *encoder) {
    if (encoder->n_frames > (size_t)Py_GetRecursionLimit()) {
        return NULL;
    }
    PyObject *const raised = PyErr_GetRaisedException();
    PyObject *const notes = PyList_New(0);
    /* repr may change the containers that are being walked */
    bool is_good = notes != NULL && encoder_own_frames(encoder);
    for (size_t i = encoder_n_open_frames(encoder); is_good && i-- > 0;) {
        PyObject *const note = frame_note(encoder, &encoder->frames[i]);
        is_good = note != NULL ? PyList_Append(notes, note) == 0 : !PyErr_Occurred();
        Py_XDECREF(note);
    }
    PyErr_SetRaisedException(raised); /* replaces one that making a note may have set */
    return notes;
}
#else
static inline PyObject *encoder_notes(struct encoder *encoder) {
    (void)encoder;
    return NULL;
}
#endif

void encoder_note_place(struct encoder *encoder) {
    if (encoder->options->orjson.is_on) { /* its exceptions have no notes */
        return;
    }
    encoder_pack_frames(encoder);
    Py_CLEAR(encoder->output.error.path); /* the path of a surrogate: other errors have priority */
    if (encoder->options->is_stdlib || encoder->output.error.error.kind == ERROR_RAISED) {
        encoder->output.error.notes = encoder_notes(encoder);
    } else {
        encoder->output.error.path = encoder_path(encoder);
    }
}

void encoder_note_surrogate(struct encoder *encoder) {
    if (!encoder->options->is_stdlib) {
        encoder_pack_frames(encoder);
        encoder->has_failed_at_key = encoder->resume == RESUME_KEY;
        encoder->output.error.path = encoder_path(encoder);
        encoder->has_failed_at_key = false;
    }
}
