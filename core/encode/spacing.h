/* SPDX-License-Identifier: MIT */
/* Separators and indentation, as the options give them. */
#ifndef SSRJSON_ENCODE_SPACING_H
#define SSRJSON_ENCODE_SPACING_H

#include "encode/output.h"

#define encode_literals_form SHARED_NAME(encode_literals_form)
#define encode_short_separator SHARED_NAME(encode_short_separator)
#define encode_note_indent SHARED_NAME(encode_note_indent)

/* The narrowest form that holds the texts of the options themselves. */
COLD enum text_form encode_literals_form(const struct encode_options *options);

/* A separator as short_separator, which is written fastest; NULL: the compact one. */
COLD struct short_separator encode_short_separator(PyObject *separator,
                                                   const struct short_separator *compact);

/* Note the text of a line's beginning, where the indentation is one character again and again. */
COLD void encode_note_indent(struct output *output, char line[LINE_TEXT_ROOM]);

#endif
