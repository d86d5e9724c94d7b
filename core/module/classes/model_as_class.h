/* SPDX-License-Identifier: MIT */
/* The type of the objects that encode/model/model_as.h describes. */
#ifndef SSRJSON_MODULE_CLASSES_MODEL_AS_CLASS_H
#define SSRJSON_MODULE_CLASSES_MODEL_AS_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec model_as_spec;

#endif
