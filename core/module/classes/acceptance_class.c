/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "schema/schema.h"

PyDoc_STRVAR(
    acceptance_doc,
    "_Acceptance(description, /)\n--\n\n"
    "Which values a validator accepts as they are: a ssrjson_web._models.language.Acceptance,\n"
    "compiled. Private.");

PyDoc_STRVAR(
    for_text_doc,
    "for_text($self, value, /)\n--\n\n"
    "The value as it is written once it is validated: dicts in place of models, itself where\n"
    "nothing differs. NotImplemented where the validator must decide.");

PyDoc_STRVAR(
    for_models_doc,
    "for_models($self, value, outcomes=None, /)\n--\n\n"
    "The validated value: models made of dicts and other objects, and containers copied.\n"
    "NotImplemented where the validator must decide. Each function of the application that was\n"
    "called is added to the list `outcomes`: (function, result), or (function, None, exception).\n"
    "Without a list none is called: the validator decides.");

struct acceptance_object {
    PyObject_HEAD struct schema schema; /* owned */
    const struct node *node;            /* borrowed of it; NULL: any value */
    bool is_cleared;                    /* by the garbage collector */
};

static PyObject *acceptance_object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 1 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_SetString(PyExc_TypeError, "_Acceptance() takes exactly one positional argument");
        return NULL;
    }
    struct schema schema = {.nodes = NULL}; /* nobody sees it before it is whole */
    const struct surroundings around = {.schema = &schema};
    const struct node *node;
    struct acceptance_object *const self = node_new(PyTuple_GET_ITEM(args, 0), &around, &node)
                                               ? (struct acceptance_object *)type->tp_alloc(type, 0)
                                               : NULL;
    if (self == NULL) {
        schema_clear(&schema);
        return NULL;
    }
    self->schema = schema;
    self->node = node;
    return (PyObject *)self;
}

static int acceptance_object_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    return schema_traverse(&((struct acceptance_object *)self)->schema, visit, arg);
}

static int acceptance_object_clear(PyObject *self) {
    ((struct acceptance_object *)self)->is_cleared = true;
    ((struct acceptance_object *)self)->node = NULL;
    schema_clear(&((struct acceptance_object *)self)->schema);
    return 0;
}

static void acceptance_object_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    acceptance_object_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *apply(PyObject *self, PyObject *value, enum acceptance_purpose purpose,
                       PyObject *outcomes) {
    const struct acceptance_object *const object = (const struct acceptance_object *)self;
    PyObject *const result =
        object->is_cleared ? NULL : accepted_value(object->node, value, purpose, outcomes);
    if (result == NULL && !PyErr_Occurred()) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return result;
}

static PyObject *acceptance_object_for_text(PyObject *self, PyObject *value) {
    return apply(self, value, ACCEPT_FOR_TEXT, NULL);
}

static PyObject *acceptance_object_for_models(PyObject *self, PyObject *const *args,
                                              Py_ssize_t n_args) {
    PyObject *const outcomes = n_args == 2 && args[1] != Py_None ? args[1] : NULL;
    if (n_args < 1 || n_args > 2 || (outcomes != NULL && !PyList_CheckExact(outcomes))) {
        PyErr_SetString(PyExc_TypeError, "for_models() takes a value, and a list of outcomes");
        return NULL;
    }
    return apply(self, args[0], ACCEPT_FOR_MODELS, outcomes);
}

static PyMethodDef acceptance_methods[] = {
    {"for_text", acceptance_object_for_text, METH_O, for_text_doc},
    {"for_models", (PyCFunction)(void (*)(void))acceptance_object_for_models, METH_FASTCALL,
     for_models_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot acceptance_slots[] = {
    {Py_tp_doc, (void *)acceptance_doc},
    {Py_tp_new, acceptance_object_new},
    {Py_tp_dealloc, acceptance_object_dealloc},
    {Py_tp_traverse, acceptance_object_traverse},
    {Py_tp_clear, acceptance_object_clear},
    {Py_tp_methods, acceptance_methods},
    {0, NULL},
};

PyType_Spec acceptance_spec = {
    .name = "ssrjson_web._core._Acceptance",
    .basicsize = sizeof(struct acceptance_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = acceptance_slots,
};
