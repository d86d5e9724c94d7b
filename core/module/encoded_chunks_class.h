/* SPDX-License-Identifier: MIT */
/* EncodedChunks: the iterator that Encoder.iterencode returns. */
#ifndef SSRJSON_MODULE_ENCODED_CHUNKS_CLASS_H
#define SSRJSON_MODULE_ENCODED_CHUNKS_CLASS_H

#include "module/state.h"

extern PyType_Spec encoded_chunks_spec;

/* The chunks of an object's text, of n bytes or a little more: a new reference, NULL with an
 * exception set. The options are the encoder's, which is kept alive. */
PyObject *encoded_chunks_new(struct module_state *state, PyObject *encoder,
                             const struct encode_options *options, PyObject *object,
                             size_t chunk_bytes);

#endif
