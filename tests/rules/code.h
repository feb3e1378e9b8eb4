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
 * the fourth line. What is a global load, store, … follows from the opcode. Counts are
 * of all warps of a launch, whose grid and block are set elsewhere: who makes blocks
 * smaller makes the grid larger, or each warp executes more.
 */
#ifndef TEST_CODE_H
#define TEST_CODE_H

#include "rules/made.h"

struct code_made {
	struct code code;
	struct source_file file[1];
};

/*
 * code_text(name, …): the listing ${name} of tests/rules/sass, in which … replaces
 * what it does for printf. Good until the eighth call after it. In these files a
 * listing begins with ":name" and ends at the next one; "+name a b" stands for all
 * of another, in which $1 and $2 become a and b; "# …" is a comment. Ends the test
 * program if there is no such listing.
 */
const char *code_text(const char *name, ...);

/*
 * code_make(m, k, text): ${text} is the code of ${k}, counted, disassembled, and
 * sampled if it has samples. The kernel's counters become what was counted of
 * its instructions, times ${scale}. Ends the test program if the text cannot be
 * read. code_release gives back all that ${m} has.
 */
struct code_made *code_make(struct made *m, struct kernel *k, const char *text,
    double scale);

/* A kernel of 10,000 launches of 200 us that keeps DRAM busy for ${dram}, with the
 * code ${text}, in which there are hundreds of warps: CODE_SCALE times so many. */
#define CODE_SCALE 1000
struct kernel *code_kernel(struct made *m, double dram, const char *text);

void code_release(struct made *m);

#endif
