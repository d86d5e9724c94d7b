/* SPDX-License-Identifier: MIT */
#include "decode/selection.h"
#include "module/call.h"

/* The units of a text that is not UTF-8, as UTF-8; NULL with an exception set. */
static PyObject *text_as_utf8(const struct text *text) {
    const int kind = (int)text_form_unit_bytes(text->form);
    PyObject *const string = PyUnicode_FromKindAndData(kind, text->data, text->length);
    PyObject *const utf8 =
        string != NULL ? PyUnicode_AsEncodedString(string, "utf-8", "surrogatepass") : NULL;
    Py_XDECREF(string);
    return utf8;
}

/* The parts, of which nothing else is made. NULL with *error filled: ERROR_RAISED, or anything else
 * where the parser has to decide. */
static PyObject *read_parts(struct module_state *state, const struct source *source,
                            struct error *error) {
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    if (source->text.form == TEXT_UTF8) {
        return decode_source_by(state, codec->decode_selected, source, error);
    }
    PyObject *const utf8 = text_as_utf8(&source->text);
    if (utf8 == NULL) {
        error->kind = ERROR_RAISED;
        return NULL;
    }
    struct source as_utf8 = *source;
    as_utf8.text = (struct text){
        .data = PyBytes_AS_STRING(utf8),
        .length = PyBytes_GET_SIZE(utf8),
        .form = TEXT_UTF8,
    };
    PyObject *const value = decode_source_by(state, codec->decode_selected, &as_utf8, error);
    Py_DECREF(utf8);
    return value;
}

COLD PyObject *decode_source_parts(struct module_state *state, const struct source *source,
                                   struct error *error) {
    if (source->value_length == NULL && !source->options->refuses_duplicates) {
        PyObject *const parts = read_parts(state, source, error);
        if (parts != NULL || error->kind == ERROR_RAISED) {
            return parts;
        }
    }
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    PyObject *const whole = decode_source_by(state, codec->decode, source, error);
    if (whole == NULL) {
        return NULL;
    }
    PyObject *const parts = selection_apply(source->options->only, whole);
    Py_DECREF(whole);
    if (parts == NULL) {
        error->kind = ERROR_RAISED;
    }
    return parts;
}
