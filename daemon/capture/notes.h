/*
 * capture/notes.h: records of the daemon's own about a run: batched into frames
 * of a stream of their own, which go into the capture, its index and the model.
 */
#ifndef CADV_NOTES_H
#define CADV_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

struct capture_index;
struct capture_writer;
struct error;
struct model;

struct notes {
	struct model *model;		/* each may be NULL: left out */
	struct capture_writer *writer;
	struct capture_index *index;
	uint64_t stream, sequence;
	uint8_t *buf;			/* one frame */
	size_t used;			/* bytes of payload in it */
	uint32_t records;		/* in it */
	uint64_t written;		/* records in all */
	int failed;
};

/* notes_open(n, m, w, x, e): begin a stream with a number of its own. */
int notes_open(struct notes *n, struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

/* NOTE(NAME, n, r, e): one struct record_NAME. 0; -1 with ${e} if the capture
 * cannot be written or there is no memory; then nothing more is taken. A record
 * over the limits of its strings is left out. */
#define NOTE(name, n, r, e) (						\
	notes_room((n), (e)) != 0 ? -1 : notes_put((n),			\
	    record_put_##name(notes_at(n), notes_left(n), (r))))

/* notes_close(n, e): write what is left, and release. -1 as NOTE. */
int notes_close(struct notes *n, struct error *e);

/* The parts of NOTE. */
int notes_room(struct notes *n, struct error *e);
uint8_t *notes_at(const struct notes *n);
size_t notes_left(const struct notes *n);
int notes_put(struct notes *n, size_t len);

#endif
