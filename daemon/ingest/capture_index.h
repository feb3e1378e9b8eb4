/* ingest/capture_index.h: collecting definitions while a capture is read.
 * Internal to ingest/. */
#ifndef CADV_CAPTURE_INDEX_H
#define CADV_CAPTURE_INDEX_H

#include <uthash.h>

#include "ingest/capture.h"
#include "wire/record.h"

struct definition {
	uint64_t stream;	/* the key: these two */
	uint64_t id;
	uint64_t hash;		/* of the text */
	UT_hash_handle hh;
};
#define DEFINITION_KEY (2 * sizeof(uint64_t))

struct definitions {
	struct definition *strings;
	size_t cap;		/* of x->signature */
	size_t frame_cap;	/* of x->frame */
	size_t device_cap;	/* of x->device */
};

uint64_t capture_name(const char *p, size_t len);
uint64_t capture_shape(uint64_t name, const struct record_SIGNATURE *r);

/* definitions_note(d, stream, r, x): take in a record if it defines something;
 * -1 without memory. */
int definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x);

/* frame_open(f, stream): an index row with nothing in it yet; frame_note(f,
 * sequence, r): one more new record of it. */
void frame_open(struct capture_frame *f, uint64_t stream);
void frame_note(struct capture_frame *f, uint64_t sequence,
    const struct record *r);

/* capture_index_add(x, cap, f): append a row. */
int capture_index_add(struct capture_index *x, size_t *cap,
    const struct capture_frame *f);

void definitions_clear(struct definitions *d);

#endif
