/* SPDX-License-Identifier: MIT */
/* The functions of one instruction-set level: a coarse table, so that everything below it is
 * inlined. */
#ifndef SSRJSON_ISA_CODEC_H
#define SSRJSON_ISA_CODEC_H

#include "decode/options.h"
#include "encode/options.h"

struct encode_stream;

struct codec {
    const char *level;
    /* A new bytes or str; NULL with *error filled. */
    PyObject *(*encode)(PyObject *object, const struct encode_options *options,
                        struct encode_error *error);
    /* An encoding in chunks; see encode/encode.h. */
    struct encode_stream *(*stream_new)(PyObject *object, const struct encode_options *options,
                                        size_t chunk_bytes);
    PyObject *(*stream_next)(struct encode_stream *stream, struct encode_error *error);
    int (*stream_traverse)(const struct encode_stream *stream, visitproc visit, void *arg);
    void (*stream_free)(struct encode_stream *stream);
    /* A new object; NULL with *error filled. */
    PyObject *(*decode)(const struct source *source, struct error *error);
    /* As decode, of the parts that the option `only` asks for; see decode/select.h. */
    PyObject *(*decode_selected)(const struct source *source, struct error *error);
    /* A new object of a source that goes on from a pause (decode/pause.h), or NULL with *error
     * filled. */
    PyObject *(*decode_part)(const struct source *source, struct error *error);
};

/* The levels that this build has and this machine can run. */

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
