/*
 * model/idmap.c: see idmap.h.
 */
#include <stdlib.h>

#include "model/idmap.h"

#define IDMAP_FIRST 16u		/* slots */

static void
idmap_place(struct idmap *m, uint64_t key, uint32_t stored)
{
	uint32_t i = idmap_hash(key) & m->mask;

	while (m->slot[i].value != 0)
		i = (i + 1) & m->mask;
	m->slot[i] = (struct idmap_slot){ key, stored };
}

static int
idmap_grow(struct idmap *m)
{
	struct idmap old = *m;
	uint32_t i, slots = old.slot == NULL ? IDMAP_FIRST : 2 * (old.mask + 1);

	if ((m->slot = calloc(slots, sizeof(*m->slot))) == NULL) {
		m->slot = old.slot;
		return -1;
	}
	m->mask = slots - 1;
	for (i = 0; old.slot != NULL && i <= old.mask; i++)
		if (old.slot[i].value != 0)
			idmap_place(m, old.slot[i].key, old.slot[i].value);
	free(old.slot);
	return 0;
}

int
idmap_put(struct idmap *m, uint64_t key, uint32_t value)
{
	uint32_t i;

	if (m->slot != NULL)
		for (i = idmap_hash(key) & m->mask; m->slot[i].value != 0;
		    i = (i + 1) & m->mask)
			if (m->slot[i].key == key) {
				m->slot[i].value = value + 1;
				return 0;
			}
	if ((m->slot == NULL || m->used >= (m->mask + 1) / 2) &&
	    idmap_grow(m) != 0)
		return -1;
	idmap_place(m, key, value + 1);
	m->used++;
	return 0;
}

void
idmap_clear(struct idmap *m)
{

	free(m->slot);
	*m = (struct idmap){ 0 };
}
