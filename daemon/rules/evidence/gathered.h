/*
 * rules/evidence/gathered.h: accesses at loaded addresses: sparse matrices,
 * graphs, lists, tables. More threads, or another order of them, do not bring
 * neighbours together: the data decide that. The remedies are others, and less
 * certain, so uncoalesced-global-access reports them in different words. Pure.
 */
#ifndef CADV_GATHERED_H
#define CADV_GATHERED_H

#include "rules/evidence/access.h"

/* Loads [0] and stores [1] of a kernel. */
struct gathered {
	double sectors[2];	/* of all accesses */
	double excess[2];	/* sectors of accesses at loaded addresses
				 * beyond what their bytes fill */
	double walked[2];	/* of excess: each lane goes on from there to
				 * the next elements, a row of its own */
	double own[2];		/* sectors of accesses at loaded addresses */
	double per_request[2];	/* of those, sectors per request; NaN: unknown */
	bool objects;		/* lanes load several fields of an object */
	bool exact;		/* counted by instruction; else read from code */
};

/* gathered_of(g, x, all): fill ${g} from the counts by instruction. */
void gathered_of(struct gathered *g, const struct rule_view *x,
    const struct accesses *all);

/*
 * gathered_explains(g, x, kind): where only sums were counted: does the code show
 * that only gathered accesses of ${kind} can be scattered? Then ${g} has what the
 * code tells; excess and sectors are numbers of accesses, for the caller to scale.
 */
bool gathered_explains(struct gathered *g, const struct rule_view *x,
    enum inst_access kind);

/* gathered_report(x, g, all): report the finding; ${all} may be NULL. Returns
 * RULE_FOUND. */
enum rule_state gathered_report(struct rule_view *x, const struct gathered *g,
    const struct accesses *all);

#endif
