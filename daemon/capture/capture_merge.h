/*
 * capture/capture_merge.h: a capture with few, large frames of what comes in
 * many small ones. A process that does little seals a frame of one record ten
 * times a second: as they are, frames of a week would be more index than data,
 * and would not compress. Internal to capture/.
 */
#ifndef CADV_CAPTURE_MERGE_H
#define CADV_CAPTURE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_frame;
struct capture_merger;
struct capture_writer;
struct error;
struct frame_header;

/* Where a frame came to stand, and what it spans; not before it is there. */
typedef void capture_merged(void *arg, const struct capture_frame *row);

/*
 * capture_merger_open(path, journal, fn, arg, e): append to the capture
 * ${path}. With ${journal} what waits to be merged stands in <path>.tail, so
 * that nothing is lost if we are killed; what an earlier writer left there is
 * merged first. Without, nothing is kept before the flush. ${fn} may be NULL.
 */
struct capture_merger *capture_merger_open(const char *path, bool journal,
    capture_merged *fn, void *arg, struct error *e);

/*
 * capture_merger_put(m, frame, h, payload, len, span, e): take the checked
 * frame ${frame} with its header ${h}, whose records stand uncompressed in the
 * ${len} bytes at ${payload}. ${span} says which of them are new and what they
 * span; NULL: nobody wants to know. When it returns 0 the operating system has
 * it all (with a journal); on -1 (disk full, ...) it has none of it.
 */
int capture_merger_put(struct capture_merger *m, const uint8_t *frame,
    const struct frame_header *h, const uint8_t *payload, size_t len,
    const struct capture_frame *span, struct error *e);

/* capture_merger_flush(m, e): all that waits, into the capture. */
int capture_merger_flush(struct capture_merger *m, struct error *e);

/* capture_merger_tick(m, now): flush what has waited for long; ${now} is
 * CLOCK_MONOTONIC, ns. */
void capture_merger_tick(struct capture_merger *m, uint64_t now);

/* capture_merger_writer(m): for frames that are large already, and for the
 * size of the capture; the merger's. */
struct capture_writer *capture_merger_writer(struct capture_merger *m);

/* Flushes; what cannot be stays in the journal. NULL is legal. */
void capture_merger_close(struct capture_merger *m);

/* capture_settle(path, e): merge what a journal beside the capture ${path}
 * holds, if there is one: before anybody reads the capture. */
int capture_settle(const char *path, struct error *e);

#endif
