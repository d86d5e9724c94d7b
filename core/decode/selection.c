/* SPDX-License-Identifier: MIT */
#include "decode/selection.h"

#define CAPSULE_NAME "ssrjson_web.selection"

/* ---- pointers ------------------------------------------------------------------------------- */

static void selection_free(struct selection *selection) {
    for (size_t i = 0; i < selection->n_pointers; i++) {
        struct selection_token *const tokens = selection->tokens[i];
        for (size_t j = 0; tokens[j].name != NULL; j++) {
            Py_DECREF(tokens[j].name);
        }
        PyMem_Free((char *)tokens[0].text);
        PyMem_Free(tokens);
    }
    PyMem_Free(selection);
}

static void capsule_free(PyObject *capsule) {
    selection_free(PyCapsule_GetPointer(capsule, CAPSULE_NAME));
}

const struct selection *selection_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, CAPSULE_NAME);
}

/* The index that a token is: digits without a leading zero; -1 for all else. */
static Py_ssize_t index_of(const char *text, size_t n) {
    if (n == 0 || n > 15 || (text[0] == '0' && n > 1)) {
        return -1;
    }
    Py_ssize_t index = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        index = 10 * index + (text[i] - '0');
    }
    return index;
}

/* Replace the escapes ~0 and ~1 in [text, end) of a pointer, and split it into tokens. The number
 * of tokens; -1 where an escape is another one. */
static Py_ssize_t split(char *text, const char *end, struct selection_token *tokens) {
    Py_ssize_t n = 0;
    char *to = text;
    const char *from = text;
    while (from < end) {
        from++; /* the slash */
        char *const begin = to;
        while (from < end && *from != '/') {
            char unit = *from++;
            if (unit == '~') {
                if (from == end || (*from != '0' && *from != '1')) {
                    return -1;
                }
                unit = *from++ == '0' ? '~' : '/';
            }
            *to++ = unit;
        }
        const size_t length = (size_t)(to - begin);
        tokens[n++] = (struct selection_token){
            .text = begin,
            .n = length,
            .index = index_of(begin, length),
            .is_any = length == 1 && *begin == '*',
        };
    }
    return n;
}

/* Give tokens their names, up to that whose name is NULL; false with an exception set. */
static bool name_tokens(struct selection_token *tokens, size_t n) {
    for (size_t i = 0; i < n; i++) {
        PyObject *name =
            PyUnicode_DecodeUTF8(tokens[i].text, (Py_ssize_t)tokens[i].n, "surrogatepass");
        if (name == NULL) {
            return false;
        }
        PyUnicode_InternInPlace(&name);
        tokens[i].name = name;
    }
    return true;
}

/* Add a pointer, whose UTF-8 is given; false with an exception set. */
static bool add_utf8(struct selection *selection, const char *utf8, size_t n, PyObject *pointer) {
    size_t n_tokens = 0;
    for (size_t i = 0; i < n; i++) {
        n_tokens += utf8[i] == '/';
    }
    if (n > 0 && utf8[0] != '/') {
        PyErr_Format(PyExc_ValueError,
                     "a JSON Pointer has a '/' before each key, as in '/user/id': %R in only",
                     pointer);
        return false;
    }
    if (n_tokens > SELECTION_MAX_TOKENS) {
        PyErr_Format(PyExc_ValueError, "a JSON Pointer in only has more than %d parts",
                     SELECTION_MAX_TOKENS);
        return false;
    }
    struct selection_token *const tokens = PyMem_Calloc(n_tokens + 1, sizeof *tokens);
    char *const text = PyMem_Malloc(n + 1);
    if (tokens == NULL || text == NULL) {
        PyMem_Free(tokens);
        PyMem_Free(text);
        PyErr_NoMemory();
        return false;
    }
    memcpy(text, utf8, n);
    const bool is_good = split(text, text + n, tokens) >= 0;
    tokens[0].text = text; /* the first token, if there is one, begins there */
    selection->tokens[selection->n_pointers] = tokens;
    selection->complete[n_tokens] |= (pointer_set)1 << selection->n_pointers;
    selection->n_pointers++;
    if (n_tokens > selection->n_tokens) {
        selection->n_tokens = n_tokens;
    }
    if (!is_good) {
        PyErr_Format(PyExc_ValueError,
                     "'~' is written as '~0' and '/' as '~1' in a JSON Pointer: %R in only",
                     pointer);
    }
    return is_good && name_tokens(tokens, n_tokens);
}

static bool add_pointer(struct selection *selection, PyObject *pointer) {
    if (!PyUnicode_Check(pointer)) {
        PyErr_Format(PyExc_TypeError, "only must be a str or an iterable of str, not of %.200s",
                     Py_TYPE(pointer)->tp_name);
        return false;
    }
    if (selection->n_pointers == SELECTION_MAX_POINTERS) {
        PyErr_Format(PyExc_ValueError, "only has more than %d JSON Pointers",
                     SELECTION_MAX_POINTERS);
        return false;
    }
    PyObject *const utf8 = PyUnicode_AsEncodedString(pointer, "utf-8", "surrogatepass");
    const bool is_added = utf8 != NULL && add_utf8(selection, PyBytes_AS_STRING(utf8),
                                                   (size_t)PyBytes_GET_SIZE(utf8), pointer);
    Py_XDECREF(utf8);
    return is_added;
}

/* Add each pointer of an iterable, or the only one; false with an exception set. */
static bool add_pointers(struct selection *selection, PyObject *pointers) {
    if (PyUnicode_Check(pointers)) {
        return add_pointer(selection, pointers);
    }
    const bool is_bytes = PyBytes_Check(pointers) || PyByteArray_Check(pointers);
    PyObject *const iterator = !is_bytes ? PyObject_GetIter(pointers) : NULL;
    if (iterator == NULL) {
        if (is_bytes || PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "only must be a str or an iterable of str, not %.200s",
                         Py_TYPE(pointers)->tp_name);
        }
        return false;
    }
    bool is_good = true;
    PyObject *pointer;
    while (is_good && (pointer = PyIter_Next(iterator)) != NULL) {
        is_good = add_pointer(selection, pointer);
        Py_DECREF(pointer);
    }
    Py_DECREF(iterator);
    if (is_good && !PyErr_Occurred() && selection->n_pointers == 0) {
        PyErr_SetString(PyExc_ValueError, "only names no part; '' is the whole document");
    }
    return is_good && !PyErr_Occurred();
}

PyObject *selection_new(PyObject *pointers) {
    struct selection *const selection = PyMem_Calloc(1, sizeof *selection);
    if (selection == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *const capsule = add_pointers(selection, pointers)
                                  ? PyCapsule_New(selection, CAPSULE_NAME, capsule_free)
                                  : NULL;
    if (capsule == NULL) {
        selection_free(selection);
    }
    return capsule;
}

/* ---- sets of pointers ----------------------------------------------------------------------- */

pointer_set selection_enter_key(const struct selection *selection, pointer_set set, size_t depth,
                                const char *key, size_t n, PyObject **name) {
    pointer_set entered = 0;
    for (pointer_set left = set; left != 0; left &= left - 1) {
        const struct selection_token *const token =
            &selection->tokens[__builtin_ctzll(left)][depth];
        const bool is_equal = token->n == n && memcmp(token->text, key, n) == 0;
        if (is_equal || token->is_any) {
            entered |= left & -left;
            *name = is_equal ? token->name : *name;
        }
    }
    return entered;
}

pointer_set selection_enter_item(const struct selection *selection, pointer_set set, size_t depth,
                                 Py_ssize_t index) {
    pointer_set entered = 0;
    for (pointer_set left = set; left != 0; left &= left - 1) {
        const struct selection_token *const token =
            &selection->tokens[__builtin_ctzll(left)][depth];
        if (token->is_any || token->index == index) {
            entered |= left & -left;
        }
    }
    return entered;
}

bool selection_append(PyObject *list, Py_ssize_t index, PyObject *item) {
    while (PyList_GET_SIZE(list) < index) {
        if (PyList_Append(list, Py_None) != 0) {
            return false;
        }
    }
    return PyList_Append(list, item) == 0;
}

/* ---- parts of a value ----------------------------------------------------------------------- */

/* Each new container may collect garbage, whose finalizers may change the containers of the value:
 * what is looked into is held. */

static PyObject *part_of(const struct selection *selection, PyObject *value, pointer_set set,
                         size_t depth);

static PyObject *part_of_dict(const struct selection *selection, PyObject *dict, pointer_set set,
                              size_t depth) {
    PyObject *made = PyDict_New();
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *item;
    while (made != NULL && PyDict_Next(dict, &position, &key, &item)) {
        Py_INCREF(key);
        Py_INCREF(item);
        PyObject *const utf8 = PyUnicode_AsEncodedString(key, "utf-8", "surrogatepass");
        PyObject *name = NULL;
        const pointer_set entered =
            utf8 != NULL ? selection_enter_key(selection, set, depth, PyBytes_AS_STRING(utf8),
                                               (size_t)PyBytes_GET_SIZE(utf8), &name)
                         : 0;
        PyObject *const part = entered != 0 ? part_of(selection, item, entered, depth + 1) : NULL;
        const bool is_good =
            utf8 != NULL &&
            (entered == 0 || (part != NULL && PyDict_SetItem(made, key, part) == 0));
        Py_XDECREF(utf8);
        Py_XDECREF(part);
        Py_DECREF(item);
        Py_DECREF(key);
        if (!is_good) {
            Py_CLEAR(made);
        }
    }
    return made;
}

static PyObject *part_of_list(const struct selection *selection, PyObject *list, pointer_set set,
                              size_t depth) {
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made != NULL && i < PyList_GET_SIZE(list); i++) {
        const pointer_set entered = selection_enter_item(selection, set, depth, i);
        if (entered == 0) {
            continue;
        }
        PyObject *const item = Py_NewRef(PyList_GET_ITEM(list, i));
        PyObject *const part = part_of(selection, item, entered, depth + 1);
        if (part == NULL || !selection_append(made, i, part)) {
            Py_CLEAR(made);
        }
        Py_XDECREF(part);
        Py_DECREF(item);
    }
    return made;
}

/* Recurses once for each token of a pointer, not for each level of the value. */
static PyObject *part_of(const struct selection *selection, PyObject *value, pointer_set set,
                         size_t depth) {
    if ((set & selection->complete[depth]) == 0) {
        if (PyDict_CheckExact(value)) {
            return part_of_dict(selection, value, set, depth);
        }
        if (PyList_CheckExact(value)) {
            return part_of_list(selection, value, set, depth);
        }
    }
    return Py_NewRef(value);
}

PyObject *selection_apply(const struct selection *selection, PyObject *value) {
    return part_of(selection, value, selection_all(selection), 0);
}
