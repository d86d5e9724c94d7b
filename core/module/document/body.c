/* SPDX-License-Identifier: MIT */
#include "module/document/body.h"

#define BODY_MIN_ROOM 64

struct body body_take(struct body *body) {
    const struct body taken = *body;
    *body = (struct body){.text = NULL};
    return taken;
}

/* Units to allocate for a text of length units: half as many again, up to the limit. */
static Py_ssize_t body_room(Py_ssize_t length, Py_ssize_t max_length) {
    const Py_ssize_t room = length <= PY_SSIZE_T_MAX / 2 ? length + length / 2 : PY_SSIZE_T_MAX;
    const Py_ssize_t bounded = room < max_length ? room : max_length;
    return bounded > BODY_MIN_ROOM ? bounded : BODY_MIN_ROOM;
}

/* Whether this thread may write to the text. */
static bool body_is_writable(const struct body *body) {
#if IS_FREE_THREADED
    return body->is_private && body->maker == _Py_ThreadId();
#else
    return body->is_private;
#endif
}

/* Replace the text by one that this thread has made; the old one goes to *dropped. */
static void body_replace(struct body *body, PyObject *text, PyObject **dropped) {
    *dropped = body->text;
    body->text = text;
    body->is_private = true;
#if IS_FREE_THREADED
    body->maker = _Py_ThreadId();
#endif
}

/* Make room for n more bytes; false with MemoryError set. Text that is no longer private goes to
 * *dropped. */
static bool body_reserve_bytes(struct body *body, Py_ssize_t n, Py_ssize_t max_length,
                               PyObject **dropped) {
    if (body_is_writable(body) && PyBytes_GET_SIZE(body->text) - body->length >= n) {
        return true;
    }
    const Py_ssize_t room = body->text != NULL ? body_room(body->length + n, max_length) : n;
    if (body_is_writable(body)) {
        return _PyBytes_Resize(&body->text, room) == 0;
    }
    PyObject *const text = PyBytes_FromStringAndSize(NULL, room);
    if (text == NULL) {
        return false;
    }
    if (body->text != NULL) {
        memcpy(PyBytes_AS_STRING(text), PyBytes_AS_STRING(body->text), (size_t)body->length);
    }
    body_replace(body, text, dropped);
    return true;
}

/* Make room for n more characters up to max_char; false with MemoryError set. Text that is no
 * longer private goes to *dropped. */
static bool body_reserve_characters(struct body *body, Py_ssize_t n, Py_UCS4 max_char,
                                    Py_ssize_t max_length, PyObject **dropped) {
    const Py_UCS4 own_max_char = PyUnicode_MAX_CHAR_VALUE(body->text);
    const bool is_wide_enough = body_is_writable(body) && own_max_char >= max_char;
    if (is_wide_enough && PyUnicode_GET_LENGTH(body->text) - body->length >= n) {
        return true;
    }
    const Py_ssize_t room = body_room(body->length + n, max_length);
    if (is_wide_enough) {
        return PyUnicode_Resize(&body->text, room) == 0;
    }
    PyObject *const text = PyUnicode_New(room, own_max_char > max_char ? own_max_char : max_char);
    if (text == NULL) {
        return false;
    }
    if (PyUnicode_CopyCharacters(text, 0, body->text, 0, body->length) < 0) {
        Py_DECREF(text);
        return false;
    }
    body_replace(body, text, dropped);
    return true;
}

static bool body_append(struct body *body, const struct chunk *chunk, Py_ssize_t max_length,
                        PyObject **dropped) {
    if (body->text == NULL && chunk->object != NULL) {
        body->text = Py_NewRef(chunk->object);
    } else if (chunk->bytes != NULL) {
        if (!body_reserve_bytes(body, chunk->length, max_length, dropped)) {
            return false;
        }
        assert(PyBytes_GET_SIZE(body->text) - body->length >= chunk->length);
        memcpy(PyBytes_AS_STRING(body->text) + body->length, chunk->bytes, (size_t)chunk->length);
    } else if (chunk->length > 0) {
        if (!body_reserve_characters(body, chunk->length, PyUnicode_MAX_CHAR_VALUE(chunk->object),
                                     max_length, dropped)) {
            return false;
        }
        const Py_ssize_t n_copied =
            PyUnicode_CopyCharacters(body->text, body->length, chunk->object, 0, chunk->length);
        assert(n_copied == chunk->length); /* nobody else holds the text, and it is wide enough */
        (void)n_copied;
    }
    body->length += chunk->length;
    return true;
}

enum body_status body_feed(struct body *body, const struct chunk *chunk, Py_ssize_t max_length,
                           PyObject **dropped) {
    enum body_status status = BODY_FED;
    if (body->text != NULL && PyBytes_Check(body->text) != (chunk->bytes != NULL)) {
        status = BODY_MIXED;
    } else if (chunk->length > max_length - body->length) {
        status = BODY_TOO_LONG;
    } else if (!body_append(body, chunk, max_length, dropped)) {
        status = BODY_RAISED;
    }
    if (status != BODY_FED) {
        *dropped = body_take(body).text;
    }
    return status;
}

int body_drop(struct body *body, Py_ssize_t n, PyObject **dropped) {
    assert(0 <= n && n <= body->length && body->length <= PyBytes_GET_SIZE(body->text));
    char *const bytes = PyBytes_AS_STRING(body->text);
    const Py_ssize_t n_kept = body->length - n;
    if (body_is_writable(body)) {
        memmove(bytes, bytes + n, (size_t)n_kept);
    } else {
        /* bytes of one or none would be shared ones */
        const Py_ssize_t room = n_kept > BODY_MIN_ROOM ? n_kept : BODY_MIN_ROOM;
        PyObject *const text = PyBytes_FromStringAndSize(NULL, room);
        if (text == NULL) {
            return -1;
        }
        memcpy(PyBytes_AS_STRING(text), bytes + n, (size_t)n_kept);
        body_replace(body, text, dropped);
    }
    body->length = n_kept;
    return 0;
}
