/*
 * service/view.h: what a view of a stored run (timeline.c, window.c) needs: the run's
 * row and the index of its capture.
 */
#ifndef CADV_SERVICE_VIEW_H
#define CADV_SERVICE_VIEW_H

#include "capture/operation.h"
#include "model/model.h"
#include "service/internal.h"

#define VIEW_RECORDS 200000	/* most records decoded for one request: 10 ms */

struct run_view {
	struct store_run row;
	struct capture_index index;
	char capture[PATH_MAX];
	struct run run;			/* only its timelines and devices */
	json_t *stored;		/* the timeline document; owns the names of devices */
	bool indexed;			/* the index is there; a live run has none yet */
};

/* view_open(s, number, v, e): load row and index. STORE_NONE: there is no such run. The
 * caller calls view_close whatever it returns. */
enum store_status view_open(struct service *s, int64_t number, struct run_view *v,
    struct error *e);
void view_close(struct run_view *v);

/* view_frames(s, v, from, to): load the index rows of the frames that overlap [from,
 * to) ns of CLOCK_REALTIME. False if they have more than VIEW_RECORDS records, or
 * cannot be read. */
bool view_frames(struct service *s, struct run_view *v, uint64_t from, uint64_t to);

#endif
