/* SPDX-License-Identifier: MIT */
#include "module/looks.h"

static bool is_list(const struct look_level *level) {
    return PyList_CheckExact(level->object);
}

/* Put the last value, which has no successor yet, at the end of a list or under the newest key. */
static bool level_put_last(struct look_level *level, PyObject *const *values, PyObject *last) {
    level->has_last = true;
    return is_list(level) ? PyList_Append(level->object, last) == 0
                          : PyDict_SetItem(level->object, values[level->n_values], last) == 0;
}

/* Take the last value out again. A dict keeps its key, whose value must be set afterwards. */
static bool level_drop_last(struct look_level *level, PyObject *const *values) {
    if (!level->has_last) {
        return true;
    }
    level->has_last = false;
    if (!is_list(level)) {
        return PyDict_SetItem(level->object, values[level->n_values], Py_None) == 0;
    }
    const Py_ssize_t n = PyList_GET_SIZE(level->object);
    return PyList_SetSlice(level->object, n - 1, n, NULL) == 0;
}

/* Add the finished values that are new, up to n. */
static bool level_extend(struct look_level *level, PyObject *const *values, size_t n) {
    size_t i = level->n_values;
    bool is_good = true;
    if (is_list(level)) {
        for (; is_good && i < n; i++) {
            is_good = PyList_Append(level->object, values[i]) == 0;
        }
    } else {
        for (; is_good && n - i >= 2; i += 2) {
            is_good = PyDict_SetItem(level->object, values[i], values[i + 1]) == 0;
        }
    }
    level->n_values = i;
    return is_good;
}

/* Whether a copy of an earlier look can be continued: it is of the same container, and nobody else
 * can see it. A key whose value has been given up, as `1` is where `1.` is found, would stay. */
static bool level_is_reusable(const struct look_level *level, const struct container *container,
                              size_t n_values, bool has_last) {
#if IS_FREE_THREADED /* other threads' references are not counted here */
    (void)level, (void)container, (void)n_values, (void)has_last;
    return false;
#else
    const bool is_key_given_up =
        !is_list(level) && level->has_last && !has_last && n_values / 2 * 2 == level->n_values;
    return level->begin == container->begin && Py_REFCNT(level->object) == 1 && !is_key_given_up;
#endif
}

static void look_shorten(struct look *look, size_t n) {
    while (look->n > n) {
        PyObject *const object = look->levels[--look->n].object;
        Py_DECREF(object);
    }
}

/* Make a level anew. */
static bool look_replace(struct look *look, size_t i, const struct container *container) {
    look_shorten(look, i);
    PyObject *const object = container->kind == CONTAINER_LIST ? PyList_New(0) : PyDict_New();
    if (object != NULL) {
        look->levels[i] = (struct look_level){.object = object, .begin = container->begin};
        look->n = i + 1;
    }
    return object != NULL;
}

static bool look_grow(struct look *look, size_t n) {
    if (n <= look->n) {
        return true;
    }
    struct look_level *const levels = PyMem_Realloc(look->levels, n * sizeof *levels);
    if (levels == NULL) {
        PyErr_NoMemory();
        return false;
    }
    look->levels = levels;
    return true;
}

static bool look_update(struct look *look, const struct pause *pause, PyObject *last) {
    if (!look_grow(look, pause->n_open)) {
        return false;
    }
    PyObject *const *outer_values = NULL;
    for (size_t i = 0; i < pause->n_open; i++) {
        const struct container *const container = &pause->containers[i + 1];
        PyObject *const *const values = pause->values + container->first_value;
        const size_t n_values = pause_n_values_of(pause, i + 1);
        const bool has_last = i + 1 < pause->n_open || last != NULL;
        struct look_level *const level = &look->levels[i];
        /* a level within one that was made anew is held by the old one, if somebody holds that */
        if (i < look->n && level_is_reusable(level, container, n_values, has_last)) {
            if (!level_drop_last(level, values)) {
                return false;
            }
        } else if (!look_replace(look, i, container)) {
            return false;
        }
        if ((i > 0 && !level_put_last(&look->levels[i - 1], outer_values, level->object)) ||
            !level_extend(level, values, n_values)) {
            return false;
        }
        outer_values = values;
    }
    look_shorten(look, pause->n_open);
    return last == NULL || level_put_last(&look->levels[pause->n_open - 1], outer_values, last);
}

static void look_clear(struct look *look) {
    look_shorten(look, 0);
    PyMem_Free(look->levels);
    look->levels = NULL;
}

PyObject *looks_take(struct looks *looks, const struct pause *pause, PyObject *last) {
    struct look *const look = &looks->of[!looks->newest];
    if (!look_update(look, pause, last)) {
        look_clear(look);
        return NULL;
    }
    looks->newest = !looks->newest;
    return Py_NewRef(look->levels[0].object);
}

int looks_traverse(const struct looks *looks, visitproc visit, void *arg) {
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < looks->of[i].n; j++) {
            Py_VISIT(looks->of[i].levels[j].object);
        }
    }
    return 0;
}

void looks_clear(struct looks *looks) {
    look_clear(&looks->of[0]);
    look_clear(&looks->of[1]);
}
