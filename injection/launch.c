#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "launch.h"

/* A million launches: two seconds at the fastest rate a host can launch, while
 * records arrive within a few tenths. 24 MiB of address space. */
#define LAUNCH_SLOTS (1u << 20)

struct slot {
	_Atomic uint32_t correlation;
	uint32_t tid;
	_Atomic uint64_t enter_ns;	/* bit 63: kernel */
};

#define KERNEL (1ull << 63)

static struct slot *table;

int
launch_init(void)
{
	void *p;

	p = mmap(NULL, LAUNCH_SLOTS * sizeof(*table), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return (-1);
	table = p;
	return (0);
}

void
launch_put(uint32_t correlation, uint64_t enter_ns, uint32_t tid,
    bool kernel)
{
	struct slot *s;

	if (table == NULL)
		return;
	s = &table[correlation & (LAUNCH_SLOTS - 1)];
	/* Invalid while it changes, so that a reader never mixes two. */
	atomic_store_explicit(&s->correlation, 0, memory_order_relaxed);
	s->tid = tid;
	atomic_store_explicit(&s->enter_ns,
	    enter_ns | (kernel ? KERNEL : 0), memory_order_relaxed);
	atomic_store_explicit(&s->correlation, correlation,
	    memory_order_release);
}

struct launch
launch_get(uint32_t correlation)
{
	struct launch l = { 0, 0, false };
	struct slot *s;
	uint64_t v;

	if (table == NULL || correlation == 0)
		return (l);
	s = &table[correlation & (LAUNCH_SLOTS - 1)];
	if (atomic_load_explicit(&s->correlation, memory_order_acquire) !=
	    correlation)
		return (l);
	v = atomic_load_explicit(&s->enter_ns, memory_order_relaxed);
	l.enter_ns = v & ~KERNEL;
	l.kernel = (v & KERNEL) != 0;
	l.tid = s->tid;
	return (l);
}
