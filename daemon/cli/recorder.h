/*
 * cli/recorder.h: where a run that the command line makes is kept: with the
 * daemon, or in a capture file without one. What `run` and `sanitize` share
 * around the life of the program.
 */
#ifndef CADV_CLI_RECORDER_H
#define CADV_CLI_RECORDER_H

#include <limits.h>
#include <stdbool.h>

#include "cli/collect.h"
#include "wire/record.h"

struct cli;
struct error;
struct stream;
struct view;

struct recorder {
	char run[33];			/* its id */
	char label[256];		/* "" : none */
	bool daemon;			/* with it; else: */
	struct collect collect;
	char socket[PATH_MAX];		/* of the daemon's ingest */
	char spool[PATH_MAX];		/* directory for spool files */
	struct stream *stream;		/* the launcher's own */
};

/* recorder_open(cli, r, mark, e): a new run id; find the daemon, or a place for
 * the capture. ${mark} tells one of two runs from the other, in its label and the
 * capture's name; NULL for none. Release ${r} in any case. */
int recorder_open(struct cli *cli, struct recorder *r, const char *mark,
    struct error *e);
void recorder_release(struct recorder *r);

/* recorder_begin(r, argc, argv, level, budget, e): the run's first records:
 * the command as a person could type it again, and the calibrations. */
int recorder_begin(struct recorder *r, int argc, char **argv,
    int level, double budget, struct error *e);

/* recorder_send(r, e): let the daemon have what there is so far; nothing to do
 * without one. */
int recorder_send(struct recorder *r, struct error *e);

/* recorder_end(cli, r, end): the run's last record. Trouble is said, no more. */
void recorder_end(struct cli *cli, struct recorder *r,
    const struct record_RUN_END *end);

/* recorder_load(cli, r, v, e): wait for the analysis of the ended run. -1 with ${e}
 * set. Before recorder_view of a run, or instead of it. */
int recorder_load(struct cli *cli, struct recorder *r, struct view *v,
    struct error *e);

/*
 * recorder_view(cli, r, v): wait for the analysis of the ended run; cli->out
 * becomes where the report goes, standard error or the file of -o. -1 after a
 * message.
 */
int recorder_view(struct cli *cli, struct recorder *r, struct view *v);

/* recorder_print(cli, r, v): the report, unless --quiet. */
void recorder_print(struct cli *cli, const struct recorder *r,
    const struct view *v);

/* The program never ran: recorder_discard before recorder_send, else
 * recorder_forget leave no trace of the run. */
void recorder_discard(struct recorder *r);
void recorder_forget(struct cli *cli, struct recorder *r);

#endif
