/*
 * model/internal.c: helpers of this folder: arrays that grow, ids, times that can be
 * believed, the operations that are still to be swept.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

/* Times more than 30 days before or a year after the first believed one are nonsense,
 * and would stretch the timeline. */
#define TIME_BEFORE (30ull * 86400 * SECOND)
#define TIME_AFTER (366ull * 86400 * SECOND)
#define TIME_MAX (1ull << 62)	/* so that differences fit an int64_t */

int
model_grow(void *array, uint32_t *cap, uint32_t count, uint32_t max,
    size_t size)
{
	uint32_t want;
	void *p, *old;

	if (count < *cap)
		return 0;
	if (count >= max)
		return -1;
	want = *cap == 0 ? 16 : *cap > max / 2 ? max : 2 * *cap;
	if (want > max)
		want = max;
	memcpy(&old, array, sizeof(old));
	if ((p = realloc(old, want * size)) == NULL)
		return -1;
	memset((char *)p + *cap * size, 0, (want - *cap) * size);
	memcpy(array, &p, sizeof(p));
	*cap = want;
	return 0;
}

bool
model_time(struct model *m, uint64_t start, uint64_t end)
{

	if (start == 0 || end < start || end > TIME_MAX)
		return false;
	if (m->reference == 0)
		m->reference = start;
	if (add_sat(start, TIME_BEFORE) < m->reference ||
	    end > add_sat(m->reference, TIME_AFTER))
		return false;
	if (m->seen_first == 0 || start < m->seen_first)
		m->seen_first = start;
	if (end > m->seen_last)
		m->seen_last = end;
	return true;
}

int
model_put(struct model *m, struct idmap *map, uint64_t id, uint32_t value,
    uint32_t most)
{

	if (idmap_get(map, id) == IDMAP_NONE) {
		if (map->used >= most || m->ids >= MAX_IDS)
			return 1;
		m->ids++;
	}
	return idmap_put(map, id, value);
}

/* Double the room for operations; most runs need little. */
static int
ops_grow(struct model *m)
{
	uint32_t cap = m->ops_cap > 0 ? 2 * m->ops_cap : FIRST_OPS;
	struct op *op = realloc(m->op, cap * sizeof(*op));

	if (op == NULL)
		return -1;
	m->op = op;
	m->ops_cap = cap;
	free(m->op_spare);	/* has the size of m->op, or is NULL */
	m->op_spare = NULL;
	return 0;
}

int
model_push(struct model *m, const struct op *op)
{

	if (op->kind != OP_GRAPH && op->index == IDMAP_NONE)
		return 0;
	if (m->ops == m->ops_cap && ops_grow(m) != 0)
		return -1;
	if (m->ops_sorted == m->ops &&
	    (m->ops == 0 || op->start >= m->op[m->ops - 1].start))
		m->ops_sorted++;
	m->op[m->ops++] = *op;
	return 0;
}
