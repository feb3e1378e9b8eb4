/*
 * model/memory.c: which allocations live, and which were never released.
 *
 * An allocation is identified by its process and address: with unified addressing
 * no two of one process share an address, and the record of a release does not always
 * have the context.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/host.h"
#include "model/internal.h"

enum { MEMORY_ALLOC = 1, MEMORY_FREE = 2 };

struct live_key {
	uint64_t address, stream;
};

struct live {
	struct live_key key;
	uint64_t bytes, at;
	const char *site;	/* NULL unknown */
	uint8_t kind, device;
	UT_hash_handle hh;
};

static bool
on_device(uint8_t kind)
{

	return kind == MEMORY_DEVICE || kind == MEMORY_ARRAY;
}

/* Memory that is not a GPU's own, and that kernels can reach. */
static bool
on_host(uint8_t kind)
{

	return kind == MEMORY_PINNED || kind == MEMORY_MANAGED;
}

/* The entry of that size and device, made if there is room; else NULL. */
static struct memory_size *
size_of(struct model *m, const struct live *l)
{
	uint32_t i;

	for (i = 0; i < m->sizes; i++)
		if (m->size[i].bytes == l->bytes &&
		    m->size[i].device == l->device)
			return &m->size[i];
	if (m->size == NULL)
		m->size = calloc(MAX_SIZES, sizeof(*m->size));
	if (m->size == NULL || m->sizes == MAX_SIZES)
		return NULL;
	m->size[m->sizes] = (struct memory_size){ .bytes = l->bytes,
	    .device = l->device };
	return &m->size[m->sizes++];
}

/* Count an allocation or release by size; sizes beyond MAX_SIZES are not counted. */
static void
size_count(struct model *m, const struct live *l, bool born)
{
	struct memory_size *z = size_of(m, l);

	if (z == NULL)
		return;
	if (born)
		z->most = max_u64(z->most, ++z->live);
	else if (z->live > 0)
		z->live--;
}

static void
memory_drop(struct model *m, struct live *l)
{

	if (on_device(l->kind)) {
		m->live_bytes = sub_sat(m->live_bytes, l->bytes);
		size_count(m, l, false);
	}
	if (on_host(l->kind))
		m->live_host_bytes = sub_sat(m->live_host_bytes, l->bytes);
	HASH_DEL(m->live, l);
	m->lives--;
	free(l);
}

static int
memory_alloc(struct model *m, struct stream *s,
    const struct record_MEMORY *r, uint32_t device)
{
	struct live *l;

	if (m->lives >= MAX_LIVE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if ((l = calloc(1, sizeof(*l))) == NULL)
		return -1;
	l->key = (struct live_key){ r->address, s->id };
	l->bytes = r->bytes;
	l->at = r->now_ns;
	l->kind = r->kind;
	l->device = (uint8_t)device;
	if (r->source != 0)
		l->site = stream_text(s, r->source);
	HASH_ADD(hh, m->live, key, sizeof(l->key), l);
	if (l->hh.tbl == NULL) {
		free(l);
		return -1;
	}
	m->lives++;
	m->run.allocations++;
	m->run.peak_allocations = max_u64(m->run.peak_allocations, m->lives);
	if (on_device(l->kind)) {
		m->live_bytes = add_sat(m->live_bytes, l->bytes);
		m->run.peak_memory_bytes = max_u64(m->run.peak_memory_bytes,
		    m->live_bytes);
		size_count(m, l, true);
	}
	if (on_host(l->kind)) {
		m->live_host_bytes = add_sat(m->live_host_bytes, l->bytes);
		m->run.peak_host_bytes = max_u64(m->run.peak_host_bytes,
		    m->live_host_bytes);
	}
	return 0;
}

/* Module globals: their records have no address, and they live as long as the module. */
static void
memory_global(struct model *m, const struct record_MEMORY *r)
{

	if (r->kind == MEMORY_STATIC)
		m->run.static_bytes = add_sat(m->run.static_bytes, r->bytes);
	if (!on_host(r->kind))
		return;
	m->live_host_bytes = add_sat(m->live_host_bytes, r->bytes);
	m->run.peak_host_bytes = max_u64(m->run.peak_host_bytes,
	    m->live_host_bytes);
}

int
memory_feed(struct model *m, struct stream *s, const struct record_MEMORY *r)
{
	struct live_key key = { r->address, s->id };
	uint32_t device;
	struct live *l;

	model_time(m, r->now_ns, r->now_ns);
	m->run.unified.used = m->run.unified.used || r->kind == MEMORY_MANAGED;
	if (r->operation == MEMORY_ALLOC && (r->kind == MEMORY_STATIC ||
	    (r->flags & MEMORY_GLOBAL) != 0))
		memory_global(m, r);
	/* Nor does what the runtime allocates for itself count. */
	if (r->kind == MEMORY_UNKNOWN || r->kind == MEMORY_STATIC ||
	    r->kind >= MEMORY_KINDS || (r->flags & (MEMORY_INTERNAL |
	    MEMORY_GLOBAL)) != 0)
		return 0;
	if ((device = define_device_of(m, s, r->device)) == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	HASH_FIND(hh, m->live, &key, sizeof(key), l);
	/* A release; or an allocation at an address whose release was missed. */
	if (l != NULL)
		memory_drop(m, l);
	if (r->operation != MEMORY_ALLOC)
		return 0;
	return memory_alloc(m, s, r, device);
}

/* Are the allocations that the process left leaks? They are if it ended in order, or
 * destroyed its contexts; after a crash nothing is released. */
static bool
process_over(const struct stream *s)
{

	return (s->process.ended && s->process.bye == BYE_EXIT) ||
	    (s->contexts > 0 && s->contexts_gone == s->contexts);
}

static struct leak *
leak_of(struct leak *leak, uint32_t *leaks, const struct live *l)
{
	struct leak *k;

	for (k = leak; k < leak + *leaks; k++)
		if (k->kind == (enum wire_memory)l->kind &&
		    k->device == l->device && k->site == l->site)
			return k;
	if (*leaks == MAX_LEAKS)
		return k - 1;		/* the last stands for the rest */
	*k = (struct leak){ .kind = (enum wire_memory)l->kind,
	    .device = l->device, .site = l->site, .equal = true };
	++*leaks;
	return k;
}

/* Only at a final settle: memory in use of a run in progress would look like leaks. */
uint32_t
memory_leaks(const struct model *m, struct leak *out, bool final)
{
	const struct live *l;
	const struct stream *s;
	uint32_t leaks = 0;
	struct leak *k;

	for (l = m->live; final && l != NULL; l = l->hh.next) {
		s = m->stream[idmap_get(&m->streams, l->key.stream)];
		if (!process_over(s))
			continue;
		k = leak_of(out, &leaks, l);
		k->count++;
		/* By launches, not time: first steps take most of a short run. */
		k->late += l->at > host_middle(s);
		if (k->count > 1 && l->bytes != k->largest)
			k->equal = false;
		k->bytes = add_sat(k->bytes, l->bytes);
		k->largest = max_u64(k->largest, l->bytes);
	}
	return leaks;
}

bool
memory_contexts_gone(const struct model *m)
{
	uint32_t i, processes = 0;

	for (i = 0; i < m->stream_count; i++) {
		if (!m->stream[i]->is_process)
			continue;
		processes++;
		if (!process_over(m->stream[i]))
			return false;
	}
	return processes > 0;
}

void
memory_free(struct model *m)
{

	HASH_FREE(m->live);
}
