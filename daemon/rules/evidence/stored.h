/*
 * rules/evidence/stored.h: values that a loop keeps in global memory: it stores to
 * one address in every iteration, so that the next iteration overwrites the value.
 *
 * The code shows that the address does not change in the loop (slice.h); no other
 * thread can wait for the value, as there is no barrier, no fence and no volatile
 * access in the loop. Loads from that address in the same loop are counted, too. Pure.
 */
#ifndef CADV_STORED_H
#define CADV_STORED_H

#include "rules/evidence/lines.h"

struct slices;

struct stored {
	double stores, store_sectors;	/* that the next iteration overwrites */
	double loads, load_sectors;	/* of what the previous iteration stored */
	double all;			/* global loads and stores executed */
};

/* stored_of(s, c, t, m): count them in ${c}, which must be counted and
 * disassembled, into ${s} and, unless it is NULL, ${m}. */
void stored_of(struct stored *s, const struct code *c, const struct slices *t,
    struct mark *m);

#endif
