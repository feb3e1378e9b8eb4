/*
 * rules/evidence/coalesced.h: sparse matrices whose entries a framework sorts and adds up anew
 * in front of each product with them, as they are not coalesced (PyTorch's COO): many short
 * launches and a wait for the number of entries each time. No graph holds that. Pure.
 */
#ifndef CADV_COALESCED_H
#define CADV_COALESCED_H

#include "rules/engine/rule.h"
#include "rules/evidence/steps.h"

struct coalesced {
	bool found;
	double launches;	/* that coalesce, in the run */
	double share;		/* of the sequence's launches */
	double waits;		/* of the waits' stacks, those within */
	double idle_s[VIEWS];	/* GPU idle in front of the launches that go */
	const struct site *site;	/* the line with most of them; NULL: none is known */
};

/* coalesced_of(x, s, gone): do a quarter of the launches of ${s}, or most waits of a sequence
 * that has them, come from that? Adds the launches that go to ${gone}, by kernel index. */
struct coalesced coalesced_of(const struct rule_view *x, const struct sequence *s,
    struct gone *gone);

/* coalesced_say(x, d, c, gone): make it the change that ${d}, about launching a step, asks for
 * first, with the line and the seconds, if these are more than a graph's. */
void coalesced_say(const struct rule_view *x, struct draft *d, const struct coalesced *c,
    const struct gone *gone);

#endif
