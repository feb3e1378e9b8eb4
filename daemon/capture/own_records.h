/*
 * capture/own_records.h: records that the daemon itself adds to a run. They form a
 * stream of their own, and go into the capture, its index and the model.
 */
#ifndef CADV_OWN_RECORDS_H
#define CADV_OWN_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

struct capture_index;
struct capture_writer;
struct error;
struct model;

struct own_records {
	struct model *model;		/* each may be NULL */
	struct capture_writer *writer;
	struct capture_index *index;
	uint64_t stream, sequence;
	uint8_t *buf;			/* one frame, with room for its header */
	size_t used;			/* bytes of payload in ${buf} */
	uint32_t records;		/* records in ${buf} */
	uint64_t written;		/* records in all */
	int failed;
};

/* own_records_open(n, m, w, x, e): begin a stream with a new id. ${m}, ${w} and ${x}
 * may be NULL. 0; -1 with ${e} set. */
int own_records_open(struct own_records *n, struct model *m,
    struct capture_writer *w, struct capture_index *x, struct error *e);

/* OWN_RECORD(NAME, n, r, e): add one struct record_NAME. 0; -1 with ${e} set if the
 * capture cannot be written or without memory: all later records are then dropped. A
 * record with a string over its limit is left out. */
#define OWN_RECORD(name, n, r, e) (					\
	own_records_room((n), (e)) != 0 ? -1 : own_records_put((n),	\
	    record_put_##name(own_records_at(n), own_records_left(n), (r))))

/* own_records_close(n, e): write the remaining records, and free the buffer. 0; -1 as
 * OWN_RECORD. */
int own_records_close(struct own_records *n, struct error *e);

/* Used by OWN_RECORD only. */
int own_records_room(struct own_records *n, struct error *e);
uint8_t *own_records_at(const struct own_records *n);
size_t own_records_left(const struct own_records *n);
int own_records_put(struct own_records *n, size_t len);

#endif
