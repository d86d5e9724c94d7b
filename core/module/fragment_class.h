/* SPDX-License-Identifier: MIT */
/* Fragment: the class of JSON text that is put into the output as it is. */
#ifndef SSRJSON_MODULE_FRAGMENT_CLASS_H
#define SSRJSON_MODULE_FRAGMENT_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec fragment_spec;

#endif
