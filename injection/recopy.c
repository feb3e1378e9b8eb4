#include <stdatomic.h>
#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "budget.h"
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
	uint32_t pages, changed;
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
	    .apart = apart };

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

void
recopy_enter(uint32_t correlation, const struct recopy *c)
{
	_Atomic uint64_t *seen;
	uint64_t key, was;

	if (!inject.profiles || c->bytes < RECOPY_LEAST)
		return;
	key = key_of(c);
	seen = &all.seen[(key >> 1) % SEEN];
	was = atomic_load_explicit(seen, memory_order_relaxed);
	if ((was | 1) != key)
		atomic_store_explicit(seen, key, memory_order_relaxed);
	else if (was == key && !gate_capturing())
		again(correlation, c, seen);
}

uint64_t
recopy_spent(void)
{

	return own_ns;
}
