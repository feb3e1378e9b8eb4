/*
 * cli/collect.h: what `run` does before and after the program: the capture that
 * is recorded without a daemon, the calibrations that a run carries, and
 * waiting for the daemon's analysis.
 */
#ifndef CADV_CLI_COLLECT_H
#define CADV_CLI_COLLECT_H

#include <limits.h>
#include <stdbool.h>

struct cli;
struct error;
struct run_stream;

struct collector {
	char capture[PATH_MAX];		/* "": not open */
	char directory[PATH_MAX];	/* of the spool files, next to it */
};

/*
 * collect_open(c, path, mark, e): prepare to record to ${path}; NULL:
 * cudadvise-PID.cadv in the current directory, the state directory or that for
 * temporary files, the first that can be written. ${mark} ("": none) is inserted
 * before ".cadv". The capture itself appears at collect_finish. 0; -1 with ${e} set.
 */
int collect_open(struct collector *c, const char *path, const char *mark,
    struct error *e);

/* collect_finish(c, e): join the spool files into the capture and remove them.
 * On -1 they stay, and ${e} says where. */
int collect_finish(struct collector *c, struct error *e);

/* collect_discard(c): remove everything; ${c} need not have been opened. */
void collect_discard(struct collector *c);

/* collect_calibrations(s, e): append every stored calibration to the stream,
 * except those that cannot be read. -1 with ${e} set. */
int collect_calibrations(struct run_stream *s, struct error *e);

/* collect_wait(cli, run, e): wait until the daemon has analysed the run;
 * connects cli->client. 0; 1 if it could not store the run (then view_load may
 * still have something); -1 with ${e} set (may be NULL) if it makes no progress
 * for some seconds, or its analysis takes minutes. */
int collect_wait(struct cli *cli, const char *run, struct error *e);

#endif
