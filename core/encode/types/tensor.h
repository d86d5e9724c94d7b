/* SPDX-License-Identifier: MIT */
/* Tensors in the memory of the CPU, read by DLPack (https://dmlc.github.io/dlpack): those of torch,
 * JAX and others. */
#ifndef SSRJSON_ENCODE_TYPES_TENSOR_H
#define SSRJSON_ENCODE_TYPES_TENSOR_H

#include "encode/types/ndarray.h"

/* What becomes of an object that another library exports. */
enum opened {
    OPENED,
    OPENED_REFUSED, /* an exception is set: the object has no form here, and a hook may know one */
    OPENED_FAILED,  /* an exception is set */
};

/* Open a tensor for reading by its __dlpack__. May run Python code. After that, its memory is held
 * until it is closed, and nothing that it describes is read again. */
enum opened tensor_open(const struct native_types *types, struct ndarray *array, PyObject *tensor);

#endif
