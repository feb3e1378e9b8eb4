#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/paths.h"
#include "service/internal.h"

#define DAY_NS (86400ull * 1000000000ull)

enum store_status
retention_remove(struct service *s, int64_t number, const char *uuid,
    struct error *e)
{
	char dir[PATH_MAX];
	enum store_status st;

	if (paths_join(dir, s->runs, uuid, e) != 0)
		return STORE_FAILED;
	/* The row first: a directory without a row becomes a run again at the next
	 * start; a row without a directory is useless. */
	st = store_run_delete(s->writer, number, e);
	if (st != STORE_OK)
		return st;
	events_add(s, "deleted", number, uuid, "");
	return run_directory_remove(dir, e) == 0 ? STORE_OK : STORE_FAILED;
}

static bool
too_much(const struct config *c, const struct store_run *r, uint64_t rank,
    uint64_t bytes, uint64_t now)
{

	if (c->keep_runs > 0 && rank > c->keep_runs)
		return true;
	if (c->keep_bytes > 0 && bytes > c->keep_bytes)
		return true;
	return c->keep_days > 0 && r->started_ns > 0 &&
	    (uint64_t)r->started_ns + c->keep_days * DAY_NS < now;
}

/* Counts runs from the newest and removes those over a limit, unless they are pinned or
 * in use. The newest run is always kept: it was just recorded. */
void
retention_apply(struct service *s)
{
	struct error e = ERROR_INIT;
	uint64_t rank = 0, bytes = 0, now = clock_real();
	struct store_run *run;
	int64_t after = 0;
	size_t n, i;

	do {
		if (store_runs(s->writer, after, 200, false, &run, &n, &e) !=
		    STORE_OK)
			return;
		for (i = 0; i < n; i++) {
			after = run[i].number;
			rank++;
			bytes += (uint64_t)run[i].bytes;
			if (run[i].pinned || rank == 1 ||
			    !too_much(s->config, &run[i], rank, bytes, now) ||
			    claim_take(s, run[i].uuid, false) != 0)
				continue;
			log_info("run %lld is deleted: over the retention limits",
			    (long long)run[i].number);
			retention_remove(s, run[i].number, run[i].uuid, &e);
			bytes -= (uint64_t)run[i].bytes;
			rank--;
			claim_drop(s, run[i].uuid);
		}
		store_runs_free(run, n);
	} while (n == 200);
}
