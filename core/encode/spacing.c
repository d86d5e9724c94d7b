/* SPDX-License-Identifier: MIT */
#include "encode/output.h"

enum text_form encode_literals_form(const struct encode_options *options) {
    PyObject *const literals[] = {options->indent, options->item_separator, options->key_separator};
    enum text_form form = TEXT_ASCII;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        if (literals[i] != NULL) {
            const enum text_form own = unicode_text(literals[i]).form;
            form = own > form ? own : form;
        }
    }
    return form;
}

struct short_separator encode_short_separator(PyObject *separator,
                                              const struct short_separator *compact) {
    if (separator == NULL) {
        return *compact;
    }
    const struct text text = unicode_text(separator);
    struct short_separator result = {
        .is_short = text.form == TEXT_ASCII && text.length <= SEPARATOR_ROOM,
    };
    if (result.is_short) {
        result.n = (uint8_t)text.length;
        memcpy(result.text, text.data, (size_t)text.length);
    }
    return result;
}

void encode_note_indent(struct output *output) {
    const struct text text = unicode_text(output->options->indent);
    const char *const chars = text.data;
    bool is_one_char = text.form == TEXT_ASCII && text.length > 0;
    for (Py_ssize_t i = 1; is_one_char && i < text.length; i++) {
        is_one_char = chars[i] == chars[0];
    }
    output->n_indent = is_one_char ? (size_t)text.length : 0;
    output->indent_char = is_one_char ? chars[0] : '\0';
}
