/*
 * python.h: the Python frames of the calling thread, in a CUDA callback. The thread may
 * not hold the interpreter's lock (PyTorch releases it around CUDA calls), so no Python
 * object is used here. Instead CPython's own crash handler prints the frames into a
 * pipe; they cannot change while the thread is in the callback.
 */
#ifndef CADV_PYTHON_H
#define CADV_PYTHON_H

#include <stddef.h>

/* python_find(): look for an interpreter in the process, unless one was found before.
 * One thread at a time, not in a callback. */
void python_find(void);

/*
 * python_frames(out, size): write lines "file\tline\tfunction\n", innermost frame
 * first, as many as fit into ${size} bytes, without a terminator. Returns the length; 0
 * if there is no interpreter, its version is not supported (CPython 3.9 to 3.15 with
 * the global lock are), or this thread runs no Python. Never blocks or allocates; errno
 * is kept.
 */
size_t python_frames(char *out, size_t size);

/* python_thread(): the PyThreadState of this thread; NULL without an interpreter, or while it
 * is being finalised. */
void *python_thread(void);

/* python_parse(text, len): convert CPython's output into such lines, in place; returns
 * their length. Lines that are not a whole frame are dropped. */
size_t python_parse(char *text, size_t len);

#endif
