/* SPDX-License-Identifier: MIT */

#include "module/errors/exceptions.h"
#include "pyobject/object.h"
#include "text/characters.h"

/* ---- encoding ------------------------------------------------------------------------------ */

/* Whether the exception that is set leaves a call unchanged. */
static bool is_not_ours(void) {
    return !PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError);
}

/* Make one exception the cause of the one that is set; the reference is stolen. */
static void set_cause(PyObject *cause) {
    PyObject *const raised = raised_take();
    PyException_SetCause(raised, cause);
    raised_set(raised);
}

/* A value that neither orjson's rules nor a hook write; what a hook raised is set. */
static void raise_not_serializable(PyObject *culprit) {
    if (PyErr_Occurred() && is_not_ours()) {
        return;
    }
    PyObject *const cause = raised_take();
    PyErr_Format(PyExc_TypeError, "Type is not JSON serializable: %s", Py_TYPE(culprit)->tp_name);
    if (cause != NULL) {
        set_cause(cause);
    }
}

/* An exception of code that was asked for a value, unless it has a text of ours already. */
static void raise_refused(void) {
    if (is_not_ours()) {
        return;
    }
    PyObject *const raised = raised_take();
    if (Py_IS_TYPE(raised, (PyTypeObject *)PyExc_TypeError)) {
        raised_set(raised);
        return;
    }
    PyErr_Format(PyExc_TypeError, "%S", raised);
    set_cause(raised);
}

static void raise_int(PyObject *number) {
    const long long as_signed = PyLong_AsLongLong(number);
    bool is_of_64_bits = !(as_signed == -1 && PyErr_Occurred());
    if (!is_of_64_bits) {
        PyErr_Clear();
        PyLong_AsUnsignedLongLong(number);
        is_of_64_bits = !PyErr_Occurred();
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_TypeError, is_of_64_bits ? "Integer exceeds 53-bit range"
                                                   : "Integer exceeds 64-bit range");
}

void raise_orjson_encode_error(const struct encode_error *error) {
    switch (error->error.kind) {
    case ERROR_RAISED: break;
    case ERROR_NOT_SERIALIZABLE: raise_not_serializable(error->culprit); break;
    case ERROR_INT53:
    case ERROR_INT64: raise_int(error->culprit); break;
    case ERROR_TOO_DEEP: PyErr_SetString(PyExc_TypeError, "Recursion limit reached"); break;
    case ERROR_SURROGATE:
        PyErr_SetString(PyExc_TypeError, "str is not valid UTF-8: surrogates not allowed");
        break;
    default: raise_refused(); break;
    }
    Py_XDECREF(error->culprit);
}

/* ---- decoding ------------------------------------------------------------------------------ */

/* The document while an error is described. */
struct failure {
    PyObject *document;
    Py_ssize_t n;        /* characters */
    Py_ssize_t position; /* of the error */
    const char *message;
};

/* The character at a place; 0 outside of the document. */
static Py_UCS4 char_at(const struct failure *failure, Py_ssize_t i) {
    return i >= 0 && i < failure->n ? PyUnicode_READ_CHAR(failure->document, i) : 0;
}

static bool is_digit_at(const struct failure *failure, Py_ssize_t i) {
    return is_digit(char_at(failure, i));
}

static void fail_at(struct failure *failure, const char *message, Py_ssize_t position) {
    const bool is_end = position >= failure->n;
    failure->message = is_end ? "unexpected end of data" : message;
    failure->position = is_end ? failure->n : position;
}

/* A literal was begun, and does not go on as it should. */
static void describe_literal(struct failure *failure, const char *literal, const char *message) {
    Py_ssize_t i = 0;
    while (literal[i] != '\0' && char_at(failure, failure->position + i) == (Py_UCS4)literal[i]) {
        i++;
    }
    if (failure->position + i == failure->n) {
        fail_at(failure, message, failure->n);
    } else {
        failure->message = message;
    }
}

/* No value begins here. */
static void describe_value(struct failure *failure) {
    Py_ssize_t i = 0;
    switch (char_at(failure, failure->position)) {
    case 't': describe_literal(failure, "true", "invalid literal, expected 'true'"); return;
    case 'f': describe_literal(failure, "false", "invalid literal, expected 'false'"); return;
    case 'n': describe_literal(failure, "null", "invalid literal, expected 'null'"); return;
    case '-': fail_at(failure, "no digit after sign", failure->position + 1); return;
    case '+':
    case '.': failure->message = "no digit after sign"; return;
    default: break;
    }
    if (failure->position < failure->n) {
        failure->message = "unexpected character, expected a JSON value";
        return;
    }
    while (i < failure->n && Py_UNICODE_ISSPACE(char_at(failure, i))) {
        i++;
    }
    fail_at(failure, "", failure->n);
    if (i == failure->n) { /* nothing but white space */
        failure->message = "input data is empty";
        failure->position = 0;
    }
}

/* Whether a number ends at the position that orjson would read further; it is described then. */
static bool describe_number(struct failure *failure) {
    Py_ssize_t begin = failure->position;
    bool has_point = false;
    bool has_exponent = false;
    for (; begin > 0; begin--) {
        const Py_UCS4 c = char_at(failure, begin - 1);
        if (!is_digit_at(failure, begin - 1) && c != '.' && c != '-' && c != '+' &&
            (c | 0x20) != 'e') {
            break;
        }
        has_point |= c == '.';
        has_exponent |= (c | 0x20) == 'e';
    }
    const Py_ssize_t at = failure->position;
    if (begin == at || !is_digit_at(failure, at - 1)) {
        return false;
    }
    begin += char_at(failure, begin) == '-';
    if (begin == at - 1 && char_at(failure, begin) == '0' && is_digit_at(failure, at)) {
        fail_at(failure, "number with leading zero is not allowed", begin);
        return true;
    }
    if (char_at(failure, at) == '.' && !has_point && !has_exponent) {
        fail_at(failure, "no digit after decimal point", at + 1);
        return true;
    }
    if ((char_at(failure, at) | 0x20) == 'e' && !has_exponent) {
        const Py_UCS4 sign = char_at(failure, at + 1);
        fail_at(failure, "no digit after exponent sign", at + 1 + (sign == '+' || sign == '-'));
        return true;
    }
    return false;
}

static void describe_comma(struct failure *failure, bool is_in_object) {
    if (!describe_number(failure)) {
        fail_at(failure,
                is_in_object ? "unexpected character, expected ',' or '}'"
                             : "unexpected character, expected ',' or ']'",
                failure->position);
    }
}

/* Whether an escape that begins at a backslash is that of a high surrogate. */
static bool is_high_escape_at(const struct failure *failure, Py_ssize_t at) {
    Py_ssize_t n_backslashes = 0;
    while (char_at(failure, at - n_backslashes) == '\\') {
        n_backslashes++;
    }
    const Py_UCS4 second = char_at(failure, at + 3) | 0x20;
    return n_backslashes % 2 == 1 && char_at(failure, at + 1) == 'u' &&
           (char_at(failure, at + 2) | 0x20) == 'd' &&
           (second == '8' || second == '9' || second == 'a' || second == 'b');
}

/* An escape whose 'u' is at the position lacks a digit; the second one of a pair is described by
 * the first. */
static void describe_unicode_escape(struct failure *failure) {
    const Py_ssize_t at = failure->position;
    Py_ssize_t i = 1;
    while (i <= 4 && is_hex_digit(char_at(failure, at + i))) {
        i++;
    }
    if (is_high_escape_at(failure, at - 7)) {
        fail_at(failure, "invalid escape in string", at - 7);
    } else {
        fail_at(failure, "invalid escaped sequence in string",
                at + i < failure->n ? at - 1 : failure->n);
    }
}

/* Whether the document ends within the escape of a low surrogate that begins at a place. */
static bool is_cut_low_escape(const struct failure *failure, Py_ssize_t at) {
    const Py_ssize_t n = failure->n - at;
    const Py_UCS4 second = char_at(failure, at + 3) | 0x20;
    return (n < 1 || char_at(failure, at) == '\\') && (n < 2 || char_at(failure, at + 1) == 'u') &&
           (n < 3 || (char_at(failure, at + 2) | 0x20) == 'd') &&
           (n < 4 || (second >= 'c' && second <= 'f')) &&
           (n < 5 || is_hex_digit(char_at(failure, at + 4))) && n < 6;
}

/* A surrogate without its other half is at the position. */
static void describe_surrogate(struct failure *failure) {
    const Py_ssize_t low = failure->position + 6;
    if (is_cut_low_escape(failure, low)) {
        fail_at(failure, "", failure->n);
    } else if (!is_high_escape_at(failure, failure->position)) {
        failure->message = "invalid high surrogate in string";
    } else if (char_at(failure, low) != '\\' || char_at(failure, low + 1) != 'u') {
        failure->message = "no low surrogate in string";
    } else {
        bool is_escape = true;
        for (Py_ssize_t i = 2; i < 6; i++) {
            is_escape &= is_hex_digit(char_at(failure, low + i));
        }
        failure->message =
            is_escape ? "invalid low surrogate in string" : "invalid escape in string";
    }
}

/* A number at the position is beyond every double; what follows it comes first. */
static void describe_big_number(struct failure *failure) {
    const Py_ssize_t begin = failure->position;
    Py_ssize_t at = begin + (char_at(failure, begin) == '-');
    while (is_digit_at(failure, at)) {
        at++;
    }
    if (char_at(failure, at) == '.' && is_digit_at(failure, at + 1)) {
        for (at++; is_digit_at(failure, at);) {
            at++;
        }
    }
    failure->position = at;
    const Py_UCS4 sign = char_at(failure, at + 1);
    const bool has_exponent = (char_at(failure, at) | 0x20) == 'e' &&
                              is_digit_at(failure, at + 1 + (sign == '+' || sign == '-'));
    if (has_exponent || !describe_number(failure)) {
        failure->message = "number is infinity when parsed as double";
        failure->position = begin;
    }
}

static void describe(struct failure *failure, enum error_kind kind) {
    switch (kind) {
    case ERROR_EXPECTING_VALUE: describe_value(failure); break;
    case ERROR_EXPECTING_NAME:
        fail_at(failure, "unexpected character, expected a string key", failure->position);
        break;
    case ERROR_EXPECTING_COLON:
        fail_at(failure, "unexpected character, expected ':' after key", failure->position);
        break;
    case ERROR_EXPECTING_COMMA: describe_comma(failure, false); break;
    case ERROR_EXPECTING_COMMA_IN_OBJECT: describe_comma(failure, true); break;
    case ERROR_TRAILING_COMMA_ARRAY:
    case ERROR_TRAILING_COMMA_OBJECT: failure->message = "trailing comma is not allowed"; break;
    case ERROR_UNTERMINATED_STRING: fail_at(failure, "", failure->n); break;
    case ERROR_CONTROL_CHARACTER:
        failure->message = "unexpected control character in string";
        break;
    case ERROR_INVALID_ESCAPE: failure->message = "invalid escaped sequence in string"; break;
    case ERROR_INVALID_UNICODE_ESCAPE: describe_unicode_escape(failure); break;
    case ERROR_EXTRA_DATA:
        if (!describe_number(failure)) {
            failure->message = "unexpected content after document";
        }
        break;
    case ERROR_CONSTANT:
        describe_value(failure); /* a letter, or the sign before Infinity */
        break;
    case ERROR_OUT_OF_RANGE: describe_big_number(failure); break;
    case ERROR_SURROGATE: describe_surrogate(failure); break;
    case ERROR_NESTING: fail_at(failure, "depth limit exceeded", failure->position + 1); break;
    default: failure->message = "unexpected content"; break;
    }
}

void raise_orjson_decode_error(const struct module_state *state, const struct error *error,
                               PyObject *document) {
    struct failure failure = {.document = document,
                              .n = PyUnicode_GET_LENGTH(document),
                              .position = (Py_ssize_t)error->position};
    describe(&failure, error->kind);
    raise_decode_error_of(state->decode_error, failure.message, document, failure.position);
}
