/* report/tracks.h: the tracks on which operations are drawn: one for each
 * stream of a GPU and each thread, and more if operations overlap. */
#ifndef CADV_TRACKS_H
#define CADV_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reader.h"

struct track;

/* Empty when zeroed. */
struct tracks {
	struct track *table;
	uint32_t count;		/* tracks, numbered from 1 */
	bool failed;		/* no memory */
};

/* What a track shows. */
struct track_key {
	uint64_t process;
	uint32_t kind;		/* enum track_kind */
	uint32_t device, stream;	/* of a GPU */
	uint32_t thread;	/* of the host */
	uint32_t lane;		/* 0: the first */
	uint32_t pad;
};

enum track_kind { TRACK_PROCESS, TRACK_THREAD, TRACK_GPU, TRACK_ACROSS };

/* tracks_of(t, key, fresh): the number of a track; *${fresh}: is it new? 0
 * without memory. */
uint32_t tracks_of(struct tracks *t, const struct track_key *key, bool *fresh);

/*
 * tracks_place(t, op, key, fresh): the number of the track for ${op}, whose key
 * is *${key}: the first lane on which nothing crosses it. A host operation may
 * lie within another one. 0 without memory.
 */
uint32_t tracks_place(struct tracks *t, const struct operation *op,
    struct track_key *key, bool *fresh);

void tracks_clear(struct tracks *t);

#endif
