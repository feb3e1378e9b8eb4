/*
 * source/child.h: run a program and take what it prints, without a shell, with
 * an empty environment, limits on everything it could use up, and nothing it
 * could do but read and print (source/confine.h). Safe in a
 * program with threads.
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
	const char *writable;	/* directory: it may write the files there;
				 * NULL: none */
};

struct child_output {
	char *text;		/* terminated; malloced */
	size_t len;
	char complaint[256];	/* the begin of what it wrote to stderr */
	int status;		/* its exit status */
};

/*
 * child_run(path, argv, l, o, e): 0 when the program has exited, whatever its
 * status; -1 with ${e} if it could not be started, was killed, or went over a
 * limit. What it started is killed. Free o->text.
 */
int child_run(const char *path, char *const argv[],
    const struct child_limits *l, struct child_output *o, struct error *e);

#endif
