/*
 * layout-conversions: cuDNN's fast convolutions need the channels last. For
 * tensors with the channels first it launches kernels that convert them before
 * and after each convolution.
 */
#include <math.h>
#include <string.h>

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

enum rule_state
rule_layout_conversions(struct rule_view *x)
{
	const struct run *run = x->run;
	const struct kernel *most = NULL;
	double launches = 0, seconds = 0, all = 0, gap_s;
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) *
	    sizeof(*gone));
	struct draft *d;

	for (size_t i = 0; gone != NULL && i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		all += (double)k->total_ns * 1e-9;
		if (is_indexed(x, k))
			gone[i].launches[VIEW_HIGH] = CHANNEL_GAIN *
			    (double)k->launches;
		if (!steps_does(x, k, "layout"))
			continue;
		launches += (double)k->launches;
		seconds += (double)k->total_ns * 1e-9;
		if (most == NULL || k->total_ns > most->total_ns)
			most = k;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = (double)k->launches *
			    (1 - left_over[v]);
	}
	if (gone == NULL)
		return RULE_NOT_MEASURED;
	if (most == NULL || seconds < rule_value(x, "min_share") * all ||
	    launches < rule_value(x, "min_launches"))
		return RULE_CLEAN;
	d = steps_found(x, "layout", gone, most);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	gap_s = (double)run->idle_ns[IDLE_LAUNCH] * 1e-9 * launches /
	    (double)run->launches;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH),
		{ gap_gone[VIEW_LOW] * gap_s, gap_gone[VIEW_MID] * gap_s,
		gap_gone[VIEW_HIGH] * gap_s } };
	d->claims = 1;
	d->f.confidence = CONF_HIGH;
	d->f.where = "layout conversions";
	d->f.location = arena_format(x->arena, "%s",
	    say_counted(x->arena, launches, "conversion"));
	rule_evidence(x, d, "share_ratio", seconds / all,
	    "conversions, part of all kernel time",
	    .measured = "kernel records and names", .key = "min_share");
	rule_evidence(x, d, "launches", launches, "conversions",
	    .measured = "kernel records", .unit = "launch",
	    .key = "min_launches");
	d->f.summary = arena_format(x->arena, "%s conversions between channels "
	    "first and last take %s of the kernel time",
	    say_whole(x->arena, launches), say_percent(x->arena,
	    seconds / all));
	d->f.limiter = "the convolutions want the channels last";
	d->f.advice = "keep model and input in that order with "
	    ".to(memory_format=torch.channels_last) of both; what is not a "
	    "convolution works with either";
	d->f.gain_note = "conversions of input and output may stay";
	d->f.bad_code = "model = model.cuda().half()";
	d->f.good_code = "model = model.cuda().half().to(\n"
	    "    memory_format=torch.channels_last)\n"
	    "x = x.to(memory_format=torch.channels_last)";
	d->f.next = say_ncu(x->arena, run, most, "--section SpeedOfLight");
	return RULE_FOUND;
}
