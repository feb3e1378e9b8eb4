/*
 * recompilation: the program compiles repeatedly while it runs: a framework's
 * compiler that specialises on changing shapes or numbers, NVRTC that gets
 * numbers as text, or Triton's autotuner, which compiles each configuration that it
 * tries out. Meanwhile the GPU idles. Compiling once at the start of a loop is not
 * reported, nor once more for what runs after it; but a compilation that had not ended
 * when the recording did is, since nothing else came of the time. Set-ups in front of
 * several loops are told as such.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/remade.h"
#include "rules/evidence/setups.h"
#include "rules/evidence/steps.h"
#include "rules/evidence/tuning.h"

/* The share of the compilations' idle time that can go, without the needed
 * ones; the same gaps also contain other host work. */
static const double share[VIEWS] = { 0.5, 0.9, 1 };

struct compilations {
	double times, loads, idle_s;
	double needed_s;	/* of idle_s: compilations that are necessary */
	double unfinished_s;	/* of idle_s: one that was cut off */
	double looked_s;	/* idle_s, by looks: most of the run; else 0 */
	double late;		/* launches before the last of them, of all; before those
				 * behind it that take HARDLY_BEHIND of the time */
	bool kept;		/* all of it is code that its compiler keeps on disk */
	bool whole;		/* and the next run need not even ask for it otherwise */
	struct setups setups;	/* in front of loops; none: it is in one */
	double single;		/* then: the part of it for functions outside of jit */
	uint32_t kernel;	/* id of one for which the GPU waited longest */
};

/* Of the wait for compilers: single kernels that a program meets late are no loop that
 * compiles, if all but this came in front of it. Arithmetic: less than a first finding's noise. */
#define HARDLY_BEHIND 0.1

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

/* Is the code on disk all that the next run needs? CuPy looks up a kernel's source there; in
 * front of Inductor's and Triton's code Python goes through the function again. */
static bool
is_whole(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = steps_library(x, k);

	return l != NULL ? strcmp(l->name, "CuPy") == 0 :
	    library_launched_by(x->run, k, "-packages/cupy/");
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

/* Is the ${i}-th compilation one of those for the autotuner, with ${tried}, or for the
 * program? */
static bool
is_counted(const struct rule_view *x, size_t i, bool tried)
{
	const struct compiling *c = &x->run->compiling;
	const struct compiled *t = &c->time[i];

	return is_made(x, t) && tuning_tried(x->run, t->kernel) == tried &&
	    (remade_again(c, i) || t->at + BEHIND_LEAST <= x->run->launches);
}

/* What was compiled for the autotuner, with ${tried}, or for the program. */
static struct compilations
collect(const struct rule_view *x, bool tried)
{
	const struct compiling *c = &x->run->compiling;
	struct compilations a = { .kept = true, .whole = true };
	/* These are no steps of the program. Each compilation is believed to have made
	 * as many. */
	double trials = trials_of(x);
	double launches = fmax(1, (double)x->run->launches - trials);
	double behind = 0;
	uint64_t longest = 0;

	for (size_t i = 0; i < c->times; i++) {
		const struct compiled *t = &c->time[i];
		bool known;

		if (!is_counted(x, i, tried))
			continue;
		/* The first one is necessary, unless the code was known before. What
		 * tries out candidates has run before, whatever they are of. */
		known = t->known && !steps_does(x,
		    &x->run->kernel[t->kernel - 1], "autotuning");
		if (a.times == 0 && !known)
			a.needed_s = (double)t->idle_ns * 1e-9;
		if (a.times == 0 || t->idle_ns > longest) {
			longest = t->idle_ns;
			a.kernel = t->kernel;
		}
		a.times++;
		a.kept &= is_kept(x, &x->run->kernel[t->kernel - 1]);
		a.whole &= is_whole(x, &x->run->kernel[t->kernel - 1]);
		a.loads += (double)t->loads;
		a.idle_s += (double)t->idle_ns * 1e-9;
	}
	for (size_t i = c->times; i-- > 0 && behind <= HARDLY_BEHIND * a.idle_s;) {
		if (!is_counted(x, i, tried))
			continue;
		behind += (double)c->time[i].idle_ns * 1e-9;
		a.late = fmax(0, (double)c->time[i].at - trials * (double)i /
		    (double)c->times) / launches;
	}
	return a;
}

/* Adds the compilation that was cut off, behind all launches. It may be the first. */
static void
add_unfinished(const struct rule_view *x, struct compilations *a)
{
	double s = (double)x->run->xla_unfinished.idle_ns * 1e-9;

	if (!(s > 0))
		return;
	a->times++;
	a->idle_s += s;
	a->unfinished_s = s;
	a->late = 1;
	a->kept = a->whole = false;
}

#define MOSTLY 0.5		/* arithmetic */

/* If compilers take most of the run, all of it is what the GPU waited for, and not only what
 * ended with code that was loaded. */
static void
add_looked(const struct rule_view *x, struct compilations *a)
{
	double s = looks_compiling(x->run);

	if (s <= a->idle_s)
		return;
	a->idle_s = a->looked_s = s;
	a->whole = false;
	a->times = fmax(1, a->times);
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

/* Is the frame of torch.compile, or of code that it made? Frames of torch/_dynamo as such
 * are on many stacks without it: it wraps what it must not compile, such as optimizers. */
static bool
is_torch_compile(const struct site_frame *f)
{
	return f->file != NULL && (strstr(f->file, "torch/_inductor/") != NULL ||
	    strstr(f->file, "/torchinductor_") != NULL ||
	    strstr(f->file, "torch/_dynamo/convert_frame.py") != NULL);
}

/* Does the program use torch.compile? Kernels of PyTorch's alone do not mean that. */
static bool
has_torch_compile(const struct rule_view *x)
{
	const struct run *run = x->run;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct library *l = steps_library(x, &run->kernel[i]);

		if (l != NULL && strcmp(l->name, "Inductor") == 0)
			return true;
	}
	for (size_t i = 0; i < run->sites; i++)
		for (size_t f = 0; f < run->site[i].frames; f++)
			if (is_torch_compile(&run->site[i].frame[f]))
				return true;
	return false;
}

/* Do the compilations ${a} take most of the run? Then they are what its time went into, though
 * they come once, and early. */
static bool
is_the_run(const struct run *run, const struct compilations *a)
{
	return a->idle_s > MOSTLY * rule_wall_s(run);
}

/* A finding about the compilations ${a}, without its words; NULL: they are few. */
static struct draft *
found(struct rule_view *x, const char *key, const struct compilations *a)
{
	bool most = is_the_run(x->run, a);
	/* The first one is needed in the first run only. */
	double again = a->idle_s - (most ? 0 : a->needed_s);
	struct draft *d;

	if ((!most && ((a->times < rule_value(x, a->kept ? "min_kept" : "min_times") &&
	    !(a->unfinished_s > 0)) || a->late < rule_value(x, "min_late"))) ||
	    again < rule_value(x, "min_share") * (rule_active_s(x->run) +
	    a->unfinished_s))
		return NULL;
	d = rule_found(x, key);
	d->feeds = true;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC) |
	    (a->unfinished_s > 0 ? POOL_IDLE(IDLE_SHUTDOWN) : 0),
	    { share[VIEW_LOW] * again, share[VIEW_MID] * again,
	    share[VIEW_HIGH] * a->idle_s } };
	d->claims = 1;
	d->f.confidence = CONF_MEDIUM;
	d->f.where = "compilations";
	d->f.location = arena_format(x->arena, "%s, the last after %s of the "
	    "launches", say_counted(x->arena, a->times, "time"),
	    say_percent(x->arena, a->late));
	rule_evidence(x, d, "times", a->times, a->setups.phases > 0 ?
	    "times that code was made and loaded" :
	    "times that code was made and loaded in the loop",
	    .measured = "API and kernel records", .unit = "time",
	    .key = most || a->unfinished_s > 0 ? NULL : a->kept ? "min_kept" :
	    "min_times");
	rule_evidence(x, d, "loads", a->loads, "modules loaded then",
	    .measured = "API records", .unit = "module");
	rule_evidence(x, d, "late_ratio", a->late,
	    "launches before the last of them, of all",
	    .measured = "API and kernel records", .key = most ? NULL : "min_late");
	if (a->looked_s > 0)
		rule_evidence(x, d, "idle_s", a->idle_s, "the program's Python in a "
		    "compiler", .measured = "looks at its stacks");
	else
		rule_evidence(x, d, "idle_s", a->idle_s, "GPU idle meanwhile",
		    .measured = "API and kernel records");
	if (a->unfinished_s > 0)
		rule_evidence(x, d, "unfinished_s", a->unfinished_s, "of it, in a "
		    "compilation that had not ended when the recording did",
		    .measured = "NVTX ranges and kernel records");
	return d;
}

/* Does Triton keep on disk which configuration won, not only the code? */
static bool
is_choice_kept(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		if (framework_keeps(&run->site[i]))
			return true;
	return false;
}

/* Is it compiled for Triton's autotuner? */
static bool
is_tuned(const struct rule_view *x, size_t i)
{
	return is_counted(x, i, true);
}

#define TOLD 3			/* functions; the others are in the sum */

/* "chunk_fwd (48, 26.6 s), swiglu (30, 20.7 s)": variants, and the wait for them. */
static const char *
say_tuned(struct rule_view *x, const struct tuned *top)
{
	const char *all = "";

	for (size_t k = 0; k < TOLD && top[k].idle_s > 0; k++)
		all = arena_format(x->arena, "%s%s%s (%s, %s)", all,
		    k > 0 ? ", " : "", x->run->kernel[top[k].kernel - 1].short_name,
		    say_whole(x->arena, tuning_variants(x->run, &top[k])),
		    say_seconds(x->arena, top[k].idle_s));
	return all;
}

/* The lists of configurations are what costs, at the line that launches the kernel with
 * most of it; where there are many kernels, their lists are many, too. */
static void
tell_tuning(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	struct tuned top[TOLD];
	size_t functions = tuning_functions(x, is_tuned, top, TOLD);
	uint32_t most = top[0].kernel != 0 ? top[0].kernel : a->kernel;
	const struct kernel *k = &x->run->kernel[most - 1];
	bool kept = is_choice_kept(x->run), many = functions > 1;
	double variants;
	const char *waits = say_seconds(x->arena, a->idle_s);

	top[0].kernel = most;
	variants = tuning_variants(x->run, &top[0]);
	lines_launch(x, d, k->id);
	d->variant = kept ? "kept" : many ? "many" : "tuning";
	rule_evidence(x, d, "variants", variants, many ? "variants of the kernel with "
	    "most of it that the autotuner timed" : "variants of the kernel that the "
	    "autotuner timed", .measured = "launch sites", .unit = "variant");
	rule_evidence(x, d, "tuned", (double)functions, "kernels that it tuned",
	    .measured = "launch sites", .unit = "kernel");
	rule_evidence(x, d, "most_s", top[0].idle_s, "GPU idle for the kernel with most "
	    "of it", .measured = "API and kernel records");
	d->f.summary = many ? arena_format(x->arena, "Triton's autotuner compiles and "
	    "times variants of %s, most of %s: the GPU waits %s for the compiler",
	    say_counted(x->arena, (double)functions, "kernel"), say_tuned(x, top),
	    waits) : arena_format(x->arena, "Triton's autotuner compiles and times "
	    "%s of %s: the GPU waits %s for the compiler",
	    say_counted(x->arena, variants, "variant"), k->short_name, waits);
	d->f.limiter = many ? "the compiler: it makes each configuration in each "
	    "kernel's list, for each new value of its key" : "the compiler: it makes "
	    "each configuration in the list, for each new value of the key";
	d->f.advice = kept || many ? "keep ~/.triton/cache from run to run" :
	    "prune the list of configurations, and keep ~/.triton/cache from run to run";
	d->f.gain_note = kept ? "a later run that finds the code, and which of it won, on "
	    "disk; it happens once for each value of a key, however long the run is" :
	    many ? "a later run that finds the code on disk, and times it anew; or all "
	    "lists pruned to one configuration" : "all configurations but the first; a "
	    "later run finds compiled code on disk, and times it anew";
	d->f.bad_code = "@triton.autotune([Config(…) for q in … for k in …], key=[\"n\"])";
	d->f.good_code = "@triton.autotune([Config(…), Config(…)], key=[\"n\"])";
}

/* Does JAX load code there for a function that is called outside of jit: one primitive, or
 * a function of JAX's own, such as jax.random.normal? Its wrapper of a jitted function is
 * called by the program's code otherwise. */
static bool
is_eager(const struct site *s)
{
	for (size_t f = 0; f + 1 < s->frames; f++) {
		const struct site_frame *at = &s->frame[f];

		if (!at->python || at->file == NULL || at->function == NULL ||
		    strstr(at->file, "/jax/_src/") == NULL)
			continue;
		if (strcmp(at->function, "apply_primitive") == 0)
			return true;
		if (strcmp(at->function, "reraise_with_filtered_traceback") == 0)
			return at[1].python && at[1].file != NULL &&
			    strstr(at[1].file, "/jax/_src/") != NULL;
	}
	return false;
}

/* Is it one of those, but no loop, which jax.lax compiles as a whole wherever it is called? */
static bool
is_single(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].file != NULL && strstr(s->frame[f].file,
		    "/jax/_src/lax/control_flow/") != NULL)
			return false;
	return is_loaded_by_hand(s) && is_eager(s);
}

#define MOSTLY_EAGER 0.8	/* of the loads: beside these, a function of the
				 * program's that is compiled again is a detail */
#define HARDLY_AGAIN 0.2	/* of the time in the compiler */
/* A function whose repeats take less of that time is a detail of its own: definition. Outside
 * of jit each operator has such repeats, for each shape that it meets once (measured: 46
 * operators, up to 5 % each); a step whose shapes change takes most of it. */
#define REPEATED_LEAST 0.1

/* What compiles with XLA: variants of JAX's words. NULL: the same functions again and
 * again, or it is not known. */
static const char *
xla_variant(const struct run *run)
{
	double loads = 0, eager = 0, ns = 0, again = 0, repeated = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_MODULE_LOAD || !is_loaded_by_hand(s))
			continue;
		loads += (double)s->count;
		eager += is_eager(s) ? (double)s->count : 0;
	}
	if (eager > MOSTLY_EAGER * loads)
		return "eager";
	for (size_t i = 0; i < run->xla_modules; i++)
		ns += (double)run->xla_module[i].host_ns;
	for (size_t i = 0; i < run->xla_modules; i++) {
		double more = (double)(run->xla_module[i].host_ns -
		    run->xla_module[i].first_ns);

		again += more;
		/* A full table's last one is of many functions. */
		if (i + 1 < XLA_MODULES && more >= REPEATED_LEAST * ns)
			repeated += more;
	}
	if (ns <= 0 || repeated >= HARDLY_AGAIN * ns)
		return NULL;
	return again >= HARDLY_AGAIN * ns || eager >= HARDLY_AGAIN * fmax(1, loads) ?
	    "many" : "first";
}

/* Without the place of its launch a kernel of XLA's is not known by its name. */
static bool
is_xla(const struct rule_view *x, const struct compilations *a)
{
	const struct library *l = a->kernel > 0 ? steps_library(x,
	    &x->run->kernel[a->kernel - 1]) : NULL;

	return l != NULL ? strcmp(l->name, "XLA") == 0 : x->run->xla_modules > 0;
}

/* Is it compiled for the program, not for Triton's autotuner? */
static bool
is_program(const struct rule_view *x, size_t i)
{
	return is_counted(x, i, false);
}

/* Do ${a} lie in set-ups in front of loops, in which functions are called outside of jit? Each
 * size has such operators compiled anew, by the names of the last, and is no step's shape.
 * What takes most of the run is told as it is. */
static void
find_setups(const struct rule_view *x, struct compilations *a)
{
	const struct run *run = x->run;
	double loads = 0, single = 0;

	if (is_the_run(run, a) || a->unfinished_s > 0 || !is_xla(x, a) ||
	    has_torch_compile(x))
		return;
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		bool is = s->call == CALL_MODULE_LOAD && is_loaded_by_hand(s);

		/* A loop loads a module for each of its kernels. */
		loads += is && (is_single(s) || !is_eager(s)) ? (double)s->count : 0;
		single += is && is_single(s) ? (double)s->count : 0;
	}
	if (loads > 0 && single >= HARDLY_AGAIN * loads && single <= MOSTLY_EAGER * loads) {
		a->setups = setups_of(x, is_program);
		a->single = single / loads;
	}
}

/* The function that XLA compiled again for longest, or with ${once} altogether. */
static const struct xla_module *
xla_longest(const struct run *run, bool once)
{
	/* A full table's last one has the times of all that did not fit. */
	size_t n = run->xla_modules < XLA_MODULES ? run->xla_modules :
	    XLA_MODULES - 1;
	const struct xla_module *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct xla_module *m = &run->xla_module[i];
		uint64_t ns = m->host_ns - (once ? 0 : m->first_ns);

		if (ns > most) {
			most = ns;
			best = m;
		}
	}
	return best;
}

/* The number of functions whose compilation XLA named; a full table has more. */
static const char *
say_modules(struct rule_view *x)
{
	return arena_format(x->arena, "%s%s by name", say_whole(x->arena,
	    (double)x->run->xla_modules),
	    x->run->xla_modules < XLA_MODULES ? "" : " or more");
}

/* The function that takes most of the compiler's time, if one does: among many small ones
 * it is what makes the program wait. */
static const char *
say_longest(struct rule_view *x)
{
	const struct run *run = x->run;
	const struct xla_module *m = xla_longest(run, true);
	double ns = 0;

	for (size_t i = 0; i < run->xla_modules; i++)
		ns += (double)run->xla_module[i].host_ns;
	return m == NULL || (double)m->host_ns < MOSTLY * ns ? "" :
	    arena_format(x->arena, "; most of its time is for %s (%s)", m->name,
	    say_seconds(x->arena, (double)m->host_ns * 1e-9));
}

/* JAX's first compilations: no shape or number changes from step to step. */
static void
tell_xla(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	bool eager = strcmp(d->variant, "eager") == 0;
	const struct xla_module *m = xla_longest(x->run, !eager);
	const char *waits = say_seconds(x->arena, a->idle_s), *name = "";

	if (m != NULL)
		name = !eager ? arena_format(x->arena, ", longest %s (%s)", m->name,
		    say_seconds(x->arena, (double)m->host_ns * 1e-9)) :
		    arena_format(x->arena, ", %s %s", m->name,
		    say_counted(x->arena, (double)m->times, "time"));
	if (eager)
		lines_site_of(x, d, CALL_BIT(MODULE_LOAD), is_eager);
	d->f.summary = eager ? arena_format(x->arena, "JAX "
	    "compiles what is called outside of jit one function at a time%s: the GPU "
	    "waits %s for it%s", name, waits, say_longest(x)) :
	    arena_format(x->arena, "XLA compiles new functions, %s%s: the GPU waits %s for it",
	    say_modules(x), name, waits);
	d->f.limiter = eager ? "the compiler: it makes each function anew for each shape" :
	    strcmp(d->variant, "many") == 0 ? "the compiler: hardly one of them is "
	    "made again and again; outside of jit each operator is made by itself" :
	    "the compiler: hardly a function is compiled twice";
	d->f.gain_note = eager ? "all times but the first: one function for all is compiled "
	    "once" : "from the second run on, which finds the code on disk; this happens "
	    "once in a run, however long it is";
}

/* What torch.compile makes: a variant of PyTorch's words. NULL: the same functions for
 * other shapes. */
static const char *
torch_variant(const struct rule_view *x)
{
	if (remade_share(x, is_program) >= HARDLY_AGAIN)
		return NULL;
	for (size_t i = 0; i < x->run->sites; i++)
		if (framework_searches(&x->run->site[i]))
			return "search";
	return "first";
}

/* The GPU's wait for torch.compile where no code was loaded: before it traces, lowers and
 * tries out something, and where a thread of its own loads the code. */
static double
compiler_s(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].idle_ns > 0 && framework_compiles(&run->site[i]))
			ns += run->site[i].idle_ns;
	return ns * 1e-9;
}

/* torch.compile's first compilations, which come once in a run. */
static void
tell_torch(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	bool search = strcmp(d->variant, "search") == 0;
	double more = a->looked_s > 0 ? 0 : compiler_s(x->run);

	d->claim[0].s.low += share[VIEW_LOW] * more;
	d->claim[0].s.mid += share[VIEW_MID] * more;
	d->claim[0].s.high += share[VIEW_HIGH] * more;
	if (more > 0)
		rule_evidence(x, d, "compiler_s", more, "GPU idle in front of other calls of the "
	    "compiler", .estimated = "call stacks");
	d->f.summary = arena_format(x->arena, "torch.compile makes functions for the "
	    "first time%s, %s: the GPU waits %s for it", search ? " and tries out variants" : "",
	    say_counted(x->arena, a->times, "time"),
	    say_seconds(x->arena, a->idle_s + more));
	d->f.limiter = search ? "the compiler: it makes and times many variants of each "
	    "kernel; hardly any is made again for other shapes" : "the compiler: hardly "
	    "a function is compiled twice";
	d->f.gain_note = "a later run, which finds the code on disk; this happens once in "
	    "a run, however long it is";
}

/* The line of the program's own within whose calls most functions outside of jit are loaded,
 * or else the one that loads most. */
static void
place_setups(struct rule_view *x, struct draft *d)
{
	struct gaps_within *w = gaps_within_any();
	double all = 0, within;
	const struct site *at;

	for (size_t i = 0; i < x->run->sites; i++) {
		const struct site *s = &x->run->site[i];

		if (s->call != CALL_MODULE_LOAD || !is_single(s))
			continue;
		gaps_within_add(w, s, (double)s->count);
		all += (double)s->count;
	}
	at = gaps_within_find(w, x->arena, MOSTLY * all, &within);
	gaps_within_free(w);
	if (at == NULL) {
		lines_site_of(x, d, CALL_BIT(MODULE_LOAD), is_single);
		return;
	}
	d->f.site = at;
	d->f.location = arena_format(x->arena, "%s; %s of these functions are compiled "
	    "within what this line calls", d->f.location, say_percent(x->arena,
	    fmin(1, within / all)));
}

/* Of the wait for functions outside of jit so much goes with one function of them all, which is
 * compiled as well: its operators fuse, but some depend on values that the host must know.
 * Arithmetic; measured: 143 functions of one operator, 36 ms each in XLA alone and 60 ms as
 * the GPU waits, where a function of hundreds of operators took 0.4 s to 1.2 s. */
static const double jit_goes[VIEWS] = { 0.25, 0.5, 1 };

/* Set-ups in front of loops: what the first run can save. */
static void
tell_setups(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	double single = a->single * a->idle_s;
	const char *phases = say_counted(x->arena, (double)a->setups.phases,
	    "set-up phase");

	d->claim[0].s = (struct gain){ jit_goes[VIEW_LOW] * single,
	    jit_goes[VIEW_MID] * single, jit_goes[VIEW_HIGH] * single };
	rule_evidence(x, d, "phases", (double)a->setups.phases, "phases in which they lie",
	    .derived = "kernel records", .unit = "phase");
	rule_evidence(x, d, "phase_launches", a->setups.launches, "launches in these phases",
	    .derived = "kernel records", .unit = "launch");
	rule_evidence(x, d, "outside_ratio", a->single, "modules loaded for functions outside "
	    "of jit, of all but those of loops", .measured = "call stacks");
	d->f.location = arena_format(x->arena, "%s in %s, with %s of %s launches",
	    say_counted(x->arena, a->times, "time"), phases, say_whole(x->arena,
	    a->setups.launches), say_count(x->arena, x->run->launches));
	place_setups(x, d);
	d->f.summary = arena_format(x->arena, "JAX compiles in %s, and nothing in the loops "
	    "behind: the GPU waits %s for it, about %s of it for functions outside of jit, "
	    "which are compiled one at a time", phases, say_seconds(x->arena, a->idle_s),
	    say_seconds(x->arena, single));
	d->f.limiter = "the compiler: it makes each function outside of jit by itself, anew "
	    "for each shape";
	d->f.gain_note = arena_format(x->arena, "half of the wait for functions outside of jit: "
	    "one function of them all is compiled, too; a cache saves nothing in the "
	    "first run, and up to %s in each later one; all of it comes once in a run, "
	    "however long its loops are", say_seconds(x->arena, a->idle_s));
}

/* Is code loaded by hand there, for a line of the program's own? */
static bool
is_own_loading(const struct site *s)
{
	return is_loaded_by_hand(s) && s->first < s->frames &&
	    site_own(&s->frame[s->first]);
}

/* XLA was compiling when the recording ended. Which kernels it would have made is not
 * known; what makes a function long for it is said as a condition. */
static void
tell_unfinished(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	const char *name = x->run->xla_unfinished.name;
	const char *s = say_seconds(x->arena, a->unfinished_s);

	if (a->unfinished_s < MOSTLY * a->idle_s) {
		d->f.summary = arena_format(x->arena, "%s; %s of it for %s, which was "
		    "not finished when the recording ended", d->f.summary, s, name);
		return;
	}
	d->variant = "unfinished";
	d->f.summary = arena_format(x->arena, "XLA was compiling %s when the recording "
	    "ended: the GPU had waited %s for it, and it was not finished", name, s);
	d->f.limiter = "the compiler: it takes as long as the function has operators";
	d->f.advice = "where a jitted function has a Python loop, use jax.lax.fori_loop "
	    "or jax.lax.scan, which compile its body once: the loop is unrolled, and each "
	    "turn compiled anew; jit one turn, and call it in a loop, otherwise";
	d->f.gain_note = "the time until the recording ended; it would have taken longer";
	d->f.bad_code = "@jax.jit\ndef run(x):\n    for _ in range(1000):    # unrolled\n"
	    "        x = step(x)\n    return x";
	d->f.good_code = "@jax.jit\ndef run(x):\n    return jax.lax.fori_loop(\n"
	    "        0, 1000, lambda i, x: step(x), x)";
}

/* The line of the program's own within whose calls the compiler works. */
static void
place_looked(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	struct looks_of of = { .apart = true, .anywhere = true, .is = framework_in_compiler };
	const struct site *at;
	double s;

	if (!(a->looked_s > 0))
		return;
	at = looks_place(x->arena, x->run, of, MOSTLY, &s);
	if (at == NULL)
		return;
	d->f.site = at;
	d->f.location = arena_format(x->arena, "%s; %s of the compiler's time is within what "
	    "this line calls", d->f.location, say_percent(x->arena,
	    fmin(1, s / a->looked_s)));
}

static void
tell_again(struct rule_view *x, struct draft *d, const struct compilations *a)
{
	bool torch = has_torch_compile(x), python = lines_python(x->run);
	const struct xla_module *m = NULL;
	const char *variant = NULL;

	if (is_xla(x, a)) {
		variant = xla_variant(x->run);
		/* Before the loop it is no step's shape that changes. */
		if (variant == NULL && a->late < rule_value(x, "min_late"))
			variant = "many";
		variant = a->setups.phases > 0 ? "setup" : variant;
		m = xla_longest(x->run, false);
	}
	lines_site_of(x, d, CALL_BIT(MODULE_LOAD), is_own_loading);
	if (d->f.site == NULL || !is_own_loading(d->f.site))
		lines_site_of(x, d, CALL_BIT(MODULE_LOAD), is_loaded_by_hand);
	place_looked(x, d, a);
	d->variant = torch ? torch_variant(x) : variant != NULL ? variant : "own";
	d->f.summary = arena_format(x->arena, "the program compiles in the loop, "
	    "%s: the GPU waits %s for it%s",
	    say_counted(x->arena, a->times, "time"),
	    say_seconds(x->arena, a->idle_s), m == NULL ? "" :
	    arena_format(x->arena, "; %s was compiled %s", m->name,
	    say_counted(x->arena, (double)m->times, "time")));
	d->f.limiter = "the compiler: what it made for other shapes or numbers "
	    "does not fit";
	d->f.advice = python ? "give the compiler what stays the same: pad to a few "
	    "sizes, pass numbers that change as tensors or run-time arguments; "
	    "the compiler's log says what it specialised on" : "compile once, and "
	    "pass what changes as kernel arguments; code that does differ keep "
	    "by its options (a map from options to CUkernel)";
	d->f.gain_note = a->needed_s > 0 ? "all times but the first; compiled code "
	    "may be kept from run to run" : "all these times: the code was there "
	    "before; compiled code may be kept from run to run";
	d->f.bad_code = !python ?
	    "for (float a : candidates) {\n    compile(\"#define A \" + text(a) + "
	    "source, &kernel);   // NVRTC\n    launch(kernel, data);\n}" : torch ?
	    "f = torch.compile(f, dynamic=False)\n"
	    "for x in batches:            # of all lengths\n    f(x)" :
	    "for x in batches:            # of all lengths\n"
	    "    f = compiled(source, len(x))\n    f(x)";
	d->f.good_code = !python ?
	    "compile(source, &kernel);   // once\nfor (float a : candidates)\n"
	    "    launch(kernel, data, a);" : torch ?
	    "f = torch.compile(f, dynamic=True)\nfor x in batches:\n    f(x)" :
	    "f = compiled(source)\nfor x in batches:\n    f(x, len(x))";
	if (a->setups.phases > 0)
		tell_setups(x, d, a);
	else if (variant != NULL && !torch)
		tell_xla(x, d, a);
	if (torch && d->variant != NULL)
		tell_torch(x, d, a);
	if (a->unfinished_s > 0)
		tell_unfinished(x, d, a);
}

enum rule_state
rule_recompilation(struct rule_view *x)
{
	struct compilations tuning = collect(x, true), again = collect(x, false);
	struct draft *d;
	bool any = false;

	add_unfinished(x, &again);
	add_looked(x, &again);
	find_setups(x, &again);
	if ((d = found(x, "tuning", &tuning)) != NULL) {
		tell_tuning(x, d, &tuning);
		any = true;
	}
	/* What was made once, and is kept, there is nothing to change about. */
	if ((!again.whole || remade_share(x, is_program) >= HARDLY_AGAIN) &&
	    (d = found(x, "compiling", &again)) != NULL) {
		tell_again(x, d, &again);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
