/* SPDX-License-Identifier: MIT */
#include "module/args/arguments.h"

/* Whether json.loads refuses the text with this message; -1 with an exception set. */
static int stdlib_says(PyObject *json, const char *text, const char *message) {
    PyObject *const value = PyObject_CallMethod(json, "loads", "s", text);
    if (value != NULL) {
        Py_DECREF(value);
        return 0;
    }
    PyObject *type;
    PyObject *error;
    PyObject *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    PyObject *const said = error != NULL ? PyObject_GetAttrString(error, "msg") : NULL;
    int is_said = -1;
    if (said != NULL && PyUnicode_Check(said)) {
        is_said = PyUnicode_CompareWithASCIIString(said, message) == 0;
    }
    Py_XDECREF(said);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return is_said;
}

/* Whether json.dumps leaves an empty line in an indented dict whose keys it skips; -1 with an
 * exception set. */
static int stdlib_keeps_line_of_skipped(PyObject *json) {
    int is_kept = -1;
    PyObject *const function = PyObject_GetAttrString(json, "dumps");
    PyObject *const arguments = Py_BuildValue("({()i})", 1);
    PyObject *const keywords = Py_BuildValue("{s:O,s:i}", "skipkeys", Py_True, "indent", 0);
    PyObject *text = NULL;
    if (function != NULL && arguments != NULL && keywords != NULL) {
        text = PyObject_Call(function, arguments, keywords);
    }
    if (text != NULL && PyUnicode_Check(text)) {
        is_kept = PyUnicode_CompareWithASCIIString(text, "{}") != 0;
    }
    Py_XDECREF(text);
    Py_XDECREF(keywords);
    Py_XDECREF(arguments);
    Py_XDECREF(function);
    return is_kept;
}

int ask_stdlib_quirks(struct module_state *state) {
    PyObject *const json = PyImport_ImportModule("json");
    if (json == NULL) {
        return -1;
    }
    const int keeps_line = stdlib_keeps_line_of_skipped(json);
    const int names_comma = stdlib_says(json, "[1,]", error_message(ERROR_TRAILING_COMMA_ARRAY));
    const int wants_more =
        stdlib_says(json, "\"\\u1234", error_message(ERROR_INVALID_UNICODE_ESCAPE));
    Py_DECREF(json);
    state->encode_context.quirks.keeps_line_of_skipped = keeps_line > 0;
    state->decode_quirks.names_trailing_comma = names_comma > 0;
    state->decode_quirks.wants_text_after_escape = wants_more > 0;
    return keeps_line < 0 || names_comma < 0 || wants_more < 0 ? -1 : 0;
}
