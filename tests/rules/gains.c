/*
 * rules/gains.c: predicted against achieved gains. For each recorded pair: the
 * gain predicted from the capture of the bad variant, and the gain that the
 * capture of the good variant shows. A kernel's gain is its speed-up, a run's
 * the seconds of idle time and exposed copies that disappeared.
 *
 * gains DIR EXPECTED [--write FILE | --check FILE]: prints the table, the error
 * of each pair and the median error. Also prints how often the intervals hold if
 * their widths are measured without the practice's own pair, for whole captures
 * and for captures with fewer counters or none. Exit status 1 if the median error
 * exceeds MEDIAN_MOST; if the achieved gain lies outside a pair's interval and
 * its entry in expected.json has no "outside": the reason; if too few intervals
 * hold, or if they are not as wide as the measurements say. --write makes the
 * table that is shipped (config/predictions.json), --check compares with it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "rules/gain/gain.h"
#include "rules/once.h"

#define MEDIAN_MOST 0.15
/* Two runs of the same program differ by this ratio. */
#define NOISE 0.03
/* Differences between compilers, and rounding in the file. */
#define SAME 0.005

#define PAIRS_MAX 256

/* At least this share of the predictions on the same grounds must hold. */
#define HOLD_LEAST 0.8
/* Intervals are as wide as this share of the practices needs (rules/gain/gain.c). */
#define QUANTILE 0.9

/* The data of a capture that a prediction may use. */
static const struct {
	enum withheld held;
	bool once;
} less[] = {
	{ NOTHING_HELD, false }, { HELD_SAMPLES, false }, { HELD_DEFAULT, false },
	{ HELD_DEFAULT, true }, { HELD_COUNTERS, false },
	{ HELD_PERMISSION, false }
};
#define WAYS (sizeof(less) / sizeof(less[0]))

/* One pair. Gains are ratios or seconds, as ${of_kernel} says. */
struct proof {
	const char *rule;
	bool of_kernel;
	enum grounds grounds;
	struct gain predicted;
	double achieved, error;
	bool inside;
	char gpu[64], date[16];
};

struct gains {
	const char *dir;
	const json_t *pairs;
	struct proof proof[PAIRS_MAX];
	size_t proofs;
	/* For each way to predict: the kernels' gains. */
	struct proof tried[PAIRS_MAX * WAYS];
	size_t tries;
	int failures;
};

static void
complain(struct gains *g, const char *rule, const char *what)
{
	printf("FAIL %s: %s\n", rule, what);
	g->failures++;
}

static const struct finding *
finding_of(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, rule) == 0)
			return &a->finding[i];
	return NULL;
}

/* Seconds a launch of the kernel with the most time, which the pair is about.
 * Both variants of a pair do the same work in a launch; if a recording does
 * not, "work" in expected.json is the good variant's work over the bad one's. */
static double
main_launch_s(const struct run *run)
{
	const struct kernel *most = NULL;

	for (size_t i = 0; i < run->kernels; i++)
		if (most == NULL || run->kernel[i].total_ns > most->total_ns)
			most = &run->kernel[i];
	return most != NULL ? stat_mean(&most->time) * 1e-9 : NAN;
}

/* Seconds of copies during which no kernel runs. */
static double
bare_copies_s(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->devices; i++)
		ns += (double)run->device[i].copy_ns -
		    (double)run->device[i].copy_hidden_ns;
	return ns * 1e-9;
}

/* Seconds of those copies that lengthened the run, except those beside measuring. */
static double
exposed_copies_s(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->copies; i++)
		if (run->copy[i].exposed_ns > 0)
			ns += run->copy[i].exposed_ns;
	return ns * 1e-9;
}

/* Seconds of GPU idle time that the program caused. The longest phase on the
 * host alone is left out: it does not recur. */
static double
idle_s(const struct run *run)
{
	double ns = -(double)run->idle_longest_by[IDLE_HOST];

	for (int i = 0; i < IDLE_CAUSES; i++)
		if (i != IDLE_STARTUP && i != IDLE_SHUTDOWN)
			ns += (double)run->idle_ns[i];
	return ns * 1e-9;
}

/* Start-up is left out too, except the driver's compilation during it. */
static double
startup_s(const struct run *bad, const struct run *good)
{
	if (bad->jit_startup_ns == 0)
		return 0;
	return ((double)bad->idle_ns[IDLE_STARTUP] -
	    (double)good->idle_ns[IDLE_STARTUP]) * 1e-9;
}

/* Seconds of kernels on the busiest GPU, whose idle time is the run's. */
static double
kernels_s(const struct run *run)
{
	const struct device *most = NULL;

	if (run->devices < 2)
		return (double)run->gpus_busy_ns * 1e-9;
	for (size_t i = 0; i < run->devices; i++)
		if (most == NULL || run->device[i].busy_ns > most->busy_ns)
			most = &run->device[i];
	return ((double)most->busy_ns - ((double)most->copy_ns -
	    (double)most->copy_hidden_ns)) * 1e-9;
}

/* The seconds that findings about the run save: idle time, copies, and the time of
 * kernels that are fused or run at the same time. How much copying coincides with
 * measuring is chance: taken as in the bad run, which the prediction is about.
 * Time marked as a check of results is left out, but its copies count. ${near}: of
 * each idle gap at most 100 us, next to work, because in either variant a
 * framework loads code and chooses algorithms when it first meets an operator. */
static double
saved_s(const struct run *bad, const struct run *good, bool near)
{
	double copies = bare_copies_s(bad), idle = near ?
	    (double)bad->idle_near_ns * 1e-9 - (double)good->idle_near_ns *
	    1e-9 : idle_s(bad) - idle_s(good);
	double exposed = copies > 0 ?
	    fmin(1, (exposed_copies_s(bad) + (double)bad->results.copy_ns *
	    1e-9) / copies) : 1;

	return idle + startup_s(bad, good) +
	    kernels_s(bad) - kernels_s(good) +
	    exposed * (copies - bare_copies_s(good));
}

/* The speed-up of the kernel from a finding's seconds. */
static double
speedup_of(const struct kernel *k, double saves_s)
{
	double exposed = gain_exposed_s(k);

	return exposed > saves_s ? exposed / (exposed - saves_s) : INFINITY;
}

static void
set_origin(struct proof *p, const struct run *run)
{
	time_t t = (time_t)(run->origin_ns / 1000000000);
	struct tm tm;

	snprintf(p->gpu, sizeof(p->gpu), "%s", run->devices > 0 &&
	    run->device[0].name != NULL ? run->device[0].name : "");
	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(p->date, sizeof(p->date), "%Y-%m-%d", &tm) == 0)
		p->date[0] = '\0';
}

static void
compare(struct proof *p, const struct finding *f, const struct analysed *bad,
    const struct analysed *good, const json_t *pair)
{
	double work = json_number_value(json_object_get(pair, "work"));

	p->of_kernel = f->kernel != NULL;
	p->grounds = f->grounds;
	if (p->of_kernel) {
		p->predicted = (struct gain){
		    speedup_of(f->kernel, f->saves_low_s),
		    speedup_of(f->kernel, f->saves_s),
		    speedup_of(f->kernel, f->saves_high_s) };
		p->achieved = stat_mean(&f->kernel->time) * 1e-9 /
		    main_launch_s(good->run);
	} else {
		p->predicted = (struct gain){ f->saves_low_s, f->saves_s,
		    f->saves_high_s };
		p->achieved = saved_s(bad->run, good->run,
		    json_is_true(json_object_get(pair, "near")));
	}
	if (p->of_kernel && work > 0)
		p->achieved *= work;
	p->error = p->predicted.mid / p->achieved - 1;
	p->inside = p->achieved >= p->predicted.low * (1 - NOISE) &&
	    p->achieved <= p->predicted.high * (1 + NOISE);
	set_origin(p, bad->run);
}

static int
judge_variant(struct gains *g, struct analysed *j, const char *rule,
    const char *variant, enum withheld held)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%s.cadv", g->dir, rule, variant);
	if (access(path, R_OK) == 0)
		return analysed_load(j, path, held);
	complain(g, rule, strerror(errno));
	return -1;
}

/* Whether the pair was recorded on a GPU. */
static bool
is_recorded(const struct gains *g, const char *rule)
{
	return !json_is_false(json_object_get(json_object_get(g->pairs, rule),
	    "recorded"));
}

/* Predict the gain of ${rule}'s kernel in all ways. */
static void
try_all(struct gains *g, const char *rule, const struct proof *p,
    const struct analysed *good)
{
	for (size_t w = 0; w < WAYS && p->of_kernel; w++) {
		struct kernel *room;
		struct analysed bad;
		const struct finding *f;

		if (judge_variant(g, &bad, rule, "bad", less[w].held) != 0)
			continue;
		room = calloc(bad.run->kernels + 1, sizeof(*room));
		if (less[w].once && room != NULL) {
			advice_free(bad.advice);
			bad.advice = once_advise(&bad, room);
		}
		f = bad.advice != NULL ? finding_of(bad.advice, rule) : NULL;
		if (f != NULL && f->kernel != NULL && isfinite(f->saves_s)) {
			g->tried[g->tries] = (struct proof){ .rule = rule };
			compare(&g->tried[g->tries++], f, &bad, good,
			    json_object_get(g->pairs, rule));
		}
		free(room);
		analysed_release(&bad);
	}
}

static void
prove(struct gains *g, const char *rule)
{
	struct proof *p = &g->proof[g->proofs];
	const struct finding *f;
	struct analysed bad, good;

	if (judge_variant(g, &bad, rule, "bad", NOTHING_HELD) != 0)
		return;
	f = finding_of(bad.advice, rule);
	if (f == NULL) {
		complain(g, rule, "not found on its bad variant");
	} else if (isfinite(f->saves_s) && g->proofs < PAIRS_MAX &&
	    judge_variant(g, &good, rule, "good", NOTHING_HELD) == 0) {
		*p = (struct proof){ .rule = rule };
		compare(p, f, &bad, &good, json_object_get(g->pairs, rule));
		g->proofs++;
		try_all(g, rule, p, &good);
		analysed_release(&good);
	}
	analysed_release(&bad);
}

static void
check_interval(struct gains *g, const struct proof *p)
{
	const char *why = json_string_value(json_object_get(
	    json_object_get(g->pairs, p->rule), "outside"));

	if (!p->inside && why == NULL)
		complain(g, p->rule, "what was achieved is outside the "
		    "interval");
	if (p->inside && why != NULL)
		complain(g, p->rule, "is inside its interval: take \"outside\" "
		    "out of expected.json");
}

static int
by_size(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

static double
median_error(const struct gains *g)
{
	double e[PAIRS_MAX];
	size_t n = g->proofs;

	for (size_t i = 0; i < n; i++)
		e[i] = fabs(g->proof[i].error);
	if (n == 0)
		return NAN;
	qsort(e, n, sizeof(*e), by_size);
	return n % 2 ? e[n / 2] : (e[n / 2 - 1] + e[n / 2]) / 2;
}

/* For each practice except ${without}: the largest ratio of achieved to
 * predicted gain of predictions on ${grounds}, sorted. Returns their number. */
static size_t
exceeded(const struct gains *g, enum grounds grounds, const char *without,
    double most[PAIRS_MAX])
{
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < g->tries; i++) {
		const struct proof *p = &g->tried[i];
		double r = p->achieved / p->predicted.mid;

		if (p->grounds != grounds || p->rule == without)
			continue;
		if (p->rule == last)	/* pairs of a rule are consecutive */
			most[n - 1] = fmax(most[n - 1], r);
		else
			most[n++] = r;
		last = p->rule;
	}
	qsort(most, n, sizeof(*most), by_size);
	return n;
}

/* The ratio that QUANTILE of the practices, and ${more} practices more, do not exceed. */
static double
needed(const struct gains *g, enum grounds grounds, const char *without,
    size_t more)
{
	double most[PAIRS_MAX];
	size_t n = exceeded(g, grounds, without, most);
	size_t at = (size_t)ceil(QUANTILE * (double)(n + 1)) + more;

	return n == 0 ? NAN : most[at > n ? n - 1 : at - 1];
}

/* Whether the intervals would hold if their widths were measured without the
 * practice. */
static void
check_width(struct gains *g, enum grounds grounds, const char *name)
{
	double all = needed(g, grounds, NULL, 0), width = 0, n = 0, hold = 0;
	double each[PAIRS_MAX];

	for (size_t i = 0; i < g->tries; i++) {
		const struct proof *p = &g->tried[i];

		if (p->grounds != grounds || n >= PAIRS_MAX)
			continue;
		hold += p->achieved >= p->predicted.low * (1 - NOISE) &&
		    p->achieved <= p->predicted.mid *
		    needed(g, grounds, p->rule, 0) * (1 + NOISE);
		each[(size_t)n++] = p->predicted.high / p->predicted.low;
	}
	if (n > 0) {
		qsort(each, (size_t)n, sizeof(*each), by_size);
		width = each[(size_t)n / 2];
	}
	printf("%s: %.0f of %.0f hold without the practice's own pair; achieved "
	    "up to %.2f of what was predicted (one practice more: %.2f), %.2f "
	    "taken; high / low %.2f in the median\n", name, hold, n, all,
	    needed(g, grounds, NULL, 1), gain_doubt(grounds), width);
	if (!(hold >= HOLD_LEAST * n))
		complain(g, name, "too few intervals hold");
	/* With few practices the quantile is uncertain by one of them. */
	if (!(gain_doubt(grounds) >= 0.9 * all && gain_doubt(grounds) <=
	    1.1 * needed(g, grounds, NULL, 1)))
		complain(g, name, "intervals are not as wide as what was "
		    "measured: more_most of rules/gain/gain.c");
}

static void
print_table(const struct gains *g)
{
	printf("%-30s %9s %20s %9s %7s\n", "pair", "predicted", "interval",
	    "achieved", "error");
	for (size_t i = 0; i < g->proofs; i++) {
		const struct proof *p = &g->proof[i];
		const char *unit = p->of_kernel ? "×" : "s";
		char interval[64];

		snprintf(interval, sizeof(interval), "%.3g to %.3g",
		    p->predicted.low, p->predicted.high);
		printf("%-30s %8.3g%s %20s %8.3g%s %+6.1f%%%s\n", p->rule,
		    p->predicted.mid, unit, interval, p->achieved, unit,
		    100 * p->error, p->inside ? "" : "  outside");
	}
	printf("%zu pairs, median error %.1f %%\n", g->proofs,
	    100 * median_error(g));
}

/* Rounded to three digits: more are not significant. */
static json_t *
rounded(double v)
{
	char text[32];

	if (!isfinite(v))
		return json_null();
	snprintf(text, sizeof(text), "%.3g", v);
	return json_real(strtod(text, NULL));
}

static json_t *
to_json(const struct gains *g)
{
	json_t *items = json_array();

	for (size_t i = 0; i < g->proofs; i++) {
		const struct proof *p = &g->proof[i];

		json_array_append_new(items, json_pack(
		    "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
		    "rule", p->rule, "gpu", p->gpu, "date", p->date,
		    "of", p->of_kernel ? "kernel" : "run",
		    "predicted", rounded(p->predicted.mid),
		    "low", rounded(p->predicted.low),
		    "high", rounded(p->predicted.high),
		    "achieved", rounded(p->achieved),
		    "error_ratio", rounded(p->error)));
	}
	return json_pack("{s:i, s:s, s:o}", "version", 1, "comment",
	    "Made by rules-gains --write from the captures of the reference "
	    "pairs. A kernel's gain is its speed-up, a run's the seconds "
	    "saved.", "pairs", items);
}

/* Equal, or nearly: errors are differences of rounded numbers. */
static bool
is_same(const json_t *a, const json_t *b, const char *key)
{
	const json_t *va = json_object_get(a, key), *vb = json_object_get(b, key);
	double x = json_number_value(va), y = json_number_value(vb);

	if (!json_is_number(va) || !json_is_number(vb))
		return json_equal(va, vb);
	if (strcmp(key, "error_ratio") == 0)
		return fabs(x - y) <= 2 * SAME;
	return fabs(x - y) <= SAME * fmax(fabs(x), fabs(y));
}

static void
check_shipped(struct gains *g, const char *path)
{
	static const char *const keys[] = { "rule", "gpu", "date", "of",
		"predicted", "low", "high", "achieved", "error_ratio" };
	json_t *now = to_json(g), *items = json_object_get(now, "pairs"), *item;
	json_t *then = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const json_t *old = json_object_get(then, "pairs");
	size_t i;

	if (json_array_size(old) != json_array_size(items))
		complain(g, path, "has other pairs than there are captures");
	json_array_foreach(items, i, item)
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (!is_same(item, json_array_get(old, i), keys[k])) {
				complain(g, json_string_value(
				    json_object_get(item, "rule")),
				    "is not what the shipped table says: read "
				    "the new one, then rules-gains --write");
				break;
			}
	json_decref(then);
	json_decref(now);
}

static int
write_shipped(const struct gains *g, const char *path)
{
	json_t *root = to_json(g);
	int rc = json_dump_file(root, path, JSON_INDENT(1) |
	    JSON_REAL_PRECISION(3));
	FILE *f = rc == 0 ? fopen(path, "a") : NULL;

	json_decref(root);
	if (f == NULL || fputc('\n', f) == EOF || fclose(f) != 0) {
		perror(path);
		return -1;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	static struct gains g;
	const char *write = NULL, *check = NULL;
	json_t *root;

	for (int i = 3; i + 1 < argc; i += 2) {
		write = strcmp(argv[i], "--write") == 0 ? argv[i + 1] : write;
		check = strcmp(argv[i], "--check") == 0 ? argv[i + 1] : check;
	}
	if (argc < 3 || argc % 2 == 0 || (argc > 3 && !write && !check)) {
		fprintf(stderr, "usage: gains DIR EXPECTED [--write FILE | "
		    "--check FILE]\n");
		return 2;
	}
	g.dir = argv[1];
	root = json_load_file(argv[2], JSON_REJECT_DUPLICATES, NULL);
	g.pairs = json_object_get(root, "pairs");
	if (!json_is_object(g.pairs)) {
		fprintf(stderr, "%s: no pairs\n", argv[2]);
		json_decref(root);
		return 1;
	}
	for (size_t i = 0; i < rule_count(); i++)
		if (is_recorded(&g, rule_info(i)->id))
			prove(&g, rule_info(i)->id);
	print_table(&g);
	for (size_t i = 0; i < g.proofs; i++)
		check_interval(&g, &g.proof[i]);
	check_width(&g, GROUNDS_WHOLE, "with counters");
	check_width(&g, GROUNDS_PART, "with few counters, or estimates");
	check_width(&g, GROUNDS_TRACE, "without counters");
	if (!(median_error(&g) <= MEDIAN_MOST))
		complain(&g, "all", "the median error is too large");
	if (check != NULL)
		check_shipped(&g, check);
	if (write != NULL && write_shipped(&g, write) != 0)
		g.failures++;
	json_decref(root);
	return g.failures > 0;
}
