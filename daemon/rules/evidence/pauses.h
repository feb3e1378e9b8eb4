/*
 * rules/evidence/pauses.h: long gaps that come again at one place, though fewer than
 * min_gaps times: what the host does between two rounds of the GPU's work, as between the
 * epochs of a training.
 */
#ifndef CADV_PAUSES_H
#define CADV_PAUSES_H

#include "model/model.h"

struct pauses {
	double gaps;		/* so many; 0: none come again */
	double s;		/* the host's part of them */
	double beside_s;	/* of it, what takes no longer than the round that follows */
	double busy_s;		/* of it, what takes no longer than the GPU works in that */
	double launches;	/* the fewest between two of them */
	uint64_t longest_ns;	/* the longest, as run->idle_longest_ns */
	uint64_t of;		/* bit i: run->pause[i] is one of them */
	const struct site *site;	/* in front of which the longest of them lies */
};

/*
 * pauses_again(run): of a program in Python, the longest gaps of which three or more, of
 * similar length, lie in front of the same line of its own code and are a considerable part
 * of the run together, without as many as recur (gaps.h). A program that checks its results
 * on the host, variant after variant, makes such gaps, too, but what it launches is another
 * kernel each time: here most launches are of kernels that ran before the second gap and
 * behind the last but one. None of them are in front of what a compiler or a library
 * launches to try it out.
 */
struct pauses pauses_again(const struct run *run);

/* pauses_phase_ns(run): the host's part of the longest gap that is none of these: a phase of
 * the program's, which happens once. */
uint64_t pauses_phase_ns(const struct run *run);

#endif
