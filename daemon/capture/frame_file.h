/*
 * capture/frame_file.h: reads the frames of a file one by one, whatever the file's
 * damage. Internal to capture/.
 */
#ifndef CADV_FRAME_FILE_H
#define CADV_FRAME_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "wire/frame.h"

struct error;

struct frame_file {
	int fd;
	bool owned;		/* frame_file_close closes ${fd} */
	const char *name;	/* for messages */
	uint64_t size;
	uint64_t offset;	/* where to look for the next frame */
	uint64_t budget;	/* bytes of damage that may still be read */
	uint64_t unfold;	/* bytes that may still be decompressed */
	bool bomb;		/* decompressing exceeded the limit */
	bool poor;		/* out of memory */
	bool newer;		/* a frame is of a newer format version */
	bool magic;		/* the file begins with the magic number */
	struct capture_stats stats;
	uint8_t *frame;		/* header and stored payload of the last frame */
	uint8_t *raw;		/* its decompressed payload, see frame_file_decode */
	size_t raw_size;	/* the size of ${raw} */
	struct ZSTD_DCtx_s *zstd;
};

/* frame_file_open(s, fd, name, e): begin to read ${fd}, which stays the caller's. 0; -1
 * with ${e} set. */
int frame_file_open(struct frame_file *s, int fd, const char *name, struct error *e);
/* frame_file_open_path(s, path, e): the same for a file by name. */
int frame_file_open_path(struct frame_file *s, const char *path, struct error *e);
void frame_file_close(struct frame_file *s);

/*
 * frame_file_next(s, h, offset): find the next whole and valid frame, skipping damage.
 * 1: its header is in ${h}, its place in *${offset}, the frame at s->frame; 0: end of
 * the file; -1: read error (errno).
 */
int frame_file_next(struct frame_file *s, struct frame_header *h, uint64_t *offset);

/* frame_file_at(s, offset, h): read and check the frame at ${offset}. 0, or -1 if there
 * is no valid frame. */
int frame_file_at(struct frame_file *s, uint64_t offset, struct frame_header *h);

/*
 * frame_file_decode(s, h, limit, len): the decompressed payload of the frame at
 * s->frame, of which the caller needs the first ${limit} bytes. Returns it, with its length in
 * *${len}; NULL if it is damaged, memory is short (s->poor), or the file decompresses
 * to more than any capture does (s->bomb). Valid until the next call.
 */
const uint8_t *frame_file_decode(struct frame_file *s, const struct frame_header *h,
    uint32_t limit, size_t *len);

/* frame_file_stops(s): reading has to end, because the file decompresses to too much,
 * memory is short, or the process is to end. */
bool frame_file_stops(const struct frame_file *s);

/* frame_file_verdict(s, e): called at the end of the file or when frame_file_stops. 0;
 * -1 with ${e} set if no frame was readable, or frame_file_stops. */
int frame_file_verdict(const struct frame_file *s, struct error *e);

#endif
