/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "encode/model/plan.h"

static void model_as_dealloc(PyObject *object) {
    struct model_as *const self = (struct model_as *)object;
    PyTypeObject *const type = Py_TYPE(object);
    Py_CLEAR(self->object);
    Py_CLEAR(self->base);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyType_Slot model_as_slots[] = {
    {Py_tp_doc, "A model that is written as one of a base of its class."},
    {Py_tp_dealloc, model_as_dealloc},
    {0, NULL},
};

PyType_Spec model_as_spec = {
    .name = "ssrjson_web._core.ModelAs",
    .basicsize = sizeof(struct model_as),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = model_as_slots,
};
