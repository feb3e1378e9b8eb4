/* capture/capture_index.h: collecting definitions while a capture is read.
 * Internal to capture/. */
#ifndef CADV_CAPTURE_INDEX_H
#define CADV_CAPTURE_INDEX_H

#include "capture/capture.h"
#include "model/idmap.h"
#include "wire/record.h"

/* Limits of one run; the same as the model's (model/internal.h). */
#define DEFINITION_STREAMS 1024u
#define DEFINITION_STRINGS 65536u	/* of a stream */
#define DEFINITION_SIGNATURES 16384u	/* of a stream */
#define DEFINITION_DEVICES 64u		/* of a stream */
#define DEFINITION_MOST (1u << 20)	/* of each kind, in all streams */

/* The number of definitions of one stream. */
struct definition_counts {
	uint32_t strings, signatures, devices;
};

/* Empty when zeroed. The maps have the number of a stream and an id as their
 * key. */
struct definitions {
	struct idmap streams;		/* id to number */
	struct definition_counts *count;	/* by number */
	struct idmap strings;		/* to string[] */
	uint64_t *string;		/* hash of the text */
	size_t used, string_cap;
	struct idmap signatures;	/* to x->signature */
	struct idmap devices;		/* to x->device */
	size_t cap;		/* of x->signature */
	size_t frame_cap;	/* of x->frame */
	size_t device_cap;	/* of x->device */
};

uint64_t capture_name(const char *p, size_t len);
uint64_t capture_shape(uint64_t name, const struct record_SIGNATURE *r);

/* definitions_note(d, stream, r, x): store the definition in ${r}, if it has
 * one, and count ranges; of several definitions of an id the last one counts. What exceeds a
 * limit is left out: the model counts it as lost. -1 without memory. */
int definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x);

/* frame_open(f, stream): an empty index row; frame_note(f, sequence, r): add a
 * new record to it. */
void frame_open(struct capture_frame *f, uint64_t stream);
void frame_note(struct capture_frame *f, uint64_t sequence,
    const struct record *r);

/* capture_grow(items, used, cap, size): make room for one more item of ${size}
 * bytes in *${items}, which has ${used}. */
int capture_grow(void **items, size_t used, size_t *cap, size_t size);

/* capture_index_add(x, cap, f): append a row. */
int capture_index_add(struct capture_index *x, size_t *cap,
    const struct capture_frame *f);

void definitions_clear(struct definitions *d);

#endif
