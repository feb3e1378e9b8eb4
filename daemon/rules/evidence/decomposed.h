/*
 * rules/evidence/decomposed.h: matrices so small that a library which decomposes them (SVD,
 * eigenvalues, Cholesky, LU, QR) launches kernels of a few blocks, round by round, and reads
 * back in between whether it is done. Larger batches of the program and graphs do not reach
 * into such a call. Pure.
 */
#ifndef CADV_DECOMPOSED_H
#define CADV_DECOMPOSED_H

#include "rules/engine/rule.h"

/* Of the SMs, so many have blocks in the mean of the time, at most: arithmetic, four such
 * matrices fit beside each other. Of matrices that fill the GPU the kernels have more. */
#define DECOMPOSED_FILLED 0.25

struct decomposed {
	const struct kernel *most;	/* with the most time */
	double launches, s;		/* of all kernels that the line has decomposed by */
	double gap_s;			/* GPU idle in front of them */
	double late_s;			/* of it, only until the launch arrived */
	double blocks;			/* that they have, in the mean of their time */
	double filled;			/* the share of the SMs that have them, likewise */
	bool spectral;			/* singular values or eigenvalues */
};

/*
 * decomposed_by(x, k, d, of): does ${k} have the most time of all kernels that such a library
 * launches from its line, and are the matrices small? Then ${d} is filled; ${of}, unless NULL,
 * becomes true for these kernels, by index.
 */
bool decomposed_by(const struct rule_view *x, const struct kernel *k, struct decomposed *d,
    bool *of);

/* decomposed_all(x, d): the sums for all such lines, in ${d}, without blocks and filled. The
 * kernels, by index; NULL: there are none, or memory is short, and ${d} is empty. */
const bool *decomposed_all(const struct rule_view *x, struct decomposed *d);

#endif
