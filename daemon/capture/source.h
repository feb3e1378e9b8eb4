/*
 * capture/source.h: the frames of a file one by one, whatever state the file is
 * in. Internal to capture/.
 */
#ifndef CADV_SOURCE_H
#define CADV_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "wire/frame.h"

struct error;

struct source {
	int fd;
	bool owned;		/* source_close closes fd */
	const char *name;	/* for messages */
	uint64_t size;
	uint64_t offset;	/* where the next frame is looked for */
	uint64_t budget;	/* bytes that may still be read in vain */
	uint64_t unfold;	/* bytes that may still come of compressed ones */
	bool bomb;		/* more would have come */
	bool poor;		/* there was no memory for them */
	bool newer;		/* a frame of a newer version was seen */
	bool magic;		/* the file begins like a capture */
	struct capture_stats stats;
	uint8_t *frame;		/* header and stored payload of the last frame */
	uint8_t *raw;		/* its payload, see source_decode */
	struct ZSTD_DCtx_s *zstd;
};

/* source_open(s, fd, name, e): ${fd} stays the caller's. */
int source_open(struct source *s, int fd, const char *name, struct error *e);
/* source_open_path(s, path, e): the same for a file by name. */
int source_open_path(struct source *s, const char *path, struct error *e);
void source_close(struct source *s);

/*
 * source_next(s, h, offset): go to the next whole, checked frame, past whatever
 * damage there is. 1: its header in ${h}, its place in *${offset}, itself at
 * s->frame; 0: end of the file; -1: read error (errno).
 */
int source_next(struct source *s, struct frame_header *h, uint64_t *offset);

/* source_at(s, offset, h): read and check the frame at ${offset}; 0, or -1 if
 * none is there (any more). */
int source_at(struct source *s, uint64_t offset, struct frame_header *h);

/*
 * source_decode(s, h, limit, len): the payload of the frame at s->frame,
 * uncompressed, of which the first ${limit} bytes suffice. Returns where it is
 * and its length in *${len}; NULL if it is damaged, or if the file unfolds to more
 * than any capture does (s->bomb). Valid until the next call.
 */
const uint8_t *source_decode(struct source *s, const struct frame_header *h,
    uint32_t limit, size_t *len);

/* source_stops(s): no more of it is to be read: it unfolds to too much, there is
 * no memory, or the process ends. */
bool source_stops(const struct source *s);

/* source_verdict(s, e): at the end of the file, or where it was left: -1 with
 * ${e} set if it held no readable frame, or source_stops, saying what it is. */
int source_verdict(const struct source *s, struct error *e);

#endif
