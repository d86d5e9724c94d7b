/* SPDX-License-Identifier: MIT */
/* What module.c adds to the module: the classes, each in its file in this folder, and the functions
 * of the module orjson. */
#ifndef SSRJSON_MODULE_CLASSES_CLASSES_H
#define SSRJSON_MODULE_CLASSES_CLASSES_H

#include "module/state.h"
#include "pyobject/python.h"

extern PyType_Spec encoder_spec;        /* Encoder */
extern PyType_Spec encoded_chunks_spec; /* the iterator that Encoder.iterencode returns */
extern PyType_Spec decoder_spec;        /* Decoder */
extern PyType_Spec fragment_spec;       /* Fragment: encode/types/fragment.h */
extern PyType_Spec recorder_spec;       /* Recorder: the cost of the calls of one context */
extern PyType_Spec acceptance_spec;     /* a compiled acceptance: schema/node.h */
extern PyType_Spec record_reader_spec;  /* a compiled record that is read: schema/record.h */
extern PyType_Spec record_loader_spec;  /* a compiled record that is loaded */
extern PyType_Spec type_plan_spec;      /* a compiled plan of a type: schema/typed.h */
extern PyType_Spec snapshot_spec;       /* what dicts and classes were like */
extern PyType_Spec plan_spec;           /* struct plan: encode/model/plan.h */
extern PyType_Spec model_as_spec;       /* struct model_as: encode/model/plan.h */

/* An iterator of the chunks of an object's text, each of chunk_bytes or a little more: a new
 * reference, NULL with an exception set. The options belong to the encoder, which is kept alive. */
PyObject *encoded_chunks_new(struct module_state *state, PyObject *encoder,
                             const struct encode_options *options, PyObject *object,
                             size_t chunk_bytes);

#define ARE_SAME_DOC \
    "_are_same($module, some, others, /)\n--\n\n" \
    "Whether two lists or tuples, of no subclass, have the same objects in the same\n" \
    "order. Private."

PyObject *core_are_same(PyObject *module, PyObject *const *args, Py_ssize_t n_args);

/* Add dumps and loads of the module orjson, as _orjson_dumps and _orjson_loads; -1 with an
 * exception set. */
int add_orjson_functions(PyObject *module);

#endif
