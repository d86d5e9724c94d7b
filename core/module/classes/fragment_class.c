/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include <structmember.h>

#include "encode/types/fragment.h"

PyDoc_STRVAR(
    fragment_doc,
    "Fragment(contents, /)\n--\n\n"
    "Ready JSON text, bytes (UTF-8) or str, that is written unchanged as a value.\n\n"
    "The text is not checked. ensure_ascii and html_safe apply to it; indent and separators\n"
    "do not. Fragments of equal contents are equal.");

static PyObject *fragment_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 1 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_SetString(PyExc_TypeError, "Fragment() takes exactly one positional argument");
        return NULL;
    }
    PyObject *const contents = PyTuple_GET_ITEM(args, 0);
    if (!PyBytes_CheckExact(contents) && !PyUnicode_CheckExact(contents)) {
        PyErr_Format(PyExc_TypeError, "contents must be bytes or str, not %.200s",
                     Py_TYPE(contents)->tp_name);
        return NULL;
    }
    struct fragment *const fragment = (struct fragment *)type->tp_alloc(type, 0);
    if (fragment != NULL) {
        fragment->contents = Py_NewRef(contents);
    }
    return (PyObject *)fragment;
}

static void fragment_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    Py_CLEAR(((struct fragment *)self)->contents);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *fragment_repr(PyObject *self) {
    return PyUnicode_FromFormat("Fragment(%R)", ((struct fragment *)self)->contents);
}

/* Equal where the contents are equal: bytes to bytes, and str to str. */
static PyObject *fragment_compare(PyObject *self, PyObject *other, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(self) != Py_TYPE(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *const left = ((struct fragment *)self)->contents;
    PyObject *const right = ((struct fragment *)other)->contents;
    if (Py_TYPE(left) != Py_TYPE(right)) {
        return PyBool_FromLong(operation == Py_NE);
    }
    return PyObject_RichCompare(left, right, operation);
}

static Py_hash_t fragment_hash(PyObject *self) {
    return PyObject_Hash(((struct fragment *)self)->contents);
}

static PyObject *fragment_reduce(PyObject *self, PyObject *ignored) {
    (void)ignored;
    return Py_BuildValue("O(O)", (PyObject *)Py_TYPE(self), ((struct fragment *)self)->contents);
}

static PyMethodDef fragment_methods[] = {
    {"__reduce__", fragment_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef fragment_members[] = {
    {"contents", T_OBJECT_EX, offsetof(struct fragment, contents), READONLY,
     "The text, bytes or str."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot fragment_slots[] = {
    {Py_tp_doc, (void *)fragment_doc},
    {Py_tp_new, fragment_new},
    {Py_tp_dealloc, fragment_dealloc},
    {Py_tp_repr, fragment_repr},
    {Py_tp_members, fragment_members},
    {Py_tp_methods, fragment_methods},
    {Py_tp_hash, fragment_hash},
    {Py_tp_richcompare, fragment_compare},
    {0, NULL},
};

PyType_Spec fragment_spec = {
    .name = "ssrjson_web.Fragment",
    .basicsize = sizeof(struct fragment),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = fragment_slots,
};
