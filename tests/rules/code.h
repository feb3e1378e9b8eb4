/*
 * rules/code.h: the code of kernels, written down for tests: an instruction a
 * line, with what was counted and sampled of it.
 *
 *   LDG.E R0,desc[UR4][R2.64] | inst 100 lanes 32 sectors 400 ideal 400 line 7
 *
 * Words: inst (warps), lanes (with a true predicate), active (lanes, if others),
 * sectors and ideal (global), local, waves and least (shared wavefronts),
 * divergent and uniform (branches), line, and names of stalls with their
 * samples. The rest is 0. Branches name their target's place: "BRA #3" jumps to
 * the fourth line. What is a global load, store, … follows from the opcode.
 */
#ifndef TEST_CODE_H
#define TEST_CODE_H

#include "rules/made.h"

struct code_made {
	struct code code;
	struct source_file file[1];
};

/*
 * code_make(m, k, text): ${text} is the code of ${k}, counted, disassembled, and
 * sampled if it has samples. The kernel's counters become what was counted of
 * its instructions, times ${scale}. Ends the test program if the text cannot be
 * read. code_release gives back all that ${m} has.
 */
struct code_made *code_make(struct made *m, struct kernel *k, const char *text,
    double scale);
void code_release(struct made *m);

#endif
