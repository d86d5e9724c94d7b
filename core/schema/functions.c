/* SPDX-License-Identifier: MIT */
/* Functions of the application, which validate beside the library: each is called once, where the
 * library would call it. Its outcome is noted, so that the library, if it must decide in the end,
 * can go on with that instead of calling the function again. */
#include "pyobject/object.h"
#include "schema/task.h"

/* Note what a function has returned, or has raised: NULL. False with an exception set. */
static bool outcome_add(PyObject *outcomes, PyObject *function, PyObject *result) {
    PyObject *outcome = NULL;
    if (result != NULL) {
        outcome = PyTuple_Pack(2, function, result);
    } else {
        PyObject *const raised = raised_take();
        outcome = PyTuple_Pack(3, function, Py_None, raised);
        Py_DECREF(raised);
    }
    const bool is_added = outcome != NULL && PyList_Append(outcomes, outcome) == 0;
    Py_XDECREF(outcome);
    return is_added;
}

/* What a function makes of a value. */
static PyObject *function_apply(PyObject *function, PyObject *value, PyObject *outcomes) {
    PyObject *const result = PyObject_CallOneArg(function, value);
    if (result == NULL && !PyErr_ExceptionMatches(PyExc_Exception)) {
        return NULL;
    }
    if (!outcome_add(outcomes, function, result)) {
        Py_XDECREF(result);
        return NULL;
    }
    return result;
}

PyObject *functions_apply(PyObject *functions, PyObject *value, struct task *task) {
    if (task->outcomes == NULL) {
        return NULL;
    }
    PyObject *now = Py_NewRef(value);
    for (Py_ssize_t i = 0; now != NULL && i < PyTuple_GET_SIZE(functions); i++) {
        PyObject *const next = function_apply(PyTuple_GET_ITEM(functions, i), now, task->outcomes);
        Py_DECREF(now);
        now = next;
    }
    return now;
}

PyObject *accept_by_functions(const struct alternative *accepted, PyObject *value,
                              struct task *task) {
    PyObject *const before = functions_apply(accepted->functions.before, value, task);
    PyObject *const inner =
        before != NULL ? accept_value(accepted->functions.inner, before, task) : NULL;
    Py_XDECREF(before);
    PyObject *const result =
        inner != NULL ? functions_apply(accepted->functions.after, inner, task) : NULL;
    Py_XDECREF(inner);
    return result;
}
