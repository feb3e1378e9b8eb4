/*
 * rules/evidence/served.h: the instructions that only serve some accesses: what
 * computes their addresses, and the conditions that guard them, and nothing else.
 * Where several results share one such access they go with it. Pure.
 *
 * From the order of the code and its loops, as in slice.h: an instruction serves if
 * all that reads its result is one of those accesses, as its address or its guard,
 * or serves itself. What also counts a loop's iterations, is stored or decides a
 * branch does not.
 */
#ifndef CADV_SERVED_H
#define CADV_SERVED_H

#include "rules/evidence/inst.h"

/*
 * served_inst(c, of): executed warp instructions of ${c} that serve the accesses
 * marked in ${of}, one for each instruction of c->sass; without the accesses
 * themselves. NaN without memory.
 */
double served_inst(const struct code *c, const bool *of);

#endif
