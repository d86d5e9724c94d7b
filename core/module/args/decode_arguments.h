/* SPDX-License-Identifier: MIT */
/* Keyword arguments of the decoding functions, read into options. */
#ifndef SSRJSON_MODULE_ARGS_DECODE_ARGUMENTS_H
#define SSRJSON_MODULE_ARGS_DECODE_ARGUMENTS_H

#include "module/args/keywords.h"

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

#endif
