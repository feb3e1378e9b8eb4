/*
 * capture/capture_merge.h: writes a capture with few, large frames from many
 * small ones. A process that does little seals a frame of one record ten times
 * a second: unmerged, a week of them would have more index than data, and would
 * not compress. Internal to capture/.
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

/* Called when a frame is written, with its place and its span. */
typedef void capture_merged(void *arg, const struct capture_frame *row);

/*
 * capture_merger_open(path, journal, fn, arg, e): append to the capture
 * ${path}. With ${journal} the records that wait to be merged are in
 * <path>.tail as well, so that nothing is lost if the daemon is killed; those
 * of an earlier writer are merged first. Without it they are in memory only
 * until the flush. ${fn} may be NULL.
 */
struct capture_merger *capture_merger_open(const char *path, bool journal,
    capture_merged *fn, void *arg, struct error *e);

/*
 * capture_merger_put(m, frame, h, payload, len, span, e): add the checked frame
 * ${frame} with its header ${h}, whose records are uncompressed in the ${len}
 * bytes at ${payload}. ${span} is the span of its new records; NULL: not
 * needed. 0: the operating system has all of it (with a journal); -1 (disk
 * full, ...): nothing of it.
 */
int capture_merger_put(struct capture_merger *m, const uint8_t *frame,
    const struct frame_header *h, const uint8_t *payload, size_t len,
    const struct capture_frame *span, struct error *e);

/* capture_merger_flush(m, e): write all waiting records into the capture. */
int capture_merger_flush(struct capture_merger *m, struct error *e);

/* capture_merger_tick(m, now): flush records that have waited for AGE_NS;
 * ${now} is CLOCK_MONOTONIC, ns. */
void capture_merger_tick(struct capture_merger *m, uint64_t now);

/* capture_merger_writer(m): the writer below, for large frames and for the size
 * of the capture; owned by the merger. */
struct capture_writer *capture_merger_writer(struct capture_merger *m);

/* capture_merger_close(m): flush and free; what cannot be written stays in the
 * journal. NULL is legal. */
void capture_merger_close(struct capture_merger *m);

/* capture_settle(path, e): merge the journal beside the capture ${path}, if
 * there is one: before the capture is read. */
int capture_settle(const char *path, struct error *e);

#endif
