#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/paths.h"
#include "base/stop.h"
#include "base/text.h"
#include "service/internal.h"
#include "capture/symbol.h"

static enum store_status
settle(struct service *s, struct session *se, struct error *e)
{
	const struct run *run = NULL;
	struct documents *docs;
	enum store_status st;

	if (attempt_begin(se->dir, e) != 0)
		return STORE_FAILED;
	run_disassemble(se->model, se->writer, &se->index);
	docs = analyse(se->model, true, s->config->thresholds, 0, &run);
	attempt_end(se->dir);
	if (docs == NULL) {
		analyse_error(e);
		return STORE_FAILED;
	}
	attempt_forget(se->dir);
	text_copy(docs->uuid, sizeof(docs->uuid), se->uuid);
	capture_index_kernels(&se->index, run);
	run_ranges(docs, se->capture, &se->index);
	st = run_put(s, se->number, docs, &se->index,
	    capture_writer_bytes(se->writer), e);
	documents_free(docs);
	return st;
}

/* Symbolizes the host call stacks of a run that was just recorded on this machine.
 * After an error the run is as before, without names. */
static void
name_addresses(struct session *se, bool rebuild)
{
	struct error e = ERROR_INIT;
	int rc;

	rc = rebuild ? symbols_complete(se->capture, &e) :
	    symbols_add(se->symbols, se->model, se->writer, &se->index, &e);
	if (rc != 0)
		log_failure("call stacks are not symbolized", &e);
}

/* Whether every process of the run sent BYE, and all records before it arrived. */
static bool
is_whole(const struct session *se)
{
	struct live_stream *st, *tmp;

	HASH_ITER(hh, se->streams, st, tmp)
		if (!st->bye || st->next < st->fed)
			return false;
	return true;
}

static void
finish(struct service *s, struct session *se)
{
	struct error e = ERROR_INIT;
	enum store_status st;
	bool rebuild;
	int merged;

	if (session_keep(se, &e) != 0) {
		log_failure("a run's last data cannot be written", &e);
		trouble_note(s, se->uuid, &e);
		se->rebuild = true;
		e = (struct error)ERROR_INIT;
	}
	merged = spool_merge(s, se->uuid, se->capture, se, &e);
	if (merged < 0) {
		log_failure("a spool file cannot be merged", &e);
		trouble_note(s, se->uuid, &e);
		e = (struct error)ERROR_INIT;
	}
	rebuild = se->model == NULL || se->rebuild || merged != 0;
	name_addresses(se, rebuild);
	if (!rebuild)
		st = settle(s, se, &e);
	else
		st = run_rebuild(s, se->uuid, se->number, &e);
	if (st != STORE_OK && stop_asked())
		log_info("run %lld: the next daemon finishes it",
		    (long long)se->number);
	else if (st != STORE_OK) {
		log_failure("a run cannot be stored", &e);
		trouble_note(s, se->uuid, &e);
		store_run_state(s->writer, se->number, "truncated", NULL);
		events_add(s, "run", se->number, se->uuid, "truncated");
	} else {
		log_info("run %lld is finished", (long long)se->number);
		if (merged >= 0)
			trouble_over(s, se->uuid, merged > 0 || is_whole(se));
	}
	atomic_fetch_add(&s->runs_finished, 1);
	claim_drop(s, se->uuid);
	session_free(se);
	malloc_trim(0);		/* a run may have needed as much memory as all others
				 * together */
	retention_apply(s);
}

static void
show(struct service *s, struct job *j)
{
	struct error e = ERROR_INIT;

	if (run_put(s, j->number, j->docs, NULL, j->bytes, &e) != STORE_OK)
		log_failure("a live run cannot be shown", &e);
	documents_free(j->docs);
	atomic_store(j->done, 0);
}

/* Removes the files of an interrupted import or condensation. */
static void
remove_leftovers(const char *dir)
{
	static const char *const left[] = { "capture.new", "capture.both",
	    "capture.cadv.new" };
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (paths_join(path, dir, left[i], NULL) == 0)
			unlink(path);
}

/* Whether the daemon was killed before the run had any data. Then nobody knows of the
 * run, and it is dropped. */
static bool
is_nothing(const char *dir, const char *capture)
{
	char tail[PATH_MAX];

	return run_bytes(capture) == 0 &&
	    (paths_join(tail, dir, "capture.cadv.tail", NULL) != 0 ||
	    run_bytes(tail) == 0);
}

/* Rebuilds the run in a directory under runs/ that is not finished in the database:
 * either the database is new, or the last daemon had more live runs than a daemon
 * resumes. */
static void
recover_run(struct service *s, const char *uuid)
{
	struct error e = ERROR_INIT;
	struct store_run row;
	enum store_status st;
	char dir[PATH_MAX], capture[PATH_MAX];
	int64_t number = 0;
	bool known;

	if (claim_take(s, uuid, false) != 0)
		return;
	if (run_directory(s, uuid, dir, capture, &e) != 0)
		goto out;
	remove_leftovers(dir);
	st = store_run_find(s->writer, uuid, &row, &e);
	known = st == STORE_OK && strcmp(row.state, "live") != 0;
	if (st == STORE_OK)
		store_run_clear(&row);
	if (st == STORE_NONE && is_nothing(dir, capture))
		run_directory_remove(dir, &e);
	else if (!known && (st == STORE_OK || st == STORE_NONE)) {
		st = store_run_add(s->writer, uuid, NULL, 0, &number, &e);
		if (st == STORE_OK)
			st = run_rebuild(s, uuid, number, &e);
		if (st == STORE_OK)
			log_info("run %lld was rebuilt from its capture",
			    (long long)number);
		else if (!stop_asked()) {
			log_failure("a run cannot be rebuilt", &e);
			trouble_note(s, uuid, &e);
			store_run_state(s->writer, number, "truncated", NULL);
		}
	}
out:
	claim_drop(s, uuid);
}

static void
recover(struct service *s)
{
	DIR *dir = opendir(s->runs);
	char spare[PATH_MAX];
	struct dirent *d;

	pthread_mutex_lock(&s->heavy);
	if (paths_join(spare, s->runs, IMPORT_SPARE, NULL) == 0)
		unlink(spare);
	pthread_mutex_unlock(&s->heavy);

	if (dir == NULL)
		return;
	while ((d = readdir(dir)) != NULL && !atomic_load(&s->stopping))
		if (text_is_hex(d->d_name, 32))
			recover_run(s, d->d_name);
	closedir(dir);
}

void *
worker_main(void *service)
{
	struct service *s = service;
	enum job_kind kind = JOB_SHOW;
	struct job *j;

	while (kind != JOB_STOP) {
		j = job_next(s);
		kind = j->kind;
		switch (kind) {
		case JOB_SHOW:
			show(s, j);
			break;
		case JOB_FINISH:
			finish(s, j->session);
			break;
		case JOB_SPOOLS:
			spool_sweep(s);
			break;
		case JOB_RECOVER:
			recover(s);
			break;
		case JOB_STOP:
			break;
		}
		free(j);
	}
	return NULL;
}
