/*
 * model/lines/source_site.c: sites at a settle: turns the addresses of call stacks into
 * names. Addresses are valid in their process only; two call stacks are one site if
 * their names and lines are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/lines/source_state.h"

/* A frame with its offset in its module, which tells unknown functions apart. */
struct named {
	struct site_frame frame;
	uint64_t where;
};

/* By stream and address, the daemon's first, by depth; among equals the later one first,
 * which is the one that frames_sort keeps. */
COMPARE(frame_compare, struct frame_entry,
    ORDER(x->stream, y->stream) ?: ORDER(x->address, y->address) ?:
    ORDER(y->daemon, x->daemon) ?: ORDER(x->depth, y->depth) ?:
    ORDER(y->order, x->order))

static void
frames_sort(struct source_state *x)
{
	const struct frame_entry *f;
	uint32_t i, out = 0;

	if (x->frames_sorted || x->frames == 0)
		return;
	qsort(x->frame, x->frames, sizeof(*x->frame), frame_compare);
	for (i = 1; i < x->frames; i++) {
		f = &x->frame[out];
		if (x->frame[i].stream != f->stream ||
		    x->frame[i].address != f->address ||
		    (x->frame[i].daemon == f->daemon &&
		    x->frame[i].depth != f->depth))
			x->frame[++out] = x->frame[i];
	}
	x->frames = out + 1;
	x->frames_sorted = true;
}

/* The first of the entries for an address; *${n}: how many there are. */
static const struct frame_entry *
frames_at(const struct source_state *x, uint32_t stream, uint64_t address,
    uint32_t *n)
{
	const struct frame_entry *f = x->frame;
	size_t low = FIRST_NOT(mid, 0, x->frames, f[mid].stream < stream ||
	    (f[mid].stream == stream && f[mid].address < address));

	for (*n = 0; low + *n < x->frames && f[low + *n].stream == stream &&
	    f[low + *n].address == address; ++*n)
		;
	return *n > 0 ? f + low : NULL;
}

/* The module mapped at a return address; later mappings replace earlier ones. The call
 * lies before its return address, which may be the end of the mapping. */
static const struct mapping *
mapping_at(const struct source_state *x, uint32_t stream, uint64_t address)
{
	uint32_t i;

	for (i = x->mappings; i > 0; i--)
		if (x->mapping[i - 1].stream == stream &&
		    address > x->mapping[i - 1].start &&
		    address <= x->mapping[i - 1].end)
			return &x->mapping[i - 1];
	return NULL;
}

static const char *
or_null(const char *text)
{

	return text == NULL || *text == '\0' ? NULL : text;
}

/* Append the frames of one address, inlined calls first; returns how many. */
static size_t
frames_name(const struct source_state *x, uint32_t stream, uint64_t address,
    struct named *out, size_t max)
{
	const struct mapping *map = mapping_at(x, stream, address);
	const struct frame_entry *f;
	struct named one = { .where = address };
	uint32_t n, i;

	if (map != NULL) {
		one.frame.module = or_null(map->module);
		one.where = address - map->start + map->offset;
	}
	f = frames_at(x, stream, address, &n);
	for (i = 0; i < n && i < max; i++) {
		out[i] = one;
		out[i].frame.function = or_null(f[i].function);
		out[i].frame.file = or_null(f[i].file);
		out[i].frame.line = f[i].line;
		out[i].frame.nearest = (f[i].flags & FRAME_EXPORTED) != 0;
		out[i].frame.inlined = i + 1 < n;
	}
	if (n == 0 && max > 0)
		out[i++] = one;
	return i;
}

/* A site with its named frames, for comparison. */
struct named_site {
	const struct site_state *state;
	struct named *frame;
	size_t frames;
	uint64_t count;
	struct away_sum idle;
	uint64_t paused;	/* bit i: in front of it the GPU waited, run->pause[i] */
	uint32_t order;
};

_Static_assert(PAUSES_MOST <= 64, "a bit for each");

static int
pointer_compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y ? -1 : x > y;
}

/* Texts are interned: the same text has the same address. */
static int
named_compare(const struct named *a, const struct named *b)
{
	const struct site_frame *x = &a->frame, *y = &b->frame;

	return pointer_compare(x->function, y->function) ?:
	    pointer_compare(x->file, y->file) ?:
	    pointer_compare(x->module, y->module) ?:
	    ORDER(x->line, y->line) ?: ORDER(y->python, x->python) ?:
	    (x->function != NULL ? 0 : ORDER(a->where, b->where));
}

static int
site_compare(const void *a, const void *b)
{
	const struct named_site *x = a, *y = b;
	size_t i;
	int c;

	if ((c = ORDER(x->state->call, y->state->call) ?:
	    ORDER(x->state->kernel, y->state->kernel) ?:
	    ORDER(x->frames, y->frames)) != 0)
		return c;
	for (i = 0; i < x->frames; i++)
		if ((c = named_compare(&x->frame[i], &y->frame[i])) != 0)
			return c;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* By call and kernel, the most frequent first. */
COMPARE(rank_compare, struct named_site,
    ORDER(x->state->call, y->state->call) ?:
    ORDER(x->state->kernel, y->state->kernel) ?: ORDER(y->count, x->count) ?:
    ORDER(x->order, y->order))

static bool
site_is_same(const struct named_site *a, const struct named_site *b)
{
	struct named_site copy = *b;

	copy.order = a->order;
	return site_compare(a, &copy) == 0;
}

static size_t
site_name(const struct source_state *x, const struct site_state *s,
    struct named *out)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < s->pythons; i++)
		out[n++] = (struct named){ .frame = s->python[i] };
	for (i = 0; i < s->addresses && n < SITE_DEPTH; i++)
		n += frames_name(x, s->stream, s->address[i], out + n,
		    SITE_DEPTH - n);
	return n;
}

static void
site_add(struct named_site *to, const struct named_site *s)
{

	to->count = add_sat(to->count, s->count);
	to->idle.idle_ns += s->idle.idle_ns;
	to->idle.gaps += s->idle.gaps;
	to->paused |= s->paused;
	to->idle.longest_ns = max_u64(to->idle.longest_ns, s->idle.longest_ns);
	away_most(&to->idle, s->idle.workers, s->idle.processors);
	to->idle.seen_ns += s->idle.seen_ns;
	to->idle.behind_ns += s->idle.behind_ns;
	away_after(&to->idle, s->idle.after, s->idle.after_ns);
}

/* Merge equal sites, adding their counts, and sort them; returns how many are left. For
 * the one with order i, ${into}[i] is the index of what it is now. */
static uint32_t
sites_merge(struct named_site *site, uint32_t n, uint32_t *into)
{
	uint32_t i, out = 0;
	uint32_t *rank = into + n;	/* of what is left, by its order */

	if (n == 0)
		return 0;
	qsort(site, n, sizeof(*site), site_compare);
	into[site[0].order] = site[0].order;
	for (i = 1; i < n; i++) {
		if (site_is_same(&site[out], &site[i]))
			site_add(&site[out], &site[i]);
		else
			site[++out] = site[i];
		into[site[i].order] = site[out].order;
	}
	qsort(site, out + 1, sizeof(*site), rank_compare);
	for (i = 0; i <= out; i++)
		rank[site[i].order] = i;
	for (i = 0; i < n; i++)
		into[i] = rank[into[i]];
	return out + 1;
}

static int
sites_out(struct model *m, const struct named_site *site, uint32_t n)
{
	struct source_state *x = m->source;
	struct site_frame *to;
	size_t total = 0, j;
	uint32_t i;

	for (i = 0; i < n; i++)
		total += site[i].frames;
	free(x->out_site);
	free(x->out_frame);
	x->out_site = calloc(n + 1, sizeof(*x->out_site));
	x->out_frame = to = calloc(total + 1, sizeof(*to));
	if (x->out_site == NULL || to == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		const struct site_state *s = site[i].state;
		const struct kernel *k = s->kernel == IDMAP_NONE ? NULL :
		    &m->kernel[s->kernel].out;

		x->out_site[i] = (struct site){ .call = s->call,
		    .kernel = k != NULL ? k->id : 0, .count = site[i].count,
		    .idle_ns = site[i].idle.idle_ns,
		    .idle_gaps = site[i].idle.gaps,
		    .behind_ns = site[i].idle.seen_ns > 0 ? site[i].idle.idle_ns *
		    site[i].idle.behind_ns / site[i].idle.seen_ns : 0,
		    .after = site[i].idle.after == 0 ? 0 :
		    m->kernel[site[i].idle.after - 1].out.id,
		    .idle_longest_ns = site[i].idle.longest_ns,
		    .workers = site[i].idle.workers,
		    .processors = site[i].idle.processors,
		    .frame = to, .frames = site[i].frames };
		for (j = 0; j < site[i].frames; j++)
			*to++ = site[i].frame[j].frame;
		x->out_site[i].first = site_first(&x->out_site[i], k);
		for (j = 0; j < m->run.pauses; j++)
			if (site[i].paused >> j & 1)
				m->run.pause[j].site = &x->out_site[i];
	}
	x->out_sites = n;
	return 0;
}

/* The longest gaps of ${run} that ended in front of calls from ${s}. */
static uint64_t
paused_at(const struct run *run, const struct site_state *s)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < run->pauses; i++)
		if (s->number != 0 && run->pause[i].number == s->number &&
		    run->pause[i].stream == s->stream)
			mask |= 1ull << i;
	return mask;
}

/* Site ${i} was made out_site[${into}]: copies of a size are made there. */
static void
resent_at(struct model *m, uint32_t i, uint32_t into)
{
	const struct source_state *x = m->source;

	for (uint32_t j = 0; j < m->resents; j++)
		if (x->site[i].number != 0 && m->resent[j].number == x->site[i].number &&
		    m->resent[j].stream == x->site[i].stream)
			m->resent[j].site = &x->out_site[into];
}

/* The looks' sites, of which the one with order i is out_site[${into}[i]] now. */
static int
looks_out(struct model *m, const uint32_t *into)
{
	struct source_state *x = m->source;
	struct idmap of = { .slot = NULL };
	int rc = 0;

	for (uint32_t i = 0; i < x->sites && m->run.looks > 0; i++)
		if (x->site[i].call == CALL_NONE && x->site[i].number != 0 &&
		    idmap_put(&of, (uint64_t)x->site[i].stream << 32 | x->site[i].number,
		    i) != 0)
			rc = -1;
	for (size_t i = 0; i < m->run.looks && rc == 0; i++) {
		struct look *l = &m->run.look[i];
		uint32_t at = idmap_get(&of, (uint64_t)l->stream << 32 | l->number);

		l->site = at != IDMAP_NONE ? &x->out_site[into[at]] : NULL;
	}
	idmap_clear(&of);
	return rc;
}

/* How many sites are of calls: the others are the last. */
static size_t
calls_in(const struct site *site, size_t n)
{

	while (n > 0 && site[n - 1].call == CALL_NONE)
		n--;
	return n;
}

int
site_settle(struct model *m)
{
	struct source_state *x = m->source;
	struct named_site *site;
	uint32_t *into;
	const struct away_sum *idle;
	struct named *frame;
	size_t used = 0;
	uint32_t i;
	int rc = -1;

	frames_sort(x);
	site = calloc(x->sites + 1, sizeof(*site));
	frame = calloc((size_t)(x->sites + 1) * SITE_DEPTH, sizeof(*frame));
	into = calloc(2 * ((size_t)x->sites + 1), sizeof(*into));
	if (site == NULL || frame == NULL || into == NULL)
		goto done;
	for (i = 0; i < x->sites; i++) {
		site[i].state = &x->site[i];
		site[i].count = x->site[i].count;
		idle = away_of(m, x->site[i].stream, x->site[i].number);
		if (idle != NULL)
			site[i].idle = *idle;
		site[i].paused = paused_at(&m->run, &x->site[i]);
		site[i].frame = frame + used;
		site[i].frames = site_name(x, &x->site[i], frame + used);
		site[i].order = i;
		used += site[i].frames;
	}
	rc = sites_out(m, site, sites_merge(site, x->sites, into));
	if (rc == 0)
		rc = looks_out(m, into);
	for (i = 0; i < x->sites && rc == 0; i++)
		resent_at(m, i, into[i]);
done:
	free(site);
	free(frame);
	free(into);
	if (rc == 0) {
		m->run.site = x->out_site;
		m->run.sites = calls_in(x->out_site, x->out_sites);
	}
	return rc;
}
