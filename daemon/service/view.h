/*
 * service/view.h: a stored run with what its views are made of (timeline.c,
 * window.c): its row and the index of its capture.
 */
#ifndef CADV_SERVICE_VIEW_H
#define CADV_SERVICE_VIEW_H

#include "capture/operation.h"
#include "model/model.h"
#include "service/internal.h"

#define VIEW_RECORDS 200000	/* decoded for a request, at most: 10 ms */

struct run_view {
	struct store_run row;
	struct capture_index index;
	char capture[PATH_MAX];
	struct run run;			/* its timelines and devices only */
	json_t *stored;			/* owns the devices' names */
	bool indexed;			/* a live run has no index yet */
};

/* view_open(s, number, v, e): STORE_NONE: there is no such run. The caller calls
 * view_close in any case. */
enum store_status view_open(struct service *s, int64_t number, struct run_view *v,
    struct error *e);
void view_close(struct run_view *v);

/* view_frames(s, v, from, to): load the index of the frames that overlap [from,
 * to) ns of CLOCK_REALTIME. False if they have more than VIEW_RECORDS records, or
 * cannot be read. */
bool view_frames(struct service *s, struct run_view *v, uint64_t from, uint64_t to);

#endif
