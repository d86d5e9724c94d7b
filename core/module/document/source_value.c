/* SPDX-License-Identifier: MIT */
#include "decode/selection.h"
#include "module/call.h"
#include "module/document/document.h"
#include "schema/typed.h"

/* The units of a text that is not UTF-8, as UTF-8; NULL with an exception set. */
static PyObject *text_as_utf8(const struct text *text) {
    const int kind = (int)text_form_unit_bytes(text->form);
    PyObject *const string = PyUnicode_FromKindAndData(kind, text->data, text->length);
    PyObject *const utf8 =
        string != NULL ? PyUnicode_AsEncodedString(string, "utf-8", "surrogatepass") : NULL;
    Py_XDECREF(string);
    return utf8;
}

/* What a function of the codec makes of a source, whose text is made UTF-8 before where it is not.
 * Positions are of the source. */
static PyObject *decode_as_utf8(struct module_state *state,
                                PyObject *(*decode)(const struct source *, struct error *),
                                const struct source *source, struct error *error) {
    if (source->text.form == TEXT_UTF8) {
        return decode_source_by(state, decode, source, error);
    }
    const Py_ssize_t n =
        source->value_length != NULL ? value_end(&source->text) : source->text.length;
    const struct text text = text_part(&source->text, 0, n);
    PyObject *const utf8 = text_as_utf8(&text);
    if (utf8 == NULL) {
        error->kind = ERROR_RAISED;
        return NULL;
    }
    const char *const bytes = PyBytes_AS_STRING(utf8);
    struct source as_utf8 = *source;
    as_utf8.text =
        (struct text){.data = bytes, .length = PyBytes_GET_SIZE(utf8), .form = TEXT_UTF8};
    PyObject *const value = decode_source_by(state, decode, &as_utf8, error);
    if (value == NULL) {
        error->position = utf8_count_characters(bytes, error->position);
    } else if (source->value_length != NULL) {
        *source->value_length = utf8_count_characters(bytes, *source->value_length);
    }
    Py_DECREF(utf8);
    return value;
}

COLD PyObject *decode_source_otherwise(struct module_state *state, const struct source *source,
                                       struct error *error) {
    const struct decode_options *const options = source->options;
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    if (options->only != NULL && source->value_length == NULL && !options->refuses_duplicates) {
        PyObject *const parts = decode_as_utf8(state, codec->decode_selected, source, error);
        if (parts != NULL || error->kind == ERROR_RAISED) {
            return parts;
        }
        /* the parser decides about the whole text */
    }
    /* comments are skipped in UTF-8 */
    PyObject *const whole = options->is_jsonc
                                ? decode_as_utf8(state, codec->decode, source, error)
                                : decode_source_by(state, codec->decode, source, error);
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
