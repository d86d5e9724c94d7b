/* SPDX-License-Identifier: MIT */
#include "module/document/growing_document.h"

#include "decode/comment.h"
#include "module/call.h"
#include "pyobject/object.h"
#include "text/characters.h"
#include "text/cut_string.h"

#define BYTES_TO_TELL_ENCODING 4
#define MIN_BYTES_TO_DROP 4096

/* The text after the byte order mark. */
static struct text growing_text(const struct growing_document *document) {
    const char *const bytes =
        document->body.text != NULL ? PyBytes_AS_STRING(document->body.text) : "";
    return (struct text){
        .data = bytes + document->n_skipped,
        .length = document->body.length - document->n_skipped,
        .form = TEXT_UTF8,
    };
}

void growing_document_clear(struct growing_document *document) {
    struct growing_document old = *document;
    *document = (struct growing_document){.is_running = old.is_running};
    PyObject *const text = body_take(&old.body).text;
    Py_XDECREF(text);
    pause_clear(&old.pause);
    Py_XDECREF(old.value);
}

int growing_document_traverse(const struct growing_document *document, visitproc visit, void *arg) {
    Py_VISIT(document->value);
    return pause_traverse(&document->pause, visit, arg);
}

/* ---- calls, one at a time ------------------------------------------------------------------ */

static bool growing_document_enter(struct growing_document *document) {
    if (document->is_running) {
        PyErr_SetString(PyExc_RuntimeError, "the Decoder is decoding: its document cannot be used "
                                            "by a hook, or by another thread, at the same time");
        return false;
    }
    document->is_running = true;
    return true;
}

/* End a call. After an exception that is set the document is empty. */
static void growing_document_leave(struct growing_document *document, bool is_good) {
    if (!is_good) {
        PyObject *const raised = raised_take();
        growing_document_clear(document);
        raised_set(raised);
    }
    document->is_running = false;
}

/* ---- errors -------------------------------------------------------------------------------- */

/* Set an attribute of an exception to an int. */
static void set_int(PyObject *error, const char *name, Py_ssize_t value) {
    PyObject *const number = PyLong_FromSsize_t(value);
    if (number != NULL) {
        PyObject_SetAttrString(error, name, number);
        Py_DECREF(number);
    }
}

static Py_ssize_t get_int(PyObject *error, const char *name) {
    PyObject *const number = PyObject_GetAttrString(error, name);
    const Py_ssize_t value = number != NULL ? PyLong_AsSsize_t(number) : -1;
    Py_XDECREF(number);
    return value;
}

/* Let the UnicodeDecodeError that is set count the bytes that were dropped. */
static void count_dropped_bytes(Py_ssize_t n_bytes) {
    PyObject *const error = raised_take();
    const Py_ssize_t start = get_int(error, "start") + n_bytes;
    const Py_ssize_t end = get_int(error, "end") + n_bytes;
    PyObject *const encoding = PyObject_GetAttrString(error, "encoding");
    PyObject *const object = PyObject_GetAttrString(error, "object");
    PyObject *const reason = PyObject_GetAttrString(error, "reason");
    PyObject *moved = NULL;
    if (encoding != NULL && object != NULL && reason != NULL) {
        moved = PyObject_CallFunction(PyExc_UnicodeDecodeError, "OOnnO", encoding, object, start,
                                      end, reason);
    }
    Py_XDECREF(reason);
    Py_XDECREF(object);
    Py_XDECREF(encoding);
    PyErr_Clear();
    raised_set(moved != NULL ? moved : Py_NewRef(error));
    Py_DECREF(error);
}

/* Let the JSONDecodeError or UnicodeDecodeError that is set count the text that was dropped. */
static void count_dropped_text(const struct module_state *state,
                               const struct dropped_text *dropped) {
    if (dropped->n_bytes != 0 && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        count_dropped_bytes(dropped->n_bytes);
    }
    if (dropped->n_bytes == 0 || !PyErr_ExceptionMatches(state->decode_error)) {
        return;
    }
    PyObject *const error = raised_take();
    const Py_ssize_t line = get_int(error, "lineno");
    const Py_ssize_t column = get_int(error, "colno") + (line == 1 ? dropped->n_in_line : 0);
    const Py_ssize_t position = get_int(error, "pos") + dropped->n_characters;
    set_int(error, "pos", position);
    set_int(error, "lineno", line + dropped->n_lines);
    set_int(error, "colno", column);
    PyObject *const message = PyObject_GetAttrString(error, "msg");
    PyObject *const text = message != NULL
                               ? PyUnicode_FromFormat("%U: line %zd column %zd (char %zd)", message,
                                                      line + dropped->n_lines, column, position)
                               : NULL;
    PyObject *const args = text != NULL ? PyTuple_Pack(1, text) : NULL;
    if (args != NULL) {
        PyObject_SetAttrString(error, "args", args);
    }
    Py_XDECREF(args);
    Py_XDECREF(text);
    Py_XDECREF(message);
    PyErr_Clear();
    raised_set(error);
}

static COLD void growing_document_raise(const struct growing_document *document,
                                        const struct module_state *state,
                                        const struct decode_arguments *arguments,
                                        const struct error *error) {
    if (error->kind == ERROR_RAISED) {
        return;
    }
    const struct text text = growing_text(document);
    const struct utf8 utf8 = {
        .bytes = (const char *)text.data - document->n_skipped,
        .length = document->body.length,
        .n_skipped = document->n_skipped,
        .is_cut = !document->pause.is_last,
    };
    raise_decode_error_in_bytes(state, &arguments->options, error, &utf8);
    count_dropped_text(state, &document->dropped);
}

/* ---- decoding ------------------------------------------------------------------------------ */

/* Whether the number that begins at `begin` and reaches `searched` goes on to the end: with nothing
 * but digits, after a digit that is not the first one, which may be a zero. */
static bool is_within_number(const uint8_t *begin, const uint8_t *searched, const uint8_t *end) {
    if (searched - begin < 3 || !is_digit(searched[-1])) {
        return false;
    }
    while (searched < end && is_digit(*searched)) {
        searched++;
    }
    return searched == end;
}

/* Whether the text cannot be decoded any further: it ends in a string, a number or a comment that
 * began in an earlier chunk. Each byte is looked at once. */
static bool is_within_value(struct growing_document *document, const struct text *text) {
    const struct pause *const pause = &document->pause;
    const uint8_t *const bytes = text->data;
    const uint8_t *const begin = bytes + pause->position;
    const uint8_t *const searched = bytes + document->n_searched;
    const uint8_t *const end = bytes + text->length;
    const bool is_of_value = pause->place == PLACE_VALUE || pause->place == PLACE_KEY;
    if (pause->is_last || (!is_of_value && !pause->is_in_comment) || begin >= searched) {
        return false;
    }
    assert(searched <= end);
    const bool is_within = pause->is_in_comment ? is_within_comment(begin, searched, end)
                           : *begin == '"' ? find_closing_quote(begin + 1, searched, end) == NULL
                           : *begin == '-' || is_digit(*begin)
                               ? is_within_number(begin, searched, end)
                               : false;
    if (is_within) {
        document->n_searched = text->length;
    }
    return is_within;
}

/* The index of the first unit from `start` on that is no white space. */
static Py_ssize_t skip_space_from(const struct text *text, Py_ssize_t start) {
    const uint8_t *const bytes = text->data;
    while (start < text->length && is_space(bytes[start])) {
        start++;
    }
    return start;
}

/* Skip what is after the document's value: white space and, with the option jsonc, comments. What
 * must not be there is an error. */
static void skip_rest(struct growing_document *document, const struct text *text, bool is_jsonc,
                      struct error *error) {
    struct pause *const pause = &document->pause;
    if (!is_jsonc) {
        pause->position = (size_t)skip_space_from(text, (Py_ssize_t)pause->position);
    } else {
        pause->is_in_comment = false;
        switch (skip_comments(text, &pause->position, !pause->is_last)) {
        case COMMENT_END_FAULT:
            error->kind = PyErr_Occurred() ? ERROR_RAISED : ERROR_INVALID_UTF8;
            return;
        case COMMENT_END_CUT:
            pause->is_in_comment = !pause->is_last;
            if (pause->is_last) {
                *error = (struct error){ERROR_UNTERMINATED_COMMENT, pause->position};
            }
            return;
        default: break;
        }
    }
    if ((Py_ssize_t)pause->position != text->length) {
        *error = (struct error){ERROR_EXTRA_DATA, pause->position};
    }
}

/* Decode the new text; -1 with an exception set. */
static int growing_document_decode(struct growing_document *document, struct module_state *state,
                                   const struct decode_arguments *arguments) {
    struct pause *const pause = &document->pause;
    const struct text text = growing_text(document);
    struct error error = {.kind = ERROR_NONE};
    if (is_within_value(document, &text)) {
        return 0;
    }
    if (document->value != NULL) {
        skip_rest(document, &text, arguments->options.is_jsonc, &error);
        document->n_searched = text.length;
        if (error.kind == ERROR_NONE) {
            return 0;
        }
    } else {
        pause->is_in_comment = false;
        const struct source source = {.text = text, .options = &arguments->options, .pause = pause};
        document->value = decode_source_part(state, &source, &error);
        if (document->value != NULL) {
            if (!pause->is_in_comment) {
                pause->position = (size_t)text.length;
            }
            pause->n_open = 0;
            pause->place = PLACE_AFTER_VALUE;
            document->n_searched = text.length;
            return 0;
        }
        document->n_searched = text.length;
        if (error.kind == ERROR_UNFINISHED) {
            return 0;
        }
    }
    growing_document_raise(document, state, arguments, &error);
    return -1;
}

/* ---- chunks -------------------------------------------------------------------------------- */

/* A chunk as UTF-8: the bytes' owner is a new reference or NULL, and *buffer is to be released. */
static bool chunk_of(PyObject *object, struct chunk *chunk, PyObject **owner, Py_buffer *buffer) {
    if (PyUnicode_Check(object)) {
        *owner = unicode_is_ready(object)
                     ? PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass")
                     : NULL;
    } else if (PyBytes_CheckExact(object)) {
        *owner = Py_NewRef(object);
    } else {
        if (take_buffer(object, buffer) != 0) {
            return false;
        }
        *chunk = (struct chunk){.bytes = buffer_bytes(buffer), .length = buffer->len};
        return true;
    }
    if (*owner != NULL) {
        *chunk = (struct chunk){.object = *owner,
                                .bytes = PyBytes_AS_STRING(*owner),
                                .length = PyBytes_GET_SIZE(*owner)};
    }
    return *owner != NULL;
}

/* Check a chunk of n bytes or characters, and the first character of a str; false with an exception
 * set. */
static bool growing_document_accepts(struct growing_document *document,
                                     const struct module_state *state,
                                     const struct decode_arguments *arguments, PyObject *object,
                                     Py_ssize_t n) {
    const bool is_str = PyUnicode_Check(object);
    if (document->body.text != NULL && document->is_str != is_str) {
        PyErr_SetString(PyExc_TypeError, "chunks of one document must be all bytes or all str");
        return false;
    }
    if (n > arguments->max_size - document->n_fed) {
        raise_size_error(state, arguments->max_size);
        return false;
    }
    if (is_str && document->n_fed == 0 && n > 0 && PyUnicode_READ_CHAR(object, 0) == 0xfeff) {
        raise_for_byte_order_mark(state, object, n);
        return false;
    }
    document->is_str = is_str;
    document->n_fed += n;
    return true;
}

/* Find out the encoding as soon as enough was fed; false: not yet, or it is not UTF-8. A first byte
 * that is ASCII counts as UTF-8 until a second one is zero. */
static bool growing_document_is_utf8(struct growing_document *document) {
    if (document->is_known) {
        return !document->is_foreign;
    }
    const struct text text = growing_text(document);
    const uint8_t *const bytes = text.data;
    const bool begins_plainly = text.length > 0 && (int8_t)bytes[0] > 0;
    if (document->is_str || (begins_plainly && text.length == 1)) {
        document->is_known = document->is_str;
        return true;
    }
    if (begins_plainly) {
        document->is_foreign = bytes[1] == 0;
    } else if (text.length >= BYTES_TO_TELL_ENCODING) {
        const char *const encoding = detect_encoding(bytes, text.length);
        document->is_foreign = strncmp(encoding, "utf-8", 5) != 0;
        document->n_skipped = !document->is_foreign && encoding[5] != '\0' ? 3 : 0;
    } else {
        return false;
    }
    document->is_known = true;
    if (document->is_foreign) {
        pause_clear(&document->pause);
    }
    return !document->is_foreign;
}

static int growing_document_add(struct growing_document *document, struct module_state *state,
                                const struct decode_arguments *arguments, PyObject *object) {
    struct chunk chunk = {.length = 0};
    PyObject *owner = NULL;
    Py_buffer buffer = {.obj = NULL};
    PyObject *dropped = NULL;
    bool is_good = chunk_of(object, &chunk, &owner, &buffer);
    if (is_good) {
        const Py_ssize_t n = PyUnicode_Check(object) ? PyUnicode_GET_LENGTH(object) : chunk.length;
        is_good = growing_document_accepts(document, state, arguments, object, n) &&
                  body_feed(&document->body, &chunk, PY_SSIZE_T_MAX, &dropped) == BODY_FED;
    }
    PyBuffer_Release(&buffer);
    Py_XDECREF(owner);
    Py_XDECREF(dropped);
    if (!is_good) {
        return -1;
    }
    return growing_document_is_utf8(document) ? growing_document_decode(document, state, arguments)
                                              : 0;
}

int growing_document_feed(struct growing_document *document, struct module_state *state,
                          const struct decode_arguments *arguments, PyObject *chunk) {
    if (!growing_document_enter(document)) {
        return -1;
    }
    const int status = growing_document_add(document, state, arguments, chunk);
    growing_document_leave(document, status == 0);
    return status;
}

/* ---- the value so far ---------------------------------------------------------------------- */

/* The value of a small document, a new reference; NULL with *error filled. */
static PyObject *decode_tail(struct module_state *state, const struct decode_arguments *arguments,
                             const void *bytes, Py_ssize_t n, struct error *error) {
    const struct source source = {
        .text = {.data = bytes, .length = n, .form = TEXT_UTF8},
        .options = &arguments->options,
    };
    return decode_source(state, &source, error);
}

/* What is known of the cut string whose quote is at begin: a new str, NULL with *error filled. */
static PyObject *decode_cut_string(struct module_state *state,
                                   const struct decode_arguments *arguments, const uint8_t *begin,
                                   const uint8_t *end, struct error *error) {
    const size_t n = (size_t)(cut_string_known_end(begin + 1, end) - begin);
    uint8_t *const copy = PyMem_Malloc(n + 1);
    if (copy == NULL) {
        error->kind = ERROR_RAISED;
        return PyErr_NoMemory();
    }
    memcpy(copy, begin, n);
    copy[n] = '"';
    PyObject *const value = decode_tail(state, arguments, copy, (Py_ssize_t)n + 1, error);
    PyMem_Free(copy);
    return value;
}

/* The value of the number, literal or string at the end of the text: NULL with an exception set, or
 * without one where nothing of it is known. */
static PyObject *growing_document_last(const struct growing_document *document,
                                       struct module_state *state,
                                       const struct decode_arguments *arguments) {
    const struct pause *const pause = &document->pause;
    const struct text text = growing_text(document);
    const uint8_t *const begin = (const uint8_t *)text.data + pause->position;
    const uint8_t *const end = (const uint8_t *)text.data + text.length;
    assert((Py_ssize_t)pause->position <= text.length);
    if (pause->place != PLACE_VALUE || begin >= end || pause->is_in_comment) {
        return NULL;
    }
    struct error error = {.kind = ERROR_NONE};
    if (*begin != '"') {
        /* a number may be whole; a literal that is whole is no longer here */
        return decode_tail(state, arguments, begin, end - begin, &error);
    }
    if (arguments->partial != PARTIAL_TRAILING_STRINGS) {
        return NULL;
    }
    PyObject *const value = decode_cut_string(state, arguments, begin, end, &error);
    if (value == NULL) {
        error.position += pause->position;
        growing_document_raise(document, state, arguments, &error);
    }
    return value;
}

/* ---- the value so far ---------------------------------------------------------------------- */

/* The value of a document whose containers are still open. Finished values are shared with the
 * final value. Open containers are copied each time: whoever gets a copy may change it and drop
 * it, and nothing tells that they did. */

/* A list of n values and, unless it is NULL, a last one. Every slot is filled before anything else
 * is allocated, as the collector may show the list to Python code. */
static PyObject *copy_list(PyObject *const *values, size_t n, PyObject *last) {
    PyObject *const list = PyList_New((Py_ssize_t)n + (last != NULL));
    if (list == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        PyList_SET_ITEM(list, (Py_ssize_t)i, Py_NewRef(values[i]));
    }
    if (last != NULL) {
        PyList_SET_ITEM(list, (Py_ssize_t)n, Py_NewRef(last));
    }
    return list;
}

/* A dict of n keys and values in turn. An odd n says that the newest key has no value yet: it gets
 * the last one, or is left out where that is NULL. */
static PyObject *copy_dict(PyObject *const *values, size_t n, PyObject *last) {
    PyObject *dict = PyDict_New();
    bool is_good = dict != NULL;
    for (size_t i = 0; is_good && n - i >= 2; i += 2) {
        is_good = PyDict_SetItem(dict, values[i], values[i + 1]) == 0;
    }
    if (is_good && last != NULL) {
        assert(n % 2 != 0);
        is_good = PyDict_SetItem(dict, values[n - 1], last) == 0;
    }
    if (!is_good) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* A copy of the containers of a pause, at least one open, with a last value in the innermost one,
 * or NULL: a new reference to the outermost, NULL with an exception set. */
static PyObject *partial_value_copy(const struct pause *pause, PyObject *last) {
    assert(pause->n_open > 0);
    PyObject *copy = Py_XNewRef(last);
    /* from the innermost to the outermost, each the last value of the next */
    for (size_t i = pause->n_open; i > 0; i--) {
        const struct container *const container = &pause->containers[i];
        PyObject *const *const values = pause->values + container->first_value;
        const size_t n = pause_n_values_of(pause, i);
        PyObject *const inner = copy;
        copy = container->kind == CONTAINER_LIST ? copy_list(values, n, inner)
                                                 : copy_dict(values, n, inner);
        Py_XDECREF(inner);
        if (copy == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* The value so far: a new reference, or NULL, with an exception set unless nothing is known. */
static PyObject *growing_document_look(struct growing_document *document,
                                       struct module_state *state,
                                       const struct decode_arguments *arguments) {
    if (document->value != NULL) {
        return Py_NewRef(document->value);
    }
    if (document->is_foreign) {
        return NULL;
    }
    PyObject *const last = growing_document_last(document, state, arguments);
    if ((last == NULL && PyErr_Occurred()) || document->pause.n_open == 0) {
        return last;
    }
    PyObject *const value = partial_value_copy(&document->pause, last);
    Py_XDECREF(last);
    return value;
}

PyObject *growing_document_value(struct growing_document *document, struct module_state *state,
                                 const struct decode_arguments *arguments) {
    if (!growing_document_enter(document)) {
        return NULL;
    }
    PyObject *const value = growing_document_look(document, state, arguments);
    growing_document_leave(document, value != NULL || !PyErr_Occurred());
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_LookupError, "nothing of the document's value is known yet");
    }
    return value;
}

/* ---- items --------------------------------------------------------------------------------- */

/* The first n values of the outermost list, which are removed: a new list. */
static PyObject *pause_take_items(struct pause *pause) {
    const size_t first = pause->containers[1].first_value;
    const size_t n = pause_n_values_of(pause, 1);
    PyObject *const items = PyList_New((Py_ssize_t)n);
    if (items == NULL) {
        return NULL;
    }
    if (n == 0) { /* open containers may be many, and are not looked at in vain */
        return items;
    }
    for (size_t i = 0; i < n; i++) {
        PyList_SET_ITEM(items, (Py_ssize_t)i, pause->values[first + i]);
    }
    pause->n_values -= n;
    memmove(pause->values + first, pause->values + first + n,
            (pause->n_values - first) * sizeof *pause->values);
    for (size_t i = 2; i <= pause->n_open; i++) {
        pause->containers[i].first_value -= n;
    }
    return items;
}

/* Count n bytes of text as dropped. */
static void dropped_text_add(struct dropped_text *dropped, const char *bytes, Py_ssize_t n) {
    dropped->n_bytes += n;
    for (Py_ssize_t i = 0; i < n; i++) {
        const bool is_character = (bytes[i] & 0xc0) != 0x80;
        dropped->n_characters += is_character;
        dropped->n_in_line += is_character;
        if (bytes[i] == '\n') {
            dropped->n_lines++;
            dropped->n_in_line = 0;
        }
    }
}

/* Drop the text of items that were taken: all before the comma or bracket that precedes the first
 * item that is not finished. Nothing goes back further: the containers that are open within the
 * item, and the string, number or literal that is cut, begin after it. -1 with MemoryError set. */
static int growing_document_drop_text(struct growing_document *document, PyObject **dropped) {
    struct pause *const pause = &document->pause;
    assert(pause->n_open >= 1 && pause->last_token < pause->position);
    const Py_ssize_t n =
        (Py_ssize_t)(pause->n_open > 1 ? pause->containers[2].begin - 1 : pause->last_token);
    /* seldom, so that what is kept is moved seldom */
    if (n < MIN_BYTES_TO_DROP || n < document->body.length / 2) {
        return 0;
    }
    const struct text text = growing_text(document);
    assert(n < text.length);
    dropped_text_add(&document->dropped, text.data, n);
    if (body_drop(&document->body, document->n_skipped + n, dropped) != 0) {
        return -1;
    }
    document->n_skipped = 0;
    pause->position -= (size_t)n;
    pause->last_token -= (size_t)n;
    document->n_searched -= n;
    pause->containers[1].begin = 0;
    for (size_t i = 2; i <= pause->n_open; i++) {
        pause->containers[i].begin -= (size_t)n;
    }
    return 0;
}

/* Raise for a document whose outermost value is no array. */
static COLD void raise_no_array(const struct growing_document *document,
                                const struct module_state *state,
                                const struct decode_arguments *arguments) {
    const struct text text = growing_text(document);
    struct error error = {.kind = ERROR_EXPECTING_ARRAY, .position = 0};
    if (arguments->options.is_jsonc) {
        skip_comments(&text, &error.position, false);
    } else {
        error.position = (size_t)skip_space_from(&text, 0);
    }
    growing_document_raise(document, state, arguments, &error);
}

static PyObject *growing_document_items(struct growing_document *document,
                                        const struct module_state *state,
                                        const struct decode_arguments *arguments,
                                        PyObject **dropped) {
    struct pause *const pause = &document->pause;
    if (document->value != NULL) {
        if (!PyList_CheckExact(document->value)) {
            raise_no_array(document, state, arguments);
            return NULL;
        }
        PyObject *const rest = PyList_New(0);
        if (rest == NULL) {
            return NULL;
        }
        PyObject *const items = document->value;
        document->value = rest;
        return items;
    }
    if (pause->n_open == 0) {
        return PyList_New(0);
    }
    if (pause->containers[1].kind != CONTAINER_LIST) {
        raise_no_array(document, state, arguments);
        return NULL;
    }
    PyObject *const items = pause_take_items(pause);
    if (items != NULL && growing_document_drop_text(document, dropped) != 0) {
        Py_DECREF(items);
        return NULL;
    }
    return items;
}

PyObject *growing_document_take_items(struct growing_document *document, struct module_state *state,
                                      const struct decode_arguments *arguments) {
    if (!growing_document_enter(document)) {
        return NULL;
    }
    PyObject *dropped = NULL;
    PyObject *const items = growing_document_items(document, state, arguments, &dropped);
    Py_XDECREF(dropped);
    growing_document_leave(document, items != NULL);
    return items;
}

/* ---- the end ------------------------------------------------------------------------------- */

PyObject *growing_document_close(struct growing_document *document, struct module_state *state,
                                 const struct decode_arguments *arguments) {
    if (!growing_document_enter(document)) {
        return NULL;
    }
    PyObject *value = NULL;
    if (!document->is_known || document->is_foreign) {
        const struct text text = growing_text(document);
        value = document_decode_bytes(state, arguments, text.data, text.length, DOCUMENT_VALUE);
    } else {
        document->pause.is_last = true;
        if (growing_document_decode(document, state, arguments) == 0) {
            value = Py_XNewRef(document->value);
        }
    }
    PyObject *const raised = value == NULL ? raised_take() : NULL;
    growing_document_clear(document);
    if (raised != NULL) {
        raised_set(raised);
    }
    document->is_running = false;
    return value;
}
