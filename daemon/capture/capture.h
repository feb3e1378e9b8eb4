/*
 * capture/capture.h: capture files (PROTOCOL.md, section 2): written as frames
 * arrive, read with any damage. A reader trusts nothing in the file and holds
 * two frames and the index in memory, never the run.
 */
#ifndef CADV_CAPTURE_H
#define CADV_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/proc.h"

struct error;
struct model;
struct record;

/* --- writing ------------------------------------------------------------ */

struct capture_writer;

/* capture_writer_open(path, e): open ${path} for appending (0600, created). */
struct capture_writer *capture_writer_open(const char *path, struct error *e);

/*
 * capture_writer_put(w, frame, len, e): append the frame at ${frame}, for which
 * frame_check returned FRAME_OK, compressed if that makes it smaller. 0: the
 * operating system has all of it; -1 (disk full, …): the file has its previous
 * length.
 */
int capture_writer_put(struct capture_writer *w, const uint8_t *frame,
    size_t len, struct error *e);

/* capture_writer_plain(w, frame, len, e): likewise, without compressing. */
int capture_writer_plain(struct capture_writer *w, const uint8_t *frame,
    size_t len, struct error *e);

/* capture_writer_empty(w, e): truncate the file to 0 bytes. */
int capture_writer_empty(struct capture_writer *w, struct error *e);

/* capture_writer_bytes(w): size of the file so far. */
uint64_t capture_writer_bytes(const struct capture_writer *w);
void capture_writer_close(struct capture_writer *w);

/* --- reading ------------------------------------------------------------ */

struct capture_stats {
	uint64_t bytes;		/* of the file */
	uint64_t frames, records;
	uint64_t raw_bytes;	/* of payload, uncompressed */
	uint64_t streams;
	uint64_t damaged;	/* unreadable ranges */
	uint64_t damaged_bytes;
	uint64_t missing;	/* records missing by their sequence numbers */
	uint64_t duplicate;	/* repeated records, left out */
	bool truncated;		/* the file ends inside a frame */
	bool crowded;		/* not loaded: over CAPTURE_FRAMES frames */
};

/* The place of one frame and its time span in CLOCK_REALTIME; 0: it has no
 * timed record. */
struct capture_frame {
	uint64_t offset;
	uint64_t stream, sequence;
	uint32_t stored, records;
	uint64_t t_min, t_max;
};

/* A signature of one stream and the kernel of the run it belongs to. */
struct capture_signature {
	uint64_t stream;
	uint32_t signature;
	uint32_t kernel;	/* struct kernel's id; 0: none */
	uint32_t ordinal;	/* ordinal of the device in its process */
	uint64_t shape;		/* hash of name and launch shape */
};

/* A device: its ordinal in one process, and its index in the run. */
struct capture_device {
	uint64_t stream;
	uint32_t ordinal;
	uint32_t device;	/* index into run->device; UINT32_MAX: none */
	uint64_t uuid;		/* hash */
};

/* Maximum number of rows: 96 MiB. Merged (capture_merge.h) that is a year of
 * one process that does little, or a week of 200. */
#define CAPTURE_FRAMES (1u << 21)

struct capture_index {
	struct capture_frame *frame;	/* in the order of the replay */
	size_t frames;
	struct capture_signature *signature;
	size_t signatures;
	struct capture_device *device;
	size_t devices;
	uint64_t ranges;	/* NVTX ranges among the records; not stored */
};

void capture_index_clear(struct capture_index *x);

/*
 * capture_load(path, m, stats, e): feed every record of the file into ${m},
 * each stream in sequence, streams merged by time. Damage is counted in
 * ${stats} (may be NULL) and is not an error. -1 with ${e} if the file cannot
 * be read, is empty, is not a capture, or was written by a newer version.
 */
int capture_load(const char *path, struct model *m,
    struct capture_stats *stats, struct error *e);

/* capture_load_fd: the same for an open file; ${x} (may be NULL) gets the
 * index: release with capture_index_clear. ${name} is for messages. */
int capture_load_fd(int fd, const char *name, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

/* capture_load_file: the same for a path, with the index. */
int capture_load_file(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

/* capture_load_index(path, x, e): the index alone. */
int capture_load_index(const char *path, struct capture_index *x,
    struct error *e);

/* capture_index_sort(x): sort devices and signatures for lookups;
 * capture_index_kernels calls it, too. */
void capture_index_sort(struct capture_index *x);

/* capture_load_own(path, m, stats, x, e): capture_load_file of a capture that
 * belongs to the daemon and has no writer now: its journal is merged first, and
 * one with too many frames is condensed. ${m} may be NULL. */
int capture_load_own(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

struct run;
/* capture_index_kernels(x, run): set the kernel of each signature, and the
 * run's device for each ordinal of each process. */
void capture_index_kernels(struct capture_index *x, const struct run *run);

/* capture_index_signature(x, stream, signature): its row, after
 * capture_index_kernels; NULL: none. */
const struct capture_signature *capture_index_signature(
    const struct capture_index *x, uint64_t stream, uint32_t signature);

/* capture_index_device(x, stream, ordinal): index into run->device of the
 * process's device ${ordinal}; UINT32_MAX: none. */
uint32_t capture_index_device(const struct capture_index *x, uint64_t stream,
    uint32_t ordinal);

/*
 * capture_window(path, x, from, to, max, fn, arg, e, more): decode only the
 * frames of ${x} that overlap [from, to) ns of CLOCK_REALTIME (${from} 0: also
 * those without times), in the order of the replay, and call ${fn} for each of
 * their records, until it returns non-zero or ${max} records were passed.
 * Returns the number of records passed, or -1. *${more} (may be NULL) becomes 1
 * if it stopped at ${max}.
 */
typedef int capture_visit(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r);
int64_t capture_window(const char *path, const struct capture_index *x,
    uint64_t from, uint64_t to, uint64_t max, capture_visit *fn, void *arg,
    int *more, struct error *e);

/* capture_record_time(r, from, to): the time span of a record. 1; 0 if it has
 * none. */
int capture_record_time(const struct record *r, uint64_t *from, uint64_t *to);

/*
 * capture_concat(path, n, out, e): append the undamaged frames of the ${n}
 * files to ${out} (created), compressed: spool files to a capture. A missing
 * file is skipped.
 */
int capture_concat(const char *const *path, size_t n, const char *out,
    struct error *e);

/*
 * capture_condense(path, out, e): write the frames of ${path} to the new file
 * ${out} with small frames merged: for captures with too many frames to load.
 */
int capture_condense(const char *path, const char *out, struct error *e);

/*
 * capture_copy(path, x, out, e): write only the frames of ${x} in ${path} to
 * the new file ${out}; ${x} becomes the index of ${out}.
 */
int capture_copy(const char *path, struct capture_index *x, const char *out,
    struct error *e);

/*
 * capture_peek(path, run, pid, ended, e): the writer of the file: run id (33
 * bytes) of its first HELLO or RUN_BEGIN, pid (0 unknown) and birth, and
 * whether its last readable frame ends in BYE or RUN_END. -1: no readable first
 * frame.
 */
struct capture_origin {
	char run[33];
	uint64_t stream;
	uint32_t pid;
	uint64_t pidns;
	struct proc_birth birth;
	bool ended;
};
int capture_peek(const char *path, struct capture_origin *o, struct error *e);

#endif
