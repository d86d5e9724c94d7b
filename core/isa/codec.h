/* SPDX-License-Identifier: MIT */
/* What one instruction-set level offers: a coarse table, so that everything below it inlines. */
#ifndef SSRJSON_ISA_CODEC_H
#define SSRJSON_ISA_CODEC_H

#include "decode/source.h"
#include "encode/options.h"

struct codec {
    const char *level;
    /* A new bytes or str; NULL with *error filled. */
    PyObject *(*encode)(PyObject *object, const struct encode_options *options,
                        struct encode_error *error);
    /* A new object; NULL with *error filled. */
    PyObject *(*decode)(const struct source *source, struct error *error);
};

#endif
