/*
 * source/child.h: runs a program and captures its output: without a shell, with
 * an empty environment, with limits on every resource, and confined to reading
 * files and printing (source/confine.h). Safe in a program with threads.
 */
#ifndef CADV_SOURCE_CHILD_H
#define CADV_SOURCE_CHILD_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct child_limits {
	uint64_t ns;		/* from start to end */
	uint64_t cpu_seconds;
	uint64_t memory;	/* bytes of address space */
	size_t output;		/* bytes */
	const char *writable;	/* directory in which it may write existing
				 * files; NULL: none */
};

struct child_output {
	char *text;		/* terminated; malloced */
	size_t len;
	char complaint[256];	/* the beginning of its stderr */
	int status;		/* its exit status */
};

/*
 * child_run(path, argv, l, o, e): 0 when the program has exited, with any
 * status; -1 with ${e} if it could not be started, was killed, or exceeded a
 * limit. Processes that it started are killed. Free o->text.
 */
int child_run(const char *path, char *const argv[],
    const struct child_limits *l, struct child_output *o, struct error *e);

#endif
