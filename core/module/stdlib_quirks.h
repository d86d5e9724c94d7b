/* SPDX-License-Identifier: MIT */
/* What differs between versions of stdlib's json, asked of the running one at import. */
#ifndef SSRJSON_MODULE_STDLIB_QUIRKS_H
#define SSRJSON_MODULE_STDLIB_QUIRKS_H

#include "module/state.h"

/* Ask the running json what differs between its versions, patch releases among them. */
int ask_stdlib_quirks(struct module_state *state);

#endif
