/*
 * python_walk.h: the Python frames of this thread for the versions that do not
 * export their crash handler: follows the chain of frames at the offsets that
 * the version's public headers (3.9, 3.10) or the interpreter itself (3.13, for
 * debuggers) define. Memory is read with process_vm_readv, so that a wrong
 * address is an error and not a fault; only functions that change no reference
 * count are called, and only on objects whose type was checked.
 */
#ifndef CADV_PYTHON_WALK_H
#define CADV_PYTHON_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* python_walk_find(): is the interpreter of a supported version? Once one is
 * loaded; one thread at a time, not in a callback. */
bool python_walk_find(void);

/* python_walk(thread, out, size): as python_frames, for the calling thread's
 * PyThreadState ${thread}. */
size_t python_walk(const void *thread, char *out, size_t size);

#endif
