/*
 * cli/recorder.h: where a run of the command line is kept: with the daemon, or
 * without one in a capture file. Shared by `run` and `sanitize`.
 */
#ifndef CADV_CLI_RECORDER_H
#define CADV_CLI_RECORDER_H

#include <limits.h>
#include <stdbool.h>

#include "cli/collect.h"
#include "wire/record.h"

struct cli;
struct error;
struct run_stream;
struct view;

struct recorder {
	char run[33];			/* its id */
	char label[256];		/* "": none */
	bool daemon;			/* the daemon has it; else: the capture */
	struct collector collect;
	char socket[PATH_MAX];		/* of the daemon's ingest */
	char spool[PATH_MAX];		/* directory for spool files */
	struct run_stream *stream;		/* the launcher's own records */
};

/* recorder_open(cli, r, mark, e): create a run id; find the daemon, or a place for
 * the capture. ${mark} distinguishes two runs of one command, in the label and the
 * capture's name; NULL for none. -1 with ${e} set. Release ${r} in any case. */
int recorder_open(struct cli *cli, struct recorder *r, const char *mark,
    struct error *e);
void recorder_release(struct recorder *r);

/* recorder_begin(r, argc, argv, level, budget, e): write the run's first records:
 * the command as the user could type it, and the calibrations. -1 with ${e} set. */
int recorder_begin(struct recorder *r, int argc, char **argv,
    int level, double budget, struct error *e);

/* recorder_send(r, e): send the records so far to the daemon; nothing to do
 * without one. -1 with ${e} set. */
int recorder_send(struct recorder *r, struct error *e);

/* recorder_end(cli, r, end): write the run's last record. Errors are only printed. */
void recorder_end(struct cli *cli, struct recorder *r,
    const struct record_RUN_END *end);

/* recorder_load(cli, r, v, e): wait for the analysis of the ended run, and load it
 * into ${v}. -1 with ${e} set. May precede recorder_view for a run, or replace it. */
int recorder_load(struct cli *cli, struct recorder *r, struct view *v,
    struct error *e);

/*
 * recorder_view(cli, r, v): wait for the analysis of the ended run and load it
 * into ${v}; set cli->out to where the report goes, standard error or the file
 * of -o. -1 after a message.
 */
int recorder_view(struct cli *cli, struct recorder *r, struct view *v);

/* recorder_print(cli, r, v): print the report, unless --quiet. */
void recorder_print(struct cli *cli, const struct recorder *r,
    const struct view *v);

/* If the program never ran: recorder_discard before recorder_send, else
 * recorder_forget, removes every trace of the run. */
void recorder_discard(struct recorder *r);
void recorder_forget(struct cli *cli, struct recorder *r);

#endif
