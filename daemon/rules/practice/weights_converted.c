/*
 * weights-converted: an inference converts 32-bit arrays to 16 bits at each call. Those
 * whose size no other operator works on are no activations: weights, which could be
 * converted once. A training has to, since its steps change the 32-bit ones.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/evidence/gaps.h"
#include "rules/evidence/steps.h"

/* The share of the conversions that goes: the first one of each array stays, and an array
 * may be an activation after all. */
static const double goes[VIEWS] = { 0.7, 0.95, 1 };
/* Of the idle time between launches, the conversions' share that goes; the host makes
 * them by the same call as the product. */
static const double gap_gone[VIEWS] = { 0, 0.5, 1 };

/* Arrays of one size: the elements that the kernel's threads can work on are those of the
 * array, rounded up to a block. */
struct extent {
	double elements, block;	/* 0: not known */
};

static struct extent
extent_of(const struct kernel *k)
{
	struct extent e = { .block = 0 };
	double threads = rule_threads(k);
	unsigned a, b;
	const char *at;

	if (k->name == NULL)
		return e;
	if ((at = strstr(k->name, "vectorized_elementwise_kernel<")) != NULL &&
	    sscanf(strchr(at, '<'), "<%u", &a) == 1)
		e.block = threads * a;
	else if (strstr(k->name, "unrolled_elementwise_kernel<") != NULL)
		e.block = threads * 4;
	else if ((at = strstr(k->name, "::elementwise_kernel<")) != NULL &&
	    sscanf(strchr(at, '<'), "<%u, %u", &a, &b) == 2)
		e.block = (double)a * b;
	e.elements = e.block * rule_blocks(k);
	return e;
}

/* PyTorch's kernels that convert float to half or bfloat16. */
static bool
is_conversion(const struct kernel *k)
{
	return k->name != NULL && strstr(k->name, "float16_copy_kernel_cuda") != NULL;
}

static bool
is_training(const struct rule_view *x)
{
	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];

		if (steps_does(x, k, "optimizer") || (k->name != NULL &&
		    strstr(k->name, "ackward") != NULL))
			return true;
	}
	return false;
}

/* Does no other operator work on arrays of this size? */
static bool
is_weight(const struct rule_view *x, const struct kernel *k)
{
	struct extent e = extent_of(k);

	if (!(e.elements > 0))
		return false;
	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *other = &x->run->kernel[i];
		struct extent o;

		if (is_conversion(other) || !steps_pointwise(x, other))
			continue;
		o = extent_of(other);
		if (o.elements > 0 && fabs(o.elements - e.elements) <
		    fmax(o.block, e.block))
			return false;
	}
	return true;
}

enum rule_state
rule_weights_converted(struct rule_view *x)
{
	const struct run *run = x->run;
	const struct kernel *most = NULL;
	double launches = 0, seconds = 0, all = 0, gap_s;
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) * sizeof(*gone));
	struct again again;
	struct draft *d;

	if (gone == NULL)
		return RULE_NOT_MEASURED;
	if (is_training(x))
		return RULE_CLEAN;
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		all += (double)k->total_ns * 1e-9;
		if (!is_conversion(k) || (double)k->launches < rule_value(x,
		    "min_launches") || !is_weight(x, k))
			continue;
		launches += (double)k->launches;
		seconds += (double)k->total_ns * 1e-9;
		if (most == NULL || k->total_ns > most->total_ns)
			most = k;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = (double)k->launches * goes[v];
	}
	if (most == NULL || seconds < rule_value(x, "min_share") * all)
		return RULE_CLEAN;
	d = steps_found(x, "weights", gone, most);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	again = gaps_again(run, GAPS_ALIKE, 0);
	gap_s = ((double)run->idle_ns[IDLE_LAUNCH] * 1e-9 + again.brief) * launches /
	    (double)run->launches;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST),
		{ gap_gone[VIEW_LOW] * gap_s, gap_gone[VIEW_MID] * gap_s,
		gap_gone[VIEW_HIGH] * gap_s } };
	d->claims = 1;
	d->f.confidence = CONF_MEDIUM;
	d->f.where = "weights";
	d->f.location = arena_format(x->arena, "%s",
	    say_counted(x->arena, launches, "conversion"));
	rule_evidence(x, d, "share_ratio", seconds / all,
	    "conversions of weights, part of all kernel time",
	    .measured = "kernel records and names", .key = "min_share");
	rule_evidence(x, d, "launches", launches, "conversions of weights",
	    .measured = "kernel records", .unit = "launch");
	d->f.summary = arena_format(x->arena, "%s conversions to 16 bits, of arrays of a "
	    "size that no other operator works on, take %s of the kernel time",
	    say_whole(x->arena, launches), say_percent(x->arena, seconds / all));
	d->f.limiter = "the same values are converted in each call";
	d->f.advice = "convert the weights once, in front of the loop, with model.half() "
	    "or model.to(torch.bfloat16); where some layers need 32 bits (a LayerNorm of "
	    "its own), the others only: for m in model.modules(): if isinstance(m, "
	    "(nn.Linear, nn.Conv1d, nn.Embedding)): m.half()";
	d->f.gain_note = "that these arrays are weights, which an inference does not "
	    "change";
	d->f.bad_code = "y = F.linear(x, self.weight.to(x.dtype))     # each call";
	d->f.good_code = "model = model.half()                         # once\n"
	    "y = F.linear(x, self.weight)";
	d->f.next = say_ncu(x->arena, run, most, "--section SpeedOfLight");
	return RULE_FOUND;
}
