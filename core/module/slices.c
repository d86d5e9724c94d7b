/* SPDX-License-Identifier: MIT */
#include "module/slices.h"

#include "pyobject/object.h"

/* ---- bytes that are filled ----------------------------------------------------------------- */

struct filled_bytes {
    PyObject_HEAD PyObject *text; /* owned bytes, not all of them set; NULL once it was taken */
    Py_ssize_t n_set;             /* the first n bytes are set */
};

PyDoc_STRVAR(filled_bytes_doc, "_FilledBytes(n, /)\n--\n\n"
                               "A bytes object of n bytes that are set bit by bit.");

static PyObject *filled_bytes_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Py_ssize_t n;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        return PyErr_Format(PyExc_TypeError, "_FilledBytes() takes one number only");
    }
    if (!PyArg_ParseTuple(args, "n:_FilledBytes", &n)) {
        return NULL;
    }
    if (n < 0) {
        return PyErr_Format(PyExc_ValueError, "n must be 0 or more, not %zd", n);
    }
    struct filled_bytes *const self = (struct filled_bytes *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->text = PyBytes_FromStringAndSize(NULL, n);
        if (self->text == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    }
    return (PyObject *)self;
}

PyDoc_STRVAR(filled_bytes_put_doc, "put($self, more, /)\n--\n\nSet the next bytes.");

static PyObject *filled_bytes_put(PyObject *object, PyObject *more) {
    struct filled_bytes *const self = (struct filled_bytes *)object;
    Py_buffer buffer;
    if (PyObject_GetBuffer(more, &buffer, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    bool has_room;
    Py_BEGIN_CRITICAL_SECTION(object);
    has_room = self->text != NULL && buffer.len <= PyBytes_GET_SIZE(self->text) - self->n_set;
    if (has_room) {
        memcpy(PyBytes_AS_STRING(self->text) + self->n_set, buffer.buf, (size_t)buffer.len);
        self->n_set += buffer.len;
    }
    Py_END_CRITICAL_SECTION();
    PyBuffer_Release(&buffer);
    return has_room ? Py_NewRef(Py_None)
                    : PyErr_Format(PyExc_ValueError, "more bytes than there is room for");
}

PyDoc_STRVAR(filled_bytes_take_doc,
             "take($self, /)\n--\n\nThe bytes object, once, when all its bytes are set.");

static PyObject *filled_bytes_take(PyObject *object, PyObject *Py_UNUSED(none)) {
    struct filled_bytes *const self = (struct filled_bytes *)object;
    PyObject *text = NULL;
    Py_BEGIN_CRITICAL_SECTION(object);
    if (self->text != NULL && self->n_set == PyBytes_GET_SIZE(self->text)) {
        text = self->text;
        self->text = NULL;
    }
    Py_END_CRITICAL_SECTION();
    return text != NULL ? text
                        : PyErr_Format(PyExc_ValueError, "taken before, or not all bytes are set");
}

static void filled_bytes_dealloc(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    Py_CLEAR(((struct filled_bytes *)object)->text);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef filled_bytes_methods[] = {
    {"put", filled_bytes_put, METH_O, filled_bytes_put_doc},
    {"take", filled_bytes_take, METH_NOARGS, filled_bytes_take_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot filled_bytes_slots[] = {
    {Py_tp_doc, (void *)filled_bytes_doc},
    {Py_tp_new, filled_bytes_new},
    {Py_tp_dealloc, filled_bytes_dealloc},
    {Py_tp_methods, filled_bytes_methods},
    {0, NULL},
};

PyType_Spec filled_bytes_spec = {
    .name = "ssrjson_web._core._FilledBytes",
    .basicsize = sizeof(struct filled_bytes),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = filled_bytes_slots,
};

/* ---- objects that are released ------------------------------------------------------------- */

/* A dict of more items than this is emptied item by item. */
#define SMALL_DICT 64

/* Remove the last item of a list, a new reference; NULL with an exception set. */
static PyObject *list_take_last(PyObject *list) {
    const Py_ssize_t n = PyList_GET_SIZE(list);
    PyObject *const last = Py_NewRef(PyList_GET_ITEM(list, n - 1));
    if (PyList_SetSlice(list, n - 1, n, NULL) != 0) {
        Py_DECREF(last);
        return NULL;
    }
    return last;
}

/* Remove the last value of a dict, a new reference; NULL with an exception set. */
static PyObject *dict_take_last(PyObject *dict) {
    PyObject *const pair = PyObject_CallMethod(dict, "popitem", NULL);
    PyObject *const value = pair != NULL ? Py_NewRef(PyTuple_GET_ITEM(pair, 1)) : NULL;
    Py_XDECREF(pair);
    return value;
}

/* Whether an object is a list or dict that only its one holder has, so that nobody sees what is
 * taken out of it. What another thread made without the GIL is released as a whole: CPython leaves
 * that to its thread, while this one goes on. */
static inline bool is_only_held(PyObject *object) {
    return object_is_held_once(object) && (PyList_CheckExact(object) || PyDict_CheckExact(object));
}

/* Add the lists and dicts that a dict holds to the list `held`; -1 with an exception set. */
static int keep_containers(PyObject *held, PyObject *dict) {
    Py_ssize_t position = 0;
    PyObject *value;
    while (PyDict_Next(dict, &position, NULL, &value)) {
        if (is_only_held(value) && PyList_Append(held, value) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Release a part of the last object in a list that nobody else has. What is in a list, or in a
 * large dict, is taken out of it one by one; the lists and dicts among it are added to `held`, and
 * released in their turn. -1 with an exception set. */
static int release_one(PyObject *held) {
    PyObject *const last = PyList_GET_ITEM(held, PyList_GET_SIZE(held) - 1);
    PyObject *taken;
    if (!is_only_held(last)) {
        taken = list_take_last(held);
    } else if (PyList_CheckExact(last)) {
        taken = PyList_GET_SIZE(last) > 0 ? list_take_last(last) : list_take_last(held);
    } else if (PyDict_GET_SIZE(last) > SMALL_DICT) {
        taken = dict_take_last(last);
    } else {
        taken = list_take_last(held);
        if (taken != NULL && keep_containers(held, taken) != 0) {
            Py_CLEAR(taken);
        }
    }
    if (taken == NULL) {
        return -1;
    }
    int status = 0;
    const bool has_items = PyList_CheckExact(taken)   ? PyList_GET_SIZE(taken) > 0
                           : PyDict_CheckExact(taken) ? PyDict_GET_SIZE(taken) > 0
                                                      : false;
    if (has_items && taken != last && object_is_held_once(taken)) {
        status = PyList_Append(held, taken);
    }
    Py_DECREF(taken); /* may run Python code */
    return status;
}

PyObject *core_release_part(PyObject *module, PyObject *const *args, Py_ssize_t n_args) {
    (void)module;
    if (n_args != 2 || !PyList_CheckExact(args[0])) {
        return PyErr_Format(PyExc_TypeError, "_release_part() takes a list and a number");
    }
    const Py_ssize_t n = PyNumber_AsSsize_t(args[1], PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n && PyList_GET_SIZE(args[0]) > 0; i++) {
        if (release_one(args[0]) != 0) {
            return NULL;
        }
    }
    return PyBool_FromLong(PyList_GET_SIZE(args[0]) == 0);
}
