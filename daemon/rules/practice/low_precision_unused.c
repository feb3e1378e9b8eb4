/*
 * low-precision-unused: a training step whose matrix products and convolutions
 * use the tensor cores in TF32: their inputs have 32 bits. With 16 bits the
 * same tensor cores do twice as many operations, and half of the bytes move.
 *
 * A run counts as training if it launches something that only training does. In
 * inference the precision is a question of the model's results. A run that trains may
 * spend most of its time in passes without gradients all the same: samples for a
 * variational loss, games that are played, a model's evaluation. Then autocast belongs
 * there, not at the loss.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"

#define RATIO 2.0	/* dense BF16 over TF32, data sheets: A100 312 / 156, H100
			 * 990 / 495, B200 2200 / 1100 TFLOP/s */

/* The share of that ratio. Half of the bytes move, too, so that a product takes
 * half the time whatever limits it. Left out: the conversion of weights, and
 * what the tensors in between shrink by. In the low view the conversion costs
 * most of it: small batches, large weights. */
static const double reached[VIEWS] = { 0.25, 1, 1 };

/* From so many products of forward passes for one of others on, most passes are without
 * gradients. Arithmetic: a backward pass has one or two products for each of its forward
 * pass, so that of eleven passes at most one has gradients. */
#define PASSES 10

struct products {
	double launches, seconds, all_s;
	double passes, passes_s;	/* products of any precision that the program's
					 * forward passes launch … */
	double others, others_s;	/* … and those of backward passes, or of which
					 * that is not known */
	const struct kernel *most;
	bool trains;
};

/* Does its name say that it computes gradients? */
static bool
is_gradient(const struct kernel *k)
{
	static const char *const only[] = { "backward", "Backward", "wgrad",
	    "dgrad", "_bwd" };

	for (size_t i = 0; k->name != NULL &&
	    i < sizeof(only) / sizeof(only[0]); i++)
		if (strstr(k->name, only[i]) != NULL)
			return true;
	return false;
}

static bool
is_training(const struct rule_view *x, const struct kernel *k)
{
	return steps_does(x, k, "optimizer") ||
	    (is_gradient(k) && steps_library(x, k) != NULL);
}

/* The share of the launches of ${k}, 0..1, that Python makes outside of backward passes. */
static double
passes_of(const struct rule_view *x, const struct kernel *k)
{
	size_t end, i = site_launches(x->run->site, x->run->sites, k->id, &end);
	double all = 0, mine = 0;

	for (; i < end && !is_gradient(k); i++) {
		const struct site *s = &x->run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		all += (double)s->count;
		mine += s->first < s->frames && s->frame[s->first].python &&
		    !framework_differentiates(s) ? (double)s->count : 0;
	}
	return all > 0 ? mine / all : 0;
}

static void
count_passes(const struct rule_view *x, struct products *p, const struct kernel *k,
    double s)
{
	double share = passes_of(x, k);

	p->passes += share * (double)k->launches;
	p->passes_s += share * s;
	p->others += (1 - share) * (double)k->launches;
	p->others_s += (1 - share) * s;
}

/* Are nearly all products those of passes that no backward pass follows? */
static bool
is_passes(const struct products *p)
{
	return p->passes > 0 && p->passes >= PASSES * p->others &&
	    p->passes_s >= PASSES * p->others_s;
}

/* A product in TF32 that fills the GPU: a smaller one is latency-bound. */
static bool
is_tf32(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = steps_library(x, k);

	return (library_does(l, "matmul") || library_does(l, "convolution")) &&
	    l->tensor && l->precision != NULL &&
	    strcmp(l->precision, "TF32") == 0 && library_fills(x->run, k);
}

static void
collect(const struct rule_view *x, struct products *p, struct gone *gone)
{
	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];
		double s = (double)k->total_ns * 1e-9;

		p->all_s += s;
		p->trains = p->trains || is_training(x, k);
		if (steps_does(x, k, "matmul") || steps_does(x, k, "convolution"))
			count_passes(x, p, k, s);
		if (!is_tf32(x, k))
			continue;
		p->launches += (double)k->launches;
		p->seconds += s;
		if (p->most == NULL || k->total_ns > p->most->total_ns)
			p->most = k;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = (double)k->launches *
			    (1 - 1 / fmax(1, reached[v] * RATIO));
	}
}

/* The line of the program's own that calls the model on the stack of ${s}: the innermost
 * that is not in a module's forward pass itself; "" if none is. */
static const char *
caller_of(const struct rule_view *x, const struct site *s)
{
	for (size_t f = 0; s != NULL && f < s->frames; f++) {
		const struct site_frame *at = &s->frame[f];

		if (!site_own(at) || site_installed(at) || at->function == NULL ||
		    at->line == 0 || strcmp(at->function, "forward") == 0 ||
		    strcmp(at->function, "__call__") == 0 ||
		    strcmp(at->function, "<lambda>") == 0)
			continue;
		return arena_format(x->arena, " of the passes that %s() calls at "
		    "%s:%u", at->function, text_base_name(at->file), at->line);
	}
	return "";
}

/* The same for passes without gradients in a run that trains little. */
static void
say_passes(const struct rule_view *x, struct draft *d, const struct products *p)
{
	d->variant = "passes";
	d->f.where = "forward passes";
	d->f.title = "32-bit products only";
	d->f.location = arena_format(x->arena, "%s%s", d->f.location,
	    caller_of(x, d->f.site));
	rule_evidence(x, d, "backward_ratio", p->others / (p->passes + p->others),
	    "products of backward passes, or of which that is not known, part of all",
	    .measured = "kernel records and stacks");
	d->f.advice = "compute the passes without gradients in 16 bits, with weights "
	    "that are converted once; the loss may stay as it is";
}

enum rule_state
rule_low_precision_unused(struct rule_view *x)
{
	struct products p = { .launches = 0 };
	struct gone *gone = arena_get(x->arena, (x->run->kernels + 1) *
	    sizeof(*gone));
	struct draft *d;

	if (gone == NULL)
		return RULE_NOT_MEASURED;
	collect(x, &p, gone);
	if (!p.trains || p.launches < rule_value(x, "min_launches") ||
	    p.seconds < rule_value(x, "min_share") * p.all_s)
		return RULE_CLEAN;
	d = steps_found(x, "precision", gone, p.most);
	if (d == NULL)
		return RULE_NOT_MEASURED;
	d->f.where = "training step";
	d->f.location = say_counted(x->arena, p.launches, "product");
	rule_evidence(x, d, "share_ratio", p.seconds / p.all_s,
	    "products in TF32, part of all kernel time",
	    .measured = "kernel records and names", .key = "min_share");
	rule_evidence(x, d, "launches", p.launches, "such products",
	    .measured = "kernel records", .unit = "launch",
	    .key = "min_launches");
	rule_evidence(x, d, "ceiling_ratio", RATIO,
	    "tensor cores, BF16 over TF32", .estimated = "data sheets");
	d->f.summary = arena_format(x->arena, "%s of the kernel time are products "
	    "of 32-bit tensors, as TF32; the tensor cores do twice as many of "
	    "16 bits", say_percent(x->arena, p.seconds / p.all_s));
	d->f.limiter = "the tensor cores' rate for TF32, and the bytes of 32-bit "
	    "tensors";
	d->f.advice = "put forward pass and loss under torch.autocast(\"cuda\", "
	    "torch.bfloat16); weights and sums stay 32-bit, 7 bits of the "
	    "factors' mantissa have to do (TF32 has 10)";
	d->f.gain_note = "half of the products' time, by arithmetic and by bytes; "
	    "kernels that convert weights come in, those in between move half of "
	    "the bytes; results lose precision";
	d->f.bad_code = "loss = criterion(model(x), y)";
	d->f.good_code = "with torch.autocast(\"cuda\", torch.bfloat16):\n"
	    "    loss = criterion(model(x), y)";
	if (is_passes(&p))
		say_passes(x, d, &p);
	return RULE_FOUND;
}
