/*
 * python_peek.h: the Python frames of a thread that may run meanwhile, for CPython 3.11 to
 * 3.14 with the global lock. Nothing of the interpreter is called: its memory is read with
 * process_vm_readv, so that a wrong address gives an error and not a fault, and an object
 * counts only if its type is right. What the thread changes meanwhile may give a frame that
 * it has just left, or none.
 */
#ifndef CADV_PYTHON_PEEK_H
#define CADV_PYTHON_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEEK_DEPTH 128		/* frames, of the innermost ones */
#define PEEK_LINE 2048		/* bytes that one frame's text may need */

/* One frame, as addresses in this process. */
struct peek_frame {
	const void *file, *name, *lines;	/* objects of its code */
	uint32_t at;		/* of its code's instructions, in units of two bytes */
	int first;		/* line at which the code begins */
};

struct peek {
	uint64_t hash;		/* of the frames' instructions */
	size_t frames;
	struct peek_frame frame[PEEK_DEPTH];
};

/* python_peek_find(): whether the loaded interpreter's version is supported. One thread at
 * a time, not in a callback. */
bool python_peek_find(void);

/* python_peek(thread, out): the frames of ${thread}, a PyThreadState, the innermost first.
 * False if there is none, or if memory could not be read. One system call a frame. */
bool python_peek(const void *thread, struct peek *out);

/*
 * python_peek_text(f, package, out): write "file\tline\tfunction\n", as python_frames does,
 * into ${out}, which has PEEK_LINE bytes; of a file for which ${package} is true (NULL: of
 * none), the line at which the function begins. Returns the length; 0 for what has no
 * line, as the interpreter's own frames, or can no longer be read. One thread at a time.
 */
size_t python_peek_text(const struct peek_frame *f,
    bool (*package)(const char *file, size_t len), char *out);

#endif
