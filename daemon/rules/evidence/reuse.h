/*
 * rules/evidence/reuse.h: how often a kernel loads the same bytes, and through what.
 *
 * How often is proven, not guessed. What a launch loads that is different can
 * be no more than what it fetched from DRAM, host and peer memory, and what L2
 * held before it, nor more than all the memory that kernels can reach, where
 * that is known: bytes asked for / the smaller of both is the least number of
 * times that a byte was loaded. In shared memory it is loads / stores, or loads
 * / what came from L2 for copies that go there without a store. Pure.
 */
#ifndef CADV_REUSE_H
#define CADV_REUSE_H

#include "rules/evidence/lines.h"

struct reuse {
	double loaded;		/* bytes that global loads asked for; NaN */
	double from_l2;		/* of them from L2 */
	double unique;		/* bytes: no more than this is different; NaN */
	bool by_memory;		/* … because there is no more memory */
	double again;		/* loaded / unique: times, at least; NaN */
	double l2_again;	/* from_l2 / unique; NaN */
	double shared;		/* loads / stores of shared memory; 0 none */
	double arithmetic;	/* busiest arithmetic pipe / L1 pipe; NaN */
	double part_global, part_shared;	/* loads, of the L1 pipe's work */
	/* Where instructions were counted and disassembled: */
	bool by_code;
	bool tensor;		/* tensor cores are at work */
	double kept;		/* part of the global loads whose address a tile
				 * or a register can stand for; else 1 */
	double single;		/* part of what is kept whose value goes into a
				 * product with what all threads share */
	bool table;		/* shared loads look where a load said */
};

/*
 * reuse_of(r, x, global, shared): look at the view's kernel. With r->by_code
 * ${global} and ${shared} (marks_new; else NULL) get the loads that count.
 */
void reuse_of(struct reuse *r, const struct rule_view *x, struct mark *global,
    struct mark *shared);

/*
 * reuse_memory(run): bytes that kernels can reach: device, pinned and managed
 * memory at their peaks, and module globals. NaN where it was not recorded, or
 * not all of it.
 */
double reuse_memory(const struct run *run);

/* reuse_conflicted(x, most): more than ${most} of the shared loads' wavefronts
 * are bank conflicts. */
bool reuse_conflicted(const struct rule_view *x, double most);

#endif
