/* SPDX-License-Identifier: MIT */
/* The text under way: where it goes, how it is laid out, and why it could not go on.
 *
 * What writes text takes a struct output and not the encoder. So it cannot reach the frames, and
 * neither own them nor let Python code run: what the walk has unpacked of a frame stays valid. */
#ifndef SSRJSON_ENCODE_OUTPUT_H
#define SSRJSON_ENCODE_OUTPUT_H

#include "encode/options.h"
#include "encode/writer.h"

#define SEPARATOR_ROOM 4

/* A separator of at most SEPARATOR_ROOM ASCII characters; others are in the options alone. */
struct short_separator {
    bool is_short;
    uint8_t n;
    char text[SEPARATOR_ROOM];
};

struct output {
    struct writer writer;
    char *cursor; /* in the writer's text, while no walk has it in a register */
    const struct encode_options *options;
    enum text_form wanted_form;            /* why the walk stopped */
    bool is_compact;                       /* no indentation, "," and ":" */
    bool is_on_one_line;                   /* no indentation, and short separators */
    bool is_in_key;                        /* an int is being written between the quotes of a key */
    struct short_separator item_separator; /* set where the text is not compact */
    struct short_separator key_separator;
    struct encode_error error;
};

/* Record what went wrong; the culprit is borrowed. */
static COLD void output_fail(struct output *output, enum error_kind kind, PyObject *culprit) {
    output->error.error.kind = kind;
    Py_XINCREF(culprit);
    output->error.culprit = culprit;
}

static ALWAYS_INLINE bool output_has_failed(const struct output *output) {
    return output->error.error.kind != ERROR_NONE;
}

#endif
