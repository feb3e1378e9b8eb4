/*
 * rules/ranking.c: invariants of all findings of a run together, whatever was measured:
 * the savings do not exceed the time there is, the list is in order, ids are unique and
 * stable, and no finding about a library's kernel asks for a change inside the kernel.
 *
 * ranking CAPTURE…: checks each capture unchanged, with its kernels in another
 * order, and ROUNDS times with numbers changed at random to plausible and to
 * impossible values. Exit status 1 if any invariant is violated.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/analysed.h"
#include "rules/callers.h"
#include "rules/evidence/library.h"

#define ROUNDS 60
#define EPS 1e-9		/* s, tolerance for sums in another order */

static int failures;
static size_t runs, findings;

__attribute__((format(printf, 2, 3))) static void
complain(const char *what, const char *format, ...)
{
	va_list ap;

	if (failures++ >= 50)
		return;
	printf("FAIL %s: ", what);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

/* --- how much can be saved ----------------------------------------------------- */

struct budget {
	double wall, kernels, copies, idle;	/* s */
	double gpu;		/* of kernels and copies together; inf: no limit */
	double calling;		/* copies ran alone, but the host did not wait
				 * for them */
};

static struct budget
budget_of(const struct run *run)
{
	struct budget b = { .wall = (double)run->wall_ns * 1e-9,
	    .gpu = INFINITY };
	double all = 0, alone = 0;

	for (size_t i = 0; i < run->kernels; i++)
		b.kernels += gain_exposed_s(&run->kernel[i]);
	for (size_t i = 0; i < run->copies; i++) {
		double gpu = (double)run->copy[i].gpu_ns;
		double e = run->copy[i].exposed_ns;

		b.copies += 1e-9 * (isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu);
		all += 1e-9 * gpu;
	}
	for (size_t i = 0; i < run->devices; i++)
		alone = fmax(alone, 1e-9 * ((double)run->device[i].copy_ns -
		    (double)run->device[i].copy_hidden_ns));
	for (int i = 0; i < IDLE_CAUSES; i++)
		if (i != IDLE_STARTUP && i != IDLE_SHUTDOWN)
			b.idle += (double)run->idle_ns[i] * 1e-9;
	/* Of start-up only the driver's compilation counts. */
	b.idle += 1e-9 * fmin((double)run->idle_ns[IDLE_STARTUP],
	    (double)run->jit_startup_ns);
	if (run->gpu_exposed_ns > 0)
		b.gpu = (double)run->gpu_exposed_ns * 1e-9;
	b.calling = fmax(0, fmin(all, alone) - fmin(b.copies, b.gpu));
	return b;
}

static double
most(const struct budget *b)
{
	return fmin(b->wall, fmin(b->kernels + b->copies, b->gpu) + b->idle +
	    b->calling);
}

static bool
over(double value, double limit)
{
	return !(value <= limit * (1 + 1e-6) + EPS);
}

/* --- one finding, and all of them ------------------------------------------ */

static bool
is_correctness(const struct finding *f)
{
	return strcmp(f->category, "correctness") == 0;
}

static void
check_finding(const char *what, const struct finding *f,
    const struct budget *b)
{
	double own = f->kernel != NULL ? gain_exposed_s(f->kernel) :
	    most(b);

	for (size_t i = 0; i < f->shapes; i++) {
		const struct finding_shape *s = &f->shape[i];

		if (over(s->saves_s, gain_exposed_s(s->kernel)))
			complain(what, "%s of %s saves %g s in one shape; "
			    "there are %g s", f->rule, f->where, s->saves_s,
			    gain_exposed_s(s->kernel));
		own += s->kernel != f->kernel ? gain_exposed_s(s->kernel) : 0;
	}

	if (is_correctness(f)) {
		if (!isnan(f->saves_s))
			complain(what, "%s saves %g s", f->rule, f->saves_s);
		return;
	}
	if (!(f->saves_low_s >= 0 && f->saves_low_s <= f->saves_s &&
	    f->saves_s <= f->saves_high_s))
		complain(what, "%s saves %g s (%g to %g)", f->rule, f->saves_s,
		    f->saves_low_s, f->saves_high_s);
	if (over(f->saves_high_s, b->wall))
		complain(what, "%s saves up to %g s of a run of %g s", f->rule,
		    f->saves_high_s, b->wall);
	if (over(f->saves_s, own) || over(f->saves_s, most(b)))
		complain(what, "%s of %s saves %g s; there are %g s, in all "
		    "%g s", f->rule, f->where, f->saves_s, own, most(b));
	if (isfinite(f->kernel_speedup) && f->kernel_speedup < 1 - 1e-9)
		complain(what, "%s makes its kernel slower: %g", f->rule,
		    f->kernel_speedup);
	if (f->worth_it != (f->severity > SEV_INFO) && f->worth_it)
		complain(what, "%s is worth it, and no alarm", f->rule);
	/* A finding that matters only in the short working part must not have a
	 * high severity. */
	if (f->severity > SEV_LOW && !(f->left_s >= 0.02 * b->wall))
		complain(what, "%s is %s for %g s of %g s", f->rule,
		    severity_name[f->severity], f->left_s, b->wall);
	if (!(f->left_s >= 0 && f->left_s <= f->saves_s) ||
	    (f->after > 0) != (f->left_s < f->saves_s))
		complain(what, "%s saves %g s, of which %g s are left after %zu",
		    f->rule, f->saves_s, f->left_s, f->after);
}

/* Order: findings that are visible in the whole run by seconds, then defects,
 * then smaller savings by seconds, then untidy code, then the rest by seconds.
 * Findings that must be fixed first come before all others. */
static int
group_of(const struct finding *f, double wall)
{
	if (!f->worth_it)
		return 4;
	if (is_correctness(f))
		return f->severity > SEV_LOW ? 1 : 3;
	return f->saves_s >= 0.005 * wall ? 0 : 2;
}

/* Whether a later finding requires ${at} to be fixed first. */
static bool
is_needed(const struct advice *a, size_t at)
{
	for (size_t i = at + 1; i < a->findings; i++)
		if (a->finding[i].behind > 0 && a->finding[i].behind <= at + 1)
			return true;
	return false;
}

static void
check_order(const char *what, const struct advice *a, double wall)
{
	size_t first = 0;

	while (first < a->findings &&
	    group_of(&a->finding[first], wall) == 1 &&
	    a->finding[first].severity == SEV_HIGH)
		first++;	/* these lead, or there are no others */
	for (size_t i = first + 1; i < a->findings; i++) {
		const struct finding *f = &a->finding[i], *g = f - 1;
		int now = group_of(f, wall), before = group_of(g, wall);

		if (now < before)
			complain(what, "%s comes after %s", f->rule, g->rule);
		else if (now == before && !is_correctness(f) &&
		    !is_correctness(g) && f->left_s > g->left_s &&
		    !is_needed(a, i - 1))
			complain(what, "%s (%g s) comes after %s (%g s)",
			    f->rule, f->left_s, g->rule, g->left_s);
		if (f->after > i || f->behind > i)
			complain(what, "%s comes after %zu and %zu", f->rule,
			    f->after, f->behind);
	}
}

static void
check_together(const char *what, const struct advice *a,
    const struct budget *b)
{
	double sum = 0, max = 0, left = 0;

	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		if (!f->worth_it || is_correctness(f))
			continue;
		left += f->left_s;
		sum += f->saves_s;
		max = fmax(max, f->saves_s);
	}
	if (over(a->together_s, most(b)))
		complain(what, "together %g s; there are %g s (wall %g, "
		    "kernels %g, copies %g, both %g, idle %g)", a->together_s,
		    most(b), b->wall, b->kernels, b->copies, b->gpu, b->idle);
	if (over(left, a->together_s))
		complain(what, "together %g s, one after the other %g s",
		    a->together_s, left);
	if (over(a->together_s, sum))
		complain(what, "together %g s, one by one %g s",
		    a->together_s, sum);
	if (over(max, a->together_s))
		complain(what, "together %g s, one alone %g s", a->together_s,
		    max);
	if (a->overlap != (sum > a->together_s * 1.001))
		complain(what, "overlap is told wrongly: %g of %g s",
		    a->together_s, sum);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The ids of the findings about kernels (or all), sorted; to be freed. */
static const char **
ids_of(const struct advice *a, bool all, size_t *n)
{
	const char **id = calloc(a->findings + 1, sizeof(*id));

	*n = 0;
	if (id == NULL)
		abort();
	for (size_t i = 0; i < a->findings; i++)
		if (all || a->finding[i].kernel != NULL)
			id[(*n)++] = a->finding[i].id;
	qsort(id, *n, sizeof(*id), by_text);
	return id;
}

static void
check_ids(const char *what, const struct advice *a)
{
	size_t n;
	const char **id = ids_of(a, true, &n);

	for (size_t i = 0; i < n; i++) {
		if (strspn(id[i], "0123456789abcdef") != 16 ||
		    id[i][16] != '\0')
			complain(what, "id '%s'", id[i]);
		if (i > 0 && strcmp(id[i], id[i - 1]) == 0)
			complain(what, "two findings are %s", id[i]);
	}
	free(id);
}

static void
check(const char *what, const struct run *run, const struct advice *a)
{
	struct budget b = budget_of(run);

	runs++;
	findings += a->findings;
	for (size_t i = 0; i < a->findings; i++)
		check_finding(what, &a->finding[i], &b);
	check_order(what, a, b.wall);
	check_together(what, a, &b);
	check_ids(what, a);
}

/* --- a modified copy of a run --------------------------------------------------- */

/* The parts of a run that are modified. */
struct copied {
	struct run run;
	void *part[16];
	size_t parts;
};

static void *
copy_part(struct copied *c, const void *from, size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (p == NULL)
		abort();
	if (n > 0)
		memcpy(p, from, n * size);
	c->part[c->parts++] = p;
	return p;
}

static void
copied_from(struct copied *c, const struct run *run)
{
	c->run = *run;
	c->parts = 0;
#define COPY(field, count) c->run.field = copy_part(c, run->field,	\
	run->count, sizeof(*run->field))
	COPY(kernel, kernels);
	COPY(device, devices);
	COPY(copy, copies);
	COPY(small, smalls);
	COPY(sync, syncs);
	COPY(call, calls);
	COPY(sequence, sequences);
	COPY(leak, leaks);
	COPY(failure, failures);
	COPY(resent, resents);
	COPY(peer, peers);
#undef COPY
}

static void
copied_release(struct copied *c)
{
	while (c->parts > 0)
		free(c->part[--c->parts]);
}

static struct advice *
judge(const struct run *run)
{
	struct advice *a = advice_make(run, NULL);

	if (a == NULL)
		abort();
	return a;
}

/* A library's caller cannot edit its kernels. */
static void
check_libraries(const char *what, const struct run *run,
    const struct advice *a)
{
	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		if (f->kernel != NULL && library_owns(run, f->kernel) &&
		    !rule_is_for_callers(f->rule))
			complain(what, "%s of a library's %s", f->rule,
			    f->kernel->short_name);
	}
}

/* All findings on one kernel together save no more than the kernel lengthens
 * the run. Checked in a run that has nothing but this kernel to save. */
static void
check_kernels(const char *what, const struct analysed *x)
{
	for (size_t i = 0; i < x->run->kernels; i++) {
		double own = gain_exposed_s(&x->run->kernel[i]);
		struct copied c;
		struct advice *a;

		copied_from(&c, x->run);
		for (size_t k = 0; k < c.run.kernels; k++)
			if (k != i)
				c.run.kernel[k].exposed_ns = 0;
		for (size_t k = 0; k < c.run.copies; k++)
			c.run.copy[k].exposed_ns = 0;
		for (size_t k = 0; k < c.run.devices; k++)
			c.run.device[k].copy_hidden_ns =
			    c.run.device[k].copy_ns;
		memset(c.run.idle_ns, 0, sizeof(c.run.idle_ns));
		a = judge(&c.run);
		if (over(a->together_s, own))
			complain(what, "all on %s save %g s of its %g s",
			    c.run.kernel[i].short_name, a->together_s, own);
		check(what, &c.run, a);
		advice_free(a);
		copied_release(&c);
	}
}

/* Ids do not depend on the order of the kernels, nor on the times. */
static void
check_stable(const char *what, const struct analysed *x)
{
	struct copied c;
	struct advice *a;
	const char **mine, **other;
	size_t n, m;

	copied_from(&c, x->run);
	for (size_t i = 0; i < c.run.kernels; i++)
		c.run.kernel[i] = x->run->kernel[c.run.kernels - 1 - i];
	a = judge(&c.run);
	mine = ids_of(x->advice, false, &n);
	other = ids_of(a, false, &m);
	if (n != m)
		complain(what, "%zu findings, in another order %zu", n, m);
	for (size_t i = 0; i < n && i < m; i++)
		if (strcmp(mine[i], other[i]) != 0)
			complain(what, "ids change with the order of kernels");
	free(mine);
	free(other);
	advice_free(a);
	a = judge(x->run);
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].id, x->advice->finding[i].id) != 0)
			complain(what, "another order at a second look");
	advice_free(a);
	copied_release(&c);
}

/* --- random numbers -------------------------------------------------------------- */

static uint64_t seed;

static uint64_t
pick(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Mostly near the old value, sometimes a different one, sometimes impossible. */
static double
other_number(double v)
{
	static const double strange[] = { 0, -1, 1e300, 1e-300, 1 };

	switch (pick(12)) {
	case 0: return NAN;
	case 1: return INFINITY;
	case 2: return strange[pick(5)];
	case 3: return v * 100;
	case 4: return v / 100;
	default: return v * (0.5 + (double)pick(1000) / 1000);
	}
}

static uint64_t
other_count(uint64_t v)
{
	switch (pick(12)) {
	case 0: return 0;
	case 1: return UINT64_MAX >> pick(40);
	case 2: return 1;
	case 3: return v / 2 * 3;
	case 4: return v > UINT64_MAX / 100 ? v : v * 100;
	default: return v / 2 + pick(v / 2 + 1);
	}
}

static void
change_kernel(struct kernel *k)
{
	switch (pick(8)) {
	case 0: k->total_ns = other_count(k->total_ns); break;
	case 1: k->exposed_ns = other_number(k->exposed_ns); break;
	case 2: k->alone_ns = other_number(k->alone_ns); break;
	case 3: k->launches = other_count(k->launches); break;
	case 4: k->occupancy.ratio = other_number(k->occupancy.ratio); break;
	case 5: k->occupancy.waves = other_number(k->occupancy.waves); break;
	case 6: k->shape.grid_x = (uint32_t)other_count(k->shape.grid_x);
		break;
	default: k->shape.block_x = (uint32_t)other_count(k->shape.block_x);
	}
	for (uint64_t n = pick(4); n > 0; n--) {
		int m = (int)pick(METRIC_COUNT);

		k->metric[m] = other_number(k->metric[m]);
	}
}

static void
change_copy(struct copy_class *c)
{
	c->exposed_ns = other_number(c->exposed_ns);
	c->gpu_ns = other_count(c->gpu_ns);
	c->idle_after_ns = other_count(c->idle_after_ns);
	c->idle_waited_ns = other_count(c->idle_waited_ns);
	c->count = other_count(c->count);
	c->async = pick(2);
}

static void
change_rest(struct run *r)
{
	for (size_t i = 0; i < r->smalls; i++)
		r->small[i].span_ns = other_count(r->small[i].span_ns);
	for (size_t i = 0; i < r->syncs; i++) {
		r->sync[i].idle_after_ns = other_count(
		    r->sync[i].idle_after_ns);
		r->sync[i].count = other_count(r->sync[i].count);
	}
	for (size_t i = 0; i < r->calls; i++) {
		r->call[i].hot_ns = other_count(r->call[i].hot_ns);
		r->call[i].hot_count = other_count(r->call[i].hot_count);
		r->call[i].hot_idle_ns = other_count(r->call[i].hot_idle_ns);
	}
	for (size_t i = 0; i < r->sequences; i++) {
		r->sequence[i].idle_ns = other_count(r->sequence[i].idle_ns);
		r->sequence[i].gaps = other_count(r->sequence[i].gaps);
	}
	for (size_t i = 0; i < r->devices; i++) {
		r->device[i].copy_ns = other_count(r->device[i].copy_ns);
		r->device[i].kernel_ns = other_count(r->device[i].kernel_ns);
		r->device[i].cycle_ns = other_count(r->device[i].cycle_ns);
		r->device[i].copy_hidden_ns = other_count(
		    r->device[i].copy_hidden_ns);
	}
}

static uint64_t
part_of(const struct run *r)
{
	return pick(4) == 0 ? other_count(r->wall_ns) : pick(r->wall_ns / 2 + 1);
}

/* Adds what the captured programs lack, in the room that copied_from left for one. */
static void
invent(struct run *r)
{
	uint32_t other = r->devices > 0 ? (uint32_t)pick(r->devices) : 0;

	r->small[r->smalls++] = (struct small_copies){ .kind =
	    (enum wire_copy)pick(COPY_KINDS), .host = MEMORY_PINNED,
	    .groups = pick(20), .copies = pick(5000), .bytes = part_of(r),
	    .gpu_ns = part_of(r), .span_ns = part_of(r) };
	r->copy[r->copies++] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE, .size_class = 22,
	    .count = 1 + pick(100), .bytes = part_of(r), .gpu_ns = part_of(r),
	    .exposed_ns = (double)part_of(r), .idle_after_ns = part_of(r),
	    .idle_waited_ns = part_of(r), .async = pick(2) };
	r->sync[r->syncs++] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 50, .followed = 50, .wait_ns = part_of(r),
	    .idle_after_ns = part_of(r) };
	r->call[r->calls++] = (struct call_class){ .call = CALL_MALLOC,
	    .count = 50, .hot_count = 50, .hot_ns = part_of(r),
	    .hot_idle_ns = part_of(r) };
	r->sequence[r->sequences++] = (struct sequence){ .length = 1 +
	    (uint32_t)pick(3), .kernel = { 1, 2, 1 }, .repeats = 1000,
	    .gaps = 3000, .kernel_ns = part_of(r) / 100,
	    .idle_ns = part_of(r) };
	r->resent[r->resents++] = (struct resent){ .kind =
	    (enum resent_kind)pick(RESENT_KINDS), .ranges = 1, .count = 100,
	    .bytes = part_of(r), .gpu_ns = part_of(r), .down_ns = part_of(r),
	    .quick_count = pick(100), .quick_ns = part_of(r),
	    .quick_down_ns = part_of(r) };
	r->peer[r->peers++] = (struct peer){ .to = other, .known = true,
	    .can = true, .enabled = pick(2), .copies = 100,
	    .bytes = part_of(r), .gpu_ns = part_of(r), .staged = pick(100),
	    .staged_bytes = part_of(r), .down_ns = part_of(r),
	    .up_ns = part_of(r) };
	r->unified = (struct unified){ .used = true, .watched = pick(2),
	    .up_bytes = part_of(r), .down_bytes = part_of(r),
	    .gpu_faults = pick(1000), .fault_ns = part_of(r) };
	r->gpus_busy_ns = part_of(r);
	if (r->devices > 0) {
		struct device *d = &r->device[other];

		d->h2d_ns = part_of(r);
		d->d2h_ns = part_of(r);
		d->both_ns = part_of(r);
		d->h2d_bare_ns = part_of(r);
		d->d2h_bare_ns = part_of(r);
		d->turns = pick(100);
	}
}

static void
change(struct run *r)
{
	if (pick(2) == 0)
		invent(r);
	if (pick(3) == 0)
		r->wall_ns = other_count(r->wall_ns);
	if (pick(3) == 0)
		r->gpu_exposed_ns = other_count(r->gpu_exposed_ns);
	for (int i = 0; i < IDLE_CAUSES; i++)
		if (pick(2) == 0)
			r->idle_ns[i] = other_count(r->idle_ns[i] +
			    pick(r->wall_ns / 4 + 1));
	if (pick(3) == 0)
		r->idle_total_ns = other_count(r->idle_total_ns);
	if (pick(3) == 0)
		r->idle_longest_by[IDLE_HOST] = other_count(
		    r->idle_longest_by[IDLE_HOST]);
	r->idle_gaps = other_count(r->idle_gaps + 100);
	for (int i = 0; i < GAP_CLASSES; i++) {
		r->gap[i].count = other_count(r->gap[i].count);
		r->gap[i].idle_ns[IDLE_HOST] =
		    other_count(r->gap[i].idle_ns[IDLE_HOST]);
	}
	for (size_t i = 0; i < r->kernels; i++)
		if (pick(2) == 0)
			change_kernel(&r->kernel[i]);
	for (size_t i = 0; i < r->copies; i++)
		if (pick(2) == 0)
			change_copy(&r->copy[i]);
	if (pick(2) == 0)
		change_rest(r);
}

static void
check_changed(const char *what, const struct analysed *x)
{
	char name[4200];

	for (int round = 0; round < ROUNDS; round++) {
		struct copied c;
		struct advice *a;

		seed = (uint64_t)round + 1;
		copied_from(&c, x->run);
		change(&c.run);
		a = judge(&c.run);
		snprintf(name, sizeof(name), "%s, changed (%d)", what, round);
		check(name, &c.run, a);
		advice_free(a);
		copied_release(&c);
	}
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		const char *what = slash != NULL ? slash + 1 : argv[i];
		struct analysed x;

		if (analysed_load(&x, argv[i], NOTHING_HELD) != 0) {
			complain(what, "cannot be judged");
			continue;
		}
		check(what, x.run, x.advice);
		check_libraries(what, x.run, x.advice);
		check_kernels(what, &x);
		check_stable(what, &x);
		check_changed(what, &x);
		analysed_release(&x);
	}
	printf("%d captures, %zu runs, %zu findings, %d failures\n", argc - 1,
	    runs, findings, failures);
	return failures > 0 || argc < 2;
}
