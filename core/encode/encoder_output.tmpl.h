/* SPDX-License-Identifier: MIT */
/* Template: write what depends on the encoder beside its output, in units of one width: ints of any
 * size, keys other than str, closing brackets. Parameter: OUTPUT_BITS, 8, 16 or 32. Uses the
 * functions of output.tmpl.h, and returns what they do. */

#define unit_t VEC_UNIT(OUTPUT_BITS)

/* The end of a container that is `depth` levels deep and indented, or not read in place: the
 * closing line's indentation, if any, and the bracket. */
static COLD unit_t *UNIT_NAME(put_closing)(struct output *output, unit_t *out, char bracket,
                                           bool has_output, bool has_skipped, size_t depth) {
    if (UNLIKELY(output->options->indent != NULL) &&
        (has_output || (has_skipped && output->options->context->quirks.keeps_line_of_skipped))) {
        if (!has_output) {
            out = UNIT_NAME(put_line_break)(output, out, depth);
            if (out == NULL) {
                return NULL;
            }
        }
        out = UNIT_NAME(put_line_break)(output, out, depth - 1);
        if (out == NULL) {
            return NULL;
        }
    }
    *out = (unit_t)bracket;
    return out + 1;
}

/* An int of any size and of a subclass too; may run Python code. */
static NOINLINE unit_t *UNIT_NAME(put_any_int)(struct encoder *encoder, unit_t *out,
                                               PyObject *number) {
    struct output *const output = &encoder->output;
    if (LIKELY(long_is_below_2_64(number))) {
        return UNIT_NAME(put_rare_int64)(output, out, number);
    }
    if (options_int_format(output->options, false) == INT_ERROR) {
        output_fail(output, options_int_error(output->options), number);
        return NULL;
    }
    PyObject *const digits = encoder_int_repr(encoder, number);
    if (digits == NULL) {
        return NULL;
    }
    out = UNIT_NAME(put_digits)(output, out, digits, number);
    Py_DECREF(digits);
    return out;
}

/* A key that is not a str, as stdlib coerces it, in quotes; may run Python code. */
static NOINLINE unit_t *UNIT_NAME(put_coerced_key)(struct encoder *encoder, unit_t *out,
                                                   PyObject *key) {
    struct output *const output = &encoder->output;
    *out++ = '"';
    output->is_in_key = true;
    if (PyFloat_Check(key)) {
        out = UNIT_NAME(put_rare_float)(output, out, key);
    } else if (key == Py_True) {
        out = UNIT_NAME(put_ascii)(out, "true", 4);
    } else if (key == Py_False) {
        out = UNIT_NAME(put_ascii)(out, "false", 5);
    } else if (key == Py_None) {
        out = UNIT_NAME(put_ascii)(out, "null", 4);
    } else {
        assert(PyLong_Check(key));
        out = UNIT_NAME(put_any_int)(encoder, out, key);
    }
    output->is_in_key = false;
    if (out != NULL) {
        *out++ = '"';
    }
    return out;
}

#undef unit_t
