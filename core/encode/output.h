/* SPDX-License-Identifier: MIT */
/* The text being written: its memory, its layout, and the reason why it could not continue.
 *
 * The functions that write text take a struct output and not the encoder. So they cannot reach the
 * frames: they can neither own them nor let Python code run, and the data that the walk has
 * unpacked of a frame stay valid. */
#ifndef SSRJSON_ENCODE_OUTPUT_H
#define SSRJSON_ENCODE_OUTPUT_H

#include "encode/options.h"
#include "encode/writer.h"

#define SEPARATOR_ROOM 4

/* A separator of at most SEPARATOR_ROOM ASCII characters; longer ones are in the options only.
 * Eight bytes, which are copied at once. */
struct short_separator {
    char text[SEPARATOR_ROOM];
    uint8_t n;
    bool is_short;
    char unused[2];
};

struct frame;

struct output {
    struct writer writer;
    char *cursor; /* in the writer's text; stale while a walk has it in a register */
    /* an address in the array of frames: before a frame is pushed at it or beyond,
     * encoder_make_room checks depth, cycles and room. NULL, so at the next push, after the text
     * has got more memory: a cycle is found before much of its text is written again */
    const struct frame *frames_stop;
    const struct encode_options *options;
    struct encode_error error;
    struct short_separator item_separator;
    struct short_separator key_separator;
    bool is_compact;         /* no indentation, "," and ":" */
    bool is_on_one_line;     /* no indentation, and a short item separator */
    bool is_in_key;          /* the current number is a key, written between quotes */
    bool has_line_end;       /* the text may hold what line_safe escapes */
    bool looks_into_strings; /* UTF-8: strs get a cache, or are searched for ends of lines */
    size_t n_indent;  /* how often a level of indentation repeats indent_char; 0: it is something
                         else */
    char indent_char; /* ASCII */
    enum text_form wanted_form; /* why the walk stopped */
};

/* Whether a separator is this character, followed by a space or by nothing. */
static ALWAYS_INLINE bool separator_begins_with(const struct short_separator *separator,
                                                char first) {
    return separator->is_short && separator->text[0] == first &&
           (separator->n == 1 || (separator->n == 2 && separator->text[1] == ' '));
}

/* What the text of a key depends on, beside the key: the output's form and its separators. 0 where
 * it depends on more than that. Two outputs of one number write a key alike. */
static ALWAYS_INLINE uint32_t output_key_format(const struct output *output) {
    const struct encode_options *const options = output->options;
    const uint32_t form = (uint32_t)output->writer.form + 1;
    if (UNLIKELY(options->is_write_cache)) { /* a key is to get a cache */
        return 0;
    }
    if (LIKELY(options->is_plain)) {
        return form | 1 << 3 | 1 << 5; /* "," and ":" */
    }
    if (options->html_safe || options->line_safe || options->escape_surrogates ||
        !separator_begins_with(&output->item_separator, ',') ||
        !separator_begins_with(&output->key_separator, ':')) {
        return 0;
    }
    return (options->ensure_ascii ? 7 : form) | (uint32_t)output->item_separator.n << 3 |
           (uint32_t)output->key_separator.n << 5;
}
_Static_assert(TEXT_UTF8 + 1 < 7, "three bits");

/* Whether a float is written as a finite one is, in a layout other than that of canonical JSON. */
static ALWAYS_INLINE bool output_float_is_usual(const struct output *output, double value) {
    return __builtin_fabs(value) <= output->options->greatest_float;
}

/* Record an error; the culprit is borrowed. */
static inline COLD void output_fail(struct output *output, enum error_kind kind,
                                    PyObject *culprit) {
    output->error.error.kind = kind;
    Py_XINCREF(culprit);
    output->error.culprit = culprit;
}

static ALWAYS_INLINE bool output_has_failed(const struct output *output) {
    return output->error.error.kind != ERROR_NONE;
}

/* Separators and indentation, as the options give them. */

#define encode_literals_form SHARED_NAME(encode_literals_form)
#define encode_short_separator SHARED_NAME(encode_short_separator)
#define encode_note_indent SHARED_NAME(encode_note_indent)

/* The narrowest form that holds the texts of the options themselves. */
COLD enum text_form encode_literals_form(const struct encode_options *options);

/* A separator as short_separator, which is written fastest; NULL: the compact one. */
COLD struct short_separator encode_short_separator(PyObject *separator,
                                                   const struct short_separator *compact);

/* What some options do with the finished text, and whether a str makes that necessary. */

#define encode_escape_surrogates SHARED_NAME(encode_escape_surrogates)
#define encode_convert SHARED_NAME(encode_convert)
#define encode_escape_specials SHARED_NAME(encode_escape_specials)
#define encode_has_line_end SHARED_NAME(encode_has_line_end)

/* A str with its lone surrogates escaped: `text` is stolen. */
COLD PyObject *encode_escape_surrogates(PyObject *text);

/* The finished text in the type that the caller wants, a new reference. `result` is stolen. */
COLD PyObject *encode_convert(PyObject *result, const struct encode_options *options);

/* Finished JSON text, bytes or str, with the characters escaped that html_safe and line_safe name:
 * `text` is stolen, also on failure. */
COLD PyObject *encode_escape_specials(PyObject *text, const struct encode_options *options);

/* Whether a str holds one of the characters that line_safe escapes. */
COLD bool encode_has_line_end(PyObject *string);

/* Note an indentation of one ASCII character again and again, which is written fastest. */
COLD void encode_note_indent(struct output *output);

#endif
