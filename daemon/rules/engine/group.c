/*
 * rules/engine/group.c: merging findings of one cause, see group.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/group.h"
#include "rules/engine/same.h"

/* The maximum number of groups of one key that a draft is compared with: lines
 * tell them apart, and few of a function's are worth a change. */
#define GROUPS_TRIED 16

#define MEASURED_LEAST 0.5	/* of the time: with less, most is inferred */

/* A member without a draft of its own. */
struct folded {
	struct member m;
	struct load load;		/* of m.part: the draft's may be freed */
	struct folded *next;		/* of the same draft */
	struct folded *before;		/* of the view */
};

static bool
is_launch(const struct draft *d)
{
	return strcmp(d->f.category, "launch") == 0;
}

bool
group_is_named(const struct kernel *k)
{
	return k->mangled != NULL && k->mangled[0] != '\0' &&
	    k->mangled[0] != '(';	/* "(name lost)" stands for many functions */
}

void
group_key(struct draft *d)
{
	const struct kernel *k = d->f.kernel;
	XXH64_state_t state;

	d->cause = 0;
	if (k == NULL || !group_is_named(k))
		return;
	XXH64_reset(&state, d->order + 1);
	if (d->setting != NULL) {
		XXH64_update(&state, d->setting, strlen(d->setting));
		d->cause = XXH64_digest(&state) | 1;
		return;
	}
	same_hash(&state, k->name != NULL ? k->name : k->mangled);
	if (is_launch(d))
		XXH64_update(&state, &k->shape.block_x, 3 *
		    sizeof(k->shape.block_x));
	d->cause = XXH64_digest(&state) | 1;
}

/* Does one change fix both? Their keys are equal. */
static bool
is_one(const struct draft *a, const struct draft *b)
{
	const struct kernel *k = a->f.kernel, *l = b->f.kernel;

	if (a->setting != NULL || b->setting != NULL)
		return same_text(a->setting, b->setting);
	if (k == l)	/* the rule has two findings in one kernel */
		return false;
	if (strcmp(k->mangled, l->mangled) == 0)
		return a->f.hots == 0 || b->f.hots == 0 ||
		    same_line(&a->f, &b->f);
	if (!same_block(k, l) || !(same_site(a->f.site, b->f.site) ||
	    (is_launch(a) && same_grid(k, l) &&
	    same_caller(a->f.site, b->f.site))))
		return false;
	return same_line(&a->f, &b->f) || (is_launch(a) && a->f.hots == 0 &&
	    b->f.hots == 0);
}

static struct member
member_of(const struct draft *d)
{
	struct member m = { .shape = { .kernel = d->f.kernel,
	    .saves_s = d->f.saves_s, .saves_low_s = d->f.saves_low_s,
	    .saves_high_s = d->f.saves_high_s },
	    .speedup = d->f.kernel_speedup, .gpu_s = d->gpu_s,
	    .part = { .kernel = d->f.kernel, .load = d->load } };

	memcpy(m.part.fix, d->fix, sizeof(m.part.fix));
	return m;
}

void
group_fold(struct rule_view *x, size_t first, const struct draft *d)
{
	struct draft *into = NULL;
	struct member m;
	int tried = 0;

	for (size_t i = first; d->cause != 0 && i < x->drafts && into == NULL &&
	    tried < GROUPS_TRIED; i++) {
		if (x->draft[i].cause != d->cause)
			continue;
		tried++;
		if (is_one(&x->draft[i], d))
			into = &x->draft[i];
	}
	if (into == NULL)
		return;
	m = member_of(d);
	group_add(x, into, &m);
}

void
group_add(struct rule_view *x, struct draft *into, const struct member *m)
{
	struct folded *f;

	if (x->foldeds >= FOLDED_MAX || (f = calloc(1, sizeof(*f))) == NULL)
		return;
	f->m = *m;
	if (m->part.load != NULL) {
		f->load = *m->part.load;
		f->m.part.load = &f->load;
	}
	f->next = into->folded;
	into->folded = f;
	f->before = x->folded;
	x->folded = f;
	x->foldeds++;
}

void
group_clear(struct rule_view *x)
{
	struct folded *f;

	while ((f = x->folded) != NULL) {
		x->folded = f->before;
		free(f);
	}
	x->foldeds = 0;
}

/* --- groups ------------------------------------------------------------------ */

static double
sane(double s)
{
	return isfinite(s) && s > 0 ? s : 0;
}

/* For sorting: greater first; 0: equal. */
static int
greater(double a, double b)
{
	return a > b ? -1 : a < b ? 1 : 0;
}

/* For sorting: by key; the draft that represents its group comes first. */
static int
by_cause(const void *va, const void *vb)
{
	const struct draft *a = *(struct draft *const *)va;
	const struct draft *b = *(struct draft *const *)vb;
	int rc;

	if (a->cause != b->cause)
		return a->cause < b->cause ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor ? 1 : -1;
	if ((rc = greater(sane(a->f.saves_s), sane(b->f.saves_s))) != 0 ||
	    (rc = greater(sane(a->gpu_s), sane(b->gpu_s))) != 0 ||
	    (rc = greater((double)a->f.kernel->total_ns,
	    (double)b->f.kernel->total_ns)) != 0)
		return rc;
	return a < b ? -1 : a > b;
}

static int
by_saving(const void *va, const void *vb)
{
	const struct finding_shape *a = &((const struct member *)va)->shape;
	const struct finding_shape *b = &((const struct member *)vb)->shape;
	int rc = greater(sane(a->saves_s), sane(b->saves_s));

	if (rc == 0)
		rc = greater((double)a->kernel->total_ns,
		    (double)b->kernel->total_ns);
	if (rc != 0)
		return rc;
	return a->kernel->id < b->kernel->id ? -1 : 1;
}

/*
 * The seconds that kernels on several GPUs save together: if they ran at the
 * same time, those of the GPU with the most; if they took turns, the sum.
 */
static double
over_devices(const struct run *run, const struct member *m, size_t n,
    double (*of)(const struct finding_shape *))
{
	double sum = 0, most = 0, kernels = 0, union_ns;

	for (size_t d = 0; d < run->devices; d++) {
		double own = 0;

		kernels += (double)run->device[d].kernel_ns;
		for (size_t i = 0; i < n; i++)
			if (m[i].shape.kernel->device == d)
				own += sane(of(&m[i].shape));
		sum += own;
		most = fmax(most, own);
	}
	union_ns = (double)run->gpus_busy_ns;
	if (run->devices < 2 || !(union_ns > 0) || union_ns >= kernels)
		return sum;
	return fmax(most, sum * union_ns / kernels);
}

static double
low_of(const struct finding_shape *s)
{
	return s->saves_low_s;
}

static double
mid_of(const struct finding_shape *s)
{
	return s->saves_s;
}

static double
high_of(const struct finding_shape *s)
{
	return s->saves_high_s;
}

/* Sums up the seconds of all members; NaN stays NaN: not predictable. */
static void
sum_up(struct draft *d, const struct run *run, const struct member *m, size_t n)
{
	double before = 0, after = 0;

	d->gpu_s = 0;
	for (size_t i = 0; i < n; i++) {
		double t = (double)m[i].shape.kernel->total_ns;

		d->gpu_s += sane(m[i].gpu_s);
		if (isfinite(m[i].speedup) && m[i].speedup > 0) {
			before += t;
			after += t / m[i].speedup;
		}
	}
	if (after > 0)
		d->f.kernel_speedup = before / after;
	if (isnan(d->f.saves_s))
		return;
	d->f.saves_s = over_devices(run, m, n, mid_of);
	d->f.saves_low_s = fmin(over_devices(run, m, n, low_of), d->f.saves_s);
	d->f.saves_high_s = fmax(over_devices(run, m, n, high_of),
	    d->f.saves_s);
}

/* The measured share of the members' exposed time, 0..1. */
static double
measured_share(const struct member *m, size_t n)
{
	double all = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		double s = gain_exposed_s(m[i].shape.kernel);

		all += s;
		known += m[i].shape.unmeasured ? 0 : s;
	}
	return all > 0 ? known / all : 0;
}

/* If some members were not measured, notes the measured share, and lowers
 * confidence accordingly. */
static void
tell_measured(struct rule_view *x, struct draft *d, const struct member *m,
    size_t n)
{
	size_t known = 0;
	double share;

	for (size_t i = 0; i < n; i++)
		known += !m[i].shape.unmeasured;
	d->f.measured_ratio = 1;
	if (known == n)
		return;
	d->f.measured_ratio = share = measured_share(m, n);
	d->f.gain_note = arena_format(x->arena, "%s%smeasured: %zu of %zu launch "
	    "shapes, %s of their time; the others are taken to gain what their "
	    "nearest measured neighbour does, the pessimist counts none",
	    d->f.gain_note != NULL ? d->f.gain_note : "",
	    d->f.gain_note != NULL ? "; " : "", known, n,
	    say_percent(x->arena, share));
	if (share < MEASURED_LEAST)
		d->f.confidence = CONF_LOW;
}

/* Makes ${d} represent the ${n} members, itself among them. */
static void
speak(struct rule_view *x, struct draft *d, struct member *m, size_t n)
{
	const struct kernel **k = calloc(n, sizeof(*k));
	struct finding_shape *shape = arena_get(x->arena, n * sizeof(*shape));
	struct part *part = arena_get(x->arena, n * sizeof(*part));

	if (k == NULL || shape == NULL || part == NULL) {
		x->arena->failed = true;
		free(k);
		return;
	}
	qsort(m, n, sizeof(*m), by_saving);
	sum_up(d, x->run, m, n);
	for (size_t i = 0; i < n; i++) {
		k[i] = m[i].shape.kernel;
		shape[i] = m[i].shape;
		if (m[i].shape.kernel != d->f.kernel)
			part[d->parts++] = m[i].part;
	}
	d->part = part;
	d->f.shape = shape;
	d->f.shapes = n;
	tell_measured(x, d, m, n);
	d->f.location = d->setting != NULL ? say_functions(x->arena, k, n) :
	    say_shapes(x->arena, k, n);
	free(k);
}

/* Merges the drafts ${list}[0..n), with what was folded into them, into the first. */
static void
merge(struct rule_view *x, struct draft *const *list, size_t n)
{
	struct draft *lead = list[0];
	uint32_t first = lead->f.kernel->id;
	size_t all = 0, at = 0;
	struct member *m;

	for (size_t i = 0; i < n; i++) {
		all++;
		for (const struct folded *f = list[i]->folded; f != NULL;
		    f = f->next)
			all++;
	}
	if (all < 2 || (m = calloc(all, sizeof(*m))) == NULL)
		return;
	for (size_t i = 0; i < n; i++) {
		struct draft *d = list[i];

		m[at++] = member_of(d);
		for (const struct folded *f = d->folded; f != NULL;
		    f = f->next)
			m[at++] = f->m;
		lead->leads = lead->leads || d->leads;
		/* The id comes from the first shape, which is the same in all
		 * runs of one program. */
		if (d->f.kernel->id < first) {
			first = d->f.kernel->id;
			memcpy(lead->f.id, d->f.id, sizeof(lead->f.id));
		}
		d->merged = i > 0;
	}
	speak(x, lead, m, all);
	free(m);
}

/* Merges the drafts ${list}[0..n), which have one key. */
static void
merge_key(struct rule_view *x, struct draft **list, size_t n)
{
	size_t done = 0;

	for (size_t group = 0; done < n && group < GROUPS_TRIED; group++) {
		struct draft *lead = list[done];
		size_t end = done + 1;

		for (size_t i = end; i < n; i++)
			if (is_one(lead, list[i])) {
				struct draft *d = list[i];

				memmove(&list[end + 1], &list[end],
				    (i - end) * sizeof(*list));
				list[end++] = d;
			}
		merge(x, &list[done], end - done);
		done = end;
	}
}

void
group_all(struct rule_view *x)
{
	struct draft **list = calloc(x->drafts + 1, sizeof(*list));
	size_t n = 0, keep = 0, end;

	if (list == NULL) {
		x->arena->failed = true;
		return;
	}
	for (size_t i = 0; i < x->drafts; i++)
		if (x->draft[i].cause != 0)
			list[n++] = &x->draft[i];
	qsort(list, n, sizeof(struct draft *), by_cause);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && list[end]->cause ==
		    list[i]->cause; end++)
			;
		merge_key(x, &list[i], end - i);
	}
	free(list);
	for (size_t i = 0; i < x->drafts; i++) {
		if (x->draft[i].merged)
			continue;
		if (keep != i)
			x->draft[keep] = x->draft[i];
		keep++;
	}
	x->drafts = keep;
}

bool
finding_about(const struct finding *f, const struct kernel *k)
{
	if (f->kernel == NULL || f->kernel == k)
		return f->kernel == k && k != NULL;
	for (size_t i = 0; i < f->shapes; i++)
		if (f->shape[i].kernel == k)
			return true;
	return false;
}
