/* SPDX-License-Identifier: MIT */
/* The type of the plans that encode/model/plan.h describes. */
#ifndef SSRJSON_MODULE_CLASSES_PLAN_CLASS_H
#define SSRJSON_MODULE_CLASSES_PLAN_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec plan_spec;

#endif
