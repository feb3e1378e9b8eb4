/*
 * python_walk.h: the Python frames of this thread, for versions that do not export
 * their crash handler. Follows the chain of frames, at the offsets that the version's
 * public headers (3.9, 3.10) or the interpreter itself (3.13 and 3.14, for debuggers)
 * define. Memory is read with process_vm_readv, so that a wrong address gives an error
 * and not a fault. Only functions that change no reference count are called, and only with
 * objects whose type was checked.
 */
#ifndef CADV_PYTHON_WALK_H
#define CADV_PYTHON_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* python_walk_find(): whether the loaded interpreter's version is supported. One thread
 * at a time, not in a callback. */
bool python_walk_find(void);

/* python_walk(thread, out, size): like python_frames, for ${thread}, the PyThreadState
 * of the calling thread. */
size_t python_walk(const void *thread, char *out, size_t size);

#endif
