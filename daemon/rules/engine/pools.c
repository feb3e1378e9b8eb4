/*
 * rules/engine/pools.c: see pools.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/pools.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/offloaded.h"
#include "rules/evidence/pauses.h"
#include "rules/evidence/silence.h"

double
pools_exposed_s(const struct run *run)
{
	return run->gpu_exposed_ns > 0 ? (double)run->gpu_exposed_ns * 1e-9 :
	    INFINITY;
}

double
pools_kernels_s(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->kernels; i++)
		sum += gain_exposed_s(&run->kernel[i]);
	return fmin(sum, pools_exposed_s(run));
}

/* Time of copies with no kernel running, on the GPU with the most of it. */
static double
copying_s(const struct run *run)
{
	double most = 0;

	for (size_t i = 0; i < run->devices; i++)
		most = fmax(most, ((double)run->device[i].copy_ns -
		    (double)run->device[i].copy_hidden_ns) * 1e-9);
	return most;
}

/* Moves ${s} seconds of what the host did between rounds to a pool of their own: who
 * shortens the gaps of a loop leaves them, and so the other way round. */
static void
split_rounds(double pool[POOLS], double s)
{
	static const enum idle_cause of[] = { IDLE_HOST, IDLE_AFTER_SYNC, IDLE_API };

	pool[AT_ROUNDS] = 0;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		double part = fmin(pool[of[i]], s - pool[AT_ROUNDS]);

		pool[of[i]] -= part;
		pool[AT_ROUNDS] += part;
	}
}

void
pools_of(const struct run *run, double pool[POOLS])
{
	struct results results = offloaded_results(run);
	/* What the model set apart, but are no results, counts as copies. */
	double copies = (double)(run->results.copy_ns - results.copy_ns);
	double moved = copies * 1e-9, all = 0, kernels = 0;
	double rounds = pauses_again(run).s;
	struct gpus gpus;

	for (int i = 0; i < IDLE_CAUSES; i++)
		pool[i] = (double)run->idle_ns[i] * 1e-9;
	/* Start-up and shutdown cannot be shortened, except that machine code
	 * may be there already; without a launch, also that memory may be. What
	 * a compiler or a loop was at when the recording ended is no shutdown. */
	pool[IDLE_STARTUP] = fmin(pool[IDLE_STARTUP],
	    (double)run->jit_startup_ns * 1e-9 +
	    (run->launches == 0 ? rule_allocating_s(run, NULL) : 0));
	pool[IDLE_SHUTDOWN] = (double)run->xla_unfinished.idle_ns * 1e-9 + silence_s(run);
	split_rounds(pool, rounds);
	/* Neither can the host's single longest phase, or those in which it
	 * processes results, unless it does that round after round; but where compilers
	 * take most of the run, a later run finds what they made. */
	if (!(looks_compiling(run) > 0))
		pool[IDLE_HOST] = fmax(0, pool[IDLE_HOST] - fmax(
		    (double)pauses_phase_ns(run) * 1e-9, ((double)results.host_ns -
		    (double)results.end_ns) * 1e-9 - rounds));
	for (size_t i = 0; i < run->copies; i++) {
		double gpu = (double)run->copy[i].gpu_ns;
		double e = run->copy[i].exposed_ns;

		copies += isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu;
		all += gpu;
	}
	pool[AT_COPIES] = fmin(copies * 1e-9, pools_exposed_s(run) + moved);
	pool[AT_ISSUED] = fmax(0, fmin(all * 1e-9, copying_s(run)) -
	    (double)results.copy_ns * 1e-9 - pool[AT_COPIES]);
	for (size_t i = 0; i < run->kernels; i++)
		kernels += (double)run->kernel[i].total_ns * 1e-9;
	pool[AT_LAUNCHED] = fmax(0, kernels - pools_kernels_s(run));
	pool[AT_FAULTS] = fmin(pools_kernels_s(run), rule_fault_s(run) *
	    rule_kernel_exposure(run));
	rule_gpus(run, &gpus);
	pool[AT_SHARE] = fmin(pools_kernels_s(run) - pool[AT_FAULTS],
	    gpus.uneven_s);
	pool[AT_TURNS] = pools_kernels_s(run);
}

double
pools_take(double pool[POOLS], uint32_t pools, double s, double taken[POOLS])
{
	static const int order[POOLS] = {
		AT_COPIES, AT_ISSUED, AT_LAUNCHED, AT_FAULTS, AT_SHARE, AT_TURNS,
		AT_ROUNDS,
		IDLE_ALLOCATION, IDLE_LAUNCH, IDLE_API, IDLE_AFTER_SYNC,
		IDLE_HOST, IDLE_ELSEWHERE, IDLE_STARTUP, IDLE_SHUTDOWN
	};
	double got = 0;

	for (int k = 0; k < POOLS && got < s; k++) {
		double part;
		int i = order[k];

		if (!(pools & 1u << i))
			continue;
		part = fmin(pool[i], s - got);
		pool[i] -= part;
		got += part;
		if (taken != NULL)
			taken[i] += part;
	}
	return got;
}

double
pools_room(const double pool[POOLS], uint32_t pools)
{
	double sum = 0;

	for (int i = 0; i < POOLS; i++)
		if (pools & 1u << i)
			sum += pool[i];
	return sum;
}

double
pools_sane(double s)
{
	return isfinite(s) && s > 0 ? s : 0;
}

double
pools_claimed(const struct draft *d, const double pool[POOLS], enum gain_view v)
{
	double left[POOLS], sum = 0;

	memcpy(left, pool, sizeof(left));
	for (size_t i = 0; i < d->claims; i++) {
		const struct gain *s = &d->claim[i].s;

		sum += pools_take(left, d->claim[i].pools,
		    pools_sane(v == VIEW_LOW ? s->low : v == VIEW_MID ?
		    s->mid : s->high), NULL);
	}
	return sum;
}
