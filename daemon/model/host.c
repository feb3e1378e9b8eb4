/*
 * model/host.c: what host threads did, and when; see host.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "model/host.h"
#include "model/internal.h"

/* Intervals of one thread nest at most this deep (a synchronisation in a
 * runtime call in a driver call). */
#define NEST_DEPTH 8u

/* A call that only enqueues a copy returns sooner. */
#define ENQUEUE_NS 20000u

uint32_t
host_thread(struct model *m, struct stream *s, uint32_t tid)
{
	uint32_t i = idmap_get(&s->thread, tid);

	if (i != IDMAP_NONE)
		return i;
	if (model_grow(&m->thread, &m->threads_cap, m->threads, MAX_THREADS,
	    sizeof(*m->thread)) != 0 ||
	    idmap_put(&s->thread, tid, m->threads) != 0)
		return IDMAP_NONE;
	m->thread[m->threads].process = idmap_get(&m->streams, s->id);
	return m->threads++;
}

static bool
call_allocates(uint16_t call)
{

	return (call >= CALL_MALLOC && call <= CALL_MALLOC_MANAGED) ||
	    call == CALL_MALLOC_ARRAY || call == CALL_FREE_ARRAY ||
	    call_is_object(call);
}

/* Texture and surface objects have no MEMORY records: count them by their calls. */
static void
count_objects(struct model *m, const struct record_API *r)
{

	if (r->result != 0)
		return;
	if (r->call == CALL_CREATE_TEXTURE || r->call == CALL_CREATE_SURFACE) {
		m->run.objects++;
		m->run.peak_objects = max_u64(m->run.peak_objects,
		    ++m->live_objects);
	} else if (call_is_object(r->call) && m->live_objects > 0) {
		m->live_objects--;
	}
}

/* Another program in the driver, or the operating system, delays single calls, up to a
 * tenth of a second. Blocks of calls in a row have the same mix of sizes, and take
 * nearly the same time otherwise: within 10 % in nine captured programs; 2026-11-25. */
#define BLOCK_CALLS 8u
#define BLOCKS_LEAST 4u
#define BLOCK_USUAL 0.25	/* quantile: disturbances only add time */

static void
tally_block(struct model *m, struct stream *s, uint64_t ns)
{

	s->block_ns = add_sat(s->block_ns, ns);
	if (++s->block_calls < BLOCK_CALLS)
		return;
	stat_add(&m->allocating, s->block_ns);
	s->block_ns = s->block_calls = 0;
}

double
host_delayed(const struct model *m)
{
	const struct distribution *d = &m->allocating;
	double mean = d->count > 0 ? (double)d->sum / (double)d->count : 0;
	double usual = mean > 0 && d->count >= BLOCKS_LEAST ?
	    stat_quantile(d, BLOCK_USUAL) / mean : 1;

	return usual < 1 ? 1 - usual : 0;
}

static void
tally(struct model *m, const struct thread *t, const struct wait *w)
{
	struct stream *s = m->stream[t->process];
	struct call_tally *c = &s->call[w->call];
	uint64_t ns = w->end - w->start;
	bool after1 = s->launches >= 1 && w->start >= s->launch_1;
	bool after10 = s->launches >= HOT_AFTER && w->start >= s->launch_10;

	if (w->counted && s->launches == 0 && call_allocates(w->call) &&
	    ++s->allocations > HOT_AFTER) {
		c->bare_count++;
		c->bare_ns = add_sat(c->bare_ns, ns);
	}
	if (!w->counted || !after1)
		return;
	if (c->tail_count1 > 0 && s->launch_last > c->tail_end) {
		/* A launch came after the tail: its calls lie before the last. */
		c->count1 += c->tail_count1;
		c->ns1 = add_sat(c->ns1, c->tail_ns1);
		c->count10 += c->tail_count10;
		c->ns10 = add_sat(c->ns10, c->tail_ns10);
		c->tail_count1 = c->tail_ns1 = 0;
		c->tail_count10 = c->tail_ns10 = c->tail_end = 0;
	}
	c->tail_count1++;
	c->tail_ns1 = add_sat(c->tail_ns1, ns);
	c->tail_end = max_u64(c->tail_end, w->end);
	if (after10) {
		c->tail_count10++;
		c->tail_ns10 = add_sat(c->tail_ns10, ns);
		if (call_allocates(w->call))
			tally_block(m, s, ns);
	}
}

void
host_evict(struct model *m)
{
	struct thread *t, *most = NULL;
	uint32_t i, half;

	for (i = 0; i < m->threads; i++) {
		t = &m->thread[i];
		if (most == NULL ||
		    t->count - t->head > most->count - most->head)
			most = t;
	}
	host_sort(m);
	half = (most->count - most->head + 1) / 2;
	for (i = 0; i < half; i++)
		tally(m, most, &most->wait[most->head + i]);
	most->head += half;
	m->waits -= half;
}

static int
host_keep(struct model *m, uint32_t thread, const struct wait *w)
{
	struct thread *t;

	if (w->kind == WAIT_SYNC)
		m->waited_ns = max_u64(m->waited_ns, w->end);
	if (thread == IDMAP_NONE)
		return 0;
	t = &m->thread[thread];
	if (t->head > 64 && t->head > t->count / 2) {
		t->count -= t->head;
		memmove(t->wait, t->wait + t->head,
		    t->count * sizeof(*t->wait));
		t->head = 0;
	}
	if (model_grow(&t->wait, &t->cap, t->count, 4 * MAX_WAITS,
	    sizeof(*t->wait)) != 0)
		return -1;
	if (t->count > t->head && t->wait[t->count - 1].start > w->start)
		t->dirty = true;
	t->wait[t->count++] = *w;
	m->waits++;
	return 0;
}

int
host_blocked(struct model *m, uint32_t thread, uint64_t start, uint64_t end)
{
	const struct wait w = { .start = start, .end = end,
	    .kind = WAIT_SYNC, .call = CALL_MEMCPY, .sync = CALL_MEMCPY };

	return host_keep(m, thread, &w);
}

static struct device_state *
host_device(struct model *m, const struct stream *s, uint32_t context)
{
	uint32_t i = define_context_device(s, context);

	if (i == IDMAP_NONE)
		i = 0;
	return i < m->devices ? m->device[i] : NULL;
}

static int
host_row(struct model *m, const struct stream *s, uint32_t context,
    enum timeline_row row, uint64_t start, uint64_t end)
{
	struct device_state *d = host_device(m, s, context);

	if (d == NULL)
		return 0;
	timeline_count(d, row, start);
	return timeline_add(d, row, start, end);
}

int
host_sync(struct model *m, struct stream *s, const struct record_SYNC *r)
{
	static const uint8_t call_of[SYNC_KINDS] = {
		[SYNC_EVENT] = CALL_EVENT_SYNC,
		[SYNC_STREAM] = CALL_STREAM_SYNC,
		[SYNC_CONTEXT] = CALL_DEVICE_SYNC,
	};
	struct wait w = { .start = r->start_ns, .end = r->end_ns,
	    .kind = WAIT_SYNC };
	uint64_t ns;

	/* cudaStreamWaitEvent does not block the host. */
	if (r->kind >= SYNC_KINDS || call_of[r->kind] == CALL_UNKNOWN)
		return 0;
	if (!model_time(m, r->start_ns, r->end_ns)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	w.call = w.sync = call_of[r->kind];
	ns = r->end_ns - r->start_ns;
	m->sync[w.call].sync_count++;
	m->sync[w.call].sync_ns = add_sat(m->sync[w.call].sync_ns, ns);
	if (host_row(m, s, r->context, ROW_SYNC, r->start_ns, r->end_ns) != 0)
		return -1;
	return host_keep(m, host_thread(m, s, r->tid), &w);
}

static bool
call_is_sync(uint16_t call)
{

	return call == CALL_DEVICE_SYNC || call == CALL_STREAM_SYNC ||
	    call == CALL_EVENT_SYNC || call == CALL_MEMCPY;
}

static bool
call_enqueues(uint16_t call)
{

	return call == CALL_LAUNCH || call == CALL_GRAPH_LAUNCH ||
	    call == CALL_MEMCPY_ASYNC || call == CALL_MEMSET_ASYNC ||
	    call == CALL_GET_LAST_ERROR;
}

int
host_api(struct model *m, struct stream *s, const struct record_API *r)
{
	struct call_class *c;
	struct wait w = { .start = r->start_ns, .end = r->end_ns,
	    .counted = 1 };
	uint64_t ns;

	w.call = r->call < CALL_COUNT ? (uint8_t)r->call : CALL_OTHER;
	c = &m->call[w.call];
	c->count++;
	c->failed += r->result != 0;
	count_objects(m, r);
	m->run.unified.used = m->run.unified.used ||
	    w.call == CALL_MALLOC_MANAGED;
	if (!model_time(m, r->start_ns, r->end_ns)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	ns = r->end_ns - r->start_ns;
	c->total_ns = add_sat(c->total_ns, ns);
	if ((w.call == CALL_MEMCPY || w.call == CALL_MEMSET) &&
	    copy_called(m, s, r->correlation, ns) != 0)
		return -1;
	if (call_enqueues(w.call) &&
	    (w.call != CALL_MEMCPY_ASYNC || ns < ENQUEUE_NS))
		return 0;
	if (w.call == CALL_MEMCPY_ASYNC) {
		/* It blocked: from pageable memory it is not asynchronous. */
		w.kind = WAIT_SYNC;
		w.counted = 0;
	} else if (call_is_sync(w.call)) {
		w.kind = WAIT_SYNC;
		w.sync = w.call;
		m->sync[w.call].api_count++;
		m->sync[w.call].api_ns =
		    add_sat(m->sync[w.call].api_ns, ns);
	} else
		w.kind = call_allocates(w.call) ? WAIT_ALLOCATION : WAIT_API;
	if (host_row(m, s, 0, ROW_API, r->start_ns, r->end_ns) != 0)
		return -1;
	return host_keep(m, host_thread(m, s, r->tid), &w);
}

/* Keep the time of each launch_step-th launch; when the table is full, drop every
 * other one and double the step, a power of two. */
static void
launch_mark(struct stream *s, uint64_t at)
{
	uint32_t i;

	if (s->launch_step == 0)
		s->launch_step = 1;
	if (s->launch_marks == LAUNCH_MARKS &&
	    ((s->launches - 1) & (s->launch_step - 1)) == 0) {
		for (i = 0; i < LAUNCH_MARKS / 2; i++)
			s->launch_mark[i] = s->launch_mark[2 * i];
		s->launch_marks = LAUNCH_MARKS / 2;
		s->launch_step *= 2;
	}
	if (((s->launches - 1) & (s->launch_step - 1)) == 0)
		s->launch_mark[s->launch_marks++] = at;
}

uint64_t
host_middle(const struct stream *s)
{

	return s->launches == 0 ? UINT64_MAX :
	    s->launch_mark[s->launches / 2 / s->launch_step];
}

void
host_launched(struct stream *s, uint64_t at)
{

	if (++s->launches == 1)
		s->launch_1 = at;
	launch_mark(s, at);
	if (s->launches == HOT_AFTER)
		s->launch_10 = at;
	if (at > s->launch_last)
		s->launch_last = at;
}

/* Of two intervals that begin together the outer one comes first. */
COMPARE(wait_order, struct wait,
    ORDER(x->start, y->start) ?: ORDER(y->end, x->end) ?:
    ORDER(x->call, y->call) ?: x->counted - y->counted)

void
host_sort(struct model *m)
{
	struct thread *t;
	uint32_t i;

	for (i = 0; i < m->threads; i++) {
		t = &m->thread[i];
		if (!t->dirty)
			continue;
		qsort(t->wait + t->head, t->count - t->head,
		    sizeof(*t->wait), wait_order);
		t->dirty = false;
	}
}

void
host_prune(struct model *m, uint64_t before)
{
	struct thread *t;
	uint32_t i;

	for (i = 0; i < m->threads; i++) {
		t = &m->thread[i];
		while (t->head < t->count &&
		    t->wait[t->head].end < before) {
			tally(m, t, &t->wait[t->head]);
			t->head++;
			m->waits--;
		}
	}
}

uint32_t
host_first(const struct thread *t, uint64_t at)
{
	uint32_t low = FIRST_NOT(mid, t->head, t->count,
	    t->wait[mid].start < at);

	return low - t->head > NEST_DEPTH ? low - NEST_DEPTH : t->head;
}

/* cudaFree and cudaDeviceReset wait for the GPU as well. */
static bool
wait_blocks(const struct wait *w)
{

	return w->kind == WAIT_SYNC || w->call == CALL_FREE ||
	    w->call == CALL_DEVICE_RESET;
}

uint64_t
host_wait(const struct thread *t, uint64_t a, uint64_t b)
{
	uint64_t sum = 0, from, to, done = a;
	uint32_t i;

	for (i = host_first(t, a); i < t->count && t->wait[i].start < b; i++) {
		if (!wait_blocks(&t->wait[i]))
			continue;
		from = max_u64(t->wait[i].start, done);
		to = min_u64(t->wait[i].end, b);
		if (to <= from)
			continue;
		sum += to - from;
		done = to;
	}
	return sum;
}

void
host_hot(const struct model *m, struct call_class *out)
{
	const struct call_tally *c;
	const struct stream *s;
	bool warm, tail;
	uint32_t i;

	for (i = 0; i < m->stream_count; i++) {
		s = m->stream[i];
		c = &s->call[out->call];
		if (s->launches == 0) {
			out->hot_count += c->bare_count;
			out->hot_ns = add_sat(out->hot_ns, c->bare_ns);
			continue;
		}
		warm = s->launches >= HOT_MIN;
		tail = s->launch_last > c->tail_end;
		out->hot_count += warm ? c->count10 : c->count1;
		out->hot_ns = add_sat(out->hot_ns, warm ? c->ns10 : c->ns1);
		if (tail) {
			out->hot_count += warm ? c->tail_count10 :
			    c->tail_count1;
			out->hot_ns = add_sat(out->hot_ns,
			    warm ? c->tail_ns10 : c->tail_ns1);
		}
		out->hot_idle_ns = add_sat(out->hot_idle_ns,
		    warm ? c->idle10 : c->idle1);
	}
}
