/*
 * python_walk.h: the Python frames of this thread for the versions that do not
 * export their crash handler: the chain of frames is read where the version's
 * public headers (3.9, 3.10) or the interpreter itself (3.13, for debuggers)
 * say it is. Memory is read through the kernel, so that a wrong address is an
 * error and no fault; only functions that touch no reference count are called,
 * and only on objects whose type was checked.
 */
#ifndef CADV_PYTHON_WALK_H
#define CADV_PYTHON_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* python_walk_find(): is it a version that can be walked? Once an interpreter is
 * loaded; one thread at a time, and not in a callback. */
bool python_walk_find(void);

/* python_walk(thread, out, size): as python_frames, of the PyThreadState
 * ${thread}, which is the calling thread's. */
size_t python_walk(const void *thread, char *out, size_t size);

#endif
