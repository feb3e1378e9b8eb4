/*
 * cli/sanitize.h: NVIDIA's compute-sanitizer: where it is, how it is called, and
 * one run of one of its tools.
 */
#ifndef CADV_CLI_SANITIZE_H
#define CADV_CLI_SANITIZE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/launch.h"
#include "wire/record.h"

struct error;
struct stream;

struct sanitize {
	char path[PATH_MAX];
	char version[32];		/* "2025.3.1"; "" unknown */
	char *help;			/* what --help prints; NULL */
	char directory[PATH_MAX];	/* of the logs; "" none */
};

/*
 * sanitize_find(s, e): $CUDADVISE_COMPUTE_SANITIZER, else in PATH, CUDA_HOME,
 * CUDA_PATH, /usr/local/cuda. -1 with ${e} and a remedy. Release ${s} after
 * success.
 */
int sanitize_find(struct sanitize *s, struct error *e);
void sanitize_release(struct sanitize *s);

/* What is to be checked, and how. */
struct sanitize_job {
	enum wire_tool tool;
	const char *program;		/* launch_find's */
	char **argv;			/* of the program */
	const struct launch *base;	/* its pipe is taken over */
	bool no_input;
	uint64_t limit_ns;		/* 0: none */
};

struct sanitized {
	struct launched end;
	enum wire_ran state;
};

/*
 * sanitize_run(s, job, to, out, e): run it, read its log, and append a CHECK and
 * its DEFECT records to ${to}. 0; or -1 with ${e} if it could not be started or
 * its log not be read, or for want of memory.
 */
int sanitize_run(struct sanitize *s, const struct sanitize_job *job,
    struct stream *to, struct sanitized *out, struct error *e);

#endif
