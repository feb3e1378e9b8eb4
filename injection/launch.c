#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "inject.h"
#include "launch.h"

/* A million launches: two seconds at the highest launch rate of a host; activity
 * records arrive within a few tenths of a second. 24 MiB of address space. */
#define LAUNCH_SLOTS (1u << 20)
#define STEP 4096u

/* Copies are less frequent: 128 Ki, 3 MiB of address space. */
#define COPY_SLOTS (1u << 17)

struct slot {
	_Atomic uint32_t correlation;
	_Atomic uint32_t tid;
	_Atomic uint64_t enter_ns;
};

struct copy_slot {
	_Atomic uint32_t correlation;
	uint32_t pad;
	_Atomic uint64_t dst, src;
};

static struct slot *table;
static _Atomic uint32_t used;	/* slots from here on were never written; a multiple
				 * of STEP */
static struct copy_slot *copies;

static void *
map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int
launch_init(void)
{

	table = map(LAUNCH_SLOTS * sizeof(*table));
	/* Without this table the addresses of copies are unknown. */
	copies = map(COPY_SLOTS * sizeof(*copies));
	return table == NULL ? -1 : 0;
}

/* Marks the first ${n} slots as used. Without this limit, launch_kernels would touch
 * all 16 MiB. */
static void
use(uint32_t n)
{
	uint32_t before = atomic_load_explicit(&used, memory_order_relaxed);

	while (before < n && !atomic_compare_exchange_weak_explicit(&used,
	    &before, n, memory_order_release, memory_order_relaxed))
		continue;
}

INJECT_HOT void
launch_put(uint32_t correlation, uint64_t enter_ns, uint32_t tid)
{
	uint32_t i = correlation & (LAUNCH_SLOTS - 1);
	struct slot *s;

	if (table == NULL)
		return;
	s = &table[i];
	if (i >= atomic_load_explicit(&used, memory_order_relaxed))
		use((i | (STEP - 1)) + 1);
	/* The entry is invalid while it is written, so that a reader never mixes two
	 * entries. */
	atomic_store_explicit(&s->correlation, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&s->tid, tid, memory_order_relaxed);
	atomic_store_explicit(&s->enter_ns, enter_ns, memory_order_relaxed);
	atomic_store_explicit(&s->correlation, correlation,
	    memory_order_release);
}

void
launch_done(uint32_t correlation)
{
	struct slot *s;

	if (table == NULL || correlation == 0)
		return;
	s = &table[correlation & (LAUNCH_SLOTS - 1)];
	if (atomic_load_explicit(&s->correlation, memory_order_acquire) == correlation)
		atomic_fetch_and_explicit(&s->tid, ~LAUNCH_KERNEL,
		    memory_order_relaxed);
}

uint64_t
launch_kernels(uint64_t from, uint64_t to)
{
	uint32_t i, end = atomic_load(&used);
	uint64_t enter, n = 0;

	for (i = 0; i < end; i++) {
		enter = atomic_load_explicit(&table[i].enter_ns,
		    memory_order_relaxed);
		n += enter > from && enter <= to && (atomic_load_explicit(
		    &table[i].tid, memory_order_relaxed) & LAUNCH_KERNEL) != 0;
	}
	return n;
}

struct launch
launch_get(uint32_t correlation)
{
	struct launch l = { 0, 0 }, none = { 0, 0 };
	struct slot *s;

	if (table == NULL || correlation == 0)
		return none;
	s = &table[correlation & (LAUNCH_SLOTS - 1)];
	if (atomic_load_explicit(&s->correlation, memory_order_acquire) !=
	    correlation)
		return none;
	l.enter_ns = atomic_load_explicit(&s->enter_ns, memory_order_relaxed);
	l.tid = atomic_load_explicit(&s->tid, memory_order_relaxed) &
	    ~LAUNCH_KERNEL;
	atomic_thread_fence(memory_order_acquire);
	/* The entry may have been overwritten meanwhile. */
	if (atomic_load_explicit(&s->correlation, memory_order_relaxed) !=
	    correlation)
		return none;
	return l;
}

void
launch_put_copy(uint32_t correlation, const struct launch_copy *c)
{
	struct copy_slot *s;

	if (copies == NULL)
		return;
	s = &copies[correlation & (COPY_SLOTS - 1)];
	atomic_store_explicit(&s->correlation, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&s->dst, c->dst, memory_order_relaxed);
	atomic_store_explicit(&s->src, c->src, memory_order_relaxed);
	atomic_store_explicit(&s->correlation, correlation,
	    memory_order_release);
}

struct launch_copy
launch_get_copy(uint32_t correlation)
{
	struct launch_copy c, none = { 0, 0 };
	struct copy_slot *s;

	if (copies == NULL || correlation == 0)
		return none;
	s = &copies[correlation & (COPY_SLOTS - 1)];
	if (atomic_load_explicit(&s->correlation, memory_order_acquire) !=
	    correlation)
		return none;
	c.dst = atomic_load_explicit(&s->dst, memory_order_relaxed);
	c.src = atomic_load_explicit(&s->src, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&s->correlation, memory_order_relaxed) !=
	    correlation)
		return none;
	return c;
}
