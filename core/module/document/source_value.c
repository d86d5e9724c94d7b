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

static struct text utf8_text(PyObject *bytes) {
    return (struct text){
        .data = PyBytes_AS_STRING(bytes),
        .length = PyBytes_GET_SIZE(bytes),
        .form = TEXT_UTF8,
    };
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
    as_utf8.text = utf8_text(utf8);
    PyObject *const value = decode_source_by(state, codec->decode_selected, &as_utf8, error);
    Py_DECREF(utf8);
    return value;
}

/* The number of characters in n bytes of UTF-8 that the parser has read. */
static size_t count_characters(const struct text *utf8, size_t n) {
    const uint8_t *const bytes = utf8->data;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += (bytes[i] & 0xc0) != 0x80;
    }
    return count;
}

/* The whole value. Comments are skipped in UTF-8. */
static PyObject *read_whole(struct module_state *state, const struct source *source,
                            struct error *error) {
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    if (!source->options->is_jsonc || source->text.form == TEXT_UTF8) {
        return decode_source_by(state, codec->decode, source, error);
    }
    PyObject *const utf8 = text_as_utf8(&source->text);
    if (utf8 == NULL) {
        error->kind = ERROR_RAISED;
        return NULL;
    }
    struct source as_utf8 = *source;
    as_utf8.text = utf8_text(utf8);
    PyObject *const value = decode_source_by(state, codec->decode, &as_utf8, error);
    error->position = count_characters(&as_utf8.text, error->position);
    if (value != NULL && source->value_length != NULL) {
        *source->value_length = count_characters(&as_utf8.text, *source->value_length);
    }
    Py_DECREF(utf8);
    return value;
}

COLD PyObject *decode_source_otherwise(struct module_state *state, const struct source *source,
                                       struct error *error) {
    const struct decode_options *const options = source->options;
    if (options->only != NULL && source->value_length == NULL && !options->refuses_duplicates) {
        PyObject *const parts = read_parts(state, source, error);
        if (parts != NULL || error->kind == ERROR_RAISED) {
            return parts;
        }
    }
    PyObject *const whole = read_whole(state, source, error);
    if (whole == NULL || options->only == NULL) {
        return whole;
    }
    PyObject *const parts = selection_apply(options->only, whole);
    Py_DECREF(whole);
    if (parts == NULL) {
        error->kind = ERROR_RAISED;
    }
    return parts;
}
