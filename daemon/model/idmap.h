/*
 * model/idmap.h: a hash from 64-bit ids to 32-bit indices, for ids that come
 * off the wire and are looked up for every record. Open addressing; it only
 * grows. Zero-initialised is empty.
 */
#ifndef CADV_IDMAP_H
#define CADV_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define IDMAP_NONE UINT32_MAX

struct idmap_slot {
	uint64_t key;
	uint32_t value;		/* + 1; 0 is an empty slot */
};

struct idmap {
	struct idmap_slot *slot;
	uint32_t mask;		/* slots - 1, or 0 without slots */
	uint32_t used;
};

static inline uint32_t
idmap_hash(uint64_t key)
{

	return (uint32_t)hash_u64(key);
}

/* idmap_get(m, key): the index, or IDMAP_NONE. */
static inline uint32_t
idmap_get(const struct idmap *m, uint64_t key)
{
	uint32_t i;

	if (m->slot == NULL)
		return IDMAP_NONE;
	for (i = idmap_hash(key) & m->mask; m->slot[i].value != 0;
	    i = (i + 1) & m->mask)
		if (m->slot[i].key == key)
			return m->slot[i].value - 1;
	return IDMAP_NONE;
}

/* idmap_put(m, key, value): set or replace; -1 without memory. ${value} must
 * be below IDMAP_NONE. */
int idmap_put(struct idmap *m, uint64_t key, uint32_t value);

void idmap_clear(struct idmap *m);

#endif
