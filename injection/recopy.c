#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "budget.h"
#include "call_site.h"
#include "emit.h"
#include "gate.h"
#include "hold.h"
#include "inject.h"
#include "plain_memory.h"
#include "recopy.h"

#define PAGE 4096u
#define SEEN 1024u		/* copies that are recognised */
#define LOOKUPS 32u		/* times that the process's mappings are read */
#define LOOKUP_NS 5000000u	/* for that: 10,000 mappings took 4.7 ms on a virtual
				 * machine */
/* Of all comparisons. Eight ranges that are read seven times, 16 MiB each, take 0.2 to
 * 0.3 s at the rates below. */
#define MOST_NS 400000000u
#define NS_PER_MIB 1000000u	/* until it is measured: 0.2 to 0.3 ms on a virtual
				 * machine */

/* Which copies of a range are read, the first that is recognised being 0: each but the
 * first is compared with the one read before. Two after one another tell how much a
 * copy changes; after a distance, whether anything did. */
static const uint32_t turns[] = { 0, 1, 2, 10, 11, 50, 51 };
#define TURNS (sizeof(turns) / sizeof(turns[0]))

/* Copies that change their addresses, by size. */
#define SLOTS 256u		/* sizes that are counted; others of a hash take its place */
#define LAST 8u			/* copies of a size whose sources are known */
#define MOVED 4u		/* copies of a size before it is followed: set-up makes some */
#define LINE 64u
#define LINES PLAIN_MEMORY_PIECES	/* that are read of a copy, evenly spread */
#define CONTENTS 4u		/* of a size, that are told apart */
#define SEVERAL 4u		/* copies with the same lines before pages are read */
#define SAMPLES 8u		/* copies in a row whose lines are read, then … */
#define GROUP 4u		/* … so many in a row, at distances that grow fourfold */
#define DISTANCE 5u
#define SIZE_LOOKUPS 96u	/* as LOOKUPS; a size takes 28 within 1,700 copies */

struct range {
	struct recopy copy;
	uint32_t calls;		/* since it is known */
	uint32_t at;		/* the call whose hashes are kept */
	uint32_t missed;	/* recopy.missed then */
	uint32_t compared;
	bool kept;		/* there are hashes */
	bool over;		/* nothing more is read of it */
	uint64_t hash[RECOPY_PAGES];
};

/* What a reading found. */
struct reading {
	uint64_t bytes;
	uint32_t pages, changed, zeros;
};

/* Copies of one size; bytes 0: none. */
struct slot {
	uint64_t bytes, dst;	/* of the last one */
	uint64_t src[LAST];
	uint32_t copies;	/* place of the next in src, modulo LAST */
	uint32_t moved;		/* whose source or destination is not the last one's */
	uint32_t pieces;	/* whose source adjoins that of one of the last */
};

/* What the lines of a size's copies had. */
struct content {
	uint64_t hash;
	uint32_t times;		/* that it came; 0: none */
	uint32_t stands;	/* copies for which these stand */
	uint32_t at;		/* the sample that had it last */
};

/* A size that is followed. */
struct size {
	struct range range;	/* its pages are those of a copy with the lines ${lines} */
	uint64_t lines;
	struct content content[CONTENTS];
	uint32_t samples;
	uint32_t last, next;	/* the calls that were sampled last, that will be next */
	uint32_t stands;	/* copies for which each of the present group stands */
	uint32_t group;		/* the group in which pages were compared last */
	uint32_t sampled, alike;	/* see COMPARED */
};

static struct {
	/* By hash: the hash of the copy made last, with bit 0 set; clear: it is not to be
	 * compared, or no more. */
	_Atomic uint64_t seen[SEEN];
	atomic_flag busy;	/* guards the rest */
	_Atomic uint32_t missed;	/* calls that were not counted, as it was taken */
	uint32_t ranges, lookups;
	bool worked;		/* by the present call */
	uint64_t ns_per_mib, spent_ns;
	struct range range[RECOPY_RANGES];
	_Atomic uint64_t over[SLOTS];	/* by hash: a size that is not to be followed */
	struct slot slot[SLOTS];
	uint32_t sizes, size_lookups;
	struct size size[RECOPY_SIZES];
	char buffer[PLAIN_MEMORY_PIECES * PAGE];
} all = { .busy = ATOMIC_FLAG_INIT, .ns_per_mib = NS_PER_MIB };

static _Thread_local uint64_t own_ns;

static uint64_t
key_of(const struct recopy *c)
{

	return XXH64(c, sizeof(*c), 0) | 1;
}

/* Whether a reading that began at ${begin} may take ${cost} nanoseconds. */
static bool
is_affordable(uint64_t begin, uint64_t cost)
{

	return all.spent_ns + cost <= MOST_NS &&
	    budget_when(cost) <= begin && hold_fits(begin, cost);
}

static bool
is_same(const struct recopy *a, const struct recopy *b)
{

	return a->src == b->src && a->dst == b->dst && a->bytes == b->bytes;
}

/* The range of a copy; a new one if its source is plain memory. *${refused}: it is not,
 * or there are too many ranges. */
static struct range *
range_of(const struct recopy *c, uint64_t begin, bool *refused)
{
	struct range *r;
	uint32_t i;

	for (i = 0; i < all.ranges; i++)
		if (is_same(&all.range[i].copy, c))
			return &all.range[i];
	if (all.ranges == RECOPY_RANGES || all.lookups == LOOKUPS) {
		*refused = true;
		return NULL;
	}
	if (!is_affordable(begin, LOOKUP_NS))
		return NULL;
	all.lookups++;
	all.worked = true;
	if (!plain_memory_is(c->src, c->bytes, all.buffer,
	    sizeof(all.buffer))) {
		*refused = true;
		return NULL;
	}
	r = &all.range[all.ranges++];
	r->copy = *c;
	return r;
}

static bool
is_zero(const char *p, size_t n)
{

	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

/* Reads up to PLAIN_MEMORY_PIECES of the ${pages} pages of the range that are looked at,
 * from number ${first} on. 0; -1 if they cannot be read. */
static int
read_some(struct range *r, uint32_t first, uint32_t pages, struct reading *found)
{
	struct plain_piece piece[PLAIN_MEMORY_PIECES];
	uint64_t in_all = (r->copy.bytes + PAGE - 1) / PAGE, offset, hash;
	const char *p = all.buffer;
	uint32_t i, n = pages - first;

	if (n > PLAIN_MEMORY_PIECES)
		n = PLAIN_MEMORY_PIECES;
	for (i = 0; i < n; i++) {
		offset = (first + i) * in_all / pages * PAGE;
		piece[i].from = r->copy.src + offset;
		piece[i].bytes = r->copy.bytes - offset < PAGE ?
		    (size_t)(r->copy.bytes - offset) : PAGE;
	}
	if (plain_memory_read(piece, n, all.buffer) != 0)
		return -1;
	for (i = 0; i < n; p += piece[i++].bytes) {
		hash = XXH64(p, piece[i].bytes, 0);
		found->changed += hash != r->hash[first + i];
		found->zeros += is_zero(p, piece[i].bytes);
		found->bytes += piece[i].bytes;
		r->hash[first + i] = hash;
	}
	found->pages += n;
	return 0;
}

/* Hashes the range anew. False if it was not read to its end: it cannot be, or it turns
 * out to take too long, as from write-combined memory. */
static bool
read_range(struct range *r, uint64_t begin, struct reading *found)
{
	uint64_t in_all = (r->copy.bytes + PAGE - 1) / PAGE;
	uint32_t pages = in_all < RECOPY_PAGES ? (uint32_t)in_all :
	    RECOPY_PAGES;
	uint64_t start = inject_now(), rest = 0;

	while (found->pages < pages) {
		if (found->pages > 0)
			rest = (inject_now() - start) *
			    (pages - found->pages) / found->pages;
		if (!hold_fits(begin, rest))
			return false;
		if (read_some(r, found->pages, pages, found) != 0) {
			r->over = true;
			return false;
		}
	}
	return true;
}

static void
tell(uint32_t correlation, const struct range *r, const struct reading *found,
    uint32_t apart)
{
	struct record_COMPARED c = { .correlation = correlation,
	    .tid = inject_tid(), .now_ns = inject_now(),
	    .src_address = r->copy.src, .dst_address = r->copy.dst,
	    .bytes = r->copy.bytes, .compared = found->bytes,
	    .pages = found->pages, .changed = found->changed,
	    .zeros = found->zeros, .apart = apart };

	EMIT(COMPARED, &c);
}

/* Reads the range at its call number ${call}, and compares it. What has changed since
 * several calls tells nothing of one of them. */
static void
look(struct range *r, uint32_t correlation, uint32_t call, uint64_t begin)
{
	struct reading found = { 0 };
	uint32_t missed = atomic_load(&all.missed);
	bool kept = r->kept, next = call == r->at + 1 && missed == r->missed;

	r->kept = false;
	if (!read_range(r, begin, &found))
		return;
	if (kept && (next || found.changed == 0)) {
		tell(correlation, r, &found, call - r->at);
		r->compared++;
	}
	r->kept = true;
	r->at = call;
	r->missed = missed;
}

/* Bytes of the range that are read. */
static uint64_t
bytes_read(const struct range *r)
{

	return r->copy.bytes < RECOPY_PAGES * PAGE ? r->copy.bytes :
	    RECOPY_PAGES * PAGE;
}

/* To read the range took ${ns}. */
static void
learn(const struct range *r, uint64_t ns)
{

	if (ns < INT32_MAX)	/* the clock was not set back */
		all.ns_per_mib = (all.ns_per_mib + (ns << 20) / bytes_read(r)) /
		    2;
}

/* Counts a call of the range, and reads it if it is its turn. */
static void
call_of(struct range *r, uint32_t correlation, uint64_t begin)
{
	uint32_t call = r->calls++;
	size_t i = 0;

	while (i < TURNS && turns[i] < call)
		i++;
	if (i < TURNS && turns[i] == call && is_affordable(begin,
	    bytes_read(r) * all.ns_per_mib >> 20)) {
		all.worked = true;
		look(r, correlation, call, begin);
		if (r->kept)
			learn(r, inject_now() - begin);
	}
	r->over = r->over || r->compared == RECOPY_COMPARED ||
	    call >= turns[TURNS - 1];
}

static void
charge(uint64_t begin)
{
	uint64_t ns = inject_now() - begin;

	budget_spend(begin, OVERHEAD_COUNTERS);
	hold_add(HOLD_MEASURE, ns);
	if (ns < INT32_MAX) {
		all.spent_ns += ns;
		own_ns += ns;
	}
}

/* A copy that was made before. ${seen}: its place in all.seen. */
static __attribute__((cold, noinline)) void
again(uint32_t correlation, const struct recopy *c, _Atomic uint64_t *seen)
{
	uint64_t begin = inject_now();
	bool refused = false;
	struct range *r;

	if (atomic_flag_test_and_set(&all.busy)) {
		atomic_fetch_add(&all.missed, 1);
		return;
	}
	all.worked = false;
	r = range_of(c, begin, &refused);
	if (r != NULL)
		call_of(r, correlation, begin);
	if (refused || (r != NULL && r->over))
		atomic_store(seen, key_of(c) & ~(uint64_t)1);
	if (all.worked)
		charge(begin);
	atomic_flag_clear(&all.busy);
}

/* Does the source adjoin or overlap one of the last ones, and is none of them? Buffers that
 * take turns come back, pieces of an array do not. */
static bool
is_piece(const struct slot *p, uint64_t src)
{
	bool piece = false;

	for (uint32_t i = 0; i < LAST; i++) {
		uint64_t at = p->src[i];

		if (at == src)
			return false;
		piece = piece || (at != 0 && (src > at ? src - at : at - src) <=
		    p->bytes);
	}
	return piece;
}

/* Counts a copy. Whether it is one to follow. */
static bool
count_copy(struct slot *p, const struct recopy *c)
{
	bool moved, piece;

	if (p->bytes != c->bytes)
		*p = (struct slot){ .bytes = c->bytes };
	moved = p->copies == 0 || c->dst != p->dst ||
	    c->src != p->src[(p->copies - 1) % LAST];
	piece = is_piece(p, c->src);
	p->pieces += piece;
	p->moved += moved && !piece;
	p->dst = c->dst;
	p->src[p->copies++ % LAST] = c->src;
	return moved && !piece && p->moved > MOVED &&
	    p->pieces <= p->moved / 2;
}

/* The followed size ${bytes}; a new one, also in the place of one that is over without
 * anything being told. NULL: there are too many. */
static struct size *
size_of(uint64_t bytes)
{
	struct size *s = NULL;
	uint32_t i;

	for (i = 0; i < all.sizes; i++) {
		if (all.size[i].range.copy.bytes == bytes)
			return &all.size[i];
		if (all.size[i].range.over && all.size[i].range.compared == 0)
			s = &all.size[i];
	}
	if (s == NULL && all.sizes == RECOPY_SIZES)
		return NULL;
	if (s == NULL)
		s = &all.size[all.sizes++];
	memset(s, 0, sizeof(*s));
	s->range.copy.bytes = bytes;
	return s;
}

/* Reads some lines of the copy. 0; -1 if they cannot be read. */
static int
read_lines(const struct recopy *c, uint64_t *hash)
{
	struct plain_piece piece[LINES];
	uint64_t step = (c->bytes - LINE) / (LINES - 1);

	for (uint32_t i = 0; i < LINES; i++)
		piece[i] = (struct plain_piece){ c->src + i * step, LINE };
	if (plain_memory_read(piece, LINES, all.buffer) != 0)
		return -1;
	*hash = XXH64(all.buffer, LINES * LINE, 0);
	return 0;
}

/* Counts the lines of a sample that stands for ${stands} copies. Returns how often they came;
 * *${kept}: are those that the kept pages had among the ones that are told apart? */
static uint32_t
count_content(struct size *s, uint64_t hash, uint32_t stands, bool *kept)
{
	struct content *found = NULL, *out = &s->content[0];

	*kept = false;
	for (uint32_t i = 0; i < CONTENTS; i++) {
		struct content *e = &s->content[i];

		if (e->times > 0 && e->hash == hash)
			found = e;
		if (e->times < out->times || (e->times == out->times &&
		    e->at < out->at))
			out = e;
		*kept = *kept || (e->times > 0 && e->hash == s->lines);
	}
	if (found == NULL)
		*(found = out) = (struct content){ .hash = hash };
	found->stands += stands;
	if (found->times > 0) {
		s->alike += found->stands;
		found->stands = 0;
	}
	s->sampled += stands;
	found->at = s->samples;
	return ++found->times;
}

/* Reads the pages of a copy whose lines came before, if it is their turn, and compares them
 * with those of the copy that was kept. */
static bool
look_alike(struct size *s, uint64_t hash, bool kept, uint32_t call, uint64_t begin,
    struct reading *found)
{
	struct range *r = &s->range;
	uint64_t start = inject_now();
	bool compares = r->kept && s->lines == hash;

	/* The first comparison soon, for short runs; the others apart. */
	if (compares ? r->compared == RECOPY_COMPARED || (r->compared > 0 &&
	    s->group == s->samples / GROUP) : r->kept && kept)
		return false;
	r->kept = false;
	if (!read_range(r, begin, found))
		return false;
	r->kept = true;
	s->lines = hash;
	learn(r, inject_now() - start);
	if (compares) {
		r->compared++;
		s->group = s->samples / GROUP;
	} else {
		r->at = call;
	}
	return compares;
}

/* The next copy whose lines are read. */
static void
go_on(struct size *s, uint32_t call)
{
	uint32_t n = ++s->samples, far = n < SAMPLES ? 0 : (n - SAMPLES) / GROUP;

	s->last = call;
	s->next = call + (n < SAMPLES || n % GROUP != 0 ? 1 :
	    DISTANCE << 2 * (far < 12 ? far : 12));
}

/* Looks at a copy of the size. True: there is something to tell, ${found} of which is left to
 * 0 if no pages were compared. */
static bool
sample(struct size *s, const struct recopy *c, uint64_t begin, struct reading *found)
{
	struct range *r = &s->range;
	uint32_t call = r->calls++, times;
	uint64_t hash, pages = bytes_read(r) * all.ns_per_mib >> 20;
	bool kept, told = r->compared > 0, compared;

	if (r->over || call < s->next ||
	    !is_affordable(begin, LOOKUP_NS + pages))
		return false;
	r->copy = *c;
	all.worked = true;
	r->over = all.size_lookups == SIZE_LOOKUPS;
	if (!r->over) {
		all.size_lookups++;
		r->over = !plain_memory_is(c->src, c->bytes, all.buffer,
		    sizeof(all.buffer)) || read_lines(c, &hash) != 0;
	}
	if (r->over)
		return false;
	if (s->samples % GROUP == 0)
		s->stands = s->samples < SAMPLES ? 1 :
		    (call - s->last + GROUP - 1) / GROUP;
	times = count_content(s, hash, s->stands, &kept);
	compared = times >= SEVERAL && look_alike(s, hash, kept, call, begin, found);
	if (!compared)
		*found = (struct reading){ 0 };
	go_on(s, call);
	r->over = r->over || found->changed > 0 || (s->samples >= SAMPLES &&
	    s->samples % GROUP == 0 && s->alike < s->sampled / 4);
	return compared || told;
}

static void
tell_alike(uint32_t correlation, uint16_t call, const struct size *s,
    const struct reading *found)
{
	struct record_COMPARED c = { .correlation = correlation,
	    .tid = inject_tid(), .now_ns = inject_now(),
	    .bytes = s->range.copy.bytes, .compared = found->bytes,
	    .pages = found->pages, .changed = found->changed,
	    .apart = found->pages > 0 ? s->last - s->range.at : 0,
	    .sampled = s->sampled, .alike = s->alike, .zeros = found->zeros,
	    .site = found->pages > 0 ? call_site_here(call) : 0 };

	EMIT(COMPARED, &c);
}

/* A copy, whatever its addresses. ${held}: its call was held already; the next one does. */
static __attribute__((noinline)) void
by_size(uint32_t correlation, uint16_t call, const struct recopy *c, bool held)
{
	uint32_t at = (uint32_t)(XXH64(&c->bytes, sizeof(c->bytes), 0) % SLOTS);
	struct reading found = { 0 };
	struct size *s;
	uint64_t begin;
	bool told;

	if (atomic_load_explicit(&all.over[at], memory_order_relaxed) == c->bytes ||
	    gate_capturing() || atomic_flag_test_and_set(&all.busy))
		return;
	if (count_copy(&all.slot[at], c) && !held) {
		begin = inject_now();
		all.worked = false;
		s = size_of(c->bytes);
		told = s != NULL && sample(s, c, begin, &found);
		if (s != NULL && s->range.over)
			atomic_store_explicit(&all.over[at], c->bytes,
			    memory_order_relaxed);
		if (all.worked)
			charge(begin);
		if (told)
			tell_alike(correlation, call, s, &found);
	}
	atomic_flag_clear(&all.busy);
}

void
recopy_enter(uint32_t correlation, uint16_t call, const struct recopy *c)
{
	_Atomic uint64_t *seen;
	uint64_t key, was, spent = own_ns;

	if (!inject.profiles || c->bytes < RECOPY_LEAST)
		return;
	key = key_of(c);
	seen = &all.seen[(key >> 1) % SEEN];
	was = atomic_load_explicit(seen, memory_order_relaxed);
	if ((was | 1) != key)
		atomic_store_explicit(seen, key, memory_order_relaxed);
	else if (was == key && !gate_capturing())
		again(correlation, c, seen);
	by_size(correlation, call, c, own_ns != spent);
}

uint64_t
recopy_spent(void)
{

	return own_ns;
}
