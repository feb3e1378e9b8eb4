/*
 * model/lines/source_feed.c: counts and samples of instructions as they arrive.
 *
 * A measurement comes in parts. It counts once all have arrived, and then replaces an
 * earlier one of the same kernel and function. After a gap in the sequence numbers of
 * its stream an incomplete measurement is dropped: its missing parts may be lost, and a
 * part of the next measurement must not be taken for one of them.
 */
#include <stdlib.h>
#include <string.h>

#include "model/lines/source_state.h"
#include "wire/le.h"

static struct source_state *
source_get(struct model *m)
{

	if (m->source == NULL)
		m->source = calloc(1, sizeof(*m->source));
	return m->source;
}

/* The function that a record names; an empty name is that of the kernel. IDMAP_NONE. */
static uint32_t
function_named(struct model *m, uint64_t cubin, struct wire_str name,
    uint32_t kernel)
{
	const char *text = pool_text(&m->pool, name);

	if (text == NULL)
		return IDMAP_NONE;
	if (*text == '\0' && kernel != IDMAP_NONE)
		text = m->kernel[kernel].out.mangled;
	return source_function(m, cubin, text);
}

static int
feed_stall(struct model *m, struct stream *s, const struct record_STALL *r)
{
	bool issued;
	enum stall stall = stall_find(r->name.p, r->name.len, &issued);
	int rc;

	rc = model_put(m, &s->stall, r->id, 2 * (uint32_t)stall + issued,
	    MAX_QUEUES);
	s->process.lost[LOSS_TABLE] += rc > 0;
	return rc < 0 ? -1 : 0;
}

static int
feed_function(struct model *m, struct stream *s,
    const struct record_FUNCTION *r)
{
	uint32_t kernel = idmap_get(&s->signature, r->signature), f;
	struct kernel_source *k;

	if (kernel == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	f = function_named(m, r->cubin, r->name, kernel);
	if (f == IDMAP_NONE || (k = source_kernel(m, kernel)) == NULL) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (r->symbol != 0)
		m->source->function[f].symbol = r->symbol;
	k->function = f + 1;
	return 0;
}

static void
counted_free(struct source_state *x, struct counted *c)
{

	if (c == NULL)
		return;
	cells_clear(x, &c->cells);
	free(c);
}

static void
pending_drop(struct source_state *x, struct pending **at)
{
	struct pending *p = *at;

	*at = p->next;
	counted_free(x, p->counted);
	free(p);
	x->pendings--;
}

static uint64_t
cells_inst(const struct cells *c)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < c->count; i++)
		if (c->cell[i].what == SOURCE_INST)
			n = add_sat(n, c->cell[i].n);
	return n;
}

/* Warp instructions of the kernel and its subroutines. */
static uint64_t
counted_inst(const struct kernel_source *k)
{
	const struct counted *c;
	uint64_t n = 0;

	for (c = k->counted; c != NULL; c = c->next)
		n = add_sat(n, c->inst);
	return n;
}

/* All parts have arrived: keep the measurement with its kernel. */
static void
pending_done(struct model *m, struct pending **at)
{
	struct source_state *x = m->source;
	struct pending *p = *at;
	uint32_t kernel = p->kernel;
	struct kernel_source *k = source_kernel(m, kernel);
	struct counted *c = p->counted, **i;

	/* No metric of source.def was measured. */
	if (k == NULL || c->mask == 0) {
		pending_drop(x, at);
		return;
	}
	p->counted = NULL;
	pending_drop(x, at);
	cells_compact(&c->cells);
	cells_fit(x, &c->cells);
	for (i = &k->counted; *i != NULL; i = &(*i)->next)
		if ((*i)->function == c->function)
			break;
	if (*i != NULL) {
		c->next = (*i)->next;
		counted_free(x, *i);
	}
	*i = c;
	c->serial = ++x->serial;
	x->launches++;
	c->inst = cells_inst(&c->cells);
	m->kernel[kernel].counted_inst = counted_inst(k);
}

static struct pending *
pending_new(struct model *m, const struct stream *s, uint32_t kernel,
    uint32_t function, uint32_t parts)
{
	struct source_state *x = m->source;
	struct pending *p, **last;

	/* The oldest is the least likely to be completed. */
	if (x->pendings >= MAX_PENDING) {
		for (last = &x->pending; (*last)->next != NULL;
		    last = &(*last)->next)
			;
		pending_drop(x, last);
	}
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	if ((p->counted = calloc(1, sizeof(*p->counted))) == NULL) {
		free(p);
		return NULL;
	}
	p->stream = source_stream(m, s);
	p->kernel = kernel;
	p->parts = parts;
	p->missing = s->process.missing;
	p->counted->function = function;
	p->next = x->pending;
	x->pending = p;
	x->pendings++;
	return p;
}

/* The measurement that a part belongs to, made if new. An older one with which the part
 * does not agree is incomplete for good, and dropped. NULL without memory. */
static struct pending **
pending_of(struct model *m, const struct stream *s,
    const struct record_INSTRUCTIONS *r, uint32_t kernel, uint32_t function)
{
	struct source_state *x = m->source;
	uint32_t stream = source_stream(m, s);
	struct pending **i, *p;

	for (i = &x->pending; *i != NULL; i = &(*i)->next)
		if ((*i)->stream == stream && (*i)->kernel == kernel &&
		    (*i)->counted->function == function)
			break;
	p = *i;
	if (p != NULL && p->parts == r->parts &&
	    p->missing == s->process.missing &&
	    (p->seen[r->part / 8] >> r->part % 8 & 1) == 0)
		return i;
	if (p != NULL)
		pending_drop(x, i);
	if (pending_new(m, s, kernel, function, r->parts) == NULL)
		return NULL;
	return &x->pending;
}

static int
feed_instructions(struct model *m, struct stream *s,
    const struct record_INSTRUCTIONS *r)
{
	uint32_t kernel = idmap_get(&s->signature, r->signature), f, metric;
	struct source_state *x = m->source;
	struct pending **at, *p;
	const uint8_t *v = r->values.p;
	size_t i, n = r->values.len / 16;
	int rc;

	if (r->parts == 0 || r->parts > MAX_PARTS || r->part >= r->parts)
		return 0;
	if (kernel == IDMAP_NONE ||
	    (f = function_named(m, r->cubin, r->function, kernel)) ==
	    IDMAP_NONE || (at = pending_of(m, s, r, kernel, f)) == NULL) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	p = *at;
	p->seen[r->part / 8] |= (uint8_t)(1u << r->part % 8);
	p->counted->mask |= s->source_mask;
	for (i = 0; i < n; i++, v += 16) {
		metric = idmap_get(&s->source_metric, le32_get(v + 4));
		/* A missing value means 0. SOURCE_INST is kept even if it is 0,
		 * so that the instruction is known. */
		if (metric == IDMAP_NONE ||
		    (le64_get(v + 8) == 0 && metric != SOURCE_INST))
			continue;
		rc = cells_add(x, &p->counted->cells, le32_get(v), metric,
		    le64_get(v + 8));
		if (rc != 0) {
			/* Half of a measurement would look like less work. */
			pending_drop(x, at);
			s->process.lost[LOSS_TABLE]++;
			return rc < 0 ? -1 : 0;
		}
	}
	if (++p->there == p->parts)
		pending_done(m, at);
	return 0;
}

static int
feed_samples(struct model *m, struct stream *s, const struct record_SAMPLES *r)
{
	struct source_state *x = m->source;
	const uint8_t *v = r->values.p;
	size_t i, n = r->values.len / 12;
	uint32_t f, stall;
	int rc;

	f = function_named(m, r->cubin, r->function, IDMAP_NONE);
	if (f == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (r->symbol != 0 && x->function[f].symbol == 0)
		x->function[f].symbol = r->symbol;
	for (i = 0; i < n; i++, v += 12) {
		stall = idmap_get(&s->stall, le32_get(v + 4));
		if (stall == IDMAP_NONE || stall / 2 >= STALL_COUNT ||
		    le32_get(v + 8) == 0)
			continue;
		rc = cells_add(x, &x->function[f].samples, le32_get(v), stall,
		    le32_get(v + 8));
		if (rc < 0)
			return -1;
		if (rc > 0)
			s->process.lost[LOSS_TABLE]++;
	}
	return 0;
}

static void
feed_sampling(struct source_state *x, const struct record_SAMPLING *r)
{

	x->samples = add_sat(x->samples, r->samples);
	x->dropped = add_sat(x->dropped, r->dropped);
	if (r->period != 0)
		x->period = r->period;
}

int
source_feed(struct model *m, struct stream *s, const struct record *r)
{

	if (source_get(m) == NULL)
		return -1;
	switch (r->type) {
	case RECORD_CUBIN:
		return source_cubin(m, s, &r->u.CUBIN);
	case RECORD_FUNCTION:
		return feed_function(m, s, &r->u.FUNCTION);
	case RECORD_SOURCE:
		return source_text(m, s, &r->u.SOURCE);
	case RECORD_BYTES:
		return source_bytes(m, s, &r->u.BYTES);
	case RECORD_DISASSEMBLY:
		return source_disassembly(m, s, &r->u.DISASSEMBLY);
	case RECORD_INSTRUCTIONS:
		return feed_instructions(m, s, &r->u.INSTRUCTIONS);
	case RECORD_STALL:
		return feed_stall(m, s, &r->u.STALL);
	case RECORD_SAMPLES:
		return feed_samples(m, s, &r->u.SAMPLES);
	case RECORD_SAMPLING:
		feed_sampling(m->source, &r->u.SAMPLING);
		return 0;
	case RECORD_MAPPING:
		return site_mapping(m, s, &r->u.MAPPING);
	case RECORD_SITE:
		return site_feed(m, s, &r->u.SITE);
	case RECORD_FRAME:
		return site_frame(m, s, &r->u.FRAME);
	default:
		return 0;
	}
}

void
source_free(struct model *m)
{
	struct source_state *x = m->source;
	struct counted *c, *next;
	uint32_t i;

	if (x == NULL)
		return;
	code_free(x);
	while (x->pending != NULL)
		pending_drop(x, &x->pending);
	for (i = 0; i < x->kernels; i++)
		for (c = x->kernel[i].counted; c != NULL; c = next) {
			next = c->next;
			counted_free(x, c);
		}
	free(x->kernel);
	source_functions_free(x);
	source_bytes_free(x);
	site_free(x);
	free(x);
	m->source = NULL;
}
