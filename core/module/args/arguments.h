/* SPDX-License-Identifier: MIT */
/* Keyword arguments of the encoding functions, read into options. */
#ifndef SSRJSON_MODULE_ARGS_ARGUMENTS_H
#define SSRJSON_MODULE_ARGS_ARGUMENTS_H

#include <float.h>

#include "module/args/keywords.h"
#include "module/state.h"

/* The parameters of the encoding functions, as signatures show them, and the lines that explain
 * them. The macro ENSURE_ASCII_DEFAULT is defined where they are used. */
#define ENCODE_PARAMETERS "*" ENCODE_OPTIONS(OPTION_PARAMETER)
#define ENCODE_BYTES_PARAMETERS ENCODE_PARAMETERS ENCODE_TO_BYTES_OPTIONS(OPTION_PARAMETER)
#define ENCODE_LINES "\n\nOptions:" ENCODE_OPTIONS(OPTION_LINE)
#define ENCODE_BYTES_LINES ENCODE_LINES ENCODE_TO_BYTES_OPTIONS(OPTION_LINE)

void options_clear(struct encode_options *options);

/* The options of a call without arguments. */
static ALWAYS_INLINE struct encode_options options_defaults(struct module_state *state) {
    return (struct encode_options){
        .check_circular = true,
        .allow_nan = true,
        .greatest_float = DBL_MAX,
        .is_plain = !IS_FREE_THREADED,
        .context = &state->encode_context,
    };
}

/* Read the keyword arguments of an encoding function; -1 with TypeError or ValueError set. */
int options_init(struct encode_options *options, struct module_state *state, const char *function,
                 struct keyword_range taken, PyObject *const *values, PyObject *names);

/* Check that neither indentation nor separators end a line; -1 with ValueError set, which tells the
 * name of what needs that. */
int options_check_line(const struct encode_options *options, const char *name);

/* Keyword arguments of the decoding functions, read into options. */

/* The parameters of the decoding functions, as signatures show them, and the lines that explain
 * them. */
#define DECODE_PARAMETERS "*" DECODE_OPTIONS(OPTION_PARAMETER)
#define DECODE_LINES "\n\nOptions:" DECODE_OPTIONS(OPTION_LINE)

/* The options of a call without arguments, for module_state.decode_defaults. */
struct decode_arguments make_decode_defaults(struct module_state *state);

/* Read the keyword arguments of a decoding function; -1 with TypeError or ValueError set. */
COLD int decode_arguments_init(struct decode_arguments *arguments, struct module_state *state,
                               const char *function, struct keyword_range range,
                               PyObject *const *values, PyObject *names);

/* Version differences of stdlib's json, determined at import by calls of the running one. */

/* Find out how the running json behaves where its versions differ, patch releases included. */
int ask_stdlib_quirks(struct module_state *state);

#endif
