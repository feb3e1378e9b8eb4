/*
 * model/called.c: joins each copy with the API call that made it, by correlation id.
 * Their two records come in any order: the first one is kept in a table for the second.
 */
#include <stdlib.h>

#include "model/internal.h"

static struct correlated *
correlated_slot(struct correlated **table, uint32_t correlation)
{

	if (*table == NULL)
		*table = calloc(CORRELATED, sizeof(**table));
	return *table == NULL ? NULL : &(*table)[correlation % CORRELATED];
}

int
copy_correlate(struct model *m, struct stream *s, uint32_t correlation,
    uint32_t index)
{
	struct correlated *slot;

	if (correlation == 0 || index == IDMAP_NONE)
		return 0;
	if (s->called != NULL) {
		slot = &s->called[correlation % CORRELATED];
		if (slot->used && slot->correlation == correlation) {
			slot->used = false;
			m->copy[index].out.host_ns = add_sat(
			    m->copy[index].out.host_ns, slot->ns);
			return 0;
		}
	}
	if ((slot = correlated_slot(&s->copied, correlation)) == NULL)
		return -1;
	*slot = (struct correlated){ correlation, index, 0, true };
	return 0;
}

int
copy_called(struct model *m, struct stream *s, uint32_t correlation,
    uint64_t ns)
{
	struct correlated *slot;

	if (correlation == 0)
		return 0;
	if (s->copied != NULL) {
		slot = &s->copied[correlation % CORRELATED];
		if (slot->used && slot->correlation == correlation) {
			slot->used = false;
			m->copy[slot->index].out.host_ns = add_sat(
			    m->copy[slot->index].out.host_ns, ns);
			return 0;
		}
	}
	if ((slot = correlated_slot(&s->called, correlation)) == NULL)
		return -1;
	*slot = (struct correlated){ correlation, 0, ns, true };
	return 0;
}
