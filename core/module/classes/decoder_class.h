/* SPDX-License-Identifier: MIT */
/* Decoder: options that are checked once, and the calls that decode by them. */
#ifndef SSRJSON_MODULE_CLASSES_DECODER_CLASS_H
#define SSRJSON_MODULE_CLASSES_DECODER_CLASS_H

#include "module/state.h"

extern PyType_Spec decoder_spec;

#endif
