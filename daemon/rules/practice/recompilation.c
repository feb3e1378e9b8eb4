/*
 * recompilation: the program compiles repeatedly while it runs: a framework's
 * compiler that specialises on changing shapes or numbers, or NVRTC that gets
 * numbers as text. Meanwhile the GPU idles. Compiling once at the start of a
 * loop is not reported, nor once more for what runs after it.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/steps.h"

/* The share of the compilations' idle time that can go, without the needed
 * ones; the same gaps also contain other host work. */
static const double share[VIEWS] = { 0.5, 0.9, 1 };

struct compilations {
	double times, loads, idle_s;
	double needed_s;	/* of idle_s: compilations that are necessary */
	double late;		/* launches before the last compilation, of all */
	bool kept;		/* all of it is code that its compiler keeps on disk */
};

/* New code after which hardly anything is launched serves the end of the program. */
#define BEHIND_LEAST 20		/* launches; as COMPILING_APART of the model */

/* Is the code compiled? A library's code is only loaded at its first call. */
static bool
is_made(const struct rule_view *x, const struct compiled *c)
{
	const struct library *l;

	if (c->kernel == 0 || c->kernel > x->run->kernels)
		return false;
	l = steps_library(x, &x->run->kernel[c->kernel - 1]);
	return l == NULL || strcmp(l->name, "Inductor") == 0 ||
	    strcmp(l->name, "XLA") == 0 || strcmp(l->name, "CuPy") == 0;
}

/* Does the compiler keep the code on disk, by default, for the next run? */
static bool
is_kept(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = steps_library(x, k);

	if (l != NULL)
		return strcmp(l->name, "Inductor") == 0 || strcmp(l->name, "CuPy") == 0;
	return library_launched_by(x->run, k, "-packages/triton/") ||
	    library_launched_by(x->run, k, "-packages/cupy/");
}

/* Was code for the kernel of ${c}'s ${i}-th compilation compiled before? */
static bool
is_again(const struct compiling *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (c->time[k].kernel == c->time[i].kernel)
			return true;
	return false;
}

/* The launches with which XLA tries out candidates, apart from the candidates' own: it
 * delays them, and looks whether they wrote where they may not. */
static double
trials_of(const struct rule_view *x)
{
	double n = 0;

	for (size_t i = 0; i < x->run->kernels; i++)
		if (steps_does(x, &x->run->kernel[i], "autotuning"))
			n += (double)x->run->kernel[i].launches;
	return n;
}

static struct compilations
collect(const struct rule_view *x)
{
	const struct compiling *c = &x->run->compiling;
	struct compilations a = { .kept = true };
	/* These are no steps of the program. Each compilation is believed to have made
	 * as many. */
	double trials = trials_of(x);
	double launches = fmax(1, (double)x->run->launches - trials);

	for (size_t i = 0; i < c->times; i++) {
		bool known;

		if (!is_made(x, &c->time[i]) || (!is_again(c, i) &&
		    c->time[i].at + BEHIND_LEAST > x->run->launches))
			continue;
		/* The first one is necessary, unless the code was known before. What
		 * tries out candidates has run before, whatever they are of. */
		known = c->time[i].known && !steps_does(x,
		    &x->run->kernel[c->time[i].kernel - 1], "autotuning");
		if (a.times == 0 && !known)
			a.needed_s = (double)c->time[i].idle_ns * 1e-9;
		a.times++;
		a.kept &= is_kept(x, &x->run->kernel[c->time[i].kernel - 1]);
		a.loads += (double)c->time[i].loads;
		a.idle_s += (double)c->time[i].idle_ns * 1e-9;
		a.late = fmax(0, (double)c->time[i].at - trials * (double)i /
		    (double)c->times) / launches;
	}
	return a;
}

/* Does the program or a framework load the code itself? The runtime loads what was
 * compiled before the program ran, at its first call. */
static bool
is_loaded_by_hand(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].module != NULL && !s->frame[f].python &&
		    strstr(s->frame[f].module, "libcudart") != NULL)
			return false;
	return true;
}

enum rule_state
rule_recompilation(struct rule_view *x)
{
	const struct run *run = x->run;
	struct compilations a = collect(x);
	double times = a.times, idle = a.idle_s, late = a.late;
	double again = idle - a.needed_s;
	bool python = lines_python(run);
	struct draft *d;

	if (times < rule_value(x, a.kept ? "min_kept" : "min_times") ||
	    late < rule_value(x, "min_late") ||
	    again < rule_value(x, "min_share") * rule_active_s(run))
		return RULE_CLEAN;
	d = rule_found(x, "compiling");
	lines_site_of(x, d, CALL_BIT(MODULE_LOAD), is_loaded_by_hand);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { share[VIEW_LOW] * again, share[VIEW_MID] * again,
	    share[VIEW_HIGH] * idle } };
	d->claims = 1;
	d->f.confidence = CONF_MEDIUM;
	d->f.where = "compilations";
	d->f.location = arena_format(x->arena, "%s, the last after %s of the "
	    "launches", say_counted(x->arena, times, "time"),
	    say_percent(x->arena, late));
	rule_evidence(x, d, "times", times,
	    "times that code was made and loaded in the loop",
	    .measured = "API and kernel records", .unit = "time",
	    .key = "min_times");
	rule_evidence(x, d, "loads", a.loads, "modules loaded then",
	    .measured = "API records", .unit = "module");
	rule_evidence(x, d, "late_ratio", late,
	    "launches before the last of them, of all",
	    .measured = "API and kernel records", .key = "min_late");
	rule_evidence(x, d, "idle_s", idle, "GPU idle meanwhile",
	    .measured = "API and kernel records");
	d->f.summary = arena_format(x->arena, "the program compiles in the loop, "
	    "%s: the GPU waits %s for it",
	    say_counted(x->arena, times, "time"),
	    say_seconds(x->arena, idle));
	d->f.limiter = "the compiler: what it made for other shapes or numbers "
	    "does not fit";
	d->f.advice = python ? "give the compiler what stays the same: pad to a few "
	    "sizes, pass numbers that change as tensors or run-time arguments; "
	    "the compiler's log says what it specialised on" : "compile once, and "
	    "pass what changes as kernel arguments; code that does differ keep "
	    "by its options (a map from options to CUkernel)";
	d->f.gain_note = a.needed_s > 0 ? "all times but the first; compiled code "
	    "may be kept from run to run" : "all these times: the code was there "
	    "before; compiled code may be kept from run to run";
	d->f.bad_code = python ? "f = torch.compile(f, dynamic=False)\n"
	    "for x in batches:            # of all lengths\n    f(x)" :
	    "for (float a : candidates) {\n    compile(\"#define A \" + text(a) + "
	    "source, &kernel);   // NVRTC\n    launch(kernel, data);\n}";
	d->f.good_code = python ? "f = torch.compile(f, dynamic=True)\n"
	    "for x in batches:\n    f(x)" :
	    "compile(source, &kernel);   // once\nfor (float a : candidates)\n"
	    "    launch(kernel, data, a);";
	return RULE_FOUND;
}
