#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "capture/capture_merge.h"
#include "service/internal.h"
#include "capture/symbol.h"
#include "model/model.h"
#include "wire/record.h"

/* Analysing a live run takes at most 1/SHOW_COST of the time. */
#define SHOW_COST 50

#define RESUME_GRACE (5000 * MS)

static void
note_record(struct session *se, struct live_stream *st, const struct record *r)
{

	if (r->type == RECORD_BYE)
		st->bye = true;
	else if (r->type == RECORD_RUN_BEGIN)
		st->launcher = true;
	else if (r->type == RECORD_RUN_END) {
		st->launcher = st->bye = true;
		se->ended = true;
		se->ended_ns = clock_mono();
	} else if (r->type == RECORD_HELD) {
		st->held_ns = r->u.HELD.total_ns;
		st->held_longest_ns = r->u.HELD.longest_ns;
	}
}

struct resuming {
	struct session *se;
	uint64_t pidns;
};

static int
resume_record(void *arg, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct resuming *z = arg;
	struct live_stream *st = session_stream(z->se, stream);

	if (st == NULL)
		return 1;
	if (sequence == st->next)
		st->next++;
	note_record(z->se, st, r);
	if (r->type == RECORD_HELLO && r->u.HELLO.pidns == z->pidns)
		st->proc = proc_born((pid_t)r->u.HELLO.pid,
		    &(struct proc_birth){ r->u.HELLO.start_ns,
		    r->u.HELLO.now_ns, r->u.HELLO.now_mono_ns });
	return 0;
}

/* Reads from the capture of an interrupted run how many records of each stream it has,
 * and the stream's process. The model is rebuilt when the run ends. */
static void
resume(struct session *se)
{
	struct resuming z = { se, spool_pid_namespace() };
	struct capture_index x = { 0 };
	struct error e = ERROR_INIT;
	struct capture_stats stats;

	se->rebuild = se->resumed = true;
	if (capture_load_own(se->capture, NULL, &stats, &x, &e) != 0 ||
	    capture_window(se->capture, &x, 0, UINT64_MAX, UINT64_MAX,
	    resume_record, &z, NULL, &e) < 0)
		log_failure("cannot read the capture of an interrupted run", &e);
	capture_index_clear(&x);
}

static void
give_up_model(struct session *se)
{

	model_free(se->model);
	se->model = NULL;
	se->rebuild = true;
}

/* Called when a frame was written into the capture. */
static void
note_row(void *session, const struct capture_frame *row)
{
	struct session *se = session;

	if (se->model != NULL && (se->index.frames >= CAPTURE_FRAMES ||
	    capture_index_add(&se->index, &se->definitions.frame_cap, row)))
		give_up_model(se);
}

static struct session *
session_new(struct service *s, const char *uuid, const char *label,
    uint64_t started_ns, struct error *e)
{
	struct session *se = calloc(1, sizeof(*se));

	if (se == NULL) {
		error_memory(e);
		return NULL;
	}
	text_copy(se->uuid, sizeof(se->uuid), uuid);
	if (run_directory(s, uuid, se->dir, se->capture, e) != 0 ||
	    capture_settle(se->capture, e) != 0)
		goto fail;
	if (run_bytes(se->capture) > 0)
		resume(se);
	else if ((se->model = model_new()) == NULL)
		se->rebuild = true;
	se->merger = capture_merger_open(se->capture, true, note_row, se, e);
	if (se->merger == NULL)
		goto fail;
	se->writer = capture_merger_writer(se->merger);
	if (store_run_add(s->writer, uuid, label, (int64_t)started_ns,
	    &se->number, e) != STORE_OK)
		goto fail;
	se->active_ns = clock_mono();
	se->show_every_ns = s->config->live_interval_ms * MS;
	return se;
fail:
	session_free(se);
	return NULL;
}

/* Whether the run is stored as over. Late records of such a run have to go into a spool
 * file, which is merged when the process has ended: to take them in here, the whole
 * capture would have to be read again while all peers wait. */
static bool
is_over(struct service *s, const char *uuid)
{
	struct error e = ERROR_INIT;
	struct store_run row;
	bool over;

	if (store_run_find(s->writer, uuid, &row, &e) != STORE_OK)
		return false;
	over = strcmp(row.state, "live") != 0;
	store_run_clear(&row);
	return over;
}

struct session *
session_get(struct service *s, const char *uuid, const char *label,
    uint64_t started_ns, struct error *e)
{
	struct session *se;

	HASH_FIND_STR(s->sessions, uuid, se);
	if (se != NULL)
		return se;
	if (HASH_COUNT(s->sessions) >= s->config->max_runs) {
		error_set(e, "%u runs are live already",
		    s->config->max_runs);
		return NULL;
	}
	if (is_over(s, uuid)) {
		error_set(e, "run %s is over", uuid);
		return NULL;
	}
	if (claim_take(s, uuid, true) != 0) {
		error_set(e, "run %s is being finished", uuid);
		return NULL;
	}
	if ((se = session_new(s, uuid, label, started_ns, e)) == NULL) {
		trouble_note(s, uuid, e);
		claim_drop(s, uuid);
		return NULL;
	}
	HASH_ADD_STR(s->sessions, uuid, se);
	if (se->hh.tbl == NULL) {
		error_memory(e);
		session_free(se);
		claim_drop(s, uuid);
		return NULL;
	}
	atomic_fetch_add(&s->runs_live, 1);
	events_add(s, "run", se->number, se->uuid, "live");
	log_info("run %lld (%s) is live", (long long)se->number, se->uuid);
	return se;
}

/* Feeds the frame's new records into the model, and notes them in ${span}. */
static int
feed_frame(struct session *se, struct live_stream *st, const uint8_t *p,
    const struct frame_header *h, struct capture_frame *span,
    struct error *e)
{
	struct record r;
	size_t pos = 0;
	uint32_t i;

	for (i = 0; i < h->records; i++) {
		if (record_next(p, h->stored, &pos, &r) <= 0)
			return error_set(e, "a frame ends inside a record");
		if (h->sequence + i < st->fed || h->sequence + i < st->next)
			continue;
		note_record(se, st, &r);
		if (symbols_note(&se->symbols, st->id, &r) != 0)
			return error_memory(e);
		if (se->model == NULL)
			continue;
		if (model_feed(se->model, st->id, h->sequence + i, &r) != 0 ||
		    definitions_note(&se->definitions, st->id, &r,
		    &se->index) != 0) {
			give_up_model(se);
			continue;
		}
		frame_note(span, h->sequence + i, &r);
	}
	return 0;
}

static int
keep_frame(struct service *s, struct session *se, const uint8_t *frame,
    const struct frame_header *h, struct capture_frame *span,
    struct error *e)
{
	uint64_t before = capture_writer_bytes(se->writer);

	if (capture_merger_put(se->merger, frame, h, frame + FRAME_HEADER_SIZE,
	    h->stored, se->model != NULL ? span : NULL, e) != 0) {
		atomic_fetch_add(&s->capture_errors, 1);
		/* The model has records that the capture lacks. */
		give_up_model(se);
		if (!se->disk_full)
			log_failure("run data is left with its process", e);
		trouble_note(s, se->uuid, e);
		se->disk_full = true;
		return -1;
	}
	se->disk_full = false;
	atomic_fetch_add(&s->capture_bytes,
	    capture_writer_bytes(se->writer) - before);
	return 0;
}

/* Adds what the stream's process was held since the last call to the service's sum.
 * Only the listener calls this. */
static void
count_held(struct service *s, struct live_stream *st)
{
	uint64_t all = atomic_load(&s->held_ns), more;

	if (st->held_ns > st->held_counted_ns) {
		more = st->held_ns - st->held_counted_ns;
		st->held_counted_ns = st->held_ns;
		atomic_store(&s->held_ns, all > UINT64_MAX - more ?
		    UINT64_MAX : all + more);
	}
	if (st->held_longest_ns > atomic_load(&s->held_longest_ns))
		atomic_store(&s->held_longest_ns, st->held_longest_ns);
}

int
session_keep(struct session *se, struct error *e)
{

	return capture_merger_flush(se->merger, e);
}

int
session_frame(struct service *s, struct session *se, struct live_stream *st,
    const uint8_t *frame, const struct frame_header *h, struct error *e)
{
	uint64_t end = h->sequence + h->records;
	struct capture_frame span;

	if (h->flags & FRAME_ZSTD)
		return error_set(e, "a compressed frame on the socket");
	if (end < h->sequence)
		return error_set(e, "a sequence number out of range");
	se->active_ns = clock_mono();
	if (end <= st->next)
		return 0;		/* no record is new */
	if (h->sequence > st->next)
		spool_covers(s, se->uuid, st, h->sequence);
	if (h->sequence > st->next || st->spooled > 0)
		se->rebuild = true;
	frame_open(&span, st->id);
	if (feed_frame(se, st, frame + FRAME_HEADER_SIZE, h, &span, e) != 0) {
		give_up_model(se);
		return -1;
	}
	if (keep_frame(s, se, frame, h, &span, e) != 0)
		return -1;
	if (end > st->fed)
		st->fed = end;
	/* After a gap nothing is acknowledged, so that the peer sends the missing
	 * records. */
	if (h->sequence <= st->next)
		st->next = end;
	se->dirty = true;
	count_held(s, st);
	atomic_fetch_add(&s->records, h->records);
	return 0;
}

bool
session_over(const struct service *s, const struct session *se, uint64_t now)
{
	uint64_t grace = s->config->spool_grace_ms * MS;
	bool late = se->ended && now - se->ended_ns >= grace;
	struct live_stream *st, *tmp;

	HASH_ITER(hh, se->streams, st, tmp) {
		if (st->bye)
			continue;
		if (st->conns > 0)
			return false;
		/* The process is alive: it may reconnect, or be writing its spool
		 * file. */
		if (!late && proc_alive(&st->proc) == 1)
			return false;
	}
	if (se->ended)
		return true;
	/* Without RUN_END another process of the run may still connect; the processes
	 * of a resumed run have to notice the new daemon first. */
	if (se->resumed && grace < RESUME_GRACE)
		grace = RESUME_GRACE;
	return now - se->active_ns >= grace;
}

void
session_show(struct service *s, struct session *se, uint64_t now)
{
	struct documents *docs;
	uint64_t cost;

	capture_merger_tick(se->merger, now);
	if (!se->dirty || se->model == NULL || se->rebuild ||
	    now - se->shown_ns < se->show_every_ns ||
	    atomic_load(&se->showing))
		return;
	docs = analyse(se->model, false, s->config->thresholds, 0, NULL);
	cost = clock_mono() - now;
	se->shown_ns = now;
	se->dirty = false;
	se->show_every_ns = s->config->live_interval_ms * MS;
	if (cost * SHOW_COST > se->show_every_ns)
		se->show_every_ns = cost * SHOW_COST;
	if (docs == NULL)
		return;
	text_copy(docs->state, sizeof(docs->state), "live");
	atomic_store(&se->showing, 1);
	job_post(s, (struct job){ .kind = JOB_SHOW, .docs = docs,
	    .number = se->number, .bytes = capture_writer_bytes(se->writer),
	    .done = &se->showing });
}
