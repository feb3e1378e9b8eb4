/*
 * cli/sanitize.h: NVIDIA's compute-sanitizer: finding it, calling it, and one
 * run of one of its tools.
 */
#ifndef CADV_CLI_SANITIZE_H
#define CADV_CLI_SANITIZE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/launch.h"
#include "wire/record.h"

struct error;
struct run_stream;

struct sanitize {
	char path[PATH_MAX];
	char version[32];		/* "2025.3.1"; "" unknown */
	char *help;			/* the output of --help; NULL */
	char directory[PATH_MAX];	/* of the logs; "": none */
};

/*
 * sanitize_find(s, e): search $CUDADVISE_COMPUTE_SANITIZER, PATH, CUDA_HOME,
 * CUDA_PATH, /usr/local/cuda. -1 with ${e} and a remedy. Release ${s} after success.
 */
int sanitize_find(struct sanitize *s, struct error *e);
void sanitize_release(struct sanitize *s);

/* What to check, and how. */
struct sanitize_job {
	enum wire_tool tool;
	const char *program;		/* from launch_find */
	char **argv;			/* of the program */
	const struct launch *base;	/* its pipe is copied */
	bool no_input;
	uint64_t limit_ns;		/* 0: none */
};

struct sanitized {
	struct launched end;
	enum wire_ran state;
};

/*
 * sanitize_run(s, job, to, out, e): run the tool, read its log, and append a
 * CHECK and its DEFECT records to ${to}. 0; -1 with ${e} set if it could not be
 * started or its log not be read, or without memory.
 */
int sanitize_run(struct sanitize *s, const struct sanitize_job *job,
    struct run_stream *to, struct sanitized *out, struct error *e);

#endif
