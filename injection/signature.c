#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire/record.h"

#include "emit.h"
#include "family.h"
#include "filter.h"
#include "inject.h"
#include "signature.h"

#define KEY_SLOTS (1u << 17)
#define AWAITS_PART 4		/* a kernel that waits ends in this part of a hold if it is
				 * not held */
#define MATTERS_AFTER 8		/* launches from which on the average decides */
#define ROUNDED_FROM (SIGNATURE_MAX / 2)	/* signatures; from then on grids are rounded, */
#define ROUNDED_BITS 3		/* to 4 sizes an octave: by 12 % at most. 128 functions with 16
				 * octaves of sizes fill the other half */
#define MATTERS_NS 20000	/* on average; shorter kernels are bound by latency */

/* A key for quick look-ups: function pointer and shape in 64 bits of hash. Launches
 * whose hashes collide would be taken for one signature; with 16,384 signatures that
 * has a probability under 1e-11. */
struct key {
	_Atomic uint64_t hash;
	struct signature *_Atomic sig;
};

static struct {
	struct key *key;
	uint32_t keys;			/* in use; guarded by the lock */
	_Atomic uint64_t generation;
	pthread_mutex_t lock;		/* for making signatures */
	struct signature *all[SIGNATURE_MAX];
	uint64_t name_hash[SIGNATURE_MAX];
	_Atomic uint32_t count;
	uint32_t slot[SIGNATURE_MAX * 2];	/* hash table of name_hash: index +
						 * 1; 0: free */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

int
signature_init(void)
{

	table.key = calloc(KEY_SLOTS, sizeof(*table.key));
	return table.key != NULL ? 0 : -1;
}

/* NCCL and NVSHMEM kernels of several ranks wait for each other: measuring one of them
 * would serialise kernels that have to run together. */
static bool
is_communication(const char *name)
{

	return strncmp(name, "nccl", 4) == 0 ||
	    strstr(name, "ncclDevKernel") != NULL ||
	    strstr(name, "ncclKernel") != NULL ||
	    strstr(name, "nvshmem") != NULL;
}

static uint64_t
name_hash(const char *name, const struct signature_shape *shape)
{

	return XXH64(name, strlen(name), XXH64(shape, sizeof(*shape), 0));
}

/* The slot of hash ${h}, or the free one where it belongs. Call with the lock held. */
static uint32_t *
slot_of(uint64_t h)
{
	const uint32_t mask = SIGNATURE_MAX * 2 - 1;
	uint32_t i;

	for (i = (uint32_t)h & mask; table.slot[i] != 0; i = (i + 1) & mask)
		if (table.name_hash[table.slot[i] - 1] == h)
			break;
	return &table.slot[i];
}

/* Rounds ${n} to its first ROUNDED_BITS bits. */
static uint32_t
rounded(uint32_t n)
{
	int drop = n == 0 ? 0 : 32 - __builtin_clz(n) - ROUNDED_BITS;
	uint64_t up;

	if (drop <= 0)
		return n;
	up = (((uint64_t)n + (1u << (drop - 1))) >> drop) << drop;
	return up <= UINT32_MAX ? (uint32_t)up : n;
}

/* Makes the signature of function ${name} with ${shape}, whose hash is ${h}; NULL if there is
 * no room for it. Call with the lock held. */
static struct signature *
make(const char *name, const struct signature_shape *shape, uint64_t h)
{
	uint32_t n = atomic_load(&table.count);
	struct signature *s;

	if (n == SIGNATURE_MAX || (s = calloc(1, sizeof(*s))) == NULL)
		return NULL;
	if ((s->family = family_of(name)) == NULL) {
		free(s);
		return NULL;
	}
	if (s->family->first == NULL)
		s->family->first = s;
	s->name = s->family->name;
	s->id = n + 1;
	s->shape = *shape;
	if (is_communication(name))
		s->skip = SKIP_NCCL;
	else if (s->family->excluded)
		s->skip = SKIP_EXCLUDED;
	table.all[n] = s;
	table.name_hash[n] = h;
	*slot_of(h) = n + 1;
	atomic_store(&table.count, n + 1);
	return s;
}

/* Notes that ${s} stands for other grids, too; then it is announced again. */
static struct signature *
round_to(struct signature *s)
{

	if (s != NULL && !atomic_exchange(&s->rounded, true))
		atomic_store(&s->announced, false);
	return s;
}

/* Finds a signature by name and shape, or makes it. Sizes that change with the data make a
 * new shape of nearly every launch: when half of the table is full, new ones are counted with
 * those of about their size, and when all of it is, with the function's first. Call with the
 * lock held. */
static struct signature *
signature_by_name(const char *name, const struct signature_shape *shape)
{
	struct signature_shape about = *shape;
	uint64_t h = name_hash(name, shape);
	uint32_t i = *slot_of(h);
	struct signature *s;
	struct family *f;

	if (i != 0)
		return table.all[i - 1];
	if (atomic_load(&table.count) >= ROUNDED_FROM) {
		for (int k = 0; k < 3; k++)
			about.grid[k] = rounded(shape->grid[k]);
		h = name_hash(name, &about);
		i = *slot_of(h);
	}
	s = i != 0 ? table.all[i - 1] : make(name, &about, h);
	if (s == NULL && (f = family_of(name)) != NULL)
		s = round_to(f->first);
	else if (memcmp(&about, shape, sizeof(about)) != 0)
		round_to(s);
	if (s == NULL)
		emit_lost(LOSS_TABLE, 1);
	return s;
}

/* The table of keys is full, mostly with keys of unloaded functions. Empties it: other
 * keys are added again on their next launch. Call with the lock held. */
static void
drop_keys(void)
{
	uint32_t i;

	for (i = 0; i < KEY_SLOTS; i++)
		atomic_store_explicit(&table.key[i].hash, 0,
		    memory_order_relaxed);
	table.keys = 0;
}

static struct signature *
signature_slow(uint64_t hash, const char *name,
    const struct signature_shape *shape)
{
	struct signature *s;
	struct key *k;
	uint32_t i;

	pthread_mutex_lock(&table.lock);
	s = signature_by_name(name != NULL ? name : "(unknown)", shape);
	if (s != NULL) {
		if (table.keys == KEY_SLOTS / 2)
			drop_keys();
		for (i = (uint32_t)hash & (KEY_SLOTS - 1);
		    (k = &table.key[i])->hash != 0 && k->hash != hash;
		    i = (i + 1) & (KEY_SLOTS - 1))
			continue;
		/* Readers load hash first, so sig is stored before hash. A reader that
		 * sees this sig with the old hash finds that hash was 0 in between. */
		if (k->hash == 0) {
			atomic_store_explicit(&k->sig, s,
			    memory_order_release);
			atomic_store_explicit(&k->hash, hash,
			    memory_order_release);
			table.keys++;
		}
	}
	pthread_mutex_unlock(&table.lock);
	return s;
}

/* The signature in ${k}, whose hash was ${hash}; NULL if the slot was reused since. */
static struct signature *
key_signature(struct key *k, uint64_t hash)
{
	struct signature *s = atomic_load_explicit(&k->sig,
	    memory_order_acquire);

	return atomic_load_explicit(&k->hash, memory_order_relaxed) == hash ?
	    s : NULL;
}

INJECT_HOT struct signature *
signature_of(const void *key, const char *name,
    const struct signature_shape *shape)
{
	struct signature *s;
	uint64_t hash, h;
	uint32_t i;

	/* The factor is odd, so that a key has another seed in each generation. */
	hash = XXH3_64bits_withSeed(shape, sizeof(*shape),
	    (uint64_t)(uintptr_t)key +
	    atomic_load_explicit(&table.generation, memory_order_relaxed) *
	    0x9e3779b97f4a7c15u);
	if (hash == 0)
		hash = 1;
	for (i = (uint32_t)hash & (KEY_SLOTS - 1);
	    (h = atomic_load_explicit(&table.key[i].hash,
	    memory_order_acquire)) != 0; i = (i + 1) & (KEY_SLOTS - 1))
		if (h == hash && (s = key_signature(&table.key[i], h)) != NULL)
			return s;
	return signature_slow(hash, name, shape);
}

INJECT_HOT bool
signature_launched(struct signature *s)
{
	uint64_t n;

	atomic_fetch_add_explicit(&s->launches, 1, memory_order_relaxed);
	if (!filter_counts())
		return true;
	n = 1 + atomic_fetch_add_explicit(&s->family->launches, 1,
	    memory_order_relaxed);
	if (filter_after(n))
		atomic_store(&s->measured, true);
	return !filter_before(n) && !filter_after(n);
}

void
signature_forget_keys(void)
{

	atomic_fetch_add(&table.generation, 1);
}

static void
from_activity(struct record_SIGNATURE *r, const cupti_kernel *k)
{

	r->cluster_x = k->clusterX;
	r->cluster_y = k->clusterY;
	r->cluster_z = k->clusterZ;
	r->regs = k->registersPerThread;
	r->smem_static = (uint32_t)k->staticSharedMemory;
	r->smem_executed = k->sharedMemoryExecuted;
	r->smem_optin = k->shmemLimitConfig == CUPTI_FUNC_SHMEM_LIMIT_OPTIN;
	r->carveout = k->isSharedMemoryCarveoutRequested ?
	    k->sharedMemoryCarveoutRequested : 255;
	/* CUPTI returns 0 here if the function has local memory. */
	if (r->local_per_thread == 0)
		r->local_per_thread = k->localMemoryPerThread;
	r->local_total = k->localMemoryTotal_v2;
	r->cache_config = k->cacheConfig.both;
	r->max_active_clusters = k->maxActiveClusters;
	r->max_cluster_size = k->maxPotentialClusterSize;
	if (k->graphId != 0)
		r->flags |= SIGNATURE_GRAPH;
	if (CUPTI_KERNEL_FROM_DEVICE(k))
		r->flags |= SIGNATURE_DEVICE_LAUNCHED;
}

void
signature_announce(struct signature *s, const cupti_kernel *k)
{
	struct signature_resources none = { .carveout = 255 };
	const struct signature_resources *v = atomic_load(&s->resources.known) ?
	    &s->resources : &none;
	struct record_SIGNATURE r = {
		.id = s->id, .device = s->shape.device,
		.name = emit_string(s->name),
		.grid_x = s->shape.grid[0], .grid_y = s->shape.grid[1],
		.grid_z = s->shape.grid[2],
		.block_x = s->shape.block[0], .block_y = s->shape.block[1],
		.block_z = s->shape.block[2],
		.smem_dynamic = s->shape.dynamic,
		.carveout = v->carveout,
		.regs = v->regs,
		.smem_static = v->smem_static,
		.smem_optin = s->shape.dynamic + v->smem_static > 48 << 10,
		.local_per_thread = v->local_per_thread,
	};

	if (k != NULL)
		from_activity(&r, k);
	if (s->rounded)
		r.flags |= SIGNATURE_ROUNDED;
	if (s->skip == SKIP_COOPERATIVE)
		r.flags |= SIGNATURE_COOPERATIVE;
	if (s->skip == SKIP_NCCL)
		r.flags |= SIGNATURE_COMMUNICATION;
	EMIT(SIGNATURE, &r);
	atomic_store(&s->announced, true);
}

/* Whether a kernel matters. A short kernel needs many launches to matter. A long
 * kernel, or one with a large share of the kernel time, matters at once, since its next
 * launch may be its last. */
static bool
matters(uint64_t traced, uint64_t ns)
{
	bool much = ns >= family_total() / FAMILY_SHARE;

	if (traced >= MATTERS_AFTER)
		return much || ns / traced >= MATTERS_NS;
	return ns / traced >= FAMILY_LONG_NS ||
	    (much && ns >= FAMILY_LONG_NS);
}

void
signature_ran(struct signature *s, uint64_t ns)
{

	s->traced++;
	s->gpu_ns += ns;
	if (s->shortest_ns == 0 || ns < s->shortest_ns)
		atomic_store(&s->shortest_ns, ns);
	family_ran(s->family, ns);
	if (atomic_load_explicit(&s->matters, memory_order_relaxed) ||
	    !matters(s->traced, s->gpu_ns))
		return;
	atomic_store(&s->matters, true);
	/* No reserve of the budget is kept from it any more. */
	atomic_store(&s->affordable_ns, 0);
	/* At the next launch, plan_check sets it again if nothing is missing. */
	if (!atomic_load(&s->complete))
		atomic_store(&s->measured, false);
}

bool
signature_awaits(const struct signature *s)
{

	return s->outlasted >= SIGNATURE_AWAITS && s->shortest_ns != 0 &&
	    signature_may_await(s);
}

INJECT_HOT bool
signature_may_await(const struct signature *s)
{

	return atomic_load_explicit(&s->outlasted, memory_order_relaxed) > 0 &&
	    atomic_load_explicit(&s->shortest_ns, memory_order_relaxed) <
	    inject.max_stall_ns / AWAITS_PART;
}

uint64_t
signature_time(const struct signature *s)
{
	uint64_t traced = atomic_load(&s->traced);

	if (traced > 0)
		return atomic_load(&s->gpu_ns) / traced;
	return s->window_ns;
}

uint32_t
signature_count(void)
{

	/* The sender makes signatures, too: signatures up to this count are
	 * complete. */
	return atomic_load_explicit(&table.count, memory_order_acquire);
}

struct signature *
signature_at(uint32_t i)
{

	return table.all[i];
}

void
signature_each(void (*f)(struct signature *))
{
	uint32_t i, n = atomic_load(&table.count);

	for (i = 0; i < n; i++)
		f(table.all[i]);
}
