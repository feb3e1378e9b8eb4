/*
 * rules/evidence/stored.h: values that a loop keeps in global memory: it stores to one
 * place in every turn, so that the next turn overwrites what this one stored.
 *
 * The address does not change in the loop, which the code tells (slice.h); nobody
 * else can be waiting for the value, as there is no barrier, no fence and no volatile
 * access in the loop. Loads of that place in the same loop are counted with it. Pure.
 */
#ifndef CADV_STORED_H
#define CADV_STORED_H

#include "rules/evidence/lines.h"

struct slices;

struct stored {
	double stores, store_sectors;	/* that the next turn overwrites */
	double loads, load_sectors;	/* of what the turn before stored */
	double all;			/* global loads and stores executed */
};

/* stored_of(s, c, t, m): look at the counted and disassembled ${c}; ${m}, unless it is
 * NULL, gets those stores and loads. */
void stored_of(struct stored *s, const struct code *c, const struct slices *t,
    struct mark *m);

#endif
