/* SPDX-License-Identifier: MIT */
/* EncodedChunks: the iterator that Encoder.iterencode returns. */
#ifndef SSRJSON_MODULE_CLASSES_ENCODED_CHUNKS_CLASS_H
#define SSRJSON_MODULE_CLASSES_ENCODED_CHUNKS_CLASS_H

#include "module/state.h"

extern PyType_Spec encoded_chunks_spec;

/* An iterator of the chunks of an object's text, each of chunk_bytes or a little more: a new
 * reference, NULL with an exception set. The options belong to the encoder, which is kept alive. */
PyObject *encoded_chunks_new(struct module_state *state, PyObject *encoder,
                             const struct encode_options *options, PyObject *object,
                             size_t chunk_bytes);

#endif
