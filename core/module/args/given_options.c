/* SPDX-License-Identifier: MIT */
#include "module/args/arguments.h"

/* A value as it is kept: a truth flag as its bool, because the object could change later. A new
 * reference. */
static PyObject *given_value(enum keyword keyword, PyObject *value) {
    if (KEYWORDS[keyword].kind != KIND_TRUTH || value == Py_None || PyBool_Check(value)) {
        return Py_NewRef(value);
    }
    const int is_true = PyObject_IsTrue(value);
    return is_true >= 0 ? PyBool_FromLong(is_true) : NULL;
}

PyObject *given_options(const struct module_state *state, struct keyword_range range,
                        PyObject *const *values, PyObject *names) {
    PyObject *const given = PyDict_New();
    for (Py_ssize_t i = 0; given != NULL && i < PyTuple_GET_SIZE(names); i++) {
        const enum keyword keyword = keyword_find(state, range, PyTuple_GET_ITEM(names, i));
        PyObject *const value = given_value(keyword, values[i]);
        const int status =
            value != NULL ? PyDict_SetItem(given, state->keywords[keyword], value) : -1;
        Py_XDECREF(value);
        if (status != 0) {
            Py_DECREF(given);
            return NULL;
        }
    }
    return given;
}

/* "name=value, name=value", a new reference. */
static PyObject *given_text(PyObject *given) {
    PyObject *const parts = PyList_New(0);
    PyObject *const separator = PyUnicode_FromString(", ");
    PyObject *const items = PyDict_Items(given); /* repr of a value runs Python code */
    bool is_good = parts != NULL && separator != NULL && items != NULL;
    for (Py_ssize_t i = 0; is_good && i < PyList_GET_SIZE(items); i++) {
        PyObject *const item = PyList_GET_ITEM(items, i);
        PyObject *const part =
            PyUnicode_FromFormat("%U=%R", PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1));
        is_good = part != NULL && PyList_Append(parts, part) == 0;
        Py_XDECREF(part);
    }
    PyObject *const text = is_good ? PyUnicode_Join(separator, parts) : NULL;
    Py_XDECREF(parts);
    Py_XDECREF(separator);
    Py_XDECREF(items);
    return text;
}

PyObject *given_repr(PyObject *self, const char *class_name, PyObject *given) {
    const int is_within = Py_ReprEnter(
        self); /* a hook may be a method of an object that holds this encoder or decoder */
    if (is_within != 0) {
        return is_within > 0 ? PyUnicode_FromFormat("%s(...)", class_name) : NULL;
    }
    PyObject *const text = given_text(given);
    PyObject *const repr = text != NULL ? PyUnicode_FromFormat("%s(%U)", class_name, text) : NULL;
    Py_XDECREF(text);
    Py_ReprLeave(self);
    return repr;
}

PyObject *given_reduce(PyObject *self, PyObject *given) {
    PyObject *const module = PyImport_ImportModule("copyreg");
    PyObject *const make = module != NULL ? PyObject_GetAttrString(module, "__newobj_ex__") : NULL;
    Py_XDECREF(module);
    PyObject *const options = make != NULL ? PyDict_Copy(given) : NULL;
    PyObject *const reduced =
        options != NULL ? Py_BuildValue("O(O()O)", make, (PyObject *)Py_TYPE(self), options) : NULL;
    Py_XDECREF(options);
    Py_XDECREF(make);
    return reduced;
}
