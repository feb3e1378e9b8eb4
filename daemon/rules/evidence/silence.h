/*
 * rules/evidence/silence.h: the time between the GPU's last work and the signal that ended the
 * run, if the program's Python was at work meanwhile: a loop that does not end, or takes long.
 * Pure.
 */
#ifndef CADV_SILENCE_H
#define CADV_SILENCE_H

#include "rules/evidence/looks.h"

/* silence_s(run): its seconds; 0: there is none. Not if a compiler was at work, or if Python
 * was hardly seen to go on: then it may have waited, for a kernel that did not end, too. */
double silence_s(const struct run *run);

/* silence_looks(run): which looks are in it. */
struct looks_of silence_looks(const struct run *run);

/* silence_place(arena, run): the program's own function that is not left meanwhile, and goes
 * from line to line itself: the loop; at its line with most of the time. A site that shows it,
 * in ${arena}; NULL: none, or memory is short. */
const struct site *silence_place(struct arena *arena, const struct run *run);

#endif
