/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include <structmember.h>

#include "encode/model/plan.h"

PyDoc_STRVAR(reduce_doc,
             "__reduce__($self, /)\n--\n\n"
             "Makes None: a class that is pickled by its content gets a plan where it is used.");

static PyObject *plan_reduce(PyObject *Py_UNUSED(plan), PyObject *Py_UNUSED(unused)) {
    return Py_BuildValue("(O())", Py_TYPE(Py_None));
}

static PyMethodDef plan_methods[] = {
    {"__reduce__", plan_reduce, METH_NOARGS, reduce_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef plan_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct plan, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_doc, "How objects of a class are written: what the core keeps with the class."},
    {Py_tp_dealloc, plan_dealloc},
    {Py_tp_traverse, plan_traverse},
    {Py_tp_methods, plan_methods},
    {Py_tp_members, plan_members},
    {0, NULL},
};

PyType_Spec plan_spec = {
    .name = "ssrjson_web._core.Plan",
    .basicsize = sizeof(struct plan),
    .itemsize = sizeof(struct plan_field),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_HAVE_GC,
    .slots = plan_slots,
};

/* ---- an object that is written as one of a base of its class ------------------------------- */

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
