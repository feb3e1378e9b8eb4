/*
 * rules/evidence/gathered.h: accesses whose addresses were loaded: sparse matrices, graphs,
 * lists, tables. Other threads, or another order of them, bring no neighbours
 * together there: that is in the data. What helps is another thing, and less
 * sure, so uncoalesced-global-access says it in other words. Pure.
 */
#ifndef CADV_GATHERED_H
#define CADV_GATHERED_H

#include "rules/evidence/access.h"

/* Loads [0] and stores [1] of a kernel. */
struct gathered {
	double sectors[2];	/* of all accesses */
	double excess[2];	/* of those whose address was loaded, beyond what
				 * their bytes fill */
	double walked[2];	/* of that, where each lane goes on from there to
				 * the next element: a row of its own */
	double own[2];		/* sectors of those whose address was loaded */
	double per_request[2];	/* of them, a request; NaN: unknown */
	bool objects;		/* lanes load several fields from one place */
	bool exact;		/* counted by instruction; else the code was read */
};

/* gathered_of(g, x, all): from what was counted of each instruction. */
void gathered_of(struct gathered *g, const struct rule_view *x,
    const struct accesses *all);

/*
 * gathered_explains(g, x, kind): where only sums were counted: does the code tell
 * that of the accesses of ${kind} only gathered ones can be scattered? Then what
 * is known of the code is in ${g}, and excess and sectors are for the caller to
 * scale: they are in accesses.
 */
bool gathered_explains(struct gathered *g, const struct rule_view *x,
    enum inst_access kind);

/* gathered_report(x, g, all): a finding. ${all} may be NULL. */
enum rule_state gathered_report(struct rule_view *x, const struct gathered *g,
    const struct accesses *all);

#endif
