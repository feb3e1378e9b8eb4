/*
 * capture/capture_merge.h: merges many small frames into few large ones as a capture is
 * written. A process that does little seals a frame with one record ten times a second;
 * unmerged, the index of a week of them would be larger than the data, and the data
 * would not compress. Internal to capture/.
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

/* Called after a frame was written, with its place in the file and its time span. */
typedef void capture_merged(void *arg, const struct capture_frame *row);

/*
 * capture_merger_open(path, journal, fn, arg, e): append to the capture ${path}. With
 * ${journal}, records that wait to be merged are also in the file <path>.tail, so that
 * nothing is lost if the daemon is killed; records that an earlier writer left there
 * are merged first. Without ${journal} they are only in memory until the flush. ${fn}
 * may be NULL. Returns NULL with ${e} set.
 */
struct capture_merger *capture_merger_open(const char *path, bool journal,
    capture_merged *fn, void *arg, struct error *e);

/*
 * capture_merger_put(m, frame, h, payload, len, span, e): add the checked frame
 * ${frame} with header ${h}, whose uncompressed records are the ${len} bytes at
 * ${payload}. ${span} is the index row of its new records; NULL if ${fn} need not be
 * told. 0: with a journal, the operating system has all of the frame; -1 with ${e} set
 * (disk full, …): nothing of the frame was taken.
 */
int capture_merger_put(struct capture_merger *m, const uint8_t *frame,
    const struct frame_header *h, const uint8_t *payload, size_t len,
    const struct capture_frame *span, struct error *e);

/* capture_merger_flush(m, e): write all waiting records into the capture. */
int capture_merger_flush(struct capture_merger *m, struct error *e);

/* capture_merger_tick(m, now): flush if the oldest waiting record has waited for
 * AGE_NS; ${now} is CLOCK_MONOTONIC, ns. */
void capture_merger_tick(struct capture_merger *m, uint64_t now);

/* capture_merger_writer(m): the writer of the capture, for large frames and for the
 * size of the file; owned by the merger. */
struct capture_writer *capture_merger_writer(struct capture_merger *m);

/* capture_merger_close(m): flush and free; records that cannot be written stay in the
 * journal. NULL is allowed. */
void capture_merger_close(struct capture_merger *m);

/* capture_settle(path, e): merge the journal of the capture ${path}, if there is one.
 * To be called before the capture is read. */
int capture_settle(const char *path, struct error *e);

#endif
