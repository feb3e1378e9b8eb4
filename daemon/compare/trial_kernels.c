/*
 * compare/trial_kernels.c: see trial_kernels.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/json_util.h"
#include "report/text_util.h"

#include "compare/trial_kernels.h"

#define COUNTERS_SHOWN 5
#define MOVED_LEAST 0.02	/* measured: traffic of alike launches differs by less */
#define TRAFFIC_LEAST 0.01	/* of bytes_most: a smaller change is no cause */
#define LAUNCH_DEVIATION 0.005	/* measured: single launches on an H200, from run to run */
#define NAME_MOST 8192		/* bytes of a name that are compared */

/* One kernel and shape in one run: the sums over its documents. */
struct kernel_seen {
	double launches, total_s, sum_s, squares_s2;
	const json_t *k;
};

/* The kernels in the runs of one side: seen[kernel × runs + run]. */
struct table {
	const struct trial_set *set;
	json_t *index;			/* shape → kernel */
	struct kernel_seen *seen;
	size_t kernels, room;
};

static double
or_zero(double v)
{

	return isfinite(v) && v > 0 ? v : 0;
}

static int
shape_key(char *out, size_t size, const json_t *k)
{
	char grid[NUMBER_SIZE], block[NUMBER_SIZE];
	int n = snprintf(out, size, "%s\n%s\n%s", field_shape(grid, k, "grid"),
	    field_shape(block, k, "block"), or_unknown(field_text(k, "name")));

	return n < 0 ? -1 : 0;
}

static void
seen_add(struct kernel_seen *s, const json_t *k)
{
	const json_t *time = json_object_get(k, "time");
	double launches = or_zero(field_number(k, "launches"));
	double total = or_zero(field_number(time, "total_ns")) * 1e-9;
	double mean = or_zero(field_number(time, "mean_ns")) * 1e-9;
	double sd = or_zero(field_number(time, "sd_ns")) * 1e-9;

	if (mean == 0 && launches > 0)		/* none ran undisturbed */
		mean = total / launches;
	s->launches += launches;
	s->total_s += total;
	s->sum_s += launches * mean;
	s->squares_s2 += launches * (mean * mean + sd * sd);
	if (s->k == NULL)
		s->k = k;
}

/* The row of ${k}; NULL without memory. */
static struct kernel_seen *
row_of(struct table *t, const json_t *k)
{
	char key[NAME_MOST + 2 * NUMBER_SIZE];
	json_t *found;
	struct kernel_seen *grown;
	size_t at, runs = t->set->runs;

	if (shape_key(key, sizeof(key), k) != 0)
		return NULL;
	if ((found = json_object_get(t->index, key)) != NULL) {
		at = (size_t)json_integer_value(found);
		return &t->seen[at * runs];
	}
	if (t->kernels == t->room) {
		t->room = t->room > 0 ? 2 * t->room : 64;
		grown = realloc(t->seen, t->room * runs * sizeof(*grown));
		if (grown == NULL)
			return NULL;
		t->seen = grown;
	}
	at = t->kernels++;
	memset(&t->seen[at * runs], 0, runs * sizeof(*t->seen));
	if (json_object_set_new(t->index, key,
	    json_integer((json_int_t)at)) != 0)
		return NULL;
	return &t->seen[at * runs];
}

static int
table_fill(struct table *t, const struct trial_set *set)
{
	const json_t *k;
	struct kernel_seen *row;
	size_t r, i;

	t->set = set;
	if ((t->index = json_object()) == NULL)
		return -1;
	for (r = 0; r < set->runs; r++) {
		json_array_foreach(set->run[r].kernels, i, k) {
			if ((row = row_of(t, k)) == NULL)
				return -1;
			seen_add(&row[r], k);
		}
	}
	return 0;
}

/* One document per kernel, the mean of its runs, for kinship_make; its id is its row. */
static json_t *
table_documents(const struct table *t)
{
	json_t *list = json_array(), *o;
	const struct kernel_seen *row;
	double launches, total, sum;
	const json_t *k;
	size_t i, r, n;

	for (i = 0; list != NULL && i < t->kernels; i++) {
		row = &t->seen[i * t->set->runs];
		launches = total = sum = 0;
		k = NULL;
		for (r = n = 0; r < t->set->runs; r++) {
			if (row[r].k == NULL)
				continue;
			k = k != NULL ? k : row[r].k;
			launches += row[r].launches;
			total += row[r].total_s;
			sum += row[r].sum_s;
			n++;
		}
		if (n == 0)
			continue;
		o = json_pack("{s:I, s:O?, s:O?, s:O?, s:f, s:{s:f, s:f}}",
		    "id", (json_int_t)i,
		    "name", json_object_get(k, "name"),
		    "grid", json_object_get(k, "grid"),
		    "block", json_object_get(k, "block"),
		    "launches", launches / (double)n, "time",
		    "total_ns", total / (double)n * 1e9,
		    "mean_ns", launches > 0 ? sum / launches * 1e9 : 0.0);
		if (json_array_append_new(list, o) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Add row ${at} to ${into}, run by run; k is that of the row with the most time. */
static void
gather(struct kernel_seen *into, const struct table *t, size_t at)
{
	const struct kernel_seen *row = &t->seen[at * t->set->runs];
	size_t r;

	for (r = 0; r < t->set->runs; r++) {
		into[r].launches += row[r].launches;
		into[r].total_s += row[r].total_s;
		into[r].sum_s += row[r].sum_s;
		into[r].squares_s2 += row[r].squares_s2;
		if (into[r].k == NULL || (row[r].k != NULL &&
		    field_number(json_object_get(row[r].k, "time"),
		    "total_ns") > field_number(json_object_get(into[r].k,
		    "time"), "total_ns")))
			into[r].k = row[r].k != NULL ? row[r].k : into[r].k;
	}
}

/* The part of the variance of log(mean) from run to run that the differences between
 * launches explain; at least LAUNCH_DEVIATION per launch, since a few launches that
 * agree by chance, or a single one, differ from run to run all the same. */
static double
within_of(const struct kernel_seen *s)
{
	double mean = s->sum_s / s->launches;
	double variance = s->squares_s2 / s->launches - mean * mean;

	return fmax(mean > 0 ? variance / (mean * mean) : 0,
	    LAUNCH_DEVIATION * LAUNCH_DEVIATION) / s->launches;
}

static void
taken_of(struct taken *out, const struct kernel_seen *s, size_t runs, bool alike,
    double *pool)
{
	double v;
	size_t r;

	out->log_s = pool;
	for (r = 0; r < runs; r++) {
		out->total_s += s[r].total_s / (double)runs;
		v = alike ? s[r].sum_s / s[r].launches : s[r].total_s;
		if (s[r].k == NULL || !(v > 0))
			continue;
		out->within += within_of(&s[r]);
		out->shown = out->shown != NULL ? out->shown : s[r].k;
		out->log_s[out->runs++] = log(v);
	}
	out->within = out->runs > 0 ? out->within / (double)out->runs : 0;
}

static int
by_side(const void *a, const void *b)
{
	const struct trial_kernel *x = a, *y = b;
	double p = fmax(x->side[BASE].total_s, x->side[TARGET].total_s);
	double q = fmax(y->side[BASE].total_s, y->side[TARGET].total_s);

	return p < q ? 1 : p > q ? -1 : strcmp(x->name, y->name);
}

/* The rows of both tables that belong together become one kernel. */
static int
settle(struct trial_kernels *t, const struct table table[SIDES])
{
	size_t most = table[BASE].set->runs > table[TARGET].set->runs ?
	    table[BASE].set->runs : table[TARGET].set->runs, i, n, at;
	struct kernel_seen *seen = calloc(most * t->kin.kins + 1, sizeof(*seen));
	const struct kin *kin;
	double *pool = t->pool;
	int side;

	if (seen == NULL)
		return -1;
	for (side = 0; side < SIDES; side++) {
		n = table[side].set->runs;
		memset(seen, 0, most * t->kin.kins * sizeof(*seen));
		for (i = 0; i < table[side].kernels; i++) {
			kin = kinship_find(&t->kin, side, (json_int_t)i);
			if (kin == NULL)
				continue;
			at = (size_t)(kin - t->kin.kin);
			gather(&seen[at * most], &table[side], i);
		}
		for (i = 0; i < t->kin.kins; i++) {
			taken_of(&t->kernel[i].side[side], &seen[i * most], n,
			    t->kin.kin[i].match == MATCH_SHAPE, pool);
			pool += n;
			t->total_s[side] += t->kernel[i].side[side].total_s;
		}
	}
	for (i = 0; i < t->kin.kins; i++) {
		t->kernel[i].name = t->kin.kin[i].name != NULL ?
		    t->kin.kin[i].name : "unknown";
		t->kernel[i].match = t->kin.kin[i].match;
	}
	free(seen);
	qsort(t->kernel, t->kin.kins, sizeof(*t->kernel), by_side);
	/* A kernel that was merged into another has no runs left. */
	for (n = i = 0; i < t->kin.kins; i++)
		if (t->kernel[i].side[BASE].shown != NULL ||
		    t->kernel[i].side[TARGET].shown != NULL)
			t->kernel[n++] = t->kernel[i];
	t->kernels = n;
	return 0;
}

/* If ${set} has a run for its counters, find its document of each kernel. */
static int
find_counted(struct trial_kernels *t, const struct trial_set *set, int side)
{
	char key[NAME_MOST + 2 * NUMBER_SIZE];
	json_t *index, *k;
	struct taken *of;
	size_t i;
	int rc = 0;

	if (set->counted == NULL)
		return 0;
	if ((index = json_object()) == NULL)
		return -1;
	json_array_foreach(set->counted->kernels, i, k)
		if (shape_key(key, sizeof(key), k) == 0 && rc == 0)
			rc = json_object_set(index, key, k);
	for (i = 0; i < t->kernels && rc == 0; i++) {
		of = &t->kernel[i].side[side];
		if (of->shown != NULL && shape_key(key, sizeof(key),
		    of->shown) == 0)
			of->counted = json_object_get(index, key);
	}
	json_decref(index);	/* the documents are the set's */
	return rc;
}

int
trial_kernels_make(struct trial_kernels *t, const struct trial_set set[SIDES],
    bool one_program)
{
	struct table table[SIDES] = { { .kernels = 0 }, { .kernels = 0 } };
	static const double unknown[SIDES] = { NAN, NAN };
	const json_t *documents[SIDES];
	int side, rc = -1;

	memset(t, 0, sizeof(*t));
	for (side = 0; side < SIDES; side++) {
		if (table_fill(&table[side], &set[side]) != 0 ||
		    (t->all[side] = table_documents(&table[side])) == NULL)
			goto out;
		documents[side] = t->all[side];
	}
	if (kinship_make(&t->kin, documents, unknown, one_program) != 0)
		goto out;
	t->kernel = calloc(t->kin.kins + 1, sizeof(*t->kernel));
	t->pool = calloc(t->kin.kins * (set[BASE].runs + set[TARGET].runs) + 1,
	    sizeof(*t->pool));
	if (t->kernel != NULL && t->pool != NULL)
		rc = settle(t, table);
	for (side = 0; side < SIDES && rc == 0; side++)
		rc = find_counted(t, &set[side], side);
out:
	for (side = 0; side < SIDES; side++) {
		json_decref(table[side].index);
		free(table[side].seen);
	}
	return rc;
}

void
trial_kernels_release(struct trial_kernels *t)
{

	kinship_release(&t->kin);
	json_decref(t->all[BASE]);
	json_decref(t->all[TARGET]);
	free(t->kernel);
	free(t->pool);
	memset(t, 0, sizeof(*t));
}

/* --- counters ---------------------------------------------------------------- */

/* The members of a kernel's document about the work of a launch: path, label, and unit
 * for number_value. */
static const struct counter {
	const char *path[3], *label, *unit;
} counters[] = {
	{ { "launches" }, "launches", "launch" },
	{ { "registers" }, "registers a thread", "register" },
	{ { "local_bytes" }, "local memory a thread", "B" },
	{ { "shared_static_bytes" }, "static shared memory", "B" },
	{ { "shared_dynamic_bytes" }, "dynamic shared memory", "B" },
	{ { "occupancy", "theoretical_ratio" }, "theoretical occupancy",
	    "%" },
	{ { "occupancy", "achieved_ratio" }, "achieved occupancy", "%" },
	{ { "occupancy", "waves" }, "waves of blocks", "" },
	{ { "instructions" }, "warp instructions", "" },
	{ { "sectors_per_request" }, "sectors per request", "" },
	{ { "headline", "coalescing", "value" }, "bytes used of those moved",
	    "%" },
	{ { "headline", "bank_conflicts", "value" }, "wavefronts that are bank "
	    "conflicts", "%" },
	{ { "headline", "divergence", "value" }, "idle lanes", "%" },
	{ { "bandwidth", "used_bytes" }, "bytes that threads asked for", "B" },
	{ { "bandwidth", "l2_bytes" }, "bytes from and to L2", "B" },
	{ { "bandwidth", "dram_bytes" }, "bytes from and to DRAM", "B" },
	{ { "roofline", "flops", "fp16" }, "FP16 operations", "" },
	{ { "roofline", "flops", "fp32" }, "FP32 operations", "" },
	{ { "roofline", "flops", "fp64" }, "FP64 operations", "" },
	{ { "roofline", "flops", "tensor" }, "tensor operations", "" },
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static double
value_in(const json_t *k, const struct counter *c)
{
	int i;

	for (i = 0; i < 3 && c->path[i] != NULL; i++)
		k = json_object_get(k, c->path[i]);
	if (!json_is_number(k))
		return NAN;
	return json_number_value(k) * (strcmp(c->unit, "%") == 0 ? 100 : 1);
}

/* The value in the timed runs, else in the run for counters. */
static double
value_at(const struct taken *t, const struct counter *c)
{
	double v = value_in(t->shown, c);

	return isnan(v) ? value_in(t->counted, c) : v;
}

static bool
is_traffic(const struct counter *c)
{

	return strcmp(c->path[0], "bandwidth") == 0;
}

struct moved {
	const struct counter *counter;
	double before, after, weight;
};

COMPARE(by_weight, struct moved,
    ORDER(y->weight, x->weight) ?: ORDER(x->counter, y->counter))

/* The most bytes that the kernel moves at one level, on either side. */
static double
bytes_most(const struct trial_kernel *k)
{
	double most = 0;
	size_t i;
	int side;

	for (i = 0; i < COUNTERS; i++)
		for (side = 0; side < SIDES; side++)
			if (is_traffic(&counters[i]))
				most = fmax(most, value_at(&k->side[side],
				    &counters[i]));
	return most;
}

json_t *
trial_counters(const struct trial_kernel *k)
{
	struct moved moved[COUNTERS], *m;
	double little = TRAFFIC_LEAST * bytes_most(k);
	json_t *list = json_array();
	size_t i, n = 0;

	for (i = 0; i < COUNTERS; i++) {
		m = &moved[n];
		m->counter = &counters[i];
		m->before = value_at(&k->side[BASE], m->counter);
		m->after = value_at(&k->side[TARGET], m->counter);
		if (!(m->before >= 0) || !(m->after >= 0) ||
		    m->before == m->after || (is_traffic(m->counter) &&
		    fabs(m->after - m->before) < little))
			continue;
		m->weight = fabs(log(fmax(m->after, 1e-9)) -
		    log(fmax(m->before, 1e-9)));
		n += m->weight > MOVED_LEAST;
	}
	qsort(moved, n, sizeof(*moved), by_weight);
	for (i = 0; list != NULL && i < n && i < COUNTERS_SHOWN; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}",
		    "label", moved[i].counter->label,
		    "unit", moved[i].counter->unit,
		    "base", json_number(moved[i].before),
		    "target", json_number(moved[i].after)));
	return list;
}
