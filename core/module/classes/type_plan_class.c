/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/document/typed_document.h"
#include "schema/typed.h"

PyDoc_STRVAR(
    type_plan_doc,
    "_TypePlan(nodes, runs_code, /)\n--\n\n"
    "How values of a type are made of decoded JSON: ssrjson_web._models.types.nodes,\n"
    "compiled; runs_code says whether code of the application makes some of them. Private.");

PyDoc_STRVAR(make_doc, "make($self, value, /)\n--\n\n"
                       "The value of the type that is made of decoded JSON, whose containers are\n"
                       "copied. Raises JSONTypeError.");

struct type_plan_object {
    PyObject_HEAD struct type_plan *plan; /* owned; NULL: cleared */
};

const struct type_plan *type_plan_of(PyObject *plan) {
    return ((struct type_plan_object *)plan)->plan;
}

static PyObject *type_plan_object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *nodes;
    int runs_code;
    if ((kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) ||
        !PyArg_ParseTuple(args, "Op:_TypePlan", &nodes, &runs_code)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "_TypePlan() takes two positional arguments");
        }
        return NULL;
    }
    struct type_plan_object *const self = (struct type_plan_object *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->plan = type_plan_new(nodes, runs_code != 0);
    if (self->plan == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int type_plan_object_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    return type_plan_traverse(((struct type_plan_object *)self)->plan, visit, arg);
}

static int type_plan_object_clear(PyObject *self) {
    struct type_plan *const plan = ((struct type_plan_object *)self)->plan;
    ((struct type_plan_object *)self)->plan = NULL;
    type_plan_free(plan);
    return 0;
}

static void type_plan_object_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    type_plan_object_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *type_plan_object_make(PyObject *self, PyObject *value) {
    return typed_value_make(PyType_GetModuleState(Py_TYPE(self)), self, value);
}

static PyMethodDef type_plan_methods[] = {
    {"make", type_plan_object_make, METH_O, make_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot type_plan_slots[] = {
    {Py_tp_doc, (void *)type_plan_doc},
    {Py_tp_new, type_plan_object_new},
    {Py_tp_dealloc, type_plan_object_dealloc},
    {Py_tp_traverse, type_plan_object_traverse},
    {Py_tp_clear, type_plan_object_clear},
    {Py_tp_methods, type_plan_methods},
    {0, NULL},
};

PyType_Spec type_plan_spec = {
    .name = "ssrjson_web._core._TypePlan",
    .basicsize = sizeof(struct type_plan_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = type_plan_slots,
};
