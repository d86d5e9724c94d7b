/* SPDX-License-Identifier: MIT */
/* What some dicts and classes were like, to ask later whether they are still alike. Only identities
 * are compared, so that no Python code runs. */
#include "module/classes/classes.h"

#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

/* One item of a dict. */
struct known_item {
    PyObject *key;   /* owned */
    PyObject *value; /* owned: a tuple of the items of a list; NULL: any value */
    bool is_list;
};

/* A function among the values, which the item holds. */
struct known_function {
    PyFunctionObject *function;
    PyObject *code; /* owned */
};

struct known_dict {
    Py_ssize_t n_items;
    uint64_t version; /* while it had these items; 0: they are compared */
    bool has_list;
};

struct known_type {
    PyTypeObject *type; /* owned */
    unsigned version;
};

struct snapshot_object {
    PyObject_HEAD Py_ssize_t n_dicts;
    struct known_dict *dicts; /* owned */
    Py_ssize_t n_items;       /* of all dicts together */
    struct known_item *items; /* owned */
    Py_ssize_t n_functions;
    struct known_function *functions; /* owned */
    Py_ssize_t n_types;
    struct known_type *types; /* owned */
};

static int snapshot_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    const struct snapshot_object *const snapshot = (const struct snapshot_object *)self;
    for (Py_ssize_t i = 0; i < snapshot->n_items; i++) {
        Py_VISIT(snapshot->items[i].key);
        Py_VISIT(snapshot->items[i].value);
    }
    for (Py_ssize_t i = 0; i < snapshot->n_functions; i++) {
        Py_VISIT(snapshot->functions[i].code);
    }
    for (Py_ssize_t i = 0; i < snapshot->n_types; i++) {
        Py_VISIT(snapshot->types[i].type);
    }
    return 0;
}

static int snapshot_clear(PyObject *self) {
    struct snapshot_object *const snapshot = (struct snapshot_object *)self;
    const Py_ssize_t n_items = snapshot->n_items;
    const Py_ssize_t n_functions = snapshot->n_functions;
    const Py_ssize_t n_types = snapshot->n_types;
    struct known_item *const items = snapshot->items;
    struct known_function *const functions = snapshot->functions;
    struct known_type *const types = snapshot->types;
    snapshot->n_items = snapshot->n_functions = snapshot->n_types = snapshot->n_dicts = 0;
    snapshot->items = NULL;
    snapshot->functions = NULL;
    snapshot->types = NULL;
    for (Py_ssize_t i = 0; i < n_items; i++) {
        Py_XDECREF(items[i].key);
        Py_XDECREF(items[i].value);
    }
    for (Py_ssize_t i = 0; i < n_functions; i++) {
        Py_XDECREF(functions[i].code);
    }
    for (Py_ssize_t i = 0; i < n_types; i++) {
        Py_XDECREF(types[i].type);
    }
    PyMem_Free(items);
    PyMem_Free(functions);
    PyMem_Free(types);
    return 0;
}

static void snapshot_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    snapshot_clear(self);
    PyMem_Free(((struct snapshot_object *)self)->dicts);
    type->tp_free(self);
    Py_DECREF(type);
}

/* Copy the items of a dict; false with an exception set. `open` has the keys whose values may be
 * any. */
static bool snapshot_add_dict(struct snapshot_object *snapshot, PyObject *dict, PyObject *open) {
    struct known_dict *const known = &snapshot->dicts[snapshot->n_dicts++];
    Py_ssize_t position = 0;
    Py_ssize_t n = 0;
    const Py_ssize_t size = PyDict_GET_SIZE(dict);
    PyObject *key;
    PyObject *value;
    while (n < size && PyDict_Next(dict, &position, &key, &value)) {
        struct known_item *const item = &snapshot->items[snapshot->n_items];
        item->key = Py_NewRef(key);
        item->value = NULL;
        item->is_list = PyList_CheckExact(value);
        known->has_list |= item->is_list;
        snapshot->n_items++;
        n++;
        Py_INCREF(value);
        /* str keys of no subclass: no Python code runs */
        const int is_open = PyUnicode_CheckExact(key) ? PySet_Contains(open, key) : 0;
        if (is_open == 0) {
            item->value = item->is_list ? PyList_AsTuple(value) : Py_NewRef(value);
        }
        Py_DECREF(value);
        if (is_open < 0 || (is_open == 0 && item->value == NULL)) {
            return false;
        }
        if (item->value != NULL && PyFunction_Check(item->value)) {
            struct known_function *const function = &snapshot->functions[snapshot->n_functions++];
            function->function = (PyFunctionObject *)item->value;
            function->code = Py_NewRef(function->function->func_code);
        }
    }
    known->n_items = n;
    return true;
}

/* The dict of an item of a tuple, borrowed: itself, or that of a class that Python code has made;
 * NULL: it has none. */
static PyObject *dict_at(PyObject *dicts, Py_ssize_t i) {
    PyObject *const item = PyTuple_GET_ITEM(dicts, i);
    if (PyType_Check(item) && PyType_HasFeature((PyTypeObject *)item, Py_TPFLAGS_HEAPTYPE)) {
        return ((PyTypeObject *)item)->tp_dict;
    }
    return PyDict_Check(item) ? item : NULL;
}

/* The number of items of all dicts of a tuple; -1 with TypeError set. */
static Py_ssize_t count_items(PyObject *dicts) {
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dicts); i++) {
        PyObject *const dict = dict_at(dicts, i);
        if (dict == NULL) {
            PyErr_SetString(PyExc_TypeError, "a snapshot is of dicts, and of classes for theirs");
            return -1;
        }
        n += PyDict_GET_SIZE(dict);
    }
    return n;
}

/* Note the version of each class; false with TypeError set. */
static bool snapshot_add_types(struct snapshot_object *snapshot, PyObject *types) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); i++) {
        PyObject *const type = PyTuple_GET_ITEM(types, i);
        if (!PyType_Check(type)) {
            PyErr_SetString(PyExc_TypeError, "a snapshot is of classes");
            return false;
        }
        struct known_type *const known = &snapshot->types[snapshot->n_types++];
        known->type = (PyTypeObject *)Py_NewRef(type);
        known->version = type_version(known->type);
    }
    return true;
}

static PyObject *snapshot_of(PyTypeObject *type, PyObject *dicts, PyObject *types, PyObject *open) {
    const Py_ssize_t n_items = count_items(dicts);
    struct snapshot_object *const snapshot =
        n_items >= 0 ? (struct snapshot_object *)type->tp_alloc(type, 0) : NULL;
    if (snapshot == NULL) {
        return NULL;
    }
    snapshot->dicts = PyMem_Calloc((size_t)PyTuple_GET_SIZE(dicts) + 1, sizeof *snapshot->dicts);
    snapshot->items = PyMem_Calloc((size_t)n_items + 1, sizeof *snapshot->items);
    snapshot->functions = PyMem_Calloc((size_t)n_items + 1, sizeof *snapshot->functions);
    snapshot->types = PyMem_Calloc((size_t)PyTuple_GET_SIZE(types) + 1, sizeof *snapshot->types);
    bool is_made = snapshot->dicts != NULL && snapshot->items != NULL &&
                   snapshot->functions != NULL && snapshot->types != NULL;
    if (!is_made) {
        PyErr_NoMemory();
    }
    is_made = is_made && snapshot_add_types(snapshot, types);
    for (Py_ssize_t i = 0; is_made && i < PyTuple_GET_SIZE(dicts); i++) {
        PyObject *const dict = dict_at(dicts, i);
        /* making a tuple may have run the garbage collector, and that Python code */
        if (snapshot->n_items + PyDict_GET_SIZE(dict) > n_items) {
            PyErr_SetString(PyExc_RuntimeError, "a dict changed while a snapshot was made of it");
            is_made = false;
        }
        is_made = is_made && snapshot_add_dict(snapshot, dict, open);
    }
    if (!is_made) {
        Py_DECREF(snapshot);
        return NULL;
    }
    return (PyObject *)snapshot;
}

/* Dicts that no other thread changes, in a new tuple; NULL with an exception set. */
static PyObject *dicts_alone(PyObject *dicts) {
    if (!IS_FREE_THREADED) {
        return Py_NewRef(dicts);
    }
    PyObject *const copies = count_items(dicts) >= 0 ? PyTuple_New(PyTuple_GET_SIZE(dicts)) : NULL;
    for (Py_ssize_t i = 0; copies != NULL && i < PyTuple_GET_SIZE(dicts); i++) {
        PyObject *const copy = PyDict_Copy(dict_at(dicts, i));
        if (copy == NULL) {
            Py_DECREF(copies);
            return NULL;
        }
        PyTuple_SET_ITEM(copies, i, copy);
    }
    return copies;
}

static PyObject *snapshot_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *dicts;
    PyObject *types;
    PyObject *open;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "_Snapshot() takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyTuple_Type, &dicts, &PyTuple_Type, &types,
                          &PyFrozenSet_Type, &open)) {
        return NULL;
    }
    PyObject *const own = dicts_alone(dicts);
    PyObject *const snapshot = own != NULL ? snapshot_of(type, own, types, open) : NULL;
    Py_XDECREF(own);
    return snapshot;
}

static bool list_fits(PyObject *items, PyObject *list) {
    bool fits;
#if IS_FREE_THREADED
    Py_INCREF(list); /* the section of its dict ends while this one waits */
#endif
    Py_BEGIN_CRITICAL_SECTION(list);
    fits = PyList_GET_SIZE(list) == PyTuple_GET_SIZE(items);
    for (Py_ssize_t i = 0; fits && i < PyList_GET_SIZE(list); i++) {
        fits = PyList_GET_ITEM(list, i) == PyTuple_GET_ITEM(items, i);
    }
    Py_END_CRITICAL_SECTION();
#if IS_FREE_THREADED
    Py_DECREF(list);
#endif
    return fits;
}

/* Whether a value is the one that is known, or a list of the items that are known. */
static bool is_known_value(const struct known_item *item, PyObject *value) {
    if (item->value == NULL) {
        return true;
    }
    if (item->is_list) {
        return PyList_CheckExact(value) && list_fits(item->value, value);
    }
    return item->value == value;
}

static bool known_items_fit(const struct known_item *items, Py_ssize_t n, PyObject *dict) {
    bool fits;
    Py_ssize_t n_left = n;
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(dict);
    fits = PyDict_GET_SIZE(dict) == n;
    while (fits && n_left > 0 && PyDict_Next(dict, &position, &key, &value)) {
        fits = items->key == key && is_known_value(items, value);
        items++;
        n_left--;
    }
    Py_END_CRITICAL_SECTION();
    return fits && n_left == 0;
}

/* Whether a dict has the items that are known; those of lists in it have no version. */
static bool dict_fits(struct known_dict *known, const struct known_item *items, PyObject *dict) {
    const uint64_t version = known->has_list ? 0 : dict_version(dict);
    if (version != 0 && version == known->version) {
        return true;
    }
    const bool fits = known_items_fit(items, known->n_items, dict);
    if (fits && version != 0) {
        known->version = version;
    }
    return fits;
}

/* Whether functions still have the code that they had. */
static bool functions_fit(const struct snapshot_object *snapshot) {
    bool fits = true;
    for (Py_ssize_t i = 0; i < snapshot->n_functions; i++) {
        const struct known_function *const known = &snapshot->functions[i];
        fits &= known->function->func_code == known->code;
    }
    return fits;
}

PyDoc_STRVAR(
    fits_doc,
    "fits($self, dicts, /)\n--\n\n"
    "Whether dicts have the items of those of the snapshot, in the same order, and whether\n"
    "no class has changed since.");

static PyObject *snapshot_fits(PyObject *self, PyObject *dicts) {
    const struct snapshot_object *const snapshot = (const struct snapshot_object *)self;
    if (!PyTuple_CheckExact(dicts) || count_items(dicts) < 0) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "fits() takes a tuple");
        }
        return NULL;
    }
    bool fits = PyTuple_GET_SIZE(dicts) == snapshot->n_dicts;
    for (Py_ssize_t i = 0; fits && i < snapshot->n_types; i++) {
        const struct known_type *const known = &snapshot->types[i];
        fits = known->version != 0 && known->version == type_version(known->type);
    }
    const struct known_item *items = snapshot->items;
    for (Py_ssize_t i = 0; fits && i < snapshot->n_dicts; i++) {
        struct known_dict *const known = &snapshot->dicts[i];
        fits = dict_fits(known, items, dict_at(dicts, i));
        items += known->n_items;
    }
    return PyBool_FromLong(fits && functions_fit(snapshot));
}

static PyMethodDef snapshot_methods[] = {
    {"fits", snapshot_fits, METH_O, fits_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(snapshot_doc,
             "_Snapshot(dicts, types, open, /)\n--\n\n"
             "What some dicts and classes are like: the items of `dicts`, but for the\n"
             "values of the keys in `open`, and the versions of `types`. A class\n"
             "among the dicts is its own dict. Of a function its code counts, too.\n"
             "Private.");

static PyType_Slot snapshot_slots[] = {
    {Py_tp_doc, (void *)snapshot_doc},
    {Py_tp_new, snapshot_new},
    {Py_tp_dealloc, snapshot_dealloc},
    {Py_tp_traverse, snapshot_traverse},
    {Py_tp_clear, snapshot_clear},
    {Py_tp_methods, snapshot_methods},
    {0, NULL},
};

PyType_Spec snapshot_spec = {
    .name = "ssrjson_web._core._Snapshot",
    .basicsize = sizeof(struct snapshot_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = snapshot_slots,
};

static bool is_list_or_tuple(PyObject *object) {
    return PyTuple_CheckExact(object) || PyList_CheckExact(object);
}

PyObject *core_are_same(PyObject *module, PyObject *const *args, Py_ssize_t n_args) {
    (void)module;
    if (n_args != 2) {
        return PyErr_Format(PyExc_TypeError, "_are_same() takes two lists or tuples");
    }
    if (!is_list_or_tuple(args[0]) || !is_list_or_tuple(args[1])) {
        Py_RETURN_FALSE; /* of another class, whose items are what its code says */
    }
    PyObject *const some = snapshot_take(args[0]);
    PyObject *const others = some != NULL ? snapshot_take(args[1]) : NULL;
    PyObject *result = NULL;
    if (others != NULL) {
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(some);
        bool are_same = PySequence_Fast_GET_SIZE(others) == n;
        for (Py_ssize_t i = 0; are_same && i < n; i++) {
            are_same = PySequence_Fast_GET_ITEM(some, i) == PySequence_Fast_GET_ITEM(others, i);
        }
        result = PyBool_FromLong(are_same);
    }
    snapshot_release(some);
    snapshot_release(others);
    return result;
}
