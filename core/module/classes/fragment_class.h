/* SPDX-License-Identifier: MIT */
/* Fragment: the class of JSON text that is written to the output unchanged. */
#ifndef SSRJSON_MODULE_CLASSES_FRAGMENT_CLASS_H
#define SSRJSON_MODULE_CLASSES_FRAGMENT_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec fragment_spec;

#endif
