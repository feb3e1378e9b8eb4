/*
 * python.h: the Python frames of the calling thread, from a CUDA callback. The
 * thread need not hold the interpreter's lock (PyTorch gives it away around
 * CUDA calls), so no object is touched here: CPython's own crash handler prints
 * the frames, which cannot change while the thread is with us, into a pipe.
 */
#ifndef CADV_PYTHON_H
#define CADV_PYTHON_H

#include <stddef.h>

/* python_find(): look for an interpreter in the process, if none was found yet.
 * One thread at a time, and not in a callback. */
void python_find(void);

/*
 * python_frames(out, size): lines "file\tline\tfunction\n", innermost first, of
 * as many frames as CPython prints into ${size} bytes; not terminated. The
 * length, 0 where there is no interpreter, it is of a version that offers no way
 * (CPython 3.14: see python_walk.h), or this thread runs no Python. Never blocks
 * or allocates; keeps errno.
 */
size_t python_frames(char *out, size_t size);

/* python_parse(text, len): turn what CPython prints into such lines, in place;
 * their length. Whatever is no whole line of a frame is left out. */
size_t python_parse(char *text, size_t len);

#endif
