/*
 * cli/collect.h: what `run` does around the program's life: the capture that is
 * recorded without a daemon, the calibrations that travel with a run, and
 * waiting for the daemon's analysis.
 */
#ifndef CADV_CLI_COLLECT_H
#define CADV_CLI_COLLECT_H

#include <limits.h>
#include <stdbool.h>

struct cli;
struct error;
struct stream;

struct collect {
	char capture[PATH_MAX];		/* "" if not open */
	char directory[PATH_MAX];	/* of the spool files, beside it */
};

/*
 * collect_open(c, path, mark, e): prepare to record to ${path}; NULL means
 * cudadvise-PID.cadv in the current directory, or in the state directory if
 * that one cannot be written. ${mark} ("" for none) stands before the ".cadv" of
 * either. The capture itself appears at collect_finish.
 */
int collect_open(struct collect *c, const char *path, const char *mark,
    struct error *e);

/* collect_finish(c, e): put the spool files together as the capture, and
 * remove them. On -1 they stay, and ${e} says where. */
int collect_finish(struct collect *c, struct error *e);

/* collect_discard(c): remove everything; fine on a collect never opened. */
void collect_discard(struct collect *c);

/* collect_calibrations(s, e): append every stored calibration to the stream.
 * One that cannot be read is left out. */
int collect_calibrations(struct stream *s, struct error *e);

/* collect_wait(cli, run, e): until the daemon has analysed the run; connects
 * cli->client. -1 with ${e} set (may be NULL) if it does not get on for some
 * seconds, or its analysis takes minutes; 1 if it could not store the run: then
 * view_load may still have something. */
int collect_wait(struct cli *cli, const char *run, struct error *e);

#endif
