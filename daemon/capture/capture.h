/*
 * capture/capture.h: capture files (PROTOCOL.md, section 2): written as frames arrive,
 * readable whatever their damage. The reader trusts nothing in the file and holds two
 * frames and the index in memory, never the whole run.
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

/* capture_writer_open(path, e): open ${path} for appending (created with mode 0600).
 * NULL with ${e} set. */
struct capture_writer *capture_writer_open(const char *path, struct error *e);

/*
 * capture_writer_put(w, frame, len, e): append the frame at ${frame}, for which
 * frame_check returned FRAME_OK, compressed if that makes it smaller. 0: the
 * operating system has all of it; -1 (disk full, …): the file has its previous
 * length.
 */
int capture_writer_put(struct capture_writer *w, const uint8_t *frame,
    size_t len, struct error *e);

/* capture_writer_plain(w, frame, len, e): the same, without compression. */
int capture_writer_plain(struct capture_writer *w, const uint8_t *frame,
    size_t len, struct error *e);

/* capture_writer_empty(w, e): truncate the file to 0 bytes. */
int capture_writer_empty(struct capture_writer *w, struct error *e);

/* capture_writer_bytes(w): the size of the file so far. capture_writer_close(w): close
 * and free; NULL is allowed. */
uint64_t capture_writer_bytes(const struct capture_writer *w);
void capture_writer_close(struct capture_writer *w);

/* --- reading ------------------------------------------------------------ */

struct capture_stats {
	uint64_t bytes;		/* of the file */
	uint64_t frames, records;
	uint64_t raw_bytes;	/* of payload, uncompressed */
	uint64_t streams;
	uint64_t damaged;	/* unreadable places in the file */
	uint64_t damaged_bytes;
	uint64_t missing;	/* records that the sequence numbers show to be missing */
	uint64_t duplicate;	/* repeated records, which are ignored */
	bool truncated;		/* the file ends inside a frame */
	bool crowded;		/* not loaded: more than CAPTURE_FRAMES frames */
};

/* Where a frame is in the file, and the time span of its records in CLOCK_REALTIME;
 * both times are 0 if no record has one. */
struct capture_frame {
	uint64_t offset;
	uint64_t stream, sequence;
	uint32_t stored, records;
	uint64_t t_min, t_max;
};

/* A signature id of one stream, and the run's kernel that it stands for. */
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

/* Most frames in an index: 96 MiB. If small frames are merged (capture_merge.h) that is
 * a year of one process that does little, or a week of 200. */
#define CAPTURE_FRAMES (1u << 21)

struct capture_index {
	struct capture_frame *frame;	/* in replay order */
	size_t frames;
	struct capture_signature *signature;
	size_t signatures;
	struct capture_device *device;
	size_t devices;
	uint64_t ranges;	/* NVTX ranges among the records; not stored */
};

void capture_index_clear(struct capture_index *x);

/*
 * capture_load(path, m, stats, e): feed every record of the file into ${m}: each stream
 * in the order of its sequence numbers, the streams merged by time. Damage is counted
 * in ${stats} (may be NULL) and is not an error. -1 with ${e} set if the file cannot be
 * read, is empty, is not a capture, or was written by a newer version.
 */
int capture_load(const char *path, struct model *m,
    struct capture_stats *stats, struct error *e);

/* capture_load_fd: the same for an open file, which stays open. ${x} (may be NULL) gets
 * the index: release it with capture_index_clear. ${m} may be NULL. ${name} is for
 * messages. */
int capture_load_fd(int fd, const char *name, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

/* capture_load_file: the same for a path, with the index. */
int capture_load_file(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

/* capture_load_index(path, x, e): read the index only. */
int capture_load_index(const char *path, struct capture_index *x,
    struct error *e);

/* capture_index_sort(x): sort devices and signatures, as the lookups below need it.
 * capture_index_kernels does so, too. */
void capture_index_sort(struct capture_index *x);

/* capture_load_own(path, m, stats, x, e): capture_load_file for one of the daemon's own
 * captures to which nothing is written now. It merges the journal first, and condenses
 * a capture with too many frames. ${m} may be NULL. */
int capture_load_own(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e);

struct run;
/* capture_index_kernels(x, run): set the kernel of each signature, and the run's device
 * for each device ordinal of each process. */
void capture_index_kernels(struct capture_index *x, const struct run *run);

/* capture_index_signature(x, stream, signature): the row of a signature, or NULL; ${x}
 * must be sorted. */
const struct capture_signature *capture_index_signature(
    const struct capture_index *x, uint64_t stream, uint32_t signature);

/* capture_index_device(x, stream, ordinal): index into run->device of device ${ordinal}
 * of the process with ${stream}; UINT32_MAX: none. ${x} must be sorted. */
uint32_t capture_index_device(const struct capture_index *x, uint64_t stream,
    uint32_t ordinal);

/*
 * capture_window(path, x, from, to, max, fn, arg, e, more): decode only the frames of
 * ${x} that overlap [from, to) ns of CLOCK_REALTIME (if ${from} is 0 also frames
 * without times), in replay order, and call ${fn} for each of their records, until
 * ${fn} returns non-zero or ${max} records were passed. Returns the number of records
 * passed, or -1 with ${e} set. *${more} (may be NULL) becomes 1 if it stopped because
 * of ${max}.
 */
typedef int capture_visit(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r);
int64_t capture_window(const char *path, const struct capture_index *x,
    uint64_t from, uint64_t to, uint64_t max, capture_visit *fn, void *arg,
    int *more, struct error *e);

/* capture_record_time(r, from, to): the time span of a record, ns of CLOCK_REALTIME.
 * Returns 1; 0 if the record has no time. */
int capture_record_time(const struct record *r, uint64_t *from, uint64_t *to);

/*
 * capture_concat(path, n, out, e): append the undamaged frames of the ${n} files to
 * ${out} (created if missing), compressed: makes a capture from spool files. A missing
 * file is skipped.
 */
int capture_concat(const char *const *path, size_t n, const char *out,
    struct error *e);

/*
 * capture_condense(path, out, e): write the frames of ${path} to the new file ${out},
 * with small frames merged: for captures with too many frames to load.
 */
int capture_condense(const char *path, const char *out, struct error *e);

/*
 * capture_copy(path, x, out, e): write only the frames of ${x} in ${path} to
 * the new file ${out}; ${x} becomes the index of ${out}.
 */
int capture_copy(const char *path, struct capture_index *x, const char *out,
    struct error *e);

/*
 * capture_peek(path, o, e): who wrote the file: the run id of its first HELLO or
 * RUN_BEGIN ("" without one), the stream of that frame, and pid (0: unknown), pid
 * namespace and birth of that process; ${ended}: the last readable frame ends in BYE or
 * RUN_END. -1 with ${e} set if no frame is readable.
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
