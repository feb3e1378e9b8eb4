/*
 * rules/evidence/reuse.h: how often a kernel loads the same bytes, and through
 * which unit.
 *
 * The repetition is proven: the distinct bytes that a launch loads are at most
 * what it fetched from DRAM, host and peer memory plus what L2 held before it,
 * and at most all the memory that kernels can reach, where that is known. Bytes
 * requested / the smaller of both is the least number of times that a byte was
 * loaded. In shared memory it is loads / stores, or, for copies that go there
 * without a store, loads / what came from L2. Pure.
 */
#ifndef CADV_REUSE_H
#define CADV_REUSE_H

#include "rules/evidence/lines.h"

struct reuse {
	double loaded;		/* bytes that global loads requested; NaN */
	double from_l2;		/* bytes that came from L2; NaN */
	double unique;		/* upper bound of the distinct bytes; NaN */
	bool by_memory;		/* … because there is no more memory */
	double again;		/* loaded / unique: the least times; NaN */
	double l2_again;	/* from_l2 / unique; NaN */
	double shared;		/* loads / stores of shared memory; 0: none */
	double arithmetic;	/* busiest arithmetic pipe / L1 pipe; NaN */
	double along;		/* share of the global loads of one address for the
				 * grid, which a loop moves on: all results of a
				 * thread share them, too; 0 without their code */
	double fed;		/* kept and along with what computes their addresses,
				 * of all warp instructions; 0 without their code */
	double part_global, part_shared;	/* share of loads in the L1
						 * pipe's work */
	double kept;		/* share of the global loads whose value a tile
				 * or a register can hold, by the counts of
				 * instructions or by estimates of them; 1
				 * without their code */
	/* Where instructions were counted and disassembled: */
	bool by_code;
	bool tensor;		/* uses tensor cores */
	double single;		/* share of kept whose value goes into a product
				 * with a factor that all threads share */
	double served;		/* the loads that can be kept and what computes
				 * their addresses, of all warp instructions */
	bool table;		/* addresses of shared loads were loaded */
};

/*
 * reuse_of(r, x, global, shared): fill ${r} for the view's kernel. With r->by_code,
 * ${global} and ${shared} (marks_new; else NULL) get the loads that count.
 */
void reuse_of(struct reuse *r, const struct rule_view *x, struct mark *global,
    struct mark *shared);

/*
 * reuse_memory(run): bytes that kernels can reach: device, pinned and managed memory at
 * their peaks, and module globals. NaN if they were not recorded, or not all of them.
 */
double reuse_memory(const struct run *run);

/* Of L2's size: less memory than that in use, and much read from DRAM, means that the
 * program has memory whose allocation was not seen. */
#define REUSE_SEEN_LEAST 0.5

/* reuse_conflicted(x, most): are more than ${most} of the shared loads'
 * wavefronts bank conflicts? */
bool reuse_conflicted(const struct rule_view *x, double most);

#endif
