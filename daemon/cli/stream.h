/*
 * cli/stream.h: the launcher's own stream of a run (PROTOCOL.md, section 1):
 * RUN_BEGIN, the calibrations, the reports of correctness tools, RUN_END. It is
 * short, so all of it is kept until the daemon has acknowledged it; otherwise
 * it is written to a spool file.
 */
#ifndef CADV_CLI_STREAM_H
#define CADV_CLI_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

struct error;
struct run_stream;

/* stream_new(run, e): ${run} is 32 hex digits. NULL with ${e} set. Release with
 * stream_free. The functions that append a record return -1 with ${e} set. */
struct run_stream *stream_new(const char *run, struct error *e);
void stream_free(struct run_stream *s);

int stream_begin(struct run_stream *s, const struct record_RUN_BEGIN *r,
    struct error *e);
int stream_calibration(struct run_stream *s, const struct record_CALIBRATION *r,
    struct error *e);
int stream_check(struct run_stream *s, const struct record_CHECK *r,
    struct error *e);
int stream_defect(struct run_stream *s, const struct record_DEFECT *r,
    struct error *e);
int stream_end(struct run_stream *s, const struct record_RUN_END *r,
    struct error *e);

/* stream_connect(s, path, e): connect to the daemon's ingest socket. -1 with
 * ${e} set. */
int stream_connect(struct run_stream *s, const char *path, struct error *e);

/*
 * stream_send(s, ms, e): send what was not sent, reconnecting once if the daemon
 * went away, and wait up to ${ms} until all of it is acknowledged. -1 with ${e} set.
 */
int stream_send(struct run_stream *s, int ms, struct error *e);

/* stream_spool(s, directory, e): write the whole stream as a spool file. -1
 * with ${e} set. */
int stream_spool(struct run_stream *s, const char *directory, struct error *e);

#endif
