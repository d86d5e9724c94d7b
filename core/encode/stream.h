/* SPDX-License-Identifier: MIT */
/* An encoding whose text is returned in chunks. Python code runs between chunks, so every frame
 * owns what it holds. */
#ifndef SSRJSON_ENCODE_STREAM_H
#define SSRJSON_ENCODE_STREAM_H

#include "encode/encoder.h"

struct encode_stream {
    struct encoder encoder;
    PyObject *root;          /* owned */
    size_t n_expected_bytes; /* of the next chunk: see encode/writer.h */
    size_t room_bytes;
    bool is_done;
    struct frame frames[INLINE_FRAMES];
    char room[] __attribute__((aligned(16)));
};

static inline int frame_traverse(const struct frame *frame, visitproc visit, void *arg) {
    if (frame->kind == FRAME_PAIRS) {
        for (Py_ssize_t i = frame->pairs->first_owned; i < frame->pairs->n; i++) {
            Py_VISIT(frame->pairs->pair[i].key);
            Py_VISIT(frame->pairs->pair[i].value);
        }
    } else if (frame->is_owning) {
        Py_VISIT(frame->items);
    }
    if (frame->is_owning) {
        Py_VISIT(frame->object);
    }
    Py_VISIT(frame->held);
    return 0;
}

static inline int encode_stream_traverse(const struct encode_stream *stream, visitproc visit,
                                         void *arg) {
    Py_VISIT(stream->root);
    Py_VISIT(stream->encoder.native_key);
    Py_VISIT(stream->encoder.held_value);
    Py_VISIT(stream->encoder.streamed_key);
    for (size_t i = 0; i < stream->encoder.n_frames; i++) {
        const int status = frame_traverse(&stream->encoder.frames[i], visit, arg);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

#endif
