/*
 * rules/code.h: the code of kernels, written down for tests: one instruction a
 * line, with its counts and samples.
 *
 *   LDG.E R0,desc[UR4][R2.64] | inst 100 lanes 32 sectors 400 ideal 400 line 7
 *
 * Words: inst (warps), lanes (with a true predicate), active (lanes, if different),
 * sectors and ideal (global), local, waves and least (shared wavefronts), divergent
 * and uniform (branches), line, and names of stalls with their samples. Everything
 * else is 0. A branch names the position of its target: "BRA #3" jumps to the
 * fourth line. The opcode tells what is a global load, a store, … Counts are of all
 * warps of a launch; grid and block are set elsewhere: a test that makes blocks
 * smaller must make the grid larger, or each warp executes more.
 */
#ifndef TEST_CODE_H
#define TEST_CODE_H

#include "rules/made.h"

struct code_made {
	struct code code;
	struct source_file file[1];
};

/*
 * code_text(name, …): the listing ${name} of tests/rules/sass, formatted with …
 * as by printf. Valid until the eighth call after it. In these files a listing
 * begins with ":name" and ends at the next one; "+name a b" inserts another
 * listing, with a and b in place of $1 and $2; "# …" is a comment. Ends the
 * test program if there is no such listing.
 */
const char *code_text(const char *name, ...);

/*
 * code_make(m, k, text): make ${text} the code of ${k}: counted, disassembled,
 * and sampled if it has samples. The kernel's counters become the sums over its
 * instructions, times ${scale}. Ends the test program if the text cannot be
 * read. code_release frees everything that ${m} has.
 */
struct code_made *code_make(struct made *m, struct kernel *k, const char *text,
    double scale);

/* A kernel of 10,000 launches of 200 us that keeps DRAM busy for the share
 * ${dram}, with the code ${text}. The text counts hundreds of warps: the launch
 * has CODE_SCALE times as many. */
#define CODE_SCALE 1000
struct kernel *code_kernel(struct made *m, double dram, const char *text);

void code_release(struct made *m);

#endif
