/* SPDX-License-Identifier: MIT */
/* Recorder: the Python class that holds the cost of the calls of one context. */
#ifndef SSRJSON_MODULE_CLASSES_RECORDER_CLASS_H
#define SSRJSON_MODULE_CLASSES_RECORDER_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec recorder_spec;

#endif
