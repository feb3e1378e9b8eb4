/*
 * rules/evidence/steps.c: see steps.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/pools.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"

size_t
steps_length(const struct sequence *s)
{
	return s->length < SEQUENCE_MAX ? s->length : SEQUENCE_MAX;
}

const struct kernel *
steps_kernel(const struct rule_view *x, const struct sequence *s, size_t i)
{
	size_t n = steps_length(s);
	uint32_t id;

	if (n == 0 || (i >= n && s->length > n))
		return NULL;
	id = s->kernel[i % n];
	return id > 0 && id <= x->run->kernels ? &x->run->kernel[id - 1] : NULL;
}

const struct library *
steps_library(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = &x->libraries[k - x->run->kernel];

	return l->name != NULL ? l : NULL;
}

bool
steps_does(const struct rule_view *x, const struct kernel *k,
    const char *operation)
{
	return k != NULL && library_does(steps_library(x, k), operation);
}

bool
steps_pointwise(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = k != NULL ? steps_library(x, k) : NULL;

	return l != NULL && l->framework && strcmp(l->name, "Inductor") != 0 &&
	    (library_does(l, "elementwise") || library_does(l, "copy"));
}

double
steps_mean_s(const struct kernel *k)
{
	return k->launches > 0 ?
	    (double)k->total_ns * 1e-9 / (double)k->launches : 0;
}

int
steps_parts(const struct rule_view *x, struct draft *d, const struct gone *gone)
{
	static const struct fix none = FIX_NONE;
	const struct run *run = x->run;
	struct part *part;
	size_t n = 0;

	for (size_t i = 0; i < run->kernels; i++)
		n += gone[i].launches[VIEW_HIGH] > 0;
	part = arena_get(x->arena, (n + 1) * sizeof(*part));
	if (part == NULL)
		return -1;
	d->part = part;
	for (size_t i = 0; i < run->kernels; i++) {
		struct part *p = &part[d->parts];
		double all = fmax(1, (double)run->kernel[i].launches);

		if (!(gone[i].launches[VIEW_HIGH] > 0))
			continue;
		p->kernel = &run->kernel[i];
		p->load = &x->loads[i];
		for (int v = 0; v < VIEWS; v++) {
			p->fix[v] = none;
			p->fix[v].whole = fmax(0, 1 - gone[i].launches[v] / all);
		}
		d->parts++;
	}
	return 0;
}

struct gone *
steps_search(const struct rule_view *x, steps_searcher *search, void *all)
{
	const struct run *run = x->run;
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) *
	    sizeof(*gone));

	for (size_t i = 0; gone != NULL && i < run->sequences; i++)
		if ((double)run->sequence[i].repeats >=
		    rule_value(x, "min_repeats") &&
		    run->sequence[i].device < run->devices)
			search(x, &run->sequence[i], all, gone);
	return gone;
}

static bool
is_python(const struct site *s)
{
	for (size_t f = 0; s != NULL && f < s->frames; f++)
		if (s->frame[f].python)
			return true;
	return false;
}

/* The Python line that launches most of what is gone: a backward pass launches
 * from a thread without one. NULL: none. */
static const struct site *
python_site(const struct run *run, const struct gone *gone)
{
	const struct site *best = NULL;
	double most = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		double weight;

		if (s->call != CALL_LAUNCH || s->kernel == 0 ||
		    s->kernel > run->kernels || !is_python(s) ||
		    !(gone[s->kernel - 1].launches[VIEW_HIGH] > 0))
			continue;
		weight = (double)s->count *
		    steps_mean_s(&run->kernel[s->kernel - 1]);
		if (weight > most) {
			most = weight;
			best = s;
		}
	}
	return best;
}

struct draft *
steps_found(struct rule_view *x, const char *key, const struct gone *gone,
    const struct kernel *k)
{
	struct draft *d = rule_found(x, key);

	if (steps_parts(x, d, gone) != 0)
		return NULL;
	lines_launch(x, d, k->id);
	if (!is_python(d->f.site)) {
		const struct site *s = python_site(x->run, gone);

		d->f.site = s != NULL ? s : d->f.site;
	}
	d->f.confidence = CONF_MEDIUM;
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	d->f.next = say_tool(x->arena, x->run, "nsys profile --trace=cuda");
	return d;
}

void
steps_launch_less(const struct rule_view *x, struct draft *d, double launches)
{
	const struct run *run = x->run;
	double gone = 0, exposed = 0, all = 0, kernels = 0, hidden;

	for (size_t i = 0; i < d->parts; i++) {
		const struct part *p = &d->part[i];
		double share = gain_share(p->load, &p->fix[VIEW_MID], VIEW_MID);

		gone += share * (double)p->kernel->total_ns * 1e-9;
		exposed += share * gain_exposed_s(p->kernel);
	}
	for (size_t i = 0; i < run->kernels; i++) {
		all += (double)run->kernel[i].launches;
		kernels += (double)run->kernel[i].total_ns * 1e-9;
	}
	hidden = fmax(0, kernels - pools_kernels_s(run));
	exposed = fmin(exposed, pools_exposed_s(run));
	hidden *= all > 0 ? fmin(1, launches / all) : 0;
	d->claim[d->claims++] = (struct claim){ POOL_LAUNCHED, { 0,
	    fmin(hidden, fmax(0, gone - exposed)), hidden } };
}

bool
steps_all(const struct run *run, const struct kernel *k, bool (*is)(const struct site *s))
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);
	bool known = false;

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		if (!is(s))
			return false;
		known = true;
	}
	return known;
}

bool
steps_by_optimizer(const struct site *s)
{
	bool own = false;

	for (size_t f = 0; f < s->frames; f++) {
		const struct site_frame *at = &s->frame[f];

		/* What L-BFGS's closure launches is the program's. */
		if (at->file != NULL && strstr(at->file, "/torch/optim/") != NULL)
			return !own || strstr(at->file, STEPS_LBFGS) == NULL;
		own |= at->python && site_own(at) && !site_installed(at);
	}
	return false;
}

static bool
is_clipping(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].file != NULL && strstr(s->frame[f].file,
		    "/torch/nn/utils/clip_grad.py") != NULL)
			return steps_by_optimizer(s);
	return false;
}

/* The share of the launches of ${k} for whose site ${is} is true; NAN: none is known. */
static double
share_of_sites(const struct run *run, const struct kernel *k,
    bool (*is)(const struct site *s))
{
	size_t end, at = site_launches(run->site, run->sites, k->id, &end);
	double all = 0, mine = 0;

	for (size_t i = at; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		all += (double)s->count;
		mine += is(s) ? (double)s->count : 0;
	}
	return all > 0 ? mine / all : NAN;
}

double
steps_clipping(const struct rule_view *x, const struct kernel *k)
{
	return fmax(0, share_of_sites(x->run, k, is_clipping));
}

double
steps_in_optimizer(const struct rule_view *x, const struct kernel *k)
{
	return fmax(0, share_of_sites(x->run, k, steps_by_optimizer));
}

double
steps_optimizer(const struct rule_view *x, const struct kernel *k)
{
	static const char *const only[] = { "addcdiv_cuda", "lerp_scalar" };
	double share;

	if (!steps_pointwise(x, k))
		return steps_clipping(x, k);
	share = share_of_sites(x->run, k, steps_by_optimizer);
	if (!isnan(share))
		return share;
	for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
		if (k->name != NULL && strstr(k->name, only[i]) != NULL)
			return 1;
	return 0;
}

/* From this many arrays on they are a list: a border has four sides, but one
 * operator for each. */
#define LIST 4
#define LIST_LAUNCHES 8

static bool
is_pytorch(const struct rule_view *x, const struct kernel *k)
{
	return steps_pointwise(x, k) &&
	    strcmp(steps_library(x, k)->name, "PyTorch") == 0;
}

/* The ${i}-th launch of the row that begins at ${first}. */
static const struct kernel *
row_kernel(const struct rule_view *x, const struct sequence *s, size_t first,
    size_t i)
{
	return steps_kernel(x, s, (first + i) % steps_length(s));
}

/* Do both run the same operator, for whichever array? */
static bool
is_alike(const struct kernel *a, const struct kernel *b)
{
	return a->mangled != NULL && b->mangled != NULL &&
	    (a->mangled == b->mangled || strcmp(a->mangled, b->mangled) == 0);
}

/* Do ${n} launches repeat ${period} operators, for arrays of different sizes? */
static bool
repeats_sizes(const struct rule_view *x, const struct sequence *s, size_t first,
    size_t n, size_t period)
{
	bool differ = false;

	for (size_t i = 0; i + period < n; i++) {
		const struct kernel *a = row_kernel(x, s, first, i);
		const struct kernel *b = row_kernel(x, s, first, i + period);

		if (!is_alike(a, b))
			return false;
		differ |= rule_blocks(a) != rule_blocks(b);
	}
	return differ;
}

/* The number of launches from ${first} on that are PyTorch's pointwise
 * operators, up to ${most}. */
static size_t
row_length(const struct rule_view *x, const struct sequence *s, size_t first,
    size_t most)
{
	size_t n = 0;

	while (n < most && is_pytorch(x, row_kernel(x, s, first, n)))
		n++;
	return n;
}

void
steps_of_lists(const struct rule_view *x, const struct sequence *s,
    bool in[SEQUENCE_MAX])
{
	size_t all = steps_length(s), begin = 0;

	memset(in, 0, SEQUENCE_MAX * sizeof(*in));
	/* The steps are cyclic: begin behind the end of a row. */
	while (s->length == all && begin < all &&
	    is_pytorch(x, row_kernel(x, s, begin, all - 1)))
		begin++;
	for (size_t i = 0; i < all;) {
		size_t first = (begin + i) % all;
		size_t n = row_length(x, s, first, all - i);
		bool of_list = false;

		for (size_t p = 1; n >= LIST_LAUNCHES &&
		    !of_list && LIST * p <= n; p++)
			of_list = repeats_sizes(x, s, first, n, p);
		for (size_t j = 0; of_list && j < n; j++)
			in[(first + j) % all] = true;
		i += n + 1;
	}
}

/* Of the launches in rows over lists, those with which a backward pass adds up what several
 * uses of a parameter yield are no optimizer's, and in no loop of the program's. */
static double
in_loops(const struct rule_view *x, const struct kernel *k, double list)
{
	double sums = share_of_sites(x->run, k, framework_sums);

	return list > 0 && sums > 0 ? fmin(list, 1 - sums) : fmin(1, list);
}

/* If one kernel of a chain does what only optimizers do, the rest of the chain
 * counts, too. */
static void
spread(const struct rule_view *x, const struct sequence *s, double *share)
{
	size_t n = steps_length(s), run = 0;
	bool optimizer = false;

	for (size_t i = 0; i <= n; i++) {
		const struct kernel *k = i < n ? steps_kernel(x, s, i) : NULL;

		if (steps_pointwise(x, k)) {
			optimizer |= share[k - x->run->kernel] > 0.5;
			run++;
			continue;
		}
		for (size_t j = i - run; optimizer && j < i; j++) {
			k = steps_kernel(x, s, j);
			share[k - x->run->kernel] = fmax(0.5,
			    share[k - x->run->kernel]);
		}
		optimizer = false;
		run = 0;
	}
}

/* Adds the share of each kernel's launches that go over lists of arrays, in
 * repeated steps. */
static void
spread_lists(const struct rule_view *x, const struct sequence *s, double *list)
{
	bool in[SEQUENCE_MAX];

	steps_of_lists(x, s, in);
	for (size_t i = 0; i < steps_length(s); i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		if (in[i])
			list[k - x->run->kernel] += (double)s->repeats /
			    fmax(1, (double)k->launches);
	}
}

static bool
has_sites(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call == CALL_LAUNCH)
			return true;
	return false;
}

void
steps_updates(const struct rule_view *x, double *optimizer, double *list)
{
	const struct run *run = x->run;

	for (size_t i = 0; i < run->kernels; i++) {
		optimizer[i] = steps_optimizer(x, &run->kernel[i]);
		list[i] = 0;
	}
	for (size_t i = 0; !has_sites(run) && i < run->sequences; i++)
		spread(x, &run->sequence[i], optimizer);
	for (size_t i = 0; i < run->sequences; i++)
		spread_lists(x, &run->sequence[i], list);
	for (size_t i = 0; i < run->kernels; i++)
		list[i] = in_loops(x, &run->kernel[i], list[i]);
}
