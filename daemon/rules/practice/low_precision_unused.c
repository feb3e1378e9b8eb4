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
 *
 * Kernels that the program has written in Triton are judged in any run. Its tl.dot makes
 * TF32 of 32-bit operands without being asked, and FP16 has as many bits of mantissa. In
 * C++ TF32 is written out: the author has chosen it.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
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

/* --- kernels of the program's own ---------------------------------------------- */

/* Of a kernel without counters, what limits it is not known: the share of its time that is
 * left, between all and what the ratio leaves. */
static const double left_unknown[VIEWS] = { 1, 0.75, 0.5 };

#define MOSTLY 0.5	/* of the matrix instructions are in TF32; arithmetic */

struct tiles {
	double seconds, all_s, counted;	/* counted: kernels with counters */
	const struct kernel *most;
	double inst, tf32;		/* its matrix instructions, and those in TF32 */
};

static bool
is_triton(const struct rule_view *x, const struct kernel *k)
{
	return steps_library(x, k) == NULL &&
	    (library_launched_by(x->run, k, "-packages/triton/") ||
	    library_launched_by(x->run, k, "__triton_launcher"));
}

/* The matrix instructions of ${c}, executed or, if that was not counted, in the code; of
 * them those in TF32, and its loads and stores of shared memory. */
static double
matrix_of(const struct code *c, double *tf32, double *shared)
{
	double all = 0;

	*tf32 = *shared = 0;
	for (uint32_t s = 0; c->disassembled && s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double n = c->counted ? inst_executed(c, s) : 1;

		if (i->flags & SASS_TENSOR) {
			all += n;
			*tf32 += opcode_has(i->opcode, "TF32") ? n : 0;
		} else if (i->space == SPACE_SHARED) {
			*shared += n;
		}
	}
	return all;
}

/* 16-bit operands: half as many matrix instructions, each of which takes as long, half of
 * the bytes that are loaded, and half of the wavefronts of shared memory. */
static void
set_halves(struct part *p)
{
	const struct code *c = p->kernel->code;
	double tf32, shared, total = inst_total(c, SOURCE_INST);
	struct fix fix = FIX_NONE;

	if (p->load->limit < 0) {
		for (int v = 0; v < VIEWS; v++) {
			p->fix[v] = fix;
			p->fix[v].whole = left_unknown[v];
		}
		return;
	}
	matrix_of(c, &tf32, &shared);
	fix.global_ld = fix.shared_ld = fix.shared_st = 1 / RATIO;
	if (c->counted && total > 0)
		fix.inst = 1 - fmin(1, (tf32 + shared) / total) * (1 - 1 / RATIO);
	fix.part[RES_TENSOR] = 1 / RATIO / fix.inst;
	fix.stall = 1 / RATIO;
	p->fix[VIEW_HIGH] = fix;
	/* Waits for a product last as long as that; others may not change. */
	fix.stall = sqrt(fix.stall);
	p->fix[VIEW_MID] = fix;
	p->fix[VIEW_LOW] = fix_part(&fix, reached[VIEW_LOW]);
	p->fix[VIEW_LOW].stall = 1;
}

/* The parts of a finding about Triton's kernels that multiply in TF32 and fill the GPU. */
static size_t
find_tiles(const struct rule_view *x, struct tiles *t, struct part *part)
{
	size_t n = 0;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];
		double tf32, shared, all;

		t->all_s += (double)k->total_ns * 1e-9;
		if (k->code == NULL || !library_fills(x->run, k))
			continue;
		all = matrix_of(k->code, &tf32, &shared);
		if (!(all > 0) || tf32 < MOSTLY * all || !is_triton(x, k))
			continue;
		part[n] = (struct part){ .kernel = k, .load = &x->loads[i] };
		set_halves(&part[n++]);
		t->seconds += (double)k->total_ns * 1e-9;
		t->counted += x->loads[i].limit >= 0;
		if (t->most == NULL || k->total_ns > t->most->total_ns) {
			t->most = k;
			t->inst = all;
			t->tf32 = tf32;
		}
	}
	return n;
}

static void
say_tiles(const struct rule_view *x, struct draft *d, const struct tiles *t)
{
	const struct load *l = &x->loads[t->most - x->run->kernel];
	const char *share = say_percent(x->arena, t->seconds / t->all_s);

	d->f.where = t->most->short_name;
	d->f.title = "32-bit operands on the tensor cores";
	d->f.confidence = t->counted > 0 ? CONF_MEDIUM : CONF_LOW;
	d->f.location = d->parts > 1 ? arena_format(x->arena, "with %s",
	    say_counted(x->arena, (double)d->parts - 1, "other launch shape")) : "";
	rule_evidence(x, d, "share_ratio", t->seconds / t->all_s, "kernels of the "
	    "program's own that multiply in TF32, part of all kernel time",
	    .measured = "kernel records and disassembly", .key = "min_share");
	rule_evidence(x, d, "tf32_ratio", t->tf32 / t->inst, "matrix instructions in "
	    "TF32, part of all of the kernel with the most time",
	    .derived = "disassembly");
	if (isfinite(l->resource_s[RES_TENSOR]) && l->time_s > 0)
		rule_evidence(x, d, "tensor_ratio", fmin(1, l->resource_s[RES_TENSOR] /
		    l->time_s), "the tensor pipe busy",
		    .derived = metric_table[METRIC_PIPE_TENSOR].name);
	rule_evidence(x, d, "ceiling_ratio", RATIO,
	    "tensor cores, FP16 over TF32", .estimated = "data sheets");
	d->f.summary = arena_format(x->arena, "%s of the kernel time multiply 32-bit "
	    "operands on the tensor cores, as TF32; they do twice as many of 16 bits, "
	    "and those are half of the bytes", share);
	d->f.limiter = "the tensor cores' rate for TF32, and the bytes of 32-bit operands";
	d->f.advice = "give tl.dot 16-bit operands: pass float16 or bfloat16 tensors, or "
	    "a.to(tl.float16) behind the load; the sum stays float32; FP16 has the 10 bits "
	    "of mantissa of TF32 and ends at 65504, BF16 has its range and 7 bits; not "
	    "where input_precision=\"tf32x3\" asks for the bits of FP32";
	d->f.gain_note = "half of the matrix instructions, of the loads' bytes and of the "
	    "wavefronts of shared memory; a conversion in front of the kernel costs a "
	    "pass over its tensors; converted behind the load, the bytes stay";
	d->f.bad_code = "a = tl.load(pa)                  # float32\n"
	    "b = tl.load(pb)\nacc = tl.dot(a, b, acc)          # TF32";
	d->f.good_code = "a = tl.load(pa)                  # float16\n"
	    "b = tl.load(pb)\nacc = tl.dot(a, b, acc)          # acc: float32";
	d->f.next = say_ncu(x->arena, x->run, t->most,
	    "--section ComputeWorkloadAnalysis");
}

static bool
find_own(struct rule_view *x)
{
	struct tiles t = { .seconds = 0 };
	struct part *part = arena_get(x->arena, (x->run->kernels + 1) * sizeof(*part));
	size_t parts = part != NULL ? find_tiles(x, &t, part) : 0;
	struct draft *d;

	if (parts == 0 || t.seconds < rule_value(x, "min_share") * t.all_s)
		return false;
	d = rule_found(x, "tiles");
	d->part = part;
	d->parts = parts;
	lines_launch(x, d, t.most->id);
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	say_tiles(x, d, &t);
	return true;
}

static enum rule_state
find_training(struct rule_view *x)
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

enum rule_state
rule_low_precision_unused(struct rule_view *x)
{
	bool own = find_own(x);
	enum rule_state training = find_training(x);

	return own ? RULE_FOUND : training;
}
