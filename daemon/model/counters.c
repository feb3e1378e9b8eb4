/*
 * model/counters.c: measured values of kernels.
 *
 * A kernel's counters come from several of its launches, a pass of them from
 * each. What the hardware counts comes with the launch's own duration; what
 * patched instructions count comes from another launch, which may have had more or
 * less to do. Both count instructions: by these the second is brought to the first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/internal.h"
#include "wire/le.h"

/* Of a METRIC record: counters of metric.def, then those that no rule reads, then
 * those of metric.def again, counted by patched instructions. */
#define EXTRA_FIRST ((uint32_t)METRIC_COUNT)
#define PATCHED_FIRST (EXTRA_FIRST + MAX_EXTRA)
#define NUMBERS (PATCHED_FIRST + (uint32_t)METRIC_COUNT)

/* Counts of launches that did the same work differ by less, and of those that did
 * not by more. */
#define SAME 0.01
#define VARIED 0.10

/* A launch takes less than a tenth of what those take in which nine tenths of the time
 * are: an order of magnitude, not fitted. Nearer ones gain.c weighs by how many are
 * alike. Of the kernels that matter in the recordings of 248 programs it is one, which
 * differs by 200 times; the next one by 4. */
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

/* Where value ${number} is kept; NULL without memory. */
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
 * What was measured completely is replaced only by what is complete as well;
 * a partial measurement may fill in what is missing. Else the later one wins:
 * it has more launches behind it.
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

/* Do a launch counted by the hardware and one counted by patched instructions
 * differ in nothing but the sectors of their accesses? */
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

/* Counters of global loads and stores leave out those by generic addresses and
 * asynchronous copies to shared memory, whose sectors are counted. A lane's access, of
 * 16 bytes at most, lies in one sector: where no request could have moved so many, how
 * many requests there were is not known. */
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
	/* Of equal launches what is counted exactly stands for both. */
	for (i = 0; i < METRIC_COUNT; i++)
		if (!isnan(k->patched[i]) &&
		    (scale == 1 || isnan(out->metric[i])))
			out->metric[i] = k->patched[i] * scale;
}

/* A launch of a traversal that finds nothing to do is over in no time, and keeps nothing
 * busy: what the others do, which take the time, its counters do not tell. */
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
