/*
 * low-precision-unused: a training step whose matrix products and convolutions
 * use the tensor cores in TF32: their inputs have 32 bits. With 16 bits the
 * same tensor cores do twice as many operations, and half of the bytes move.
 *
 * A run counts as training if it launches something that only training does. In
 * inference the precision is a question of the model's results.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"

#define RATIO 2.0	/* dense BF16 over TF32, data sheets: A100 312 / 156, H100
			 * 990 / 495, B200 2200 / 1100 TFLOP/s */

/* The share of that ratio. Half of the bytes move, too, so that a product takes
 * half the time whatever limits it. Left out: the conversion of weights, and
 * what the tensors in between shrink by. In the low view the conversion costs
 * most of it: small batches, large weights. */
static const double reached[VIEWS] = { 0.25, 1, 1 };

struct products {
	double launches, seconds, all_s;
	const struct kernel *most;
	bool trains;
};

static bool
is_training(const struct rule_view *x, const struct kernel *k)
{
	static const char *const only[] = { "backward", "Backward", "wgrad",
	    "dgrad", "_bwd" };

	if (steps_does(x, k, "optimizer"))
		return true;
	for (size_t i = 0; k->name != NULL &&
	    i < sizeof(only) / sizeof(only[0]); i++)
		if (strstr(k->name, only[i]) != NULL)
			return steps_library(x, k) != NULL;
	return false;
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
	return RULE_FOUND;
}
