/* SPDX-License-Identifier: MIT */
/* Encoder: options that are checked once, and the calls that encode by them. */
#ifndef SSRJSON_MODULE_CLASSES_ENCODER_CLASS_H
#define SSRJSON_MODULE_CLASSES_ENCODER_CLASS_H

#include "module/state.h"

extern PyType_Spec encoder_spec;

#endif
