/*
 * model/resent.c: host ranges that are copied again.
 *
 * A range is a host address and a length in one process; only whole ranges are
 * looked for. Copies between host and device come here in order of time, so that the
 * last copy of each range is known. Whether the program wrote to the range since then
 * is known where the library compared the bytes; else only how much time it had to do so.
 * Where it found the content of a size alike whatever the addresses, that decides for all
 * copies of the size that were not compared.
 */
#include <math.h>
#include <stdlib.h>

#include "model/host.h"
#include "model/internal.h"
#include "model/lines/source_state.h"

/* Most that one core of the host writes; how long many cores need to start; most that
 * they write together. */
#define CORE_BYTES_PER_NS 16u
#define TEAM_NS 20000u
#define TEAM_BYTES_PER_NS 400u

/* A host range, or (device not 0) a pair of a host range and a device address. */
struct range {
	uint64_t stream, host, device, bytes;
	uint32_t of;		/* of a pair its host range, else itself */
	/* Of host ranges: */
	uint32_t last;		/* the pair that was copied last */
	uint8_t way;		/* its direction: COPY_H2D, COPY_D2H; 0 none yet */
	uint8_t counted;	/* bits: counted in ranges of each resent_kind, then
				 * of a copy class to and from the device */
	uint64_t free;		/* see free_at */
	uint64_t down_ns;	/* of the last copy, if it was to the host */
	/* Of pairs: */
	uint32_t pair;		/* its element of m->pair, from 1; 0 none */
	uint32_t comparisons;
	uint64_t pages, equal_pages;
};
_Static_assert(RESENT_KINDS + 2 <= 8, "range.counted has 8 bits");

/* Copies to the device of one size, to one device; or (device IDMAP_NONE) what comparisons
 * of a size told. */
#define SIZE_LEAST (64u << 10)	/* RECOPY_LEAST of injection/recopy.h */
#define SIZE_COMPARISONS 2	/* apart from each other: what does not change, is the same at
				 * two times */
struct resent_size {
	uint64_t stream, bytes;
	uint32_t device;
	uint64_t free;		/* of the last one; see free_at */
	uint64_t again;		/* those of its pairs, … */
	uint64_t same, untold;	/* … of that the repeated ones whose bytes were compared, and
				 * the same, and those that were not compared; … */
	double same_ns, untold_ns;	/* … without the queued ones */
	double part;		/* alike_part, of the last settle */
	struct resent sum;	/* those of no pair, from a range that had been copied to an
				 * address that had been copied to */
	/* What was told: */
	uint32_t comparisons;
	bool differs;		/* a page did */
	uint32_t sampled, alike;
	uint64_t pages, zeros;
	uint32_t site, site_stream, votes;	/* that most comparisons name */
};

/* The last copy to a device address; one that hashes alike takes its place. */
#define SLIDES 256
struct slide {
	uint64_t stream, device, bytes;	/* bytes 0: none */
	uint64_t host, free;	/* where it came from; see free_at */
	uint32_t row;		/* copies of which each slid on from the one before */
};

/* The repeated copies of a pair to one device. */
struct resent_pair {
	uint32_t range;		/* the pair */
	struct resent sum;
};

static uint64_t
range_key(const struct range *r)
{
	uint64_t h = r->stream;

	h = (h ^ h >> 29 ^ r->host) * 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 29 ^ r->device) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 32 ^ r->bytes) * 0x94d049bb133111ebull;
	return h ^ h >> 29;
}

/* Find or make; *${index} is IDMAP_NONE if there are too many, or if another range has
 * the same hash. */
static int
range_of(struct model *m, const struct range *want, uint32_t *index)
{
	uint64_t key = range_key(want);
	const struct range *r;
	uint32_t i = idmap_get(&m->range_map, key);

	*index = IDMAP_NONE;
	if (i != IDMAP_NONE) {
		r = &m->range[i];
		if (r->stream == want->stream && r->host == want->host &&
		    r->device == want->device && r->bytes == want->bytes)
			*index = i;
		return 0;
	}
	if (m->ranges >= MAX_RANGES)
		return 0;
	if (model_grow(&m->range, &m->ranges_cap, m->ranges, MAX_RANGES,
	    sizeof(*m->range)) != 0 ||
	    idmap_put(&m->range_map, key, m->ranges) != 0)
		return -1;
	m->range[m->ranges] = *want;
	m->range[m->ranges].of = m->ranges;
	*index = m->ranges++;
	return 0;
}

int
resent_range(struct model *m, const struct stream *s,
    const struct record_COPY *r, uint32_t *range)
{
	struct range want = { .stream = s->id, .bytes = r->bytes };
	uint32_t host;

	*range = IDMAP_NONE;
	/* Copies in a graph and moved pages have no call of their own. */
	if (r->src == MEMORY_MANAGED || r->dst == MEMORY_MANAGED ||
	    (r->kind != COPY_H2D && r->kind != COPY_D2H) || r->bytes == 0 ||
	    (r->flags & COPY_GRAPH) != 0 || r->graph != 0)
		return 0;
	if (r->src_address == 0 || r->dst_address == 0) {
		m->run.copies_unlocated++;
		return 0;
	}
	m->run.copies_located++;
	want.host = r->kind == COPY_H2D ? r->src_address : r->dst_address;
	if (range_of(m, &want, &host) != 0)
		return -1;
	want.device = r->kind == COPY_H2D ? r->dst_address : r->src_address;
	if (host != IDMAP_NONE && range_of(m, &want, range) != 0)
		return -1;
	if (*range == IDMAP_NONE)
		m->run.copies_untracked++;
	else
		m->range[*range].of = host;
	return 0;
}

static uint64_t
size_key(uint64_t stream, uint64_t bytes, uint32_t device)
{

	return range_key(&(struct range){ .stream = stream, .bytes = bytes,
	    .device = device });
}

/* NULL: none. */
static struct resent_size *
size_find(const struct model *m, uint64_t stream, uint64_t bytes, uint32_t device)
{
	uint32_t i = idmap_get(&m->size_map, size_key(stream, bytes, device));
	struct resent_size *s = i != IDMAP_NONE ? &m->resize[i] : NULL;

	return s != NULL && s->stream == stream && s->bytes == bytes &&
	    s->device == device ? s : NULL;
}

/* Find or make; *${size} is NULL if there are too many, or if another has the same hash. */
static int
size_of(struct model *m, uint64_t stream, uint64_t bytes, uint32_t device,
    struct resent_size **size)
{
	uint64_t key = size_key(stream, bytes, device);

	*size = size_find(m, stream, bytes, device);
	if (*size != NULL || m->resizes >= MAX_RANGES ||
	    idmap_get(&m->size_map, key) != IDMAP_NONE)
		return 0;
	if (model_grow(&m->resize, &m->resizes_cap, m->resizes, MAX_RANGES,
	    sizeof(*m->resize)) != 0 ||
	    idmap_put(&m->size_map, key, m->resizes) != 0)
		return -1;
	*size = &m->resize[m->resizes++];
	**size = (struct resent_size){ .stream = stream, .bytes = bytes,
	    .device = device };
	return 0;
}

/* Copies of a size were compared with each other, whatever their addresses. */
static int
size_told(struct model *m, const struct stream *s, const struct record_COMPARED *r)
{
	struct resent_size *t;

	if (r->alike > r->sampled || r->changed > r->pages || r->zeros > r->pages)
		return 0;
	if (size_of(m, s->id, r->bytes, IDMAP_NONE, &t) != 0)
		return -1;
	if (t == NULL)
		return 0;
	if (r->sampled > t->sampled) {
		t->sampled = r->sampled;
		t->alike = r->alike;
	}
	if (r->pages == 0)
		return 0;
	t->comparisons++;
	t->differs = t->differs || r->changed > 0;
	t->pages += r->pages;
	t->zeros += r->zeros;
	if (r->site != 0 && t->votes == 0)
		t->site = r->site;
	if (r->site != 0)
		t->votes += t->site == r->site ? 1 : UINT32_MAX;
	t->site_stream = source_stream(m, s);
	return 0;
}

int
resent_compared(struct model *m, struct stream *s,
    const struct record_COMPARED *r)
{
	struct range want = { .stream = s->id, .host = r->src_address,
	    .device = r->dst_address, .bytes = r->bytes };
	struct range *p;
	uint32_t i;

	if (r->sampled > 0)
		return size_told(m, s, r);
	if (want.host == 0 || want.device == 0 || r->pages == 0 ||
	    r->changed > r->pages)
		return 0;
	if (range_of(m, &want, &i) != 0)
		return -1;
	if (i == IDMAP_NONE)
		return 0;
	p = &m->range[i];
	p->comparisons++;
	p->pages += r->pages;
	p->equal_pages += r->pages - r->changed;
	return 0;
}

/* The sum of a kind and device; NULL without memory. */
static struct resent *
resent_of(struct model *m, enum resent_kind kind, uint32_t device)
{
	struct resent *p;
	uint32_t i;

	for (i = 0; i < m->resents; i++)
		if (m->resent[i].kind == kind && m->resent[i].device == device)
			return &m->resent[i];
	p = realloc(m->resent, (m->resents + 1) * sizeof(*p));
	if (p == NULL)
		return NULL;
	m->resent = p;
	p += m->resents++;
	*p = (struct resent){ .kind = kind, .device = device };
	return p;
}

/* The sum of the repeated copies of pair ${range}; NULL without memory. */
static struct resent *
again_of(struct model *m, uint32_t range, uint32_t device)
{
	struct range *p = &m->range[range];

	if (p->pair == 0) {
		if (model_grow(&m->pair, &m->pairs_cap, m->pairs, MAX_RANGES,
		    sizeof(*m->pair)) != 0)
			return NULL;
		m->pair[m->pairs++] = (struct resent_pair){ .range = range,
		    .sum = { .kind = RESENT_AGAIN, .device = device } };
		p->pair = m->pairs;
	}
	return &m->pair[p->pair - 1].sum;
}

/*
 * The time from which the host could write to the range again; 0 unknown. It is the
 * later of the end of the call, if it blocked, and the copy's end. Of a copy from
 * pageable memory it is the end of the call: the driver had moved the data to a buffer
 * of its own.
 */
static uint64_t
free_at(const struct model *m, const struct op *op,
    const struct copy_class *c)
{
	const struct thread *t;
	uint64_t called = 0;
	uint32_t i;

	if (op->launch == 0 || op->thread == IDMAP_NONE)
		return 0;
	t = &m->thread[op->thread];
	for (i = host_first(t, op->launch); i < t->count &&
	    t->wait[i].start <= op->launch; i++)
		if (t->wait[i].start == op->launch)
			called = max_u64(called, t->wait[i].end);
	if (c->kind == COPY_H2D && c->src != MEMORY_PINNED)
		return called;
	return max_u64(called, op->end);
}

/* ns that the calling thread had for itself since the range was free. While it waits in
 * a CUDA call it writes nothing, and for another thread that wrote it would have to
 * wait too. In more than WAIT_MOST_NS that may have happened: nothing is subtracted. */
#define WAIT_MOST_NS 1000000u

static uint64_t
had_ns(const struct model *m, const struct op *op, uint64_t from)
{
	uint64_t ns = sub_sat(op->launch, from);

	if (ns == 0 || ns > WAIT_MOST_NS || op->thread == IDMAP_NONE)
		return ns;
	return sub_sat(ns, host_wait(&m->thread[op->thread], from,
	    op->launch));
}

/* The host needs at least write_ns to write ${bytes} anew: if it had less time, it did
 * not. A core that copies data from memory, not a cache, takes LIKELY times as long. */
#define LIKELY 4

static uint64_t
write_ns(uint64_t bytes)
{

	return max_u64(min_u64(TEAM_NS, bytes / CORE_BYTES_PER_NS),
	    bytes / TEAM_BYTES_PER_NS);
}

static double
likely(uint64_t least, uint64_t had)
{
	double all = (double)least, none = all * LIKELY, ns = (double)had;

	if (had < least)
		return 1;
	return ns < none ? (none - ns) / (none - all) : 0;
}

/* Counts a host range once for each kind. */
static void
count_host(struct resent *r, struct range *h)
{

	r->ranges += (h->counted >> r->kind & 1) == 0;
	h->counted |= (uint8_t)(1 << r->kind);
}

static int
count_resent(struct model *m, struct range *h, const struct op *op,
    enum resent_kind kind)
{
	struct resent *r = kind == RESENT_AGAIN ?
	    again_of(m, op->range, op->device) :
	    resent_of(m, kind, op->device);
	uint64_t ns = op->end - op->start;
	uint64_t had = had_ns(m, op, h->free), least = write_ns(h->bytes);
	uint64_t down = kind == RESENT_ROUND ? h->down_ns : 0;
	bool queued;
	double part;

	if (r == NULL)
		return -1;
	if (kind == RESENT_ROUND)
		count_host(r, h);
	r->count++;
	r->bytes = add_sat(r->bytes, h->bytes);
	r->gpu_ns = add_sat(r->gpu_ns, ns);
	r->down_ns = add_sat(r->down_ns, down);
	/* A copy called before the last one ended gave the host no time at all. */
	if (op->launch == 0 || h->free == 0)
		return 0;
	queued = kind == RESENT_AGAIN && op->launch <= h->free;
	part = queued ? 0 : likely(least, had);
	if (queued) {
		r->queued_count++;
		r->queued_ns = add_sat(r->queued_ns, ns);
		r->queued_bytes = add_sat(r->queued_bytes, h->bytes);
	}
	r->likely_count += part;
	r->likely_ns += part * (double)ns;
	r->likely_down_ns += part * (double)down;
	r->likely_bytes += part * (double)h->bytes;
	if (had >= least)
		return 0;
	r->quick_count++;
	r->quick_ns = add_sat(r->quick_ns, ns);
	r->quick_down_ns = add_sat(r->quick_down_ns, down);
	return 0;
}

static struct slide *
slide_of(struct model *m, const struct range *p)
{
	const struct range key = { .stream = p->stream, .device = p->device,
	    .bytes = p->bytes };

	if (m->slide == NULL)
		m->slide = calloc(SLIDES, sizeof(*m->slide));
	return m->slide == NULL ? NULL : &m->slide[range_key(&key) % SLIDES];
}

/* A copy of pair ${p} to the device, which ${again} tells of whether it was counted already.
 * Where a range has less than half in common with the one before, what it has is an edge
 * that pieces share, not a window that slides. */
static int
count_slid(struct model *m, const struct range *p, struct range *h,
    const struct op *op, bool again)
{
	struct slide *w = slide_of(m, p);
	uint64_t step, old, ns, had, least;
	struct resent *r;
	double part;

	if (w == NULL)
		return -1;
	if (w->stream != p->stream || w->device != p->device ||
	    w->bytes != p->bytes)
		*w = (struct slide){ p->stream, p->device, p->bytes, 0, 0, 0 };
	step = p->host - w->host;	/* backwards: more than any length */
	w->row = w->host != 0 && step > 0 && step < p->bytes / 2 ? w->row + 1 : 0;
	w->host = p->host;
	if (w->row < 2 || again)
		return 0;
	if ((r = resent_of(m, RESENT_SLID, op->device)) == NULL)
		return -1;
	part = (double)(old = p->bytes - step) / (double)p->bytes;
	ns = (uint64_t)(part * (double)(op->end - op->start));
	count_host(r, h);
	r->count++;
	r->bytes = add_sat(r->bytes, old);
	r->gpu_ns = add_sat(r->gpu_ns, ns);
	if (op->launch == 0 || w->free == 0)
		return 0;
	had = had_ns(m, op, w->free);
	least = write_ns(old);
	part = likely(least, had);
	r->likely_count += part;
	r->likely_ns += part * (double)ns;
	r->likely_bytes += part * (double)old;
	if (had >= least)
		return 0;
	r->quick_count++;
	r->quick_ns = add_sat(r->quick_ns, ns);
	return 0;
}

/* Had a copy of this length been made to where pair ${p}'s goes? 1, 0; -1 without memory. */
static int
was_placed(struct model *m, const struct range *p)
{
	uint64_t key = range_key(&(struct range){ .stream = p->stream,
	    .device = p->device, .bytes = p->bytes });

	if (idmap_get(&m->place_map, key) != IDMAP_NONE)
		return 1;
	return m->place_map.used < MAX_RANGES ? idmap_put(&m->place_map, key, 0) : 0;
}

/* A copy of pair ${p} to the device. ${other}: it was counted already, or is a window that
 * slides. ${came}: its host range had been copied. Copies to places that had none yet set up
 * what stays. */
static int
count_size(struct model *m, const struct range *p, struct range *h, const struct op *op,
    bool other, bool came)
{
	uint64_t ns = op->end - op->start;
	struct resent_size *s;
	int placed = was_placed(m, p);

	if (placed < 0 || size_of(m, p->stream, p->bytes, op->device, &s) != 0)
		return -1;
	if (s == NULL)
		return 0;
	if (other) {
		s->again++;
	} else if (came && placed) {
		s->sum.count++;
		s->sum.bytes = add_sat(s->sum.bytes, p->bytes);
		s->sum.gpu_ns = add_sat(s->sum.gpu_ns, ns);
		if (op->launch == 0 || op->launch <= s->free) {
			s->sum.queued_count++;
			s->sum.queued_ns = add_sat(s->sum.queued_ns, ns);
			s->sum.queued_bytes = add_sat(s->sum.queued_bytes, p->bytes);
		}
	}
	s->sum.ranges += (h->counted >> RESENT_ALIKE & 1) == 0;
	h->counted |= 1 << RESENT_ALIKE;
	s->free = max_u64(s->free, h->free);
	return 0;
}

static void
count_range(struct copy_class *c, struct range *h)
{
	unsigned bit = RESENT_KINDS + (c->kind == COPY_D2H);

	c->located++;
	c->ranges += (h->counted >> bit & 1) == 0;
	h->counted |= (uint8_t)(1u << bit);
}

int
resent_sweep(struct model *m, const struct op *op)
{
	struct copy_class *c = &m->copy[op->index].out;
	struct range *h = &m->range[m->range[op->range].of];
	bool up = c->kind == COPY_H2D, again = up && h->way != 0 &&
	    (h->way == COPY_D2H || h->last == op->range);
	bool came = (h->counted >> RESENT_KINDS & 1) != 0;
	struct slide *w;

	count_range(c, h);
	if ((again && count_resent(m, h, op, h->way == COPY_D2H ? RESENT_ROUND :
	    RESENT_AGAIN) != 0) ||
	    (up && count_slid(m, &m->range[op->range], h, op, again) != 0))
		return -1;
	h->way = (uint8_t)c->kind;
	h->last = op->range;
	h->free = free_at(m, op, c);
	if (up) {
		w = slide_of(m, &m->range[op->range]);
		w->free = h->free;
		if (h->bytes >= SIZE_LEAST && count_size(m, &m->range[op->range], h, op,
		    again || w->row >= 2, came) != 0)
			return -1;
	}
	h->down_ns = c->kind == COPY_D2H ? op->end - op->start : 0;
	return 0;
}

/* What the comparisons of a pair tell; RESENT_KINDS: most of it is new each time. */
static enum resent_kind
verdict(const struct range *p)
{

	if (p->comparisons == 0)
		return RESENT_AGAIN;
	if (p->equal_pages == p->pages)
		return RESENT_SAME;
	return (double)p->equal_pages >= RESENT_PART_LEAST * (double)p->pages ?
	    RESENT_PART : RESENT_KINDS;
}

static void
add_copies(struct resent *r, const struct resent *a)
{

	r->count += a->count;
	r->bytes = add_sat(r->bytes, a->bytes);
	r->gpu_ns = add_sat(r->gpu_ns, a->gpu_ns);
	r->quick_count += a->quick_count;
	r->quick_ns = add_sat(r->quick_ns, a->quick_ns);
	r->likely_count += a->likely_count;
	r->likely_ns += a->likely_ns;
	r->likely_bytes += a->likely_bytes;
	r->queued_count += a->queued_count;
	r->queued_ns = add_sat(r->queued_ns, a->queued_ns);
	r->queued_bytes = add_sat(r->queued_bytes, a->queued_bytes);
}

static void
add_again(struct resent *r, const struct resent *a, const struct range *p)
{

	add_copies(r, a);
	if (p->comparisons == 0)
		return;
	r->comparisons += p->comparisons;
	r->pages = add_sat(r->pages, p->pages);
	r->equal_pages = add_sat(r->equal_pages, p->equal_pages);
	r->equal_ns += (double)(a->gpu_ns - a->queued_ns) *
	    ((double)p->equal_pages / (double)p->pages);
}

/* The part of the size's copies, without those whose pair was compared, that is alike, as
 * ${t} tells: the samples were of all, and those compared may be the ones that are. 0: the
 * size is none of these. */
static double
alike_part(const struct resent_size *s, const struct resent_size *t)
{
	double rest = (double)(s->sum.count + s->untold), all;

	if (!(rest > 0) || t == NULL || t->comparisons < SIZE_COMPARISONS || t->differs)
		return 0;
	all = (double)(s->sum.count + s->again);
	rest = (all * t->alike / t->sampled - (double)s->same) / rest;
	return rest < RESENT_ALIKE_LEAST ? 0 : fmin(rest, 1);
}

/* Adds the copies of a size, with those of its pairs. */
static int
add_size(struct model *m, struct resent_size *s)
{
	const struct resent_size *t = size_find(m, s->stream, s->bytes, IDMAP_NONE);
	struct resent *r;
	double ns;

	s->part = alike_part(s, t);
	if (!(s->part > 0))
		return 0;
	if ((r = resent_of(m, RESENT_ALIKE, s->device)) == NULL)
		return -1;
	ns = s->part * ((double)(s->sum.gpu_ns - s->sum.queued_ns) + s->untold_ns) +
	    s->same_ns;
	if (r->size == 0 || ns > r->size_ns) {
		r->size = s->bytes;
		r->size_ns = ns;
		r->stream = t->site_stream;
		r->number = t->site;
	}
	add_copies(r, &s->sum);
	r->ranges += s->sum.ranges;
	r->equal_ns += ns;
	r->comparisons += t->comparisons;
	r->pages = add_sat(r->pages, t->pages);
	r->equal_pages = add_sat(r->equal_pages, t->pages);
	r->zero_pages = add_sat(r->zero_pages, t->zeros);
	return 0;
}

/* The size to whose copies those of pair ${a} count, if they are alike; NULL: none. */
static struct resent_size *
size_of_pair(const struct model *m, const struct resent_pair *a)
{
	const struct range *p = &m->range[a->range];
	enum resent_kind kind = verdict(p);

	return kind == RESENT_SAME || kind == RESENT_AGAIN ?
	    size_find(m, p->stream, p->bytes, a->sum.device) : NULL;
}

/* Adds up what the pairs have of each size, then the sizes. */
static int
settle_sizes(struct model *m)
{
	const struct resent *a;
	struct resent_size *s;
	uint32_t i;
	double ns;

	for (i = 0; i < m->resizes; i++) {
		s = &m->resize[i];
		s->same = s->untold = 0;
		s->same_ns = s->untold_ns = 0;
	}
	for (i = 0; i < m->pairs; i++) {
		if ((s = size_of_pair(m, &m->pair[i])) == NULL)
			continue;
		a = &m->pair[i].sum;
		ns = (double)(a->gpu_ns - a->queued_ns);
		if (verdict(&m->range[m->pair[i].range]) == RESENT_SAME) {
			s->same += a->count;
			s->same_ns += ns;
		} else {
			s->untold += a->count;
			s->untold_ns += ns;
		}
	}
	for (i = 0; i < m->resizes; i++)
		if (m->resize[i].device != IDMAP_NONE && add_size(m, &m->resize[i]) != 0)
			return -1;
	return 0;
}

/* Repeated copies are added up anew each time: what is known of a pair may have
 * changed. */
int
resent_settle(struct model *m)
{
	/* All bits of range.counted but those of the kinds that are counted here. */
	const unsigned stays = 0xff ^ ((1u << RESENT_KINDS) - 1) ^
	    1u << RESENT_ROUND ^ 1u << RESENT_SLID ^ 1u << RESENT_ALIKE;
	enum resent_kind kind;
	const struct resent_pair *a;
	struct resent *r;
	struct resent_size *s;
	uint32_t i, kept = 0;

	for (i = 0; i < m->resents; i++)
		if (m->resent[i].kind == RESENT_ROUND ||
		    m->resent[i].kind == RESENT_SLID)
			m->resent[kept++] = m->resent[i];
	m->resents = kept;
	for (i = 0; i < m->pairs; i++)
		m->range[m->range[m->pair[i].range].of].counted &= (uint8_t)stays;
	if (settle_sizes(m) != 0)
		return -1;
	for (i = 0; i < m->pairs; i++) {
		a = &m->pair[i];
		kind = verdict(&m->range[a->range]);
		if (kind == RESENT_KINDS)
			continue;
		if ((s = size_of_pair(m, a)) != NULL && s->part > 0) {
			add_copies(resent_of(m, RESENT_ALIKE, a->sum.device), &a->sum);
			continue;
		}
		if ((r = resent_of(m, kind, a->sum.device)) == NULL)
			return -1;
		count_host(r, &m->range[m->range[a->range].of]);
		add_again(r, &a->sum, &m->range[a->range]);
	}
	return 0;
}
