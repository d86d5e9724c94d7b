/* SPDX-License-Identifier: MIT */
/* Encoder: options that are checked once, and the calls that encode by them. */
#ifndef SSRJSON_MODULE_CLASSES_CLASSES_H
#define SSRJSON_MODULE_CLASSES_CLASSES_H

#include "module/state.h"
#include "pyobject/python.h"

extern PyType_Spec encoder_spec;

/* _Acceptance: the class of a compiled acceptance. */

extern PyType_Spec acceptance_spec;

/* Decoder: options that are checked once, and the calls that decode by them. */

extern PyType_Spec decoder_spec;

/* Fragment: the class of JSON text that is written to the output unchanged. */

extern PyType_Spec fragment_spec;

/* The type of the objects that encode/model/model_as.h describes. */

extern PyType_Spec model_as_spec;

/* The type of the plans that encode/model/plan.h describes. */

extern PyType_Spec plan_spec;

/* Recorder: the Python class that holds the cost of the calls of one context. */

extern PyType_Spec recorder_spec;

/* EncodedChunks: the iterator that Encoder.iterencode returns. */

extern PyType_Spec encoded_chunks_spec;

/* An iterator of the chunks of an object's text, each of chunk_bytes or a little more: a new
 * reference, NULL with an exception set. The options belong to the encoder, which is kept alive. */
PyObject *encoded_chunks_new(struct module_state *state, PyObject *encoder,
                             const struct encode_options *options, PyObject *object,
                             size_t chunk_bytes);

#endif
