/* capture/capture_index.h: builds the index while a capture is read or written.
 * Internal to capture/. */
#ifndef CADV_CAPTURE_INDEX_H
#define CADV_CAPTURE_INDEX_H

#include "capture/capture.h"
#include "model/idmap.h"
#include "wire/record.h"

/* Limits of one run, the same as the model's (model/internal.h). */
#define DEFINITION_STREAMS 1024u
#define DEFINITION_STRINGS 65536u	/* of a stream */
#define DEFINITION_SIGNATURES 16384u	/* of a stream */
#define DEFINITION_DEVICES 64u		/* of a stream */
#define DEFINITION_MOST (1u << 20)	/* of each kind, in all streams */

/* The number of definitions of one stream. */
struct definition_counts {
	uint32_t strings, signatures, devices;
};

/* Must be zeroed at first. Keys of the maps: the number of a stream and an id. */
struct definitions {
	struct idmap streams;		/* stream id to its number */
	struct definition_counts *count;	/* indexed by that number */
	struct idmap strings;		/* to an index into string[] */
	uint64_t *string;		/* hashes of the texts */
	size_t used, string_cap;
	struct idmap signatures;	/* to an index into x->signature */
	struct idmap devices;		/* to an index into x->device */
	size_t cap;		/* of x->signature */
	size_t frame_cap;	/* of x->frame */
	size_t device_cap;	/* of x->device */
};

/* capture_name(p, len): the hash of a name as the model stores it. capture_shape(name,
 * r): the hash of such a name's hash and a launch shape; kernels of one device with
 * equal hashes are one kernel. */
uint64_t capture_name(const char *p, size_t len);
uint64_t capture_shape(uint64_t name, const struct record_SIGNATURE *r);

/* definitions_note(d, stream, r, x): store the definition in ${r}, if it is one, in
 * ${d} and ${x}, and count NVTX ranges. If an id is defined again, the last definition
 * counts (of a device the first). Definitions beyond a limit are ignored: the model
 * counts them as lost. 0; -1 without memory. */
int definitions_note(struct definitions *d, uint64_t stream,
    const struct record *r, struct capture_index *x);

/* frame_open(f, stream): set ${f} to an empty index row. frame_note(f, sequence, r):
 * add record ${r} with number ${sequence} to the row. */
void frame_open(struct capture_frame *f, uint64_t stream);
void frame_note(struct capture_frame *f, uint64_t sequence,
    const struct record *r);

/* capture_grow(items, used, cap, size): make room for one more item of ${size} bytes in
 * *${items}, which holds ${used} and has room for *${cap}. 0; -1 without memory. */
int capture_grow(void **items, size_t used, size_t *cap, size_t size);

/* capture_index_add(x, cap, f): append a copy of row ${f}. 0; -1 without memory. */
int capture_index_add(struct capture_index *x, size_t *cap,
    const struct capture_frame *f);

void definitions_clear(struct definitions *d);

#endif
