#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "service/view.h"

void
view_close(struct run_view *v)
{

	store_run_clear(&v->row);
	capture_index_clear(&v->index);
	free(v->run.timeline);
	free(v->run.device);
	json_decref(v->stored);
}

enum store_status
view_open(struct service *s, int64_t number, struct run_view *v, struct error *e)
{
	enum store_status st;
	char dir[PATH_MAX], id[32];

	memset(v, 0, sizeof(*v));
	snprintf(id, sizeof(id), "%" PRId64, number);
	st = store_run_find(s->reader, id, &v->row, e);
	if (st != STORE_OK)
		return st;
	if (paths_join(dir, s->runs, v->row.uuid, e) != 0 ||
	    paths_join(v->capture, dir, "capture.cadv", e) != 0)
		return STORE_FAILED;
	st = store_index(s->reader, number, &v->index, e);
	v->indexed = st == STORE_OK;
	return st == STORE_NONE ? STORE_OK : st;
}

bool
view_frames(struct service *s, struct run_view *v, uint64_t from, uint64_t to)
{
	struct store_frames want = { .from = from, .to = to,
	    .records = VIEW_RECORDS };
	struct error e = ERROR_INIT;
	uint64_t n = 0;
	size_t i;

	if (store_frames(s->reader, v->row.number, &want, &v->index, &e) !=
	    STORE_OK)
		return false;
	for (i = 0; i < v->index.frames; i++)
		n += v->index.frame[i].records;
	return n <= VIEW_RECORDS;
}

enum store_status
service_operations(struct service *s, int64_t number, operation_visit *visit,
    void *arg, int *rc, struct error *e)
{
	struct store_frames want = { .to = INT64_MAX,
	    .records = UINT64_MAX };
	enum store_status st;
	struct run_view v;

	st = view_open(s, number, &v, e);
	if (st == STORE_OK && !v.indexed)
		st = STORE_NONE;
	if (st == STORE_OK)
		st = store_frames(s->reader, number, &want, &v.index, e);
	if (st == STORE_OK && (*rc = capture_operations(v.capture, &v.index,
	    visit, arg, e)) < 0)
		st = STORE_FAILED;
	view_close(&v);
	return st;
}
