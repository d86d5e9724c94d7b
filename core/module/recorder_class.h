/* SPDX-License-Identifier: MIT */
/* Recorder: what the calls of one context cost, for Python. */
#ifndef SSRJSON_MODULE_RECORDER_CLASS_H
#define SSRJSON_MODULE_RECORDER_CLASS_H

#include "pyobject/python.h"

extern PyType_Spec recorder_spec;

#endif
