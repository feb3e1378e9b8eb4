#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "service/internal.h"

static int
open_state(struct service *s, const char *state, struct error *e)
{
	char path[PATH_MAX];

	if (text_copy(s->state, sizeof(s->state), state) != 0 ||
	    paths_join(s->runs, state, "runs", e) != 0 ||
	    paths_join(s->spool, state, "spool", e) != 0 ||
	    paths_join(path, state, "cudadvise.db", e) != 0)
		return -1;
	if (run_make_private(s->runs, e) != 0 || run_make_private(s->spool, e) != 0)
		return -1;
	if ((s->writer = store_open(path, e)) == NULL ||
	    (s->reader = store_open_reader(path, e)) == NULL)
		return -1;
	return 0;
}

static void
resume_run(struct service *s, const struct store_run *r, const char *dir)
{
	struct error e = ERROR_INIT;

	if (attempt_begin(dir, &e) != 0) {
		log_failure("a run is not resumed", &e);
		trouble_note(s, r->uuid, &e);
		store_run_state(s->writer, r->number, "truncated", NULL);
		return;
	}
	session_get(s, r->uuid, r->label, (uint64_t)r->started_ns, &e);
	attempt_end(dir);
}

/* Resumes the runs that were live when the last daemon ended. */
static void
resume_runs(struct service *s)
{
	char dir[PATH_MAX], capture[PATH_MAX];
	struct error e = ERROR_INIT;
	struct store_run *run;
	size_t n, i;

	/* Live runs are among the newest. */
	if (store_runs(s->writer, 0, 1000, false, &run, &n, &e) != STORE_OK) {
		log_failure("runs cannot be listed", &e);
		return;
	}
	for (i = 0; i < n; i++) {
		if (strcmp(run[i].state, "live") != 0 ||
		    run_directory(s, run[i].uuid, dir, capture, &e) != 0)
			continue;
		if (access(capture, F_OK) != 0) {
			rmdir(dir);
			store_run_state(s->writer, run[i].number, "truncated",
			    &e);
			continue;
		}
		resume_run(s, &run[i], dir);
	}
	store_runs_free(run, n);
}

static int
start_threads(struct service *s, struct error *e)
{

	if ((errno = pthread_create(&s->worker, NULL, worker_main, s)) != 0)
		return error_set(e, "cannot start a thread:");
	s->worker_runs = true;
	if ((errno = pthread_create(&s->listener, NULL, listener_main, s)))
		return error_set(e, "cannot start a thread:");
	s->listener_runs = true;
	return 0;
}

struct service *
service_start(const struct service_options *o, struct error *e)
{
	struct service *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		error_memory(e);
		return NULL;
	}
	s->config = o->config;
	s->listen_fd = -1;
	s->jobs_end = &s->jobs;
	s->started_ns = clock_real();
	pthread_mutex_init(&s->claims_lock, NULL);
	pthread_cond_init(&s->claims_free, NULL);
	pthread_mutex_init(&s->jobs_lock, NULL);
	pthread_cond_init(&s->jobs_come, NULL);
	pthread_mutex_init(&s->heavy, NULL);
	pthread_mutex_init(&s->trouble_lock, NULL);
	events_init(s);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->epoll < 0 || s->wake < 0) {
		error_set(e, "cannot wait for events:");
		goto fail;
	}
	if (open_state(s, o->state, e) != 0)
		goto fail;
	if ((o->socket != NULL || o->listen_fd >= 0) &&
	    listener_open(s, o->socket, o->listen_fd, e) != 0)
		goto fail;
	resume_runs(s);
	job_post(s, (struct job){ .kind = JOB_RECOVER });
	job_post(s, (struct job){ .kind = JOB_SPOOLS });
	if (start_threads(s, e) != 0)
		goto fail;
	return s;
fail:
	service_stop(s);
	return NULL;
}

static void
close_fd(int fd)
{

	if (fd >= 0)
		close(fd);
}

void
service_stop(struct service *s)
{
	struct session *se, *tmp;
	struct job *j;
	uint64_t one = 1;

	if (s == NULL)
		return;
	atomic_store(&s->stopping, 1);
	if (s->listener_runs) {
		if (write(s->wake, &one, sizeof(one)) < 0)
			log_error("cannot wake the listener");
		pthread_join(s->listener, NULL);
	}
	if (s->worker_runs) {
		job_post(s, (struct job){ .kind = JOB_STOP });
		pthread_join(s->worker, NULL);
	}
	while ((j = s->jobs) != NULL) {
		s->jobs = j->next;
		documents_free(j->docs);
		session_free(j->session);
		free(j);
	}
	HASH_ITER(hh, s->sessions, se, tmp) {
		HASH_DEL(s->sessions, se);
		claim_drop(s, se->uuid);
		session_free(se);
	}
	if (s->socket[0] != '\0')
		unlink(s->socket);
	close_fd(s->listen_fd);
	close_fd(s->epoll);
	close_fd(s->wake);
	store_close(s->reader);
	store_close(s->writer);
	free(s);
}

struct store *
service_store(struct service *s)
{

	return s->reader;
}

static int
row_of(struct service *s, int64_t number, struct store_run *row,
    enum store_status *st, struct error *e)
{
	char id[32];

	snprintf(id, sizeof(id), "%lld", (long long)number);
	*st = store_run_find(s->reader, id, row, e);
	if (*st == STORE_NONE)
		error_set(e, "there is no run %lld", (long long)number);
	return *st == STORE_OK ? 0 : -1;
}

enum store_status
service_reanalyze(struct service *s, int64_t number, struct error *e)
{
	char dir[PATH_MAX], capture[PATH_MAX];
	struct store_run row;
	enum store_status st;

	if (row_of(s, number, &row, &st, e) != 0)
		return st;
	if (claim_wait(s, row.uuid) != 0) {
		error_set(e, "run %lld is live", (long long)number);
		error_remedy(e, "wait until its program ends");
		st = STORE_FAILED;
	} else {
		if (run_directory(s, row.uuid, dir, capture, NULL) == 0)
			attempt_forget(dir);
		st = run_rebuild(s, row.uuid, number, e);
		if (st == STORE_OK)
			trouble_over(s, row.uuid, true);
		claim_drop(s, row.uuid);
	}
	store_run_clear(&row);
	return st;
}

enum store_status
service_delete(struct service *s, int64_t number, struct error *e)
{
	struct store_run row;
	enum store_status st;

	if (row_of(s, number, &row, &st, e) != 0)
		return st;
	if (claim_wait(s, row.uuid) != 0) {
		error_set(e, "run %lld is live", (long long)number);
		error_remedy(e, "end its program first");
		st = STORE_FAILED;
	} else {
		st = retention_remove(s, number, row.uuid, e);
		claim_drop(s, row.uuid);
	}
	store_run_clear(&row);
	return st;
}

enum store_status
service_patch(struct service *s, int64_t number, const char *label,
    int pinned, struct error *e)
{
	struct store_run row;
	enum store_status st;

	st = store_run_patch(s->writer, number, label, pinned, e);
	if (st == STORE_OK && row_of(s, number, &row, &st, e) == 0) {
		events_add(s, "run", number, row.uuid, row.state);
		store_run_clear(&row);
	}
	return st;
}

int
service_capture(struct service *s, int64_t number, struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct store_run row;
	enum store_status st;
	int fd = -1;

	if (row_of(s, number, &row, &st, e) != 0)
		return -1;
	if (run_directory(s, row.uuid, dir, path, e) == 0 &&
	    (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		error_set(e, "cannot open the capture of run %lld:",
		    (long long)number);
	store_run_clear(&row);
	return fd;
}

bool
service_analysing(struct service *s, const char *uuid)
{

	return claim_is_over(s, uuid);
}

json_t *
service_run_json(const struct store_run *r)
{
	json_t *j = NULL;

	if (r->json != NULL)
		j = json_loads(r->json, 0, NULL);
	if (j == NULL)
		j = json_object();
	if (j == NULL)
		return NULL;
	json_object_set_new(j, "id", json_string(r->uuid));
	json_object_set_new(j, "number", json_integer(r->number));
	json_object_set_new(j, "label",
	    r->label != NULL ? json_string(r->label) : json_null());
	json_object_set_new(j, "pinned", json_boolean(r->pinned));
	json_object_set_new(j, "state", json_string(r->state));
	json_object_set_new(j, "analysis", json_integer(r->revision));
	json_object_set_new(j, "capture_bytes", json_integer(r->bytes));
	return j;
}

void
service_counters(struct service *s, struct service_counters *out)
{

	memset(out, 0, sizeof(*out));
#define COUNTER(name) out->name = atomic_load(&s->name)
	COUNTER(records);
	COUNTER(frames);
	COUNTER(bytes);
	COUNTER(connections);
	COUNTER(connections_open);
	COUNTER(dropped_peers);
	COUNTER(refused_peers);
	COUNTER(capture_bytes);
	COUNTER(capture_errors);
	COUNTER(runs_live);
	COUNTER(runs_finished);
	COUNTER(spools_merged);
	COUNTER(held_ns);
	COUNTER(held_longest_ns);
#undef COUNTER
	out->started_ns = s->started_ns;
}
