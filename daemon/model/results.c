/*
 * model/results.c: phases in which the host works through results.
 *
 * A program that compares its results with a reference copies them to the host, works
 * through them on the host, and ends or goes on to the next variant. That happens once
 * or a few times, and nobody wants to make it faster: the time of these copies, of the
 * GPU's idle gaps around them and of the host after them is set apart. A phase is
 * copies to the host with no other GPU work between them, and the host's own time
 * between and after them. If there are many phases of about the same length, working
 * through results is part of the program's job, and they are not set apart. Of copies
 * with little host time after them only a part is set apart, so that the estimate does
 * not jump.
 */
#include "model/internal.h"

/* Comparing floats takes a core about 1 ns each, copying them to the host into fresh
 * pages 3 ns (1.4 GB/s, measured): a third, and some leeway. Half or twice this number
 * gives the same result on 145 captures. */
#define HOST_PART 4

/* The fraction of a phase's copies that is set apart, 0..1. */
static double
results_part(uint64_t copy_ns, uint64_t host_ns)
{
	double part = copy_ns == 0 ? 1 : HOST_PART * (double)host_ns /
	    (double)copy_ns;

	return part < 1 ? part : 1;
}

static void
put_copy(struct copy_state *c, uint32_t k, double part)
{
	c->apart[k] += part * c->phase_ns;
	c->apart_copies[k] += part * (double)c->phase_copies;
	c->apart_waited[k] += part * c->phase_waited;
	c->apart_before[k] += part * c->phase_before;
}

/* The time of a part of them goes; of the copies themselves all or none. */
static void
put_small(struct small_apart *s, uint32_t k, double part)
{
	struct small_sum *to = &s->apart[k];

	to->gpu_ns += part * s->now.gpu_ns;
	to->span_ns += part * s->now.span_ns;
	if (part < 1)
		return;
	to->groups += s->now.groups;
	to->copies += s->now.copies;
	to->bytes += s->now.bytes;
}

static void
results_close(struct model *m, struct device_state *d)
{
	struct phase *p = &d->phase;
	double part = results_part(p->copy_ns, p->host_ns);
	uint64_t ns = add_sat(p->copy_ns, p->host_ns);
	struct results *r;
	uint32_t i, k;

	p->open = false;
	if (p->host_ns == 0 || ns < PHASE_LEAST)
		return;
	k = min_u64(63u - (uint32_t)__builtin_clzll(ns), GAP_CLASSES - 1);
	r = &d->results[k];
	r->phases++;
	r->copies += p->copies;
	r->bytes = add_sat(r->bytes, p->bytes);
	r->copy_ns = add_sat(r->copy_ns, (uint64_t)(part *
	    (double)p->copy_ns));
	r->host_ns = add_sat(r->host_ns, p->host_ns);
	r->end_ns = add_sat(r->end_ns, p->end_ns);
	/* Beyond PHASES_MOST it is a pattern, and not set apart. */
	for (i = 0; r->phases <= PHASES_MOST && i < m->copies; i++)
		if (m->copy[i].phase == p->serial)
			put_copy(&m->copy[i], k, part);
	for (i = 0; r->phases <= PHASES_MOST && i < m->smalls; i++)
		if (m->small_apart[i].phase == p->serial)
			put_small(&m->small_apart[i], k, part);
}

void
results_op(struct model *m, struct device_state *d, const struct op *op,
    struct gap_seen seen)
{
	struct phase *p = &d->phase;
	struct copy_state *c;
	uint64_t ns = op->end - op->start;

	if (p->open)
		p->host_ns = add_sat(p->host_ns, seen.host_ns);
	if (op->kind != OP_COPY || op->row != ROW_D2H) {
		if (p->open)
			results_close(m, d);
		return;
	}
	if (!p->open)
		*p = (struct phase){ .open = true, .serial = ++m->phases };
	p->copies++;
	p->copy_ns = add_sat(p->copy_ns, ns);
	c = &m->copy[op->index];
	p->bytes = add_sat(p->bytes, c->out.count > 0 ?
	    c->out.bytes / c->out.count : 0);
	if (c->phase != p->serial) {
		c->phase = p->serial;
		c->phase_ns = c->phase_waited = c->phase_before = 0;
		c->phase_copies = 0;
	}
	c->phase_ns += (double)ns;
	c->phase_copies++;
}

void
results_small(struct model *m, uint32_t i, const struct device_state *d,
    struct small_sum s)
{
	struct small_apart *a = &m->small_apart[i];

	if (!d->phase.open)
		return;
	if (a->phase != d->phase.serial) {
		a->phase = d->phase.serial;
		a->now = (struct small_sum){ 0 };
	}
	a->now.groups += s.groups;
	a->now.copies += s.copies;
	a->now.bytes += s.bytes;
	a->now.gpu_ns += s.gpu_ns;
	a->now.span_ns += s.span_ns;
}

/* The last phase is still open at the end of all work: it lasts until ${end}. */
static void
results_last(const struct model *m, struct device_state *d, uint64_t end)
{
	struct phase *p = &d->phase;

	if (!p->open || !d->used || end <= d->frontier)
		return;
	p->end_ns = end - d->frontier -
	    spans_overlap(&m->overhead, d->frontier, end);
	p->host_ns = add_sat(p->host_ns, p->end_ns);
}

void
results_end(struct model *m, uint64_t end)
{
	uint32_t i;

	for (i = 0; i < m->devices; i++) {
		results_last(m, m->device[i], end);
		if (m->device[i]->phase.open)
			results_close(m, m->device[i]);
	}
}

/* Are there few phases about as long as those of class ${k}? */
static bool
results_few(const struct device_state *d, uint32_t k)
{
	uint64_t n = d->results[k].phases;

	if (k > 0)
		n += d->results[k - 1].phases;
	if (k + 1 < GAP_CLASSES)
		n += d->results[k + 1].phases;
	return n <= PHASES_MOST;
}

double
results_settle(const struct model *m, struct results *out)
{
	const struct results *r;
	double apart = 0;
	uint32_t i, k;

	*out = (struct results){ 0 };
	for (i = 0; i < m->devices; i++)
		for (k = 0; k < GAP_CLASSES; k++) {
			r = &m->device[i]->results[k];
			if (!results_few(m->device[i], k))
				continue;
			out->phases += r->phases;
			out->copies += r->copies;
			out->bytes = add_sat(out->bytes, r->bytes);
			out->copy_ns = add_sat(out->copy_ns, r->copy_ns);
			out->host_ns = add_sat(out->host_ns, r->host_ns);
			out->end_ns = add_sat(out->end_ns, r->end_ns);
		}
	for (i = 0; i < m->copies; i++)
		apart += results_apart(m, &m->copy[i]);
	return apart;
}

double
results_apart(const struct model *m, const struct copy_state *c)
{
	double apart = 0;
	uint32_t k;

	if (c->out.device >= m->devices)
		return 0;
	for (k = 0; k < GAP_CLASSES; k++)
		if (results_few(m->device[c->out.device], k))
			apart += c->apart[k];
	return apart < c->exposed ? apart : c->exposed;
}

/* ${all} without ${part}, which rounding may have made larger. */
static uint64_t
without(uint64_t all, double part)
{
	return sub_sat(all, (uint64_t)(part + 0.5));
}

void
results_leave(const struct model *m, uint32_t i, struct small_copies *out)
{
	const struct small_sum *s;
	uint32_t k;

	for (k = 0; out->device < m->devices && k < GAP_CLASSES; k++) {
		if (!results_few(m->device[out->device], k))
			continue;
		s = &m->small_apart[i].apart[k];
		out->groups = without(out->groups, s->groups);
		out->copies = without(out->copies, s->copies);
		out->bytes = without(out->bytes, s->bytes);
		out->gpu_ns = without(out->gpu_ns, s->gpu_ns);
		out->span_ns = without(out->span_ns, s->span_ns);
	}
}

void
results_leave_copy(const struct model *m, const struct copy_state *c,
    struct copy_class *out)
{
	double copies = 0;
	uint32_t k;

	for (k = 0; out->device < m->devices && k < GAP_CLASSES; k++) {
		if (!results_few(m->device[out->device], k))
			continue;
		copies += c->apart_copies[k];
		out->idle_waited_ns = without(out->idle_waited_ns,
		    c->apart_waited[k]);
		out->idle_before_ns = without(out->idle_before_ns,
		    c->apart_before[k]);
	}
	out->checked = out->count - without(out->count, copies);
}
