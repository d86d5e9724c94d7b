/* SPDX-License-Identifier: MIT */
/* _Acceptance: the class of a compiled acceptance. */
#ifndef SSRJSON_MODULE_CLASSES_ACCEPTANCE_CLASS_H
#define SSRJSON_MODULE_CLASSES_ACCEPTANCE_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec acceptance_spec;

#endif
