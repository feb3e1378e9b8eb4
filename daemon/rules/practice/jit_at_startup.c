/*
 * jit-at-startup: the driver compiled PTX while the program ran, because the
 * binary has no machine code for this GPU. If a library loads most modules, such
 * as cuFFT for a plan, the PTX is taken to be the library's: no build of the
 * program changes that, only the driver's cache saves it.
 */
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"

/* The finding's words for a library's code. */
static void
describe_library(const struct rule_view *x, struct draft *d, const char *library)
{
	/* Where the cache stays, as it mostly does, the next run saves all of it
	 * without any change. */
	d->claim[0].s.low = d->claim[0].s.mid = 0;
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s, for %s", d->f.summary, library);
	d->f.advice = arena_format(x->arena, "keep the driver's cache "
	    "(CUDA_CACHE_PATH, mostly ~/.nv/ComputeCache) from run to run, also "
	    "in containers: the code is %s's, and no option of your build "
	    "changes it", library);
	d->f.gain_note = "nothing where the cache stays, all of it where each "
	    "run begins with an empty one";
	d->f.bad_code = "docker run --gpus all app";
	d->f.good_code = "docker run --gpus all -v nv-cache:/root/.nv app";
}

enum rule_state
rule_jit_at_startup(struct rule_view *x)
{
	const struct run *run = x->run;
	const struct record_DEVICE *gpu = run->devices > 0 ?
	    &run->device[0].limits : NULL;
	double jit = (double)run->jit_ns * 1e-9, wall = rule_wall_s(run);
	double before = (double)run->jit_startup_ns * 1e-9;
	const char *library;
	struct draft *d;

	if (!run->jit_traced && run->jit_compiles == 0)
		return rule_unmeasured(x, REASON_OLD_JIT);
	if (jit < rule_value(x, "min_time"))
		return RULE_CLEAN;
	d = rule_found(x, "jit");
	d->feeds = true;
	lines_site(x, d, CALL_BIT(MODULE_LOAD));
	/* Loading machine code instead takes a small part of it. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_STARTUP) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST),
	    { 0.8 * jit, 0.95 * jit, jit } };
	d->claims = 1;
	d->f.confidence = CONF_MEDIUM;
	d->f.location = arena_format(x->arena, "%s compilation%s",
	    say_count(x->arena, run->jit_compiles),
	    run->jit_compiles == 1 ? "" : "s");
	rule_evidence(x, d, "jit_s", jit, "the driver compiled for",
	    .measured = "JIT records", .key = "min_time");
	rule_evidence(x, d, "compilations", (double)run->jit_compiles,
	    "compilations", .measured = "JIT records", .unit = "module");
	rule_evidence(x, d, "startup_s", before,
	    "of it before the GPU's first work",
	    .measured = "JIT and kernel records");
	rule_evidence(x, d, "cached", (double)run->jit_loads,
	    "modules that were in the driver's cache",
	    .measured = "JIT records", .unit = "module");
	d->f.summary = arena_format(x->arena, "the driver compiled PTX for %s "
	    "(%s of the run)", say_seconds(x->arena, jit),
	    say_percent(x->arena, wall > 0 ? jit / wall : 0));
	d->f.limiter = "the program waits while the driver compiles";
	d->f.advice = gpu != NULL && gpu->cc_major > 0 ?
	    arena_format(x->arena, "build for this GPU (nvcc -gencode "
	    "arch=compute_%u%u,code=sm_%u%u), and keep PTX for later ones",
	    gpu->cc_major, gpu->cc_minor, gpu->cc_major, gpu->cc_minor) :
	    "build for this GPU (nvcc -arch=native), and keep PTX for later "
	    "ones";
	d->f.gain_note = "of a run that has to compile: the driver keeps the "
	    "result in ~/.nv/ComputeCache, so that the next run of the same "
	    "binary may save nothing";
	d->f.next = say_tool(x->arena, run, "CUDA_CACHE_DISABLE=1 nsys profile "
	    "--trace=cuda");
	library = library_calling(d->f.site);
	if (library != NULL)
		describe_library(x, d, library);
	else
		d->f.summary = arena_format(x->arena, "%s: the binary has no "
		    "machine code for this GPU", d->f.summary);
	return RULE_FOUND;
}
