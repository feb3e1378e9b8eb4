/*
 * rules/evidence/elected.h: which threads of a block execute an instruction, as far as
 * the code alone tells: what guards it may let through one lane of each warp only, as
 * "threadIdx.x % 32 == 0" or the compiler's own choice of a lane that adds for its warp;
 * or one warp of the block only, as "threadIdx.x < 32" or "threadIdx.x == 0". Pure.
 */
#ifndef CADV_ELECTED_H
#define CADV_ELECTED_H

#include <stdbool.h>
#include <stdint.h>

struct sass;
struct slices;

enum elected {
	ELECTED_LANE = 1,	/* at most one lane of a warp executes it */
	ELECTED_WARP = 2	/* at most one warp of a block does */
};

/* What the branches of a function let through: read once, asked often. */
struct electing;

/* elected_new(s, t): of ${s}, whose definitions are ${t}; both must outlive it. NULL
 * without memory. Release with elected_free. */
struct electing *elected_new(const struct sass *s, const struct slices *t);
void elected_free(struct electing *e);

/* elected_of(e, at): who executes instruction ${at}: a set of enum elected. What is not
 * recognised lets all through. */
unsigned elected_of(struct electing *e, uint32_t at);

/* elected_by(e, at): the instruction that sets the predicate under which ${at} is executed,
 * by the order of the code; SASS_NONE. */
uint32_t elected_by(const struct electing *e, uint32_t at);

/* elected_past(e, at): whom the branch or exit ${at} itself lets past, if it is under a
 * predicate: a set of enum elected. */
unsigned elected_past(const struct electing *e, uint32_t at);

/* elected_bound(e, at, row, by): the register that the lane's number is compared with, as
 * the less or the greater, by instruction *${by}, which alone decides whether ${at} is
 * executed; ${row}: threadIdx.x is that number, too. Else REGISTER_NONE. */
int elected_bound(struct electing *e, uint32_t at, bool row, uint32_t *by);

#endif
