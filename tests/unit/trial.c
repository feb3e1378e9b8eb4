/*
 * Two sets of runs: alike runs must not be told apart, and a slowdown must be
 * found. The runs are drawn from the launches of the committed captures (in moving
 * blocks, so that consecutive launches stay together: Künsch, Annals of Statistics
 * 17(3), 1989), each with a random factor, as runs of one binary differ.
 */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "compare/conditions.h"
#include "compare/trial.h"
#include "report/text_util.h"
#include "unit/test.h"
#include "wire/record.h"

#define CAPTURES TEST_DIR "/captures/"
#define KERNELS 400
#define LAUNCHES 300
#define BLOCK 8
#define RUN_DEVIATION 0.003	/* measured: kernels of one binary on one H200 */
#define RUNS 10

struct launches {
	uint64_t stream;
	uint32_t signature;
	size_t n;
	double ns[LAUNCHES];
};

struct recording {
	struct launches kernel[KERNELS];
	size_t kernels, heaviest;
};

static uint64_t seed = 1;

static double
uniform(void)
{

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double
normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum - 6;
}

/* --- launches from the captures
 * ---------------------------------------------------- */

static int
take(void *arg, uint64_t stream, uint64_t sequence, const struct record *r)
{
	struct recording *x = arg;
	struct launches *l = NULL;
	size_t i;

	(void)sequence;
	if (r->type != RECORD_KERNEL ||
	    r->u.KERNEL.end_ns <= r->u.KERNEL.start_ns)
		return 0;
	/* Counters were running: a report's mean includes the other launches. */
	if ((r->u.KERNEL.flags & (KERNEL_PROFILED | KERNEL_NO_TIME)) != 0)
		return 0;
	for (i = 0; i < x->kernels && l == NULL; i++)
		if (x->kernel[i].stream == stream &&
		    x->kernel[i].signature == r->u.KERNEL.signature)
			l = &x->kernel[i];
	if (l == NULL && x->kernels < KERNELS) {
		l = &x->kernel[x->kernels++];
		l->stream = stream;
		l->signature = r->u.KERNEL.signature;
		l->n = 0;
	}
	if (l != NULL && l->n < LAUNCHES)
		l->ns[l->n++] = (double)(r->u.KERNEL.end_ns -
		    r->u.KERNEL.start_ns);
	return 0;
}

static void
read_capture(struct recording *x, const char *path)
{
	struct capture_index index = { 0 };
	double total, most = 0;
	size_t i, k;

	x->kernels = x->heaviest = 0;
	assert_int_equal(capture_load_index(path, &index, NULL), 0);
	assert_true(capture_window(path, &index, 0, UINT64_MAX, UINT64_MAX,
	    take, x, NULL, NULL) >= 0);
	capture_index_clear(&index);
	for (i = 0; i < x->kernels; i++) {
		for (total = 0, k = 0; k < x->kernel[i].n; k++)
			total += x->kernel[i].ns[k];
		if (total > most) {
			most = total;
			x->heaviest = i;
		}
	}
}

/* --- runs drawn from them
 * ------------------------------------------------------------ */

static json_t *
drawn_kernel(const struct launches *l, size_t id, double factor, double *all)
{
	double sum = 0, squares = 0, mean, v;
	size_t i, at = 0;
	char name[32];

	for (i = 0; i < l->n; i++, at++) {
		if (i % BLOCK == 0)
			at = (size_t)(uniform() * (double)l->n);
		v = l->ns[at % l->n] * factor;
		sum += v;
		squares += v * v;
	}
	*all += sum;
	mean = sum / (double)l->n;
	snprintf(name, sizeof(name), "kernel%zu", id);
	return json_pack("{s:I, s:s, s:[i,i,i], s:[i,i,i], s:I, s:{s:f, s:f,"
	    "s:f}}", "id", (json_int_t)id, "name", name, "grid", 1, 1, 1,
	    "block", 1, 1, 1, "launches", (json_int_t)l->n, "time",
	    "total_ns", sum, "mean_ns", mean, "sd_ns",
	    sqrt(fmax(0, squares / (double)l->n - mean * mean)));
}

/* One run of ${x}; the heaviest kernel is ${slower} times as slow. */
static struct trial_run
drawn_run(const struct recording *x, double slower)
{
	double all = 0, wall, clocks = normal() * RUN_DEVIATION / 2;
	json_t *kernels = json_array(), *run;
	size_t i;

	for (i = 0; i < x->kernels; i++)
		json_array_append_new(kernels, drawn_kernel(&x->kernel[i],
		    i + 1, exp(clocks + RUN_DEVIATION * normal()) *
		    (i == x->heaviest ? slower : 1), &all));
	wall = 2 * all * exp(0.01 * normal());
	run = json_pack("{s:s, s:s, s:s, s:[s], s:f, s:f, s:{s:f}}", "state",
	    "finished", "command", "./app", "level", "trace", "devices", "GPU",
	    "wall_ns", wall, "active_s", wall * 0.9e-9, "summary",
	    "gpu_busy_ratio", all / wall);
	return (struct trial_run){ run, json_pack("{s:[], s:[]}", "items",
	    "rules"), kernels, conditions_of(run, NULL, NULL) };
}

static void
drop(struct trial_run *r)
{

	json_decref((json_t *)r->run);
	json_decref((json_t *)r->findings);
	json_decref((json_t *)r->kernels);
	json_decref((json_t *)r->conditions);
}

/* The verdict on ${runs} runs a side; a new reference. */
static json_t *
tried(const struct recording *x, size_t runs, double slower)
{
	struct trial_run run[SIDES][RUNS];
	struct trial_set set[SIDES] = { { run[BASE], runs, NULL },
		{ run[TARGET], runs, NULL } };
	struct trial_ask ask = TRIAL_ASK_INIT;
	json_t *trial;
	size_t i;

	for (i = 0; i < runs; i++) {
		run[BASE][i] = drawn_run(x, 1);
		run[TARGET][i] = drawn_run(x, slower);
	}
	trial = trial_judge(set, &ask);
	assert_non_null(trial);
	for (i = 0; i < runs; i++) {
		drop(&run[BASE][i]);
		drop(&run[TARGET][i]);
	}
	return trial;
}

/* The verdict on the heaviest kernel. */
static enum trial_verdict
of_heaviest(const json_t *trial, const struct recording *x)
{
	const json_t *k;
	char name[32];
	size_t i;

	snprintf(name, sizeof(name), "kernel%zu", x->heaviest + 1);
	json_array_foreach(json_object_get(trial, "kernels"), i, k)
		if (strcmp(or_unknown(field_text(k, "name")), name) == 0)
			return trial_verdict(k);
	return VERDICT_INCONCLUSIVE;
}

struct tally {
	size_t pairs, wrong, same, found, named, counted, countable;
};

/* Tests runs that are alike, and runs with the heaviest kernel 3 % slower. */
static void
count(struct tally *t, const struct recording *x, size_t runs)
{
	json_t *alike = tried(x, runs, 1), *slower = tried(x, runs, 1.03);
	enum trial_verdict v = trial_verdict(alike);

	t->pairs++;
	t->wrong += v == VERDICT_SLOWER || v == VERDICT_FASTER;
	t->same += v == VERDICT_SAME;
	t->found += trial_verdict(slower) == VERDICT_SLOWER;
	t->named += of_heaviest(slower, x) == VERDICT_SLOWER;
	json_decref(alike);
	json_decref(slower);
}

static void
over_captures(struct tally *t, size_t runs)
{
	static struct recording x;
	glob_t found;
	size_t i;

	assert_int_equal(glob(CAPTURES "programs/*.cadv", 0, NULL, &found), 0);
	assert_int_equal(glob(CAPTURES "pairs/*.cadv", GLOB_APPEND, NULL,
	    &found), 0);
	for (i = 0; i < found.gl_pathc; i++) {
		read_capture(&x, found.gl_pathv[i]);
		/* Too few launches to draw from. */
		if (x.kernels == 0 || x.kernel[x.heaviest].n < 3 * BLOCK)
			continue;
		count(t, &x, runs);
		count(t, &x, runs);
		count(t, &x, runs);
	}
	globfree(&found);
	print_message("%zu pairs of %zu runs: %zu told apart, %zu the same; "
	    "3 %% found in %zu, in the kernel in %zu\n", t->pairs, runs,
	    t->wrong, t->same, t->found, t->named);
}

/* --- recorded runs
 * -------------------------------------------------------------------- */

#define RECORDED CAPTURES "runs/h200.jsonl"
#define RECORDED_MOST 64

/* The runs of one set: A unchanged, B with fma_loop 3 % longer, C with
 * stream_copy 3 % longer. */
static size_t
recorded(struct trial_run *run, char set)
{
	FILE *f = fopen(RECORDED, "r");
	json_t *j;
	size_t n = 0;

	assert_non_null(f);
	while ((j = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
		if (*field_text(j, "set") == set && n < RECORDED_MOST) {
			run[n].run = json_incref(json_object_get(j, "run"));
			run[n].kernels = json_incref(json_object_get(j,
			    "kernels"));
			run[n].findings = json_object();
			run[n].conditions = conditions_of(run[n].run, NULL,
			    NULL);
			n++;
		}
		json_decref(j);
	}
	fclose(f);
	return n;
}

static enum trial_verdict
of_kernel(const json_t *trial, const char *name)
{
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(trial, "kernels"), i, k)
		if (strcmp(or_unknown(field_text(k, "name")), name) == 0)
			return trial_verdict(k);
	return VERDICT_INCONCLUSIVE;
}

/* --- recorded runs in their order
 * -------------------------------------------------------- */

#define NEIGHBOURS_MOST 4000

/* Runs in the order in which they were made; two of the same program and
 * session are runs of one binary, one after the other on one GPU. ${planted}:
 * the kernel that does 3 % more, or "". */
struct neighbour {
	char program[64], session[64], planted[32];
	size_t order;
	struct trial_run run;
};

static int
by_session(const struct neighbour *a, const struct neighbour *b)
{
	int c = strcmp(a->program, b->program);

	c = c != 0 ? c : strcmp(a->planted, b->planted);
	return c != 0 ? c : strcmp(a->session, b->session);
}

/* Order by program and session, then by time: programs take turns in a session. */
static int
by_program(const void *va, const void *vb)
{
	const struct neighbour *a = va, *b = vb;
	int c = by_session(a, b);

	return c != 0 ? c : a->order < b->order ? -1 : 1;
}

/* Reads a line that tests/gpu/alike.py wrote. */
static void
neighbour_of(struct neighbour *x, const json_t *j, size_t order)
{

	snprintf(x->program, sizeof(x->program), "%s", field_text(j,
	    "program"));
	snprintf(x->session, sizeof(x->session), "%s", field_text(j,
	    "session"));
	snprintf(x->planted, sizeof(x->planted), "%s", field_text(j,
	    "planted"));
	x->order = order;
	x->run.run = json_incref(json_object_get(j, "run"));
	x->run.kernels = json_incref(json_object_get(j, "kernels"));
	x->run.conditions = json_incref(json_object_get(j, "conditions"));
	x->run.findings = json_object();
}

/* Reads all files of runs/. */
static size_t
neighbours(struct neighbour *list)
{
	struct trial_run run[RECORDED_MOST];
	size_t n = recorded(run, 'A'), i;
	glob_t found;
	json_t *j;
	FILE *f;

	for (i = 0; i < n; i++)
		list[i] = (struct neighbour){ "six kernels, 22nd", "h200", "",
			i, run[i] };
	if (glob(CAPTURES "runs/alike*.jsonl", 0, NULL, &found) != 0)
		return n;
	for (i = 0; i < found.gl_pathc; i++) {
		assert_non_null(f = fopen(found.gl_pathv[i], "r"));
		while ((j = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) !=
		    NULL) {
			assert_true(n < NEIGHBOURS_MOST);
			neighbour_of(&list[n], j, n);
			n++;
			json_decref(j);
		}
		fclose(f);
	}
	globfree(&found);
	qsort(list, n, sizeof(*list), by_program);
	return n;
}

/* ${run} with its heaviest kernel ${times} as long, and all sums that include
 * it, and that kernel's name. New references. */
static struct trial_run
longer(const struct trial_run *run, double times, const char **name)
{
	json_t *kernels = json_deep_copy(run->kernels), *most = NULL, *k, *t;
	json_t *r = json_deep_copy(run->run), *summary;
	double more, wall = field_number(r, "wall_ns"), busy;
	size_t i;

	json_array_foreach(kernels, i, k)
		if (most == NULL || field_number(json_object_get(k, "time"),
		    "total_ns") > field_number(json_object_get(most, "time"),
		    "total_ns"))
			most = k;
	t = json_object_get(most, "time");
	more = (times - 1) * field_number(t, "total_ns");
	json_object_set_new(t, "total_ns", json_real(field_number(t,
	    "total_ns") + more));
	json_object_set_new(t, "mean_ns", json_real(times * field_number(t,
	    "mean_ns")));
	summary = json_object_get(r, "summary");
	busy = wall * field_number(summary, "gpu_busy_ratio");
	json_object_set_new(r, "wall_ns", json_real(wall + more));
	json_object_set_new(r, "active_s", json_real(field_number(r,
	    "active_s") + more * 1e-9));
	json_object_set_new(summary, "gpu_busy_ratio", json_real((busy +
	    more) / (wall + more)));
	*name = field_text(most, "name");
	return (struct trial_run){ r, json_object(), kernels,
	    json_deep_copy(run->conditions) };
}

/* Adds one verdict on alike runs to ${t}. */
static void
count_alike(struct tally *t, const struct trial_set side[SIDES])
{
	struct trial_ask ask = TRIAL_ASK_INIT;
	enum trial_verdict v;
	json_t *trial;

	ask.allowed = 1u << CONDITION_ARGUMENTS;
	trial = trial_judge(side, &ask);
	v = trial_verdict(trial);
	t->pairs++;
	t->wrong += v == VERDICT_SLOWER || v == VERDICT_FASTER;
	t->same += v == VERDICT_SAME;
	json_decref(trial);
}

/* Adds one verdict on runs of which the second side is slower in ${name}: whether
 * that was found, in that kernel, and with ${counter} (NULL: none is known). */
static void
count_slower(struct tally *t, const struct trial_set side[SIDES],
    const char *name, const char *counter)
{
	struct trial_ask ask = TRIAL_ASK_INIT;
	const json_t *k, *c;
	json_t *trial;
	size_t i, m;

	ask.allowed = 1u << CONDITION_ARGUMENTS;
	trial = trial_judge(side, &ask);
	t->found += trial_verdict(trial) == VERDICT_SLOWER;
	json_array_foreach(json_object_get(trial, "kernels"), i, k) {
		if (strncmp(or_unknown(field_text(k, "name")), name,
		    strlen(name)) != 0)
			continue;
		t->named += trial_verdict(k) == VERDICT_SLOWER;
		json_array_foreach(json_object_get(k, "counters"), m, c)
			if (counter != NULL && strcmp(field_text(c, "label"),
			    counter) == 0)
				t->counted++;
	}
	json_decref(trial);
}

/* The number of runs at the front of ${list} with the same program and session
 * as the first. */
static size_t
session_runs(const struct neighbour *list, size_t all)
{
	size_t n;

	for (n = 1; n < all && by_session(list, list + n) == 0; n++)
		;
	return all > 0 ? n : 0;
}

/* Pairs of ${n} consecutive runs a side, ABBA, no run in two pairs: alike, and
 * with 3 % planted in the heaviest kernel. */
static void
neighbour_pairs(struct tally *t, const struct neighbour *list, size_t all,
    size_t n)
{
	struct trial_run side[SIDES][RUNS], planted[RUNS];
	struct trial_set alike[SIDES] = { { side[BASE], n, NULL },
		{ side[TARGET], n, NULL } };
	struct trial_set slower[SIDES] = { { side[BASE], n, NULL },
		{ planted, n, NULL } };
	const char *name = NULL;
	size_t i, k, left = 0, had[SIDES];

	for (i = 0; i < all; i += left < 2 * n ? left : 2 * n) {
		left = session_runs(list + i, all - i);
		if (left < 2 * n || list[i].planted[0] != '\0')
			continue;
		had[BASE] = had[TARGET] = 0;
		for (k = 0; k < 2 * n; k++) {
			int which = k % 4 == 0 || k % 4 == 3 ? BASE : TARGET;

			/* With an odd number of turns the last one is split. */
			which = had[which] < n ? which : BASE + TARGET - which;
			side[which][had[which]++] = list[i + k].run;
		}
		count_alike(t, alike);
		for (k = 0; k < n; k++)
			planted[k] = longer(&side[TARGET][k], 1.03, &name);
		count_slower(t, slower, name, NULL);
		for (k = 0; k < n; k++)
			drop(&planted[k]);
	}
	print_message("%zu recorded pairs of %zu runs: %zu told apart, %zu the "
	    "same; 3 %% found in %zu, in the kernel in %zu\n", t->pairs, n,
	    t->wrong, t->same, t->found, t->named);
}

/* Pairs of ${n} runs a side of one program, with the sides from different
 * sessions: another GPU, another day. No run is in two pairs. */
static void
session_pairs(struct tally *t, const struct neighbour *list, size_t all,
    size_t n)
{
	struct trial_run side[SIDES][RUNS];
	struct trial_set set[SIDES] = { { side[BASE], n, NULL },
		{ side[TARGET], n, NULL } };
	size_t a, b, runs, others, i, k;

	for (a = 0; a < all; a += runs) {
		runs = session_runs(list + a, all - a);
		b = a + runs;
		others = session_runs(list + b, all - b);
		if (others == 0 || strcmp(list[a].program, list[b].program) !=
		    0 || strcmp(list[a].planted, list[b].planted) != 0)
			continue;
		for (i = 0; i + n <= runs && i + n <= others; i += n) {
			for (k = 0; k < n; k++) {
				side[BASE][k] = list[a + i + k].run;
				side[TARGET][k] = list[b + i + k].run;
			}
			count_alike(t, set);
		}
	}
	print_message("%zu pairs of %zu runs of two sessions: %zu told apart, "
	    "%zu the same\n", t->pairs, n, t->wrong, t->same);
}

/* The kernels in which 3 % were planted, the counter that shows it, and its
 * name in a document. */
static const struct planted {
	const char *kernel, *counter, *key;
} planteds[] = {
	{ "fma_loop", "warp instructions", "instructions" },
	{ "stream_copy", "bytes that threads asked for", "bandwidth" },
};

/* Whether it was recorded: not every day's recordings have it. */
static bool
has_counter(const struct trial_run *run, const struct planted *p)
{
	const json_t *k;
	size_t i;

	json_array_foreach(run->kernels, i, k)
		if (strncmp(or_unknown(field_text(k, "name")), p->kernel,
		    strlen(p->kernel)) == 0)
			return json_object_get(k, p->key) != NULL;
	return false;
}

/* Pairs of ${n} runs a side of one session, without and with the planted change. */
static void
planted_pairs(struct tally *t, const struct neighbour *list, size_t all,
    size_t n)
{
	struct trial_run side[SIDES][RUNS];
	struct trial_set set[SIDES] = { { side[BASE], n, NULL },
		{ side[TARGET], n, NULL } };
	size_t a, b, runs, others, i, k, p;
	bool shown;

	for (b = 0; b < all; b += others) {
		others = session_runs(list + b, all - b);
		for (a = 0; a < all; a++)
			if (strcmp(list[a].program, list[b].program) == 0 &&
			    strcmp(list[a].session, list[b].session) == 0)
				break;
		if (list[b].planted[0] == '\0' || list[a].planted[0] != '\0')
			continue;
		for (p = 0; strcmp(planteds[p].kernel, list[b].planted) != 0;)
			assert_true(++p < sizeof(planteds) /
			    sizeof(planteds[0]));
		runs = session_runs(list + a, all - a);
		for (i = 0; i + n <= runs && i + n <= others; i += n) {
			for (k = 0; k < n; k++) {
				side[BASE][k] = list[a + i + k].run;
				side[TARGET][k] = list[b + i + k].run;
			}
			t->pairs++;
			shown = has_counter(&side[TARGET][0], &planteds[p]);
			t->countable += shown;
			count_slower(t, set, planteds[p].kernel, shown ?
			    planteds[p].counter : NULL);
		}
	}
	print_message("%zu pairs of %zu runs with 3 %% planted: found in %zu, "
	    "in the kernel in %zu, with its counter in %zu of %zu\n", t->pairs, n,
	    t->found, t->named, t->counted, t->countable);
}

/* The guarantee (README of the tests): of at least so many recorded pairs of alike
 * runs, made one after the other or in different sessions, at most so many percent
 * are told apart; of at least so many with 3 % planted in one kernel, so many percent
 * are found, in that kernel, with the counter that shows it if that was recorded. */
#define ALIKE_PAIRS 300
#define NEIGHBOURS 190
#define APART_PAIRS 109
#define TOLD_APART_MOST 1
#define PLANTED_PAIRS 58
#define COUNTED_PAIRS 50
#define FOUND_LEAST 95

static void
add(struct tally *sum, const struct tally *t)
{

	sum->pairs += t->pairs;
	sum->wrong += t->wrong;
	sum->found += t->found;
	sum->named += t->named;
	sum->counted += t->counted;
	sum->countable += t->countable;
}

/* Every recording is in at most one pair of each kind. */
TEST(test_neighbours)
{
	static struct neighbour list[NEIGHBOURS_MOST];
	static const size_t runs[] = { 1, 3, 10 };
	size_t n = neighbours(list), i;
	struct tally near = { 0 }, apart = { 0 }, planted = { 0 };

	for (i = 0; i < 3; i++) {
		struct tally one = { 0 }, other = { 0 }, more = { 0 };

		neighbour_pairs(&one, list, n, runs[i]);
		session_pairs(&other, list, n, runs[i]);
		planted_pairs(&more, list, n, runs[i]);
		/* For no number of runs a side there are more. */
		assert_true(one.wrong * 100 <= one.pairs * TOLD_APART_MOST);
		assert_true(other.wrong * 100 <= other.pairs * TOLD_APART_MOST);
		/* With one run a side it is unknown by how much runs differ. */
		if (runs[i] > 1)
			assert_true(one.named * 100 >= one.pairs * FOUND_LEAST);
		add(&near, &one);
		add(&apart, &other);
		add(&planted, &more);
	}
	print_message("%zu pairs of %zu recorded runs, %zu of neighbours and %zu "
	    "of two sessions: %zu told apart; of %zu with 3 %% planted %zu found "
	    "in the kernel, with the counter %zu of %zu\n", near.pairs +
	    apart.pairs, n, near.pairs, apart.pairs, near.wrong + apart.wrong,
	    planted.pairs, planted.named, planted.counted, planted.countable);
	assert_true(near.pairs >= NEIGHBOURS && apart.pairs >= APART_PAIRS);
	assert_true(near.pairs + apart.pairs >= ALIKE_PAIRS);
	assert_true((near.wrong + apart.wrong) * 100 <= (near.pairs +
	    apart.pairs) * TOLD_APART_MOST);
	assert_true(planted.pairs >= PLANTED_PAIRS);
	assert_true(planted.named * 100 >= planted.pairs * FOUND_LEAST);
	assert_true(planted.countable >= COUNTED_PAIRS);
	assert_true(planted.counted * 100 >= planted.countable * FOUND_LEAST);
	for (i = 0; i < n; i++)
		drop(&list[i].run);
}

/* Shuffles the first ${n} of them. */
static void
shuffle(struct trial_run *run, size_t all, size_t n)
{
	struct trial_run swap;
	size_t i, k;

	for (i = 0; i < n; i++) {
		k = i + (size_t)(uniform() * (double)(all - i));
		swap = run[i];
		run[i] = run[k];
		run[k] = swap;
	}
}

/* ${pairs} pairs of ${n} runs a side, drawn from A and ${set}; for A against A
 * no run is on both sides. Returns how many found ${kernel} slower, or, if it
 * is NULL, how many found anything slower or faster. */
static size_t
recorded_pairs(char set, const char *kernel, size_t n, size_t pairs)
{
	struct trial_run a[RECORDED_MOST], b[RECORDED_MOST];
	size_t as = recorded(a, 'A'), bs = recorded(b, set), i, said = 0;
	struct trial_ask ask = TRIAL_ASK_INIT;
	enum trial_verdict v;
	json_t *trial;

	ask.allowed = 1u << CONDITION_ARGUMENTS;
	assert_true(as >= 2 * n && bs >= n);
	for (i = 0; i < pairs; i++) {
		shuffle(a, as, set == 'A' ? 2 * n : n);
		shuffle(b, bs, n);
		struct trial_set sets[SIDES] = { { a, n, NULL },
			{ set == 'A' ? a + n : b, n, NULL } };

		trial = trial_judge(sets, &ask);
		v = trial_verdict(trial);
		said += kernel != NULL ? v == VERDICT_SLOWER &&
		    of_kernel(trial, kernel) == VERDICT_SLOWER : v ==
		    VERDICT_SLOWER || v == VERDICT_FASTER;
		json_decref(trial);
	}
	for (i = 0; i < as; i++)
		drop(&a[i]);
	for (i = 0; i < bs; i++)
		drop(&b[i]);
	print_message("A and %c, %zu runs: %zu of %zu\n", set, n, said,
	    pairs);
	return said;
}

TEST(test_recorded)
{
	static const size_t runs[] = { 1, 3, 10 };
	size_t i;

	for (i = 0; i < 3; i++)
		assert_true(recorded_pairs('A', NULL, runs[i], 200) <= 2);
	/* With one run a side it is unknown by how much runs differ. */
	for (i = 1; i < 3; i++) {
		assert_true(recorded_pairs('B', "fma_loop", runs[i], 200) >=
		    190);
		assert_true(recorded_pairs('C', "stream_copy", runs[i],
		    200) >= 190);
	}
	recorded_pairs('B', "fma_loop", 1, 200);
}

/* The same runs as if some had been made on another day: then there is no verdict. */
TEST(test_sessions)
{
	struct trial_run run[2][RECORDED_MOST];
	size_t n[2] = { recorded(run[0], 'A'), recorded(run[1], 'C') }, i;
	struct trial_set sets[SIDES] = { { run[0], 10, NULL },
		{ run[1], 10, NULL } };
	struct trial_ask ask = TRIAL_ASK_INIT;
	json_t *trial;

	ask.allowed = 1u << CONDITION_ARGUMENTS;
	for (i = 0; i < n[1]; i++)
		json_object_set_new((json_t *)run[1][i].conditions,
		    "started_at", json_string("2026-11-25T10:00:00.000Z"));
	trial = trial_judge(sets, &ask);
	assert_true(json_is_false(json_object_get(trial, "one_session")));
	assert_int_equal(trial_verdict(trial), VERDICT_INCONCLUSIVE);
	json_decref(trial);
	for (i = 0; i < n[0]; i++)
		drop(&run[0][i]);
	for (i = 0; i < n[1]; i++)
		drop(&run[1][i]);
}

/* The conditions of a run, as the launcher records them. */
static json_t *
under(const char *recorded)
{
	json_t *run = json_pack("{s:s, s:o}", "state", "finished",
	    "conditions", json_loads(recorded, 0, NULL)), *c;

	c = conditions_of(run, NULL, NULL);
	json_decref(run);
	return c;
}

/* The differences of two such, as "code code ". */
static const char *
differing(const char *base, const char *target, uint32_t allowed)
{
	static char codes[256];
	json_t *out = json_array(), *x = under(base), *y = under(target), *r;
	size_t i, n = 0;

	conditions_differ(out, x, y, allowed, true);
	codes[0] = '\0';
	json_array_foreach(out, i, r)
		n += (size_t)snprintf(codes + n, sizeof(codes) - n, "%s ",
		    field_text(r, "code"));
	json_decref(out);
	json_decref(x);
	json_decref(y);
	return codes;
}

TEST(test_conditions_recorded)
{
#define LIMITED(w) "{\"gpus\":[{\"uuid\":\"00\",\"power_limit_w\":" w "}]}"
	assert_string_equal(differing("{\"governor\":\"powersave\"}",
	    "{\"governor\":\"performance\"}", 0), "governor ");
	assert_string_equal(differing("{\"governor\":\"powersave\"}", "{}", 0),
	    "");
	assert_string_equal(differing("{\"environment\":{}}",
	    "{\"environment\":{\"CUDA_LAUNCH_BLOCKING\":\"1\"}}", 0),
	    "environment ");
	assert_string_equal(differing("{\"environment\":{\"A\":\"1\"}}",
	    "{\"environment\":{\"A\":\"2\"}}",
	    1u << CONDITION_ENVIRONMENT), "");
	assert_string_equal(differing("{\"environment\":{\"A\":\"1\"}}",
	    "{\"environment\":{\"A\":\"1\"}}", 0), "");
	assert_string_equal(differing(LIMITED("700"), LIMITED("350"), 0),
	    "power ");
	assert_string_equal(differing(LIMITED("700"), LIMITED("null"), 0), "");
	/* Different builds are what is compared. */
	assert_string_equal(differing("{\"program_hash\":\"0\"}",
	    "{\"program_hash\":\"1\"}", 0), "");
}

/* The conditions of a run of ${command}. */
static json_t *
running(const char *command)
{
	json_t *run = json_pack("{s:s, s:s?}", "state", "finished", "command",
	    command), *c = conditions_of(run, NULL, NULL);

	json_decref(run);
	return c;
}

TEST(test_another_program)
{
	static const struct {
		const char *base, *target;
		uint32_t allowed;
		bool common;
		const char *code;	/* of the only reason; NULL: none */
	} c[] = {
		{ "ls 1", "true 4", 0, false, "program" },
		{ "ls 1", "true 4", 1u << CONDITION_PROGRAM, false,
		    "arguments" },
		{ "./before 1", "./after 1", 0, true, NULL },
		{ "./before 1", "./after 4", 0, true, "arguments" },
		{ "a/a.out", "b/a.out", 0, false, NULL },
		{ NULL, "./app", 0, false, NULL },
	};
	json_t *out, *x, *y;
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		out = json_array();
		x = running(c[i].base);
		y = running(c[i].target);
		conditions_differ(out, x, y, c[i].allowed, c[i].common);
		assert_int_equal(json_array_size(out), c[i].code != NULL);
		if (c[i].code != NULL)
			assert_string_equal(field_text(json_array_get(out, 0),
			    "code"), c[i].code);
		json_decref(out);
		json_decref(x);
		json_decref(y);
	}
}

static json_t *
one_kernel(const char *more)
{
	json_t *list = json_pack("[{s:i, s:s, s:[i,i,i], s:[i,i,i], s:i,"
	    "s:{s:i, s:i, s:i}}]", "id", 7, "name", "fma_loop", "grid", 1, 1,
	    1, "block", 32, 1, 1, "launches", 10, "time", "total_ns", 1000000,
	    "mean_ns", 100000, "sd_ns", 0);
	json_t *members = json_loads(more, 0, NULL);

	json_object_update(json_array_get(list, 0), members);
	json_decref(members);
	return list;
}

static struct trial_run
one_run(const char *more, const char *finding)
{
	json_t *run = json_pack("{s:s, s:s, s:f, s:f, s:{s:f}}", "state",
	    "finished", "level", "trace", "wall_ns", 2e6, "active_s", 1.5e-3,
	    "summary", "gpu_busy_ratio", 0.5);

	return (struct trial_run){ run, json_loads(finding, 0, NULL),
		one_kernel(more), conditions_of(run, NULL, NULL) };
}

/* The only kernel in set ${set} of the two, borrowed from *${trial}. */
static const json_t *
only_kernel(const struct trial_set set[SIDES], json_t **trial)
{
	struct trial_ask ask = TRIAL_ASK_INIT;

	*trial = trial_judge(set, &ask);
	return json_array_get(json_object_get(*trial, "kernels"), 0);
}

/* Three percent more instructions are reported; if the timed runs were only
 * traced, a run that was made for its counters reports them, and the place. */
TEST(test_counters)
{
#define AT "{\"items\": [{\"kernel_id\": 7, \"location\": \"k.cu:31\"}]}"
	struct trial_run plain = one_run("{}", "{}");
	struct trial_run counted[SIDES] = {
		one_run("{\"instructions\": 1000, \"sectors_per_request\": 4}", "{}"),
		one_run("{\"instructions\": 1030, \"sectors_per_request\": 16}", AT) };
	struct trial_set traced[SIDES] = { { &plain, 1, NULL },
		{ &plain, 1, NULL } };
	const json_t *k, *c;
	json_t *trial;
	int of_timed;

	k = only_kernel(traced, &trial);
	assert_int_equal(json_array_size(json_object_get(k, "counters")), 0);
	assert_null(field_text(k, "location"));
	json_decref(trial);
	for (of_timed = 0; of_timed < 2; of_timed++) {
		struct trial_set set[SIDES] = {
			{ of_timed ? &counted[BASE] : &plain, 1,
			    &counted[BASE] },
			{ of_timed ? &counted[TARGET] : &plain, 1,
			    &counted[TARGET] } };

		k = only_kernel(set, &trial);
		c = json_object_get(k, "counters");
		assert_int_equal(json_array_size(c), 2);
		assert_string_equal(field_text(json_array_get(c, 0), "label"),
		    "sectors per request");
		c = json_array_get(c, 1);
		assert_string_equal(field_text(c, "label"),
		    "warp instructions");
		assert_true(field_number(c, "base") == 1000);
		assert_true(field_number(c, "target") == 1030);
		assert_string_equal(field_text(k, "location"), "k.cu:31");
		json_decref(trial);
	}
	/* A few bytes beside many are no cause, however large the ratio. */
	drop(&counted[BASE]);
	drop(&counted[TARGET]);
	counted[BASE] = one_run("{\"bandwidth\": {\"l2_bytes\": 1000000, "
	    "\"dram_bytes\": 0}}", "{}");
	counted[TARGET] = one_run("{\"bandwidth\": {\"l2_bytes\": 1100000, "
	    "\"dram_bytes\": 256}}", "{}");
	struct trial_set traffic[SIDES] = { { &counted[BASE], 1, NULL },
		{ &counted[TARGET], 1, NULL } };

	k = only_kernel(traffic, &trial);
	c = json_object_get(k, "counters");
	assert_int_equal(json_array_size(c), 1);
	assert_string_equal(field_text(json_array_get(c, 0), "label"),
	    "bytes from and to L2");
	json_decref(trial);
	drop(&plain);
	drop(&counted[BASE]);
	drop(&counted[TARGET]);
}

TEST(test_many_runs)
{
	struct tally t = { 0 };

	over_captures(&t, RUNS);
	assert_true(t.pairs >= 200);
	assert_true(t.wrong * 100 <= t.pairs);
	assert_true(t.named * 100 >= t.pairs * 95);
}

/* With one run a side nothing wrong is reported. */
TEST(test_single_runs)
{
	struct tally t = { 0 };

	over_captures(&t, 1);
	assert_true(t.wrong * 100 <= t.pairs);
}
