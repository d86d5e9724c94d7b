/* SPDX-License-Identifier: MIT */
#include "decode/pause.h"

#include "cache/shape_tree.h"
#include "text/characters.h"

/* The number of bytes of a surrogate pair's two escapes, and of the one that older Pythons need
 * after them. */
#define PAIR_OF_ESCAPES_BYTES 13

/* ---- where it stopped ---------------------------------------------------------------------- */

/* Whether the text is the first part of a literal. */
static bool is_cut_literal(const uint8_t *text, size_t n) {
    static const char *const LITERALS[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof LITERALS / sizeof *LITERALS; i++) {
        if (n < strlen(LITERALS[i]) && memcmp(text, LITERALS[i], n) == 0) {
            return true;
        }
    }
    return false;
}

/* The index of the quote that opens the string around a position. It is at the old position of the
 * pause or after it, because what is before has been read. */
static size_t opening_quote(const struct pause *pause, const uint8_t *text, size_t position) {
    for (size_t i = position; i-- > pause->position;) {
        if (text[i] == '"') {
            size_t n_backslashes = 0;
            while (n_backslashes < i - pause->position && text[i - n_backslashes - 1] == '\\') {
                n_backslashes++;
            }
            if (n_backslashes % 2 == 0) {
                return i;
            }
        }
    }
    assert(false);
    return pause->position;
}

static bool expects_key(const struct container *container, size_t n_values) {
    const size_t n = n_values - container->first_value;
    switch (container->kind) {
    case CONTAINER_KEYED: return n % 2 == 0;
    case CONTAINER_SHAPED: return n == container->node->n_keys;
    default: return false;
    }
}

/* The pause's last_token for a new position. It goes back to the old position at most, so that each
 * unit is read once. */
static size_t find_last_token(const struct pause *pause, const uint8_t *text, size_t position) {
    assert(position >= pause->position);
    while (position > pause->position && is_space(text[position - 1])) {
        position--;
    }
    return position > pause->position ? position - 1 : pause->last_token;
}

/* Whether there is only white space between a container's bracket and the end of the text. Begins
 * at the position of the last pause, so that no white space is read again and again. */
static bool has_just_begun(const struct pause *pause, const uint8_t *text, size_t length,
                           const struct container *container, size_t n_values) {
    if (container->kind == CONTAINER_DOCUMENT || n_values > container->first_value) {
        return false;
    }
    size_t i = container->begin + 1;
    if (i <= pause->position) {
        if (pause->place != PLACE_FIRST_ITEM && pause->place != PLACE_FIRST_KEY) {
            return false;
        }
        i = pause->position;
    }
    while (i < length && is_space(text[i])) {
        i++;
    }
    return i == length;
}

bool pause_find(struct pause *pause, const struct error *error, const uint8_t *text, size_t length,
                const struct container *container, size_t n_values) {
    assert(error->position <= length);
    const size_t n_left = length - error->position;
    enum place place = PLACE_VALUE;
    size_t position = error->position;
    bool is_found = n_left == 0 || pause->is_in_comment;
    switch (error->kind) {
    case ERROR_UNFINISHED: is_found = true; break;
    case ERROR_EXPECTING_VALUE:
        if (!is_found) {
            is_found = is_cut_literal(text + position, n_left);
        } else if (has_just_begun(pause, text, length, container, n_values)) {
            place = PLACE_FIRST_ITEM;
        }
        break;
    case ERROR_EXPECTING_NAME:
        place =
            has_just_begun(pause, text, length, container, n_values) ? PLACE_FIRST_KEY : PLACE_KEY;
        break;
    case ERROR_EXPECTING_COLON: place = PLACE_COLON; break;
    case ERROR_EXPECTING_COMMA:
    case ERROR_EXPECTING_COMMA_IN_OBJECT: place = PLACE_AFTER_VALUE; break;
    case ERROR_INVALID_UNICODE_ESCAPE:
    case ERROR_SURROGATE:
        is_found = n_left <= PAIR_OF_ESCAPES_BYTES && memchr(text + position, '"', n_left) == NULL;
        position = is_found ? opening_quote(pause, text, position) : position;
        place = expects_key(container, n_values) ? PLACE_KEY : PLACE_VALUE;
        break;
    case ERROR_UNTERMINATED_STRING:
        is_found = true;
        place = expects_key(container, n_values) ? PLACE_KEY : PLACE_VALUE;
        break;
    default: is_found = false; break;
    }
    if (is_found) {
        pause->last_token = find_last_token(pause, text, position);
        pause->place = place;
        pause->position = position;
    }
    return is_found;
}

/* ---- values and containers ----------------------------------------------------------------- */

static size_t n_missing_keys(const struct container *container) {
    return container->kind == CONTAINER_SHAPED ? container->node->n_keys : 0;
}

bool pause_leave_shapes(struct pause *pause) {
    size_t n = pause->n_values;        /* with the keys */
    size_t lowest = pause->n_open + 1; /* of the containers that have a node */
    while (lowest > 0 && pause->containers[lowest - 1].node != NULL) {
        lowest--;
        n += n_missing_keys(&pause->containers[lowest]);
    }
    if (n > pause->values_capacity) {
        PyObject **const grown = PyMem_Realloc(pause->values, 2 * n * sizeof *grown);
        if (grown == NULL) {
            PyErr_NoMemory();
            return false;
        }
        pause->values = grown;
        pause->values_capacity = 2 * n;
    }
    PyObject **const values = pause->values;
    PyObject **from = values + pause->n_values;
    PyObject **to = values + n;
    for (size_t i = pause->n_open + 1; i-- > lowest;) {
        struct container *const container = &pause->containers[i];
        PyObject **const begin = values + container->first_value;
        if (container->kind == CONTAINER_SHAPED) {
            const struct shape_node *node = container->node;
            if (from - begin < node->n_keys) { /* the newest key has no value yet */
                *--to = Py_NewRef(node->key);
                node = node->parent;
            }
            while (from > begin) {
                *--to = *--from;
                *--to = Py_NewRef(node->key);
                node = node->parent;
            }
            container->kind = CONTAINER_KEYED;
        } else {
            const size_t n_moved = (size_t)(from - begin);
            from -= n_moved;
            to -= n_moved;
            if (to != from) { /* a long list would be copied to itself at each pause */
                memmove(to, from, n_moved * sizeof *to);
            }
        }
        container->first_value = (size_t)(to - values);
        container->node = NULL;
    }
    pause->n_values = n;
    return true;
}

int pause_traverse(const struct pause *pause, visitproc visit, void *arg) {
    for (size_t i = 0; pause->values != NULL && i < pause->n_values; i++) {
        Py_VISIT(pause->values[i]);
    }
    Py_VISIT(pause->keys);
    return 0;
}

void pause_clear(struct pause *pause) {
    struct pause old = *pause;
    *pause = (struct pause){.place = PLACE_VALUE};
    while (old.values != NULL && old.n_values > 0) {
        PyObject *const value = old.values[--old.n_values];
        Py_DECREF(value);
    }
    PyMem_Free(old.values);
    PyMem_Free(old.containers);
    Py_XDECREF(old.keys);
}
