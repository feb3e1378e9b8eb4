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
};

uint64_t capture_name(const char *p, size_t len);
uint64_t capture_shape(uint64_t name, uint32_t device,
    const struct record_SIGNATURE *r);

/* definitions_note(d, stream, r, x): take in a STRING or SIGNATURE; -1 without
 * memory. */
int definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x);
void definitions_clear(struct definitions *d);

#endif
