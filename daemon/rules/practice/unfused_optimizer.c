/*
 * unfused-optimizer: an optimizer that launches a dozen kernels for every
 * parameter, where one launch can update a hundred parameters at once. Its
 * kernels are recognised by the call site, by operations that only optimizers
 * do, or by their pattern, whatever the code: the same few operators for one
 * array after the other, each of its own size.
 *
 * Without fused or capturable it also reads step counters that are on the GPU, one by one.
 *
 * With foreach an operator goes over all parameters at once, but each operator still
 * moves them through memory: found where such an optimizer has a fused form.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/counters.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/steps.h"

/* What is left of their time in one kernel that reads parameter, gradient and
 * two moments and writes three of them: 7 arrays moved. Arithmetic: a dozen
 * operators move 21; of short kernels almost nothing is left. */
static const double left_over[VIEWS] = { 0.6, 0.33, 0.05 };

struct updates {
	double launches, kernel_s, gap_s, fused;
	double clips;			/* of launches: they clip gradients */
	double of_lists;		/* of launches: recognised only by the
					 * sizes of their arrays */
	const struct kernel *most;	/* with the most such launches */
	double most_launches;
};

static void
collect(const struct rule_view *x, struct updates *u, struct gone *gone,
    double *share, double *list)
{
	const struct run *run = x->run;

	steps_updates(x, share, list);
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double launches = (double)k->launches;

		if (list[i] > share[i])
			u->of_lists += (list[i] - share[i]) * launches;
		share[i] = fmax(share[i], list[i]);
		launches *= share[i];

		if (steps_does(x, k, "optimizer"))
			u->fused += (double)k->launches * (1 - share[i]);
		u->launches += launches;
		u->clips += steps_clipping(x, k) * (double)k->launches;
		u->kernel_s += launches * steps_mean_s(k);
		u->gap_s += share[i] * (double)k->gap_before_ns * 1e-9;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = launches * (1 - left_over[v]);
		if (launches > u->most_launches) {
			u->most_launches = launches;
			u->most = k;
		}
	}
}

/* Is the update at ${s} none of PyTorch's own optimizers? Of torch/optim its stack then has
 * only the files that wrap every step. */
static bool
is_written(const struct site *s)
{
	static const char *const wrapper[] = { "optimizer.py", "lr_scheduler.py" };
	bool optimizer = false;

	for (size_t f = 0; s != NULL && f < s->frames; f++) {
		const char *file = s->frame[f].file;
		const char *at = file != NULL ? strstr(file, "/torch/optim/") : NULL;

		if (at == NULL)
			continue;
		optimizer = true;
		at = text_base_name(at);
		if (strcmp(at, wrapper[0]) != 0 && strcmp(at, wrapper[1]) != 0)
			return false;
	}
	return optimizer;
}

/* No argument fuses an optimizer that the program or a package brings along. */
static void
say_written(const struct rule_view *x, struct draft *d, const struct updates *u)
{
	d->f.summary = arena_format(x->arena, "an optimizer written in Python goes "
	    "through its parameters one by one: %s kernels, %s each%s",
	    say_whole(x->arena, u->launches),
	    say_seconds(x->arena, u->kernel_s / u->launches), u->clips > 0 ?
	    arena_format(x->arena, "; %s of them clip the gradient of one "
	    "parameter", say_whole(x->arena, u->clips)) : "");
	d->f.advice = arena_format(x->arena, "take the optimizer of torch.optim "
	    "that updates alike with fused=True (AdamW, Adam, SGD); where there is "
	    "none, give all parameters to one torch._foreach_* function for each "
	    "operator, or put @torch.compile on a function that updates them all; "
	    "torch.compile(model) does not reach the optimizer%s", u->clips > 0 ?
	    "; clip once a step, over all parameters: "
	    "clip_grad_norm_(model.parameters(), c) bounds the norm of all, not of "
	    "each" : "");
	d->f.bad_code = "for p in params:\n"
	    "    m[p].mul_(b1).add_(p.grad, alpha=1 - b1)\n"
	    "    v[p].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)\n"
	    "    p.data.sub_(lr * m[p] / (v[p].sqrt() + eps))";
	d->f.good_code = "optimizer = torch.optim.AdamW(model.parameters(), lr,\n"
	    "    (b1, b2), eps, fused=True)";
}

#define HISTORY_PART 0.5		/* of the optimizers' launches; arithmetic: most */
#define HISTORY_GAPS 10		/* alike, as in gpu-idle-gaps */

/* Are most of the optimizers' launches those of L-BFGS's steps? */
static bool
is_history(const struct run *run)
{
	double all = 0, own = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || !steps_by_optimizer(s))
			continue;
		all += (double)s->count;
		own += closure_optimizes(s) ? (double)s->count : 0;
	}
	return own > HISTORY_PART * all;
}

/* L-BFGS has no fused form. Its launches are of the steps that it keeps. */
static void
say_history(const struct rule_view *x, struct draft *d, const struct updates *u)
{
	double s;

	/* What the host was seen in is all of it, with the reads and Python's own time. */
	s = looks_s(x->run, (struct looks_of){ .least = HISTORY_GAPS,
	    .is = closure_optimizes });
	d->claim[0].pools |= POOL_IDLE(IDLE_AFTER_SYNC);
	d->claim[0].s.mid = fmax(d->claim[0].s.mid, 0.9 * s);
	d->claim[0].s.high = fmax(d->claim[0].s.high, s);
	d->f.title = "an optimizer with a long history";
	d->f.summary = arena_format(x->arena, "L-BFGS goes twice through the steps that it "
	    "keeps in each of its own: %s kernels, %s each, and it reads values back in "
	    "between", say_whole(x->arena, u->launches),
	    say_seconds(x->arena, u->kernel_s / u->launches));
	d->f.limiter = "launching small kernels, and waiting for what they yield";
	d->f.advice = "keep a shorter history, with history_size=10 (the default is 100): each "
	    "entry costs four operators over all parameters and a value that the host reads; "
	    "fused= and foreach= are none of L-BFGS's arguments, and torch.compile does not "
	    "reach it; Adam has no history";
	d->f.bad_code = "optimizer = torch.optim.LBFGS(params)      # history_size=100";
	d->f.good_code = "optimizer = torch.optim.LBFGS(params, history_size=10)";
	d->f.gain_note = "with a tenth of the history a tenth of these launches is left; "
	    "whether it takes more iterations then is not known";
}

/* Of the time for which the host waits for the GPU in front of its counters, so much goes: it
 * waits there at the latest for what it reads elsewhere in the step. Half believed. */
#define WAIT_GOES 0.5

/* Adds to ${d} the step counters that the optimizer reads, and what it costs. */
static void
say_counters(struct rule_view *x, struct draft *d, const struct counters *c)
{
	if (!(c->copies > 0))
		return;
	d->claim[0].pools |= POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC);
	d->claim[0].s.low += 0.5 * c->gap_s;
	d->claim[0].s.mid += 0.9 * c->gap_s + WAIT_GOES * c->wait_s;
	d->claim[0].s.high += c->gap_s + c->wait_s;
	d->claim[1] = (struct claim){ POOL_COPY, { 0.5 * c->copy_s, 0.9 * c->copy_s,
	    c->copy_s } };
	d->claims = 2;
	d->waits = BAR_WAIT;
	rule_evidence(x, d, "counters", c->copies, "step counters that it reads from the GPU",
	    .derived = "copy records, call sites", .unit = "copy");
	rule_evidence(x, d, "counters_s", c->copy_s + c->gap_s, "from first to last of them, in "
	    "all steps", .derived = "copy records, call sites");
	if (c->wait_s > 0)
		rule_evidence(x, d, "counters_wait_s", c->wait_s, "besides, the host waits in "
		    "them for the GPU", .estimated = "call stacks, copy records");
	d->f.summary = arena_format(x->arena, "the optimizer reads %s step counters from the "
	    "GPU, %s in a row: %s%s%s%s", say_whole(x->arena, c->copies), say_whole(x->arena,
	    c->copies / c->groups), say_seconds(x->arena, c->copy_s + c->gap_s), c->wait_s > 0 ?
	    arena_format(x->arena, ", and before that the host waits for all work, %s in all",
	    say_seconds(x->arena, c->wait_s)) : "", d->f.summary != NULL ? "; " : "",
	    d->f.summary != NULL ? d->f.summary : "");
	d->f.limiter = "the host waits for each counter, and cannot run ahead of the GPU";
	d->lead = counters_advice(c);
	d->f.gain_note = arena_format(x->arena, "%s%shalf of the waiting is counted: other values "
	    "that the host reads in a step wait for the GPU, too", d->f.gain_note != NULL ?
	    d->f.gain_note : "", d->f.gain_note != NULL ? "; " : "");
}

/* These alone: no launches of the optimizer's are worth a word. */
static enum rule_state
found_counters(struct rule_view *x, const struct counters *c)
{
	struct draft *d = rule_found(x, "optimizer");

	d->f.site = c->most;
	d->f.confidence = CONF_MEDIUM;
	d->f.where = "the optimizer";
	d->f.location = arena_format(x->arena, "%s",
	    say_counted(x->arena, c->copies, "copy"));
	say_counters(x, d, c);
	d->f.advice = "they are there if tensors are made on the GPU by default "
	    "(torch.set_default_device), or if the optimizer's state was moved there; on the "
	    "CPU they cost nothing";
	d->f.bad_code = "optimizer = torch.optim.Adam(model.parameters())";
	d->f.good_code = c->fused ? "optimizer = torch.optim.Adam(model.parameters(), "
	    "fused=True)" : "optimizer = torch.optim.NAdam(model.parameters(), "
	    "capturable=True)";
	return RULE_FOUND;
}

static enum rule_state
found(struct rule_view *x, const struct updates *u, const struct gone *gone,
    const struct counters *c)
{
	struct draft *d = steps_found(x, "optimizer", gone, u->most);
	bool own = u->of_lists > 0.5 * u->launches;

	if (d == NULL)
		return RULE_NOT_MEASURED;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.6 * u->gap_s, 0.9 * u->gap_s, u->gap_s } };
	d->claims = 1;
	d->f.confidence = d->f.site != NULL && !own ? CONF_HIGH : CONF_MEDIUM;
	d->f.where = own ? "a loop over arrays" : "the optimizer";
	d->f.location = arena_format(x->arena, "%s",
	    say_counted(x->arena, u->launches, "launch"));
	rule_evidence(x, d, "launches", u->launches,
	    "launches for single parameters",
	    .measured = "kernel records, call sites or names", .unit = "launch",
	    .key = "min_launches");
	rule_evidence(x, d, "kernel_s", u->kernel_s, "their time on the GPU",
	    .measured = "kernel records");
	rule_evidence(x, d, "gap_s", u->gap_s, "GPU idle in front of them",
	    .measured = "kernel records");
	rule_evidence(x, d, "fused_launches", u->fused,
	    "launches for many parameters at once", .measured = "kernel names",
	    .unit = "launch");
	d->f.summary = arena_format(x->arena, "%s kernels for single %s, %s each",
	    arena_format(x->arena, own ? "the same operators for one array "
	    "after the other, as an optimizer goes through its parameters: %s" :
	    "the optimizer launches %s", say_whole(x->arena, u->launches)),
	    own ? "arrays" : "parameters",
	    say_seconds(x->arena, u->kernel_s / u->launches));
	d->f.limiter = "launching, and moving each parameter through memory "
	    "once per operator";
	d->f.advice = "let one kernel update many parameters with fused=True, or "
	    "foreach=True where the optimizer has no fused form; optimizers of "
	    "one's own: torch._foreach_* functions, or torch.compile(optimizer."
	    "step)";
	d->f.gain_note = "one kernel moves 7 arrays a parameter where single "
	    "operators move 21, and hundreds of launches become a few";
	if (own) {
		d->f.advice = "give the whole list to one torch._foreach_* "
		    "operator, or take the optimizer in torch.optim with "
		    "fused=True; torch.compile around the loop makes few kernels "
		    "of it, too";
		d->f.bad_code = "for p, g in zip(params, grads):\n"
		    "    p.add_(g, alpha=-lr)";
		d->f.good_code = "torch._foreach_add_(params, grads, alpha=-lr)";
		return RULE_FOUND;
	}
	if (is_history(x->run)) {
		say_history(x, d, u);
		return RULE_FOUND;
	}
	if (is_written(d->f.site)) {
		say_written(x, d, u);
		return RULE_FOUND;
	}
	d->f.bad_code = "optimizer = torch.optim.AdamW(model.parameters(), "
	    "foreach=False)";
	d->f.good_code = "optimizer = torch.optim.AdamW(model.parameters(), "
	    "fused=True)";
	say_counters(x, d, c);
	return RULE_FOUND;
}

/* What is left of foreach's Adam when it is fused. Arithmetic: lerp_ moves 3 arrays,
 * mul_ 2, addcmul_ 3, sqrt, div_ and add_ 2 each, addcdiv_ 4, which is 18; fused 7. Seven
 * kernels of an Adam over 290 million parameters took 0.30 s for each of these arrays
 * (H100, 2026-11-24). Adagrad: 13 and 5; with weight decay or amsgrad more of 7. */
static const double left_of_lists[VIEWS] = { 0.6, 0.39, 0.3 };

/* Fewer different operators over the lists move hardly more than a fused kernel:
 * SGD's two. */
#define LIST_OPERATORS 5

/* PyTorch's functions that update with foreach what it can also update with fused. */
static bool
is_list_site(const struct site *s)
{
	static const char *const function[] = { "_multi_tensor_adam",
	    "_multi_tensor_adamw", "_multi_tensor_adagrad" };

	for (size_t f = 0; f < s->frames; f++)
		for (size_t i = 0; i < sizeof(function) / sizeof(function[0]);
		    i++)
			if (s->frame[f].python && s->frame[f].function != NULL &&
			    strcmp(s->frame[f].function, function[i]) == 0)
				return true;
	return false;
}

/* The share of the kernel's launches that such a function makes. */
static double
share_of_lists(const struct run *run, const struct kernel *k)
{
	double all = 0, mine = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		all += (double)s->count;
		mine += is_list_site(s) ? (double)s->count : 0;
	}
	return all > 0 ? mine / all : 0;
}

static enum rule_state
over_lists(struct rule_view *x, struct gone *gone, const struct counters *c)
{
	const struct run *run = x->run;
	struct updates u = { .launches = 0 };
	struct draft *d;
	size_t operators = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double share = steps_does(x, k, "optimizer") ?
		    share_of_lists(run, k) : 0;
		double launches = share * (double)k->launches;

		operators += share > 0.5;
		u.launches += launches;
		u.kernel_s += launches * steps_mean_s(k);
		u.gap_s += share * (double)k->gap_before_ns * 1e-9;
		for (int v = 0; v < VIEWS; v++)
			gone[i].launches[v] = launches * (1 - left_of_lists[v]);
		if (launches * steps_mean_s(k) > u.most_launches) {
			u.most_launches = launches * steps_mean_s(k);
			u.most = k;
		}
	}
	if (operators < LIST_OPERATORS ||
	    u.launches < rule_value(x, "min_launches"))
		return c->copies > 0 ? found_counters(x, c) : RULE_CLEAN;
	if ((d = steps_found(x, "optimizer", gone, u.most)) == NULL)
		return RULE_NOT_MEASURED;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0, 0.5 * u.gap_s, u.gap_s } };
	d->claims = 1;
	d->f.where = "the optimizer";
	d->f.location = arena_format(x->arena, "%s", say_counted(x->arena,
	    u.launches, "launch"));
	rule_evidence(x, d, "launches", u.launches,
	    "launches for lists of parameters",
	    .measured = "kernel records, call sites", .unit = "launch",
	    .key = "min_launches");
	rule_evidence(x, d, "operators", (double)operators,
	    "different kernels that go over the lists",
	    .measured = "kernel records, call sites", .unit = "kernel");
	rule_evidence(x, d, "kernel_s", u.kernel_s, "their time on the GPU",
	    .measured = "kernel records");
	rule_evidence(x, d, "gap_s", u.gap_s, "GPU idle in front of them",
	    .measured = "kernel records");
	d->f.summary = arena_format(x->arena, "the optimizer updates with "
	    "foreach: %zu kernels go over all parameters, one operator each, "
	    "for %s", operators, say_seconds(x->arena, u.kernel_s));
	d->f.limiter = "each operator moves all parameters through memory again";
	d->f.advice = c->copies > 0 ? "fused also updates with one kernel; where only a few "
	    "rows of large embeddings get gradients, sparse=True and SparseAdam" :
	    "give the optimizer fused=True, which updates with one "
	    "kernel; where only a few rows of large embeddings get gradients, "
	    "sparse=True and SparseAdam";
	d->f.gain_note = "the fused kernel moves 7 arrays where these operators "
	    "move 18";
	d->f.bad_code = "optimizer = torch.optim.AdamW(model.parameters())   "
	    "# foreach";
	d->f.good_code = "optimizer = torch.optim.AdamW(model.parameters(), "
	    "fused=True)";
	say_counters(x, d, c);
	return RULE_FOUND;
}

enum rule_state
rule_unfused_optimizer(struct rule_view *x)
{
	struct updates u = { .launches = 0 };
	size_t n = x->run->kernels + 1;
	struct gone *gone = arena_get(x->arena, n * sizeof(*gone));
	double *share = arena_get(x->arena, n * sizeof(*share));
	double *list = arena_get(x->arena, n * sizeof(*list));
	struct counters c = counters_of(x->run);

	if (gone == NULL || share == NULL || list == NULL)
		return RULE_NOT_MEASURED;
	collect(x, &u, gone, share, list);
	if (u.launches < rule_value(x, "min_launches"))
		return over_lists(x, gone, &c);
	return found(x, &u, gone, &c);
}
