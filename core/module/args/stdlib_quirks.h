/* SPDX-License-Identifier: MIT */
/* Version differences of stdlib's json, determined at import by calls of the running one. */
#ifndef SSRJSON_MODULE_ARGS_STDLIB_QUIRKS_H
#define SSRJSON_MODULE_ARGS_STDLIB_QUIRKS_H

#include "module/state.h"

/* Find out how the running json behaves where its versions differ, patch releases included. */
int ask_stdlib_quirks(struct module_state *state);

#endif
