/*
 * layout-conversions: cuDNN's fast convolutions need the channels last. For
 * tensors with the channels first it launches kernels that convert them before
 * and after each convolution.
 *
 * Some operators of a framework work with the channels first only. Between one of them and
 * a convolution tensors are converted whichever way the model holds them: what cuDNN no
 * longer converts, the framework copies. Those conversions stay.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/library.h"
#include "rules/evidence/steps.h"

/* What is left of the conversions' time: those of the network's input and output. */
static const double left_over[VIEWS] = { 0.3, 0.05, 0 };
/* Of the idle time between launches, the share beside the conversions that goes. */
static const double gap_gone[VIEWS] = { 0, 0.5, 1 };

/* The high view: an operator that finds each element's channel by two divisions
 * needs one with the channels last. Measured (H200, the reference pair): adding
 * a bias took 9 % less. */
#define CHANNEL_GAIN 0.09

/* Does the kernel compute each element's position, as operators do whose
 * operands differ in shape? In PyTorch, kernels that run over whole tensors
 * have "vectorized" in their names. */
static bool
is_indexed(const struct rule_view *x, const struct kernel *k)
{

	return steps_pointwise(x, k) && k->name != NULL &&
	    strstr(k->name, "::elementwise_kernel<") != NULL;
}

struct conversions {
	double launches, seconds, all_s;
	double convolutions;		/* launches */
	double firsts, firsts_s;	/* launches of operators that work with the channels
					 * first only; the time of … */
	const char *first;		/* … the kernel with most of it, and its operator */
	double *stay;			/* by kernel index: the share of its launches, 0..1,
					 * between such an operator and a convolution */
	double staying;			/* such launches */
	const struct kernel *most;
};

static void
count(const struct rule_view *x, struct conversions *c, bool *first)
{
	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];
		const char *name = library_channels_first(x->run, k);
		double s = (double)k->total_ns * 1e-9;

		c->all_s += s;
		first[i] = name != NULL;
		if (steps_does(x, k, "convolution"))
			c->convolutions += (double)k->launches;
		if (name != NULL) {
			c->firsts += (double)k->launches;
			c->first = c->first == NULL || s > c->firsts_s ? name : c->first;
			c->firsts_s = fmax(c->firsts_s, s);
		}
		if (!steps_does(x, k, "layout"))
			continue;
		c->launches += (double)k->launches;
		c->seconds += s;
		if (c->most == NULL || k->total_ns > c->most->total_ns)
			c->most = k;
	}
}

/* Adds the conversions of a step between two convolutions, ${n} launches from ${from} on:
 * to ${known} by kernel index and, with such an operator among them, to ${stay}. */
static void
add_part(const struct rule_view *x, const struct sequence *s, size_t from, size_t n,
    const bool *first, double *known, double *stay)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, (from + i) % steps_length(s));

		any |= k != NULL && first[k - x->run->kernel];
	}
	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, (from + i) % steps_length(s));

		if (!steps_does(x, k, "layout"))
			continue;
		known[k - x->run->kernel] += (double)s->repeats;
		stay[k - x->run->kernel] += any ? (double)s->repeats : 0;
	}
}

/* The steps are cyclic: where all of one is known, begin behind a convolution. */
static size_t
begin_of(const struct rule_view *x, const struct sequence *s)
{
	size_t n = steps_length(s);

	for (size_t i = 0; s->length == n && i < n; i++)
		if (steps_does(x, steps_kernel(x, s, i), "convolution"))
			return i + 1;
	return 0;
}

static void
search(const struct rule_view *x, const struct sequence *s, const bool *first,
    double *known, double *stay)
{
	size_t n = steps_length(s), begin = begin_of(x, s), from = 0;

	for (size_t i = 0; i < n; i++) {
		if (!steps_does(x, steps_kernel(x, s, (begin + i) % n), "convolution"))
			continue;
		add_part(x, s, begin + from, i - from, first, known, stay);
		from = i + 1;
	}
	add_part(x, s, begin + from, n - from, first, known, stay);
}

/* What stays of the conversions: by the order of launches in steps that repeat; elsewhere
 * by how many operators there are for each convolution that is converted for. -1 without
 * memory. */
static int
find_staying(const struct rule_view *x, struct conversions *c, const bool *first)
{
	const struct run *run = x->run;
	double *known = arena_get(x->arena, (run->kernels + 1) * sizeof(*known));
	double others;

	c->stay = arena_get(x->arena, (run->kernels + 1) * sizeof(*c->stay));
	if (known == NULL || c->stay == NULL)
		return -1;
	for (size_t i = 0; i < run->sequences; i++)
		search(x, &run->sequence[i], first, known, c->stay);
	others = c->firsts / fmax(1, fmin(c->convolutions, c->launches));
	for (size_t i = 0; i < run->kernels; i++) {
		double n = fmax(1, (double)run->kernel[i].launches);

		c->stay[i] += fmin(1, others) * fmax(0, n - known[i]);
		c->stay[i] = fmin(1, c->stay[i] / fmax(n, known[i]));
		if (steps_does(x, &run->kernel[i], "layout"))
			c->staying += c->stay[i] * n;
	}
	return 0;
}

/* What goes of each kernel's launches, by view; the seconds of conversions that do. */
static double
collect(const struct rule_view *x, const struct conversions *c, struct gone *gone)
{
	double left_s = 0;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];
		double n = (double)k->launches;

		if (is_indexed(x, k))
			gone[i].launches[VIEW_HIGH] = CHANNEL_GAIN * n *
			    (1 - c->staying / fmax(1, c->launches));
		if (!steps_does(x, k, "layout"))
			continue;
		left_s += (1 - c->stay[i]) * (double)k->total_ns * 1e-9;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = n * (1 - c->stay[i]) *
			    (1 - left_over[v]);
	}
	return left_s;
}

/* That some of the conversions stay, and why. */
static void
say_staying(const struct rule_view *x, struct draft *d, const struct conversions *c)
{
	double share = c->staying / c->launches;

	if (c->staying < 1)
		return;
	rule_evidence(x, d, "staying_ratio", share, "conversions beside operators that "
	    "work with the channels first only, part of all",
	    .measured = "kernel records and names");
	d->f.advice = "keep model and input in that order with "
	    ".to(memory_format=torch.channels_last) of both";
	d->f.gain_note = arena_format(x->arena, "%s of the conversions stay: %s works with "
	    "the channels first only, so that PyTorch would copy there what cuDNN converts; "
	    "those of input and output may stay, too", say_percent(x->arena, share),
	    c->first);
}

enum rule_state
rule_layout_conversions(struct rule_view *x)
{
	const struct run *run = x->run;
	struct conversions c = { .launches = 0 };
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) *
	    sizeof(*gone));
	bool *first = arena_get(x->arena, (run->kernels + 1) * sizeof(*first));
	double gap_s, left_s;
	struct draft *d;

	if (gone == NULL || first == NULL)
		return RULE_NOT_MEASURED;
	count(x, &c, first);
	if (c.most == NULL)
		return RULE_CLEAN;
	if (find_staying(x, &c, first) != 0)
		return RULE_NOT_MEASURED;
	left_s = collect(x, &c, gone);
	if (left_s < rule_value(x, "min_share") * c.all_s ||
	    c.launches - c.staying < rule_value(x, "min_launches"))
		return RULE_CLEAN;
	d = steps_found(x, "layout", gone, c.most);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	gap_s = (double)run->idle_ns[IDLE_LAUNCH] * 1e-9 *
	    (c.launches - c.staying) / (double)run->launches;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH),
		{ gap_gone[VIEW_LOW] * gap_s, gap_gone[VIEW_MID] * gap_s,
		gap_gone[VIEW_HIGH] * gap_s } };
	d->claims = 1;
	d->f.confidence = CONF_HIGH;
	d->f.where = "layout conversions";
	d->f.location = arena_format(x->arena, "%s",
	    say_counted(x->arena, c.launches, "conversion"));
	rule_evidence(x, d, "share_ratio", c.seconds / c.all_s,
	    "conversions, part of all kernel time",
	    .measured = "kernel records and names", .key = "min_share");
	rule_evidence(x, d, "launches", c.launches, "conversions",
	    .measured = "kernel records", .unit = "launch",
	    .key = "min_launches");
	d->f.summary = arena_format(x->arena, "%s conversions between channels "
	    "first and last take %s of the kernel time",
	    say_whole(x->arena, c.launches), say_percent(x->arena,
	    c.seconds / c.all_s));
	d->f.limiter = "the convolutions want the channels last";
	d->f.advice = "keep model and input in that order with "
	    ".to(memory_format=torch.channels_last) of both; what is not a "
	    "convolution works with either";
	d->f.gain_note = "conversions of input and output may stay";
	say_staying(x, d, &c);
	d->f.bad_code = "model = model.cuda().half()";
	d->f.good_code = "model = model.cuda().half().to(\n"
	    "    memory_format=torch.channels_last)\n"
	    "x = x.to(memory_format=torch.channels_last)";
	d->f.next = say_ncu(x->arena, run, c.most, "--section SpeedOfLight");
	return RULE_FOUND;
}
