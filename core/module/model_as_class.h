/* SPDX-License-Identifier: MIT */
/* The class of what encode/model_as.h describes. */
#ifndef SSRJSON_MODULE_MODEL_AS_CLASS_H
#define SSRJSON_MODULE_MODEL_AS_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec model_as_spec;

#endif
