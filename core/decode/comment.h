/* SPDX-License-Identifier: MIT */
/* The comments of the option jsonc. The parser knows nothing of them: it fails at their first
 * character, and goes on after them (next_after_error in parse.tmpl.h). */
#ifndef SSRJSON_DECODE_COMMENT_H
#define SSRJSON_DECODE_COMMENT_H

#include "base/error.h"
#include "pyobject/python.h"
#include "pyobject/unicode.h"

/* What ended a run of white space and comments. */
enum comment_end {
    COMMENT_END_TOKEN, /* the end of the text, or a unit that begins neither */
    COMMENT_END_CUT,   /* a comment that may go on after the end of the text */
    COMMENT_END_FAULT, /* a comment whose UTF-8 is malformed; or a Python exception is set */
};

/* Whether white space and comments end with a token. *position is the unit where they begin, and
 * becomes that of the token, or of the comment at fault. may_go_on: more text may follow, so that a
 * slash or a comment of one line at its end is cut. */
COLD enum comment_end skip_comments(const struct text *text, size_t *position, bool may_go_on);

/* Whether the comment that begins at `begin` is cut by the end of the text of bytes. Of the bytes
 * before `searched` that is known. */
COLD bool is_within_comment(const uint8_t *begin, const uint8_t *searched, const uint8_t *end);

#endif
