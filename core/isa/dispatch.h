/* SPDX-License-Identifier: MIT */
/* The levels that this build has and this machine can run. */
#ifndef SSRJSON_ISA_DISPATCH_H
#define SSRJSON_ISA_DISPATCH_H

#include "isa/codec.h"

/* Whether the layouts that this build relies on, other than at the portable level, hold in this
 * interpreter. */
bool dispatch_suits_interpreter(void);

/* The usable codecs, the lowest level first; `n` is at least one. Only the portable one in
 * an interpreter that does not suit the others. */
const struct codec *const *dispatch_usable_codecs(size_t *n);

/* The codec of a level by its name, NULL where it is not usable here. */
const struct codec *dispatch_find_codec(const char *level);

/* Whether some build of this package knows the name. */
bool dispatch_is_level_name(const char *level);

#endif
