/*
 * model/failure.c: calls that failed, whether the program read the error, and
 * diagnostics about the measurement itself.
 *
 * The injection library sees the error that a call returned, and whether the program
 * asked for the last error afterwards (cudaGetLastError); it cannot see whether the
 * program looked at the returned value. A kernel launch returns no value: its error is
 * unread unless the program asked for it. The error of any other call counts as unread
 * if the process gave the GPU more work afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

/* cudaErrorNotReady, CUDA_ERROR_NOT_READY: the answer of a query. */
#define NOT_READY 600u

static bool
failure_is_launch(uint16_t call)
{

	return call == CALL_LAUNCH || call == CALL_GRAPH_LAUNCH;
}

static bool
open_unread(const struct stream *s, const struct open_failure *o)
{

	return o->launch || s->work_last > o->at;
}

/* The program asked for the last error: with that it has read every failure of the
 * thread so far, since CUDA keeps only one. */
static void
failure_read(struct stream *s, uint32_t tid)
{
	uint32_t i, kept = 0;

	for (i = 0; i < s->opens; i++)
		if (s->open[i].tid != tid)
			s->open[kept++] = s->open[i];
	s->opens = kept;
}

static void
failure_open(struct model *m, struct stream *s, uint32_t index,
    const struct record_FAILURE *r)
{
	struct open_failure *oldest = &s->open[0];

	if (s->opens == MAX_OPEN_FAILURES) {
		/* With so many open failures the oldest was not read. */
		m->failure[oldest->failure].unread++;
		s->opens--;
		memmove(oldest, oldest + 1, s->opens * sizeof(*oldest));
	}
	s->open[s->opens++] = (struct open_failure){
		.failure = index, .tid = r->tid, .result = r->result,
		.call = r->call, .launch = failure_is_launch(r->call),
		.at = r->now_ns,
	};
}

static int
failure_find(struct model *m, const struct failure *want, uint32_t *index)
{
	struct failure_state *grown;
	const struct failure *f;
	const char *whole;
	uint32_t i;

	for (i = 0; i < m->failures; i++) {
		f = &m->failure[i].out;
		/* Interned: the same text is the same pointer, except "". */
		if (f->result == want->result && f->launch == want->launch &&
		    strcmp(f->call, want->call) == 0 &&
		    strcmp(f->error, want->error) == 0 &&
		    strcmp(f->detail, want->detail) == 0 &&
		    f->kernel == want->kernel && f->device == want->device)
			break;
	}
	*index = i;
	if (i < m->failures)
		return 0;
	if (i == MAX_FAILURES) {
		*index = MAX_FAILURES - 1;	/* stands for the rest */
		return 0;
	}
	grown = realloc(m->failure, (i + 1) * sizeof(*grown));
	if (grown == NULL)
		return -1;
	m->failure = grown;
	m->failure[i] = (struct failure_state){ .out = *want };
	m->failures++;
	return want->kernel == NULL ? 0 : pool_names(&m->pool, want->kernel,
	    &whole, &m->failure[i].out.name);
}

/* Fill in the parameters of a failed launch; -1 without memory. */
static int
failure_launch(struct model *m, struct stream *s, struct failure *f,
    const struct record_FAILURE *r)
{
	f->device = UINT32_MAX;
	if ((r->flags & FAILURE_LAUNCH) == 0)
		return 0;
	f->flags = r->flags;
	f->device = define_device_of(m, s, r->device);
	f->grid[0] = r->grid_x;
	f->grid[1] = r->grid_y;
	f->grid[2] = r->grid_z;
	f->block[0] = r->block_x;
	f->block[1] = r->block_y;
	f->block[2] = r->block_z;
	f->smem_dynamic = r->smem_dynamic;
	f->regs = r->regs;
	f->smem_static = r->smem_static;
	f->threads_max = r->threads_max;
	f->smem_dynamic_max = r->smem_dynamic_max;
	if (r->kernel.len == 0)
		return 0;
	f->kernel = pool_text(&m->pool, r->kernel);
	return f->kernel == NULL ? -1 : 0;
}

int
failure_feed(struct model *m, struct stream *s,
    const struct record_FAILURE *r)
{
	struct failure want = {
		.result = r->result, .launch = failure_is_launch(r->call),
		.first_ns = r->now_ns,
	};
	uint32_t i;

	if (r->read != 0) {
		failure_read(s, r->tid);
		return 0;
	}
	if (r->result == 0 || r->result == NOT_READY)
		return 0;
	if (!model_time(m, r->now_ns, r->now_ns))
		want.first_ns = m->seen_last;
	want.call = r->call_name.len > 0 ? pool_text(&m->pool, r->call_name) :
	    wire_call_name(r->call);
	want.error = pool_text(&m->pool, r->error_name);
	want.detail = pool_text(&m->pool, r->detail);
	if (want.call == NULL || want.error == NULL || want.detail == NULL ||
	    failure_launch(m, s, &want, r) != 0 ||
	    failure_find(m, &want, &i) != 0)
		return -1;
	m->failure[i].out.count++;
	failure_open(m, s, i, r);
	return 0;
}

/* ${out} has m->failures elements. */
void
failure_settle(const struct model *m, struct failure *out)
{
	const struct stream *s;
	uint32_t i, j;

	for (i = 0; i < m->failures; i++) {
		out[i] = m->failure[i].out;
		out[i].unread = m->failure[i].unread;
	}
	for (i = 0; i < m->stream_count; i++) {
		s = m->stream[i];
		for (j = 0; j < s->opens; j++)
			if (open_unread(s, &s->open[j]))
				out[s->open[j].failure].unread++;
	}
}

int
diagnostic_add(struct model *m, const struct diagnostic *d)
{
	struct diagnostic *p;
	size_t i;

	for (i = 0; i < m->diagnostics; i++) {
		p = &m->diagnostic[i];
		if (p->code == d->code && strcmp(p->text, d->text) == 0) {
			p->count = add_sat(p->count, d->count);
			if (d->severity > p->severity)
				p->severity = d->severity;
			return 0;
		}
	}
	if (m->diagnostics >= MAX_DIAGNOSTICS) {
		m->lost++;
		return 0;
	}
	p = realloc(m->diagnostic, (m->diagnostics + 1) * sizeof(*p));
	if (p == NULL)
		return -1;
	m->diagnostic = p;
	m->diagnostic[m->diagnostics++] = *d;
	return 0;
}
