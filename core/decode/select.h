/* SPDX-License-Identifier: MIT */
/* Decode the parts of a document that the option `only` asks for, and skip the others. */
#ifndef SSRJSON_DECODE_SELECT_H
#define SSRJSON_DECODE_SELECT_H

#include "decode/decode.h"
#include "decode/selection.h"
#include "decode/skip_container.h"

/* A container on the way to parts. */
struct selected_container {
    PyObject *made; /* owned dict or list */
    PyObject *key;  /* owned str: of the value that is read; NULL: it is not wanted, or an item */
    Py_ssize_t index;
    pointer_set pointers; /* those that lead here, none of them complete */
};

struct selector {
    struct skipper skipper;
    const struct selection *selection;
    const struct source *source;
    struct error *error;
    size_t n_open;
    struct selected_container open[SELECTION_MAX_TOKENS];
};

/* The value of the well-formed text from begin to end, a new reference. NULL with the error
 * recorded: it may be of Python, such as for an int of too many digits. */
static PyObject *select_decode(const struct selector *selector, const uint8_t *begin,
                               const uint8_t *end) {
    const struct source part = {
        .text = {.data = begin, .length = end - begin, .form = TEXT_UTF8},
        .options = selector->source->options,
    };
    return decode_document(&part, selector->error);
}

/* The pointers that go on with the key whose quotes are at p and before end, and its str, a new
 * reference, if there are any. False with the error recorded. */
static bool select_enter_key(const struct selector *selector, struct selected_container *container,
                             const uint8_t *p, const uint8_t *end, bool has_escape,
                             pointer_set *wanted) {
    const struct selection *const selection = selector->selection;
    const size_t depth = selector->n_open - 1;
    PyObject *name = NULL;
    Py_CLEAR(container->key);
    if (LIKELY(!has_escape)) {
        *wanted = selection_enter_key(selection, container->pointers, depth, (const char *)p + 1,
                                      (size_t)(end - p) - 2, &name);
        if (*wanted == 0) {
            return true;
        }
        container->key = name != NULL ? Py_NewRef(name) : select_decode(selector, p, end);
        return container->key != NULL;
    }
    PyObject *const key = select_decode(selector, p, end);
    PyObject *const utf8 =
        key != NULL ? PyUnicode_AsEncodedString(key, "utf-8", "surrogatepass") : NULL;
    if (utf8 == NULL) {
        selector->error->kind = ERROR_RAISED;
        Py_XDECREF(key);
        return false;
    }
    *wanted = selection_enter_key(selection, container->pointers, depth, PyBytes_AS_STRING(utf8),
                                  (size_t)PyBytes_GET_SIZE(utf8), &name);
    Py_DECREF(utf8);
    if (*wanted != 0) {
        container->key = key;
    } else {
        Py_DECREF(key);
    }
    return true;
}

/* The value of the next member or item, which begins at p, and the pointers that lead there. NULL:
 * with or without the error recorded. */
static const uint8_t *select_enter(struct selector *selector, const uint8_t *p,
                                   pointer_set *wanted) {
    struct selected_container *const container = &selector->open[selector->n_open - 1];
    if (PyList_CheckExact(container->made)) {
        *wanted = selection_enter_item(selector->selection, container->pointers,
                                       selector->n_open - 1, container->index);
        return p;
    }
    bool has_escape;
    const uint8_t *const end = *p == '"' ? skip_string(&selector->skipper, p, &has_escape) : NULL;
    if (end == NULL || !select_enter_key(selector, container, p, end, has_escape, wanted)) {
        return NULL;
    }
    return skip_colon(&selector->skipper, end);
}

/* Put a value into the innermost container, and steal it; false with the error recorded. */
static bool select_store(struct selector *selector, PyObject *value) {
    struct selected_container *const container = &selector->open[selector->n_open - 1];
    const bool is_stored = container->key != NULL
                               ? PyDict_SetItem(container->made, container->key, value) == 0
                               : selection_append(container->made, container->index, value);
    Py_DECREF(value);
    if (!is_stored) {
        selector->error->kind = ERROR_RAISED;
    }
    return is_stored;
}

/* The unit after a wanted value at p, and the value; or the first value in a container that p
 * opens, without a value. NULL: with or without the error recorded. */
static const uint8_t *select_read(struct selector *selector, const uint8_t *p, pointer_set *wanted,
                                  PyObject **value) {
    const struct skipper *const skipper = &selector->skipper;
    const bool is_object = *p == '{';
    const bool is_whole = (*wanted & selector->selection->complete[selector->n_open]) != 0;
    if (is_whole || (!is_object && *p != '[')) {
        const uint8_t *const end = skip_value(skipper, p, selector->n_open);
        *value = end != NULL ? select_decode(selector, p, end) : NULL;
        return *value != NULL ? end : NULL;
    }
    if (selector->n_open >= skipper->max_depth) {
        return NULL;
    }
    PyObject *const made = is_object ? PyDict_New() : PyList_New(0);
    if (made == NULL) {
        selector->error->kind = ERROR_RAISED;
        return NULL;
    }
    p = skip_to_token(skipper, p + 1);
    if (p != NULL && *p == (is_object ? '}' : ']')) {
        *value = made;
        return p + 1;
    }
    selector->open[selector->n_open++] =
        (struct selected_container){.made = made, .pointers = *wanted};
    return p != NULL ? select_enter(selector, p, wanted) : NULL;
}

/* The value of the next member or item after a value that ends at p; or, at the end of the
 * document, NULL with the document's value. NULL without a value: with or without the error
 * recorded. */
static const uint8_t *select_next(struct selector *selector, const uint8_t *p, pointer_set *wanted,
                                  PyObject **value) {
    const struct skipper *const skipper = &selector->skipper;
    while (selector->n_open > 0) {
        struct selected_container *const container = &selector->open[selector->n_open - 1];
        PyObject *const item = *value;
        *value = NULL;
        if (item != NULL && !select_store(selector, item)) {
            return NULL;
        }
        p = skip_to_token(skipper, p);
        if (p == NULL) {
            return NULL;
        }
        if (*p == ',') {
            container->index++;
            p = skip_to_token(skipper, p + 1);
            return p != NULL ? select_enter(selector, p, wanted) : NULL;
        }
        if (*p++ != (PyList_CheckExact(container->made) ? ']' : '}')) {
            return NULL;
        }
        Py_CLEAR(container->key);
        *value = container->made;
        selector->n_open--;
    }
    if (skip_to_token(skipper, p) != NULL) {
        Py_CLEAR(*value); /* there is more text */
    }
    return NULL;
}

/* The parts of a document of UTF-8, a new reference. NULL with *error filled; ERROR_NONE: the
 * parser has to decide. */
static PyObject *decode_selected(const struct source *source, struct error *error) {
    struct selector selector = {
        .skipper = skipper_of(source),
        .selection = source->options->only,
        .source = source,
        .error = error,
    };
    *error = (struct error){.kind = ERROR_NONE};
    const bool was_collecting = pauses_collecting(source) && PyGC_Disable();
    pointer_set wanted = selection_all(selector.selection);
    PyObject *value = NULL;
    const uint8_t *p = skip_to_token(&selector.skipper, source->text.data);
    while (p != NULL) {
        if (wanted == 0) {
            p = skip_value(&selector.skipper, p, selector.n_open);
        } else {
            const size_t n_open = selector.n_open;
            p = select_read(&selector, p, &wanted, &value);
            if (selector.n_open > n_open) {
                continue;
            }
        }
        p = p != NULL ? select_next(&selector, p, &wanted, &value) : NULL;
    }
    while (selector.n_open > 0) {
        struct selected_container *const container = &selector.open[--selector.n_open];
        Py_DECREF(container->made);
        Py_CLEAR(container->key);
    }
    if (was_collecting) {
        PyGC_Enable();
    }
    return value;
}

#endif
