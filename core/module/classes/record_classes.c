/* SPDX-License-Identifier: MIT */
/* The two classes of compiled records. */
#include "module/classes/classes.h"

#include "pyobject/snapshot.h"
#include "schema/schema.h"

/* ---- what both have ------------------------------------------------------------------------- */

struct record_object {
    PyObject_HEAD struct schema schema; /* owned */
    struct read_record *reads;          /* borrowed of it; of a reader */
    struct load_record *loads;          /* borrowed of it; of a loader */
};

static int record_object_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    return schema_traverse(&((struct record_object *)self)->schema, visit, arg);
}

static int record_object_clear(PyObject *self) {
    struct record_object *const object = (struct record_object *)self;
    object->reads = NULL;
    object->loads = NULL;
    schema_clear(&object->schema);
    return 0;
}

static void record_object_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    record_object_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The only argument of a constructor, borrowed; NULL with TypeError set. */
static PyObject *only_argument(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 1 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly one positional argument", type->tp_name);
        return NULL;
    }
    return PyTuple_GET_ITEM(args, 0);
}

/* Whether a method has two arguments, and a list if it needs one; false with TypeError set. */
static bool check_arguments(const char *name, PyObject *const *args, Py_ssize_t n_args,
                            bool needs_list) {
    if (n_args != 2) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly two positional arguments", name);
        return false;
    }
    if (needs_list && !PyList_CheckExact(args[0])) {
        PyErr_Format(PyExc_TypeError, "%s() takes a list, not %.200s", name,
                     Py_TYPE(args[0])->tp_name);
        return false;
    }
    return true;
}

/* Whether records can be made here: dicts are made in place. */
static bool can_run(PyObject *self) {
    const struct record_object *const object = (const struct record_object *)self;
    /* the garbage collector may have cleared it, while code of what it refers to still runs */
    return KNOWS_LAYOUTS && layouts_hold() && (object->reads != NULL || object->loads != NULL);
}

/* ---- reading -------------------------------------------------------------------------------- */

PyDoc_STRVAR(reader_doc,
             "_RecordReader(description, /)\n--\n\n"
             "Makes dicts of objects, as a ssrjson_web._models.language.ReadRecord says. Private.");

PyDoc_STRVAR(read_doc, "read($self, object, resolve, /)\n--\n\n"
                       "The dict of an object. NotImplemented where this build makes none.");

PyDoc_STRVAR(read_all_doc, "read_all($self, objects, resolve, /)\n--\n\n"
                           "A list of the dicts of a list of objects.");

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *const description = only_argument(type, args, kwargs);
    struct schema schema = {.nodes = NULL}; /* nobody sees it before it is whole */
    const struct surroundings around = {.schema = &schema};
    struct read_record *const record =
        description != NULL ? read_record_new(description, &around) : NULL;
    struct record_object *const self =
        record != NULL ? (struct record_object *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        schema_clear(&schema);
        return NULL;
    }
    self->schema = schema;
    self->reads = record;
    return (PyObject *)self;
}

/* A list of the dicts of a list's objects. Python code may change the list. */
static PyObject *read_list(struct read_record *record, PyObject *objects, struct task *task) {
    PyObject *const made = PyList_New(0);
    bool is_good = made != NULL;
    PyObject *object;
    for (Py_ssize_t i = 0; is_good && (object = list_get(objects, i)) != NULL; i++) {
        PyObject *const result = read_record_make(record, object, task);
        is_good = result != NULL && PyList_Append(made, result) == 0;
        Py_XDECREF(result);
        Py_DECREF(object);
    }
    if (!is_good) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}

static PyObject *read_records(PyObject *self, PyObject *const *args, bool is_list) {
    if (!can_run(self)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    struct read_record *const record = ((struct record_object *)self)->reads;
    struct calls calls;
    if (!calls_begin(&calls, args[1], record->n_calls)) {
        return NULL;
    }
    struct task task = {.purpose = ACCEPT_FOR_RECORDS, .calls = &calls};
    PyObject *const result =
        is_list ? read_list(record, args[0], &task) : read_record_make(record, args[0], &task);
    calls_end(&calls);
    return result;
}

static PyObject *reader_read(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    return check_arguments("read", args, n_args, false) ? read_records(self, args, false) : NULL;
}

static PyObject *reader_read_all(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    return check_arguments("read_all", args, n_args, true) ? read_records(self, args, true) : NULL;
}

static PyMethodDef reader_methods[] = {
    {"read", (PyCFunction)(void (*)(void))reader_read, METH_FASTCALL, read_doc},
    {"read_all", (PyCFunction)(void (*)(void))reader_read_all, METH_FASTCALL, read_all_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, (void *)reader_doc},
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, record_object_dealloc},
    {Py_tp_traverse, record_object_traverse},
    {Py_tp_clear, record_object_clear},
    {Py_tp_methods, reader_methods},
    {0, NULL},
};

PyType_Spec record_reader_spec = {
    .name = "ssrjson_web._core._RecordReader",
    .basicsize = sizeof(struct record_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = reader_slots,
};

/* ---- loading -------------------------------------------------------------------------------- */

PyDoc_STRVAR(loader_doc,
             "_RecordLoader(description, /)\n--\n\n"
             "Makes records of dicts, as a ssrjson_web._models.language.LoadRecord says. Private.");

PyDoc_STRVAR(load_doc,
             "load($self, value, resolve, /)\n--\n\n"
             "The record of a dict. NotImplemented where it is refused, or this build makes none.");

PyDoc_STRVAR(load_all_doc, "load_all($self, values, resolve, /)\n--\n\n"
                           "The records of a list of dicts.");

static PyObject *loader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *const description = only_argument(type, args, kwargs);
    struct schema schema = {.nodes = NULL}; /* nobody sees it before it is whole */
    const struct surroundings around = {.schema = &schema};
    struct load_record *const record =
        description != NULL ? load_record_new(description, &around) : NULL;
    struct record_object *const self =
        record != NULL ? (struct record_object *)type->tp_alloc(type, 0) : NULL;
    if (self == NULL) {
        schema_clear(&schema);
        return NULL;
    }
    self->schema = schema;
    self->loads = record;
    return (PyObject *)self;
}

static PyObject *load(PyObject *self, PyObject *const *args, bool is_list) {
    if (!can_run(self)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const struct load_record *const record = ((struct record_object *)self)->loads;
    struct calls calls;
    if (!calls_begin(&calls, args[1], record->n_calls)) {
        return NULL;
    }
    struct task task = {.purpose = ACCEPT_FOR_RECORDS, .calls = &calls};
    PyObject *const result = is_list ? load_record_make_all(record, args[0], &task)
                                     : load_record_make(record, args[0], -1, &task);
    calls_end(&calls);
    if (result == NULL && !PyErr_Occurred()) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return result;
}

static PyObject *loader_load(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    return check_arguments("load", args, n_args, false) ? load(self, args, false) : NULL;
}

static PyObject *loader_load_all(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
    return check_arguments("load_all", args, n_args, true) ? load(self, args, true) : NULL;
}

static PyMethodDef loader_methods[] = {
    {"load", (PyCFunction)(void (*)(void))loader_load, METH_FASTCALL, load_doc},
    {"load_all", (PyCFunction)(void (*)(void))loader_load_all, METH_FASTCALL, load_all_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot loader_slots[] = {
    {Py_tp_doc, (void *)loader_doc},
    {Py_tp_new, loader_new},
    {Py_tp_dealloc, record_object_dealloc},
    {Py_tp_traverse, record_object_traverse},
    {Py_tp_clear, record_object_clear},
    {Py_tp_methods, loader_methods},
    {0, NULL},
};

PyType_Spec record_loader_spec = {
    .name = "ssrjson_web._core._RecordLoader",
    .basicsize = sizeof(struct record_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = loader_slots,
};
