/*
 * model/counters.c: hardware counters and other metrics of kernels.
 *
 * A kernel's counters come from several of its launches, one pass from each. Hardware
 * counters come with the duration of their launch; counts by patched instructions come
 * from another launch, which may have had more or less work. Both have the number of
 * executed instructions: its ratio scales the patched counts to the first launch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/internal.h"
#include "wire/le.h"

/* The numbers of counters: first those of metric.def, then those that no rule reads,
 * then those of metric.def again, counted by patched instructions. */
#define EXTRA_FIRST ((uint32_t)METRIC_COUNT)
#define PATCHED_FIRST (EXTRA_FIRST + MAX_EXTRA)
#define NUMBERS (PATCHED_FIRST + (uint32_t)METRIC_COUNT)

/* Counts that differ by up to SAME are of the same work; by more than VARIED, not. */
#define SAME 0.01
#define VARIED 0.10

/* The measured launch does not represent the kernel if launches more than 10 times as
 * long make up over 9/10 of its time: an order of magnitude, not fitted. Smaller
 * differences are weighed in gain.c, by how many launches are alike. Among the kernels
 * that matter in recordings of 248 programs there is one; it differs by 200 times, the
 * next one by 4. */
#define UNLIKE_TIMES 10
#define UNLIKE_PART 0.9

uint32_t
counters_number(struct model *m, struct wire_str name)
{
	enum metric_id id = metric_find(name.p, name.len);
	const char *text;
	uint32_t i;

	if (id != METRIC_COUNT)
		return metric_is_patched(name.p, name.len) ?
		    PATCHED_FIRST + (uint32_t)id : (uint32_t)id;
	if ((text = pool_text(&m->pool, name)) == NULL || *text == '\0')
		return IDMAP_NONE;
	for (i = 0; i < m->extras; i++)
		if (strcmp(m->extra_name[i], text) == 0)
			return EXTRA_FIRST + i;
	if (m->extras >= MAX_EXTRA)
		return IDMAP_NONE;
	m->extra_name[m->extras] = text;
	return EXTRA_FIRST + m->extras++;
}

/* Where the value of counter ${number} is kept; NULL without memory. */
static double *
place_of(struct kernel_state *k, uint32_t number)
{
	double **rest = number < PATCHED_FIRST ? &k->extra : &k->patched;
	uint32_t first = number < PATCHED_FIRST ? EXTRA_FIRST : PATCHED_FIRST;
	uint32_t i, count = number < PATCHED_FIRST ? MAX_EXTRA :
	    (uint32_t)METRIC_COUNT;

	if (number < EXTRA_FIRST)
		return &k->out.metric[number];
	if (*rest == NULL) {
		*rest = malloc(count * sizeof(**rest));
		if (*rest == NULL)
			return NULL;
		for (i = 0; i < count; i++)
			(*rest)[i] = NAN;
	}
	return *rest + (number - first);
}

/*
 * A complete measurement is replaced by a complete one only; a partial one adds the
 * values that it lacks. A partial measurement is replaced by any later one, which comes
 * from more launches.
 */
int
counters_feed(struct model *m, struct stream *s,
    const struct record_COUNTERS *r)
{
	uint32_t i = idmap_get(&s->signature, r->signature), number;
	struct kernel_state *k;
	bool replace;
	const uint8_t *p;
	uint64_t bits;
	double value, *place;

	if (i == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	k = &m->kernel[i];
	replace = !k->out.metric_complete || r->complete != 0;
	for (p = r->values.p; r->values.p != NULL &&
	    (size_t)(p - r->values.p) + 16 <= r->values.len; p += 16) {
		number = idmap_get(&s->metric, le32_get(p));
		bits = le64_get(p + 8);
		memcpy(&value, &bits, sizeof(value));
		if (number >= NUMBERS || !isfinite(value))
			continue;
		if ((place = place_of(k, number)) == NULL)
			return -1;
		if (replace || isnan(*place))
			*place = value;
	}
	if (replace) {
		k->out.metric_mode = r->mode <= MODE_REPLAY ?
		    (enum wire_mode)r->mode : (enum wire_mode)0;
		k->out.metric_launches = r->launches;
		k->out.metric_complete = r->complete != 0;
	}
	return 0;
}

/* Do the launch counted by hardware and the one counted by patched instructions execute
 * the same number of instructions, but move different numbers of sectors? */
static bool
accesses_vary(const double *own, const double *there)
{
	static const enum metric_id id[] = {
		METRIC_GLOBAL_LD_SECTORS, METRIC_GLOBAL_ST_SECTORS
	};
	double inst = own[METRIC_INST_EXECUTED];
	bool vary = false;
	size_t i;

	if (!(fabs(there[METRIC_INST_EXECUTED] - inst) <= SAME * inst))
		return false;
	for (i = 0; i < sizeof(id) / sizeof(id[0]); i++)
		vary = vary || fabs(there[id[i]] - own[id[i]]) > VARIED *
		    own[id[i]];
	return vary;
}

/* The instruction counters of global loads and stores leave out accesses by generic
 * addresses and asynchronous copies to shared memory; the sector counters include them.
 * A lane accesses 16 bytes at most, which lie in one sector: more sectors per counted
 * instruction than a warp has lanes show that the instruction count is incomplete. */
static void
forget_requests(double *metric)
{
	static const struct { enum metric_id inst, sectors; } way[] = {
		{ METRIC_GLOBAL_LD_INST, METRIC_GLOBAL_LD_SECTORS },
		{ METRIC_GLOBAL_ST_INST, METRIC_GLOBAL_ST_SECTORS },
	};

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (metric[way[i].sectors] > WARP * metric[way[i].inst])
			metric[way[i].inst] = NAN;
}

static void
fill_patched(const struct kernel_state *k, struct kernel *out)
{
	double own = k->out.metric[METRIC_INST_EXECUTED], scale = 1, there;
	int i;

	there = k->patched[METRIC_INST_EXECUTED];
	if (own > 0 && there > 0)
		scale = own / there;
	out->accesses_vary = accesses_vary(k->out.metric, k->patched);
	/* If both launches executed the same, the exact (patched) count is taken. */
	for (i = 0; i < METRIC_COUNT; i++)
		if (!isnan(k->patched[i]) &&
		    (scale == 1 || isnan(out->metric[i])))
			out->metric[i] = k->patched[i] * scale;
}

/* Is the measured launch unlike those that take the kernel's time? A launch of a graph
 * traversal that finds nothing to do ends at once and keeps nothing busy. */
static bool
is_unlike(const struct kernel *k)
{
	double own = k->metric[METRIC_DURATION], all = 0, longer = 0;

	if (!(own > 0) || k->accesses_vary)
		return false;
	for (int i = 0; i < STAT_BUCKETS; i++) {
		double each = exp2(i / 4.), part = k->time.bucket[i] * each;

		all += part;
		longer += each > UNLIKE_TIMES * own ? part : 0;
	}
	return longer > UNLIKE_PART * all;
}

void
counters_represent(struct kernel *k)
{

	if (!is_unlike(k))
		return;
	for (int i = 0; i < METRIC_COUNT; i++)
		k->metric[i] = NAN;
	k->metric_complete = false;
	k->skip = SKIP_UNLIKE;
}

void
counters_settle(const struct kernel_state *k, struct kernel *out)
{

	if (k->patched != NULL)
		fill_patched(k, out);
	forget_requests(out->metric);
}

void
counters_free(struct kernel_state *k)
{

	free(k->extra);
	free(k->patched);
}
