/*
 * service/view.h: a stored run with what its views are made of (timeline.c,
 * window.c): its row, the index of its capture, and what a record is on a
 * timeline.
 */
#ifndef CADV_SERVICE_VIEW_H
#define CADV_SERVICE_VIEW_H

#include "service/internal.h"
#include "model/model.h"

#define VIEW_RECORDS 200000	/* decoded for a request, at most: 10 ms */

struct view {
	struct store_run row;
	struct capture_index index;
	char capture[PATH_MAX];
	struct run run;			/* its timelines and devices only */
	json_t *stored;			/* owns the devices' names */
	bool indexed;			/* a live run has no index yet */
};

/* view_open(s, number, v, e): STORE_NONE: there is no such run. The caller calls
 * view_close in any case. */
enum store_status view_open(struct service *s, int64_t number, struct view *v,
    struct error *e);
void view_close(struct view *v);

/* view_frames(s, v, from, to): load the index of the frames that overlap [from,
 * to) ns of CLOCK_REALTIME. False if they have more than VIEW_RECORDS records, or
 * cannot be read. */
bool view_frames(struct service *s, struct view *v, uint64_t from, uint64_t to);

/* A record as a span of a row. */
struct view_op {
	enum timeline_row row;
	bool host;		/* of the host: no device */
	uint32_t device;	/* index into run->device; UINT32_MAX: not defined */
	uint32_t kernel;	/* struct kernel's id; 0: none */
	uint32_t stream;	/* CUDA stream; 0 of a host call */
	uint64_t bytes;		/* of a copy or memset */
	const char *call;	/* of the host; NULL */
	uint64_t from, to;	/* ns of CLOCK_REALTIME */
};

/* view_op(x, stream, r, op): false if ${r} is on no row. ${x} has its kernels and
 * devices; ${stream} is that of the capture. */
bool view_op(const struct capture_index *x, uint64_t stream,
    const struct record *r, struct view_op *op);

#endif
