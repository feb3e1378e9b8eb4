/*
 * report/stacks.h: the time of kernels as call stacks: the kernel, its lines
 * from the outermost caller to the innermost inlined one, and the stall reason
 * there. For pprof, speedscope and flame graphs.
 */
#ifndef CADV_STACKS_H
#define CADV_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct report;

#define STACK_DEPTH 64		/* the outermost callers of a longer chain are left out */

struct stack_frame {
	const char *name;	/* never NULL */
	const char *file;	/* NULL: unknown */
	uint64_t line;		/* 0: unknown */
};

/* Borrowed during a visit. */
struct stack {
	struct stack_frame frame[STACK_DEPTH + 1];	/* outermost first */
	size_t frames;
	const char *stall;	/* "long_scoreboard"; NULL: not sampled */
	uint64_t ns;		/* > 0 */
};

/* Called for each stack; returns 0 to go on. */
typedef int stack_visit(void *arg, const struct stack *s);

/*
 * stacks_each(r, visit, arg): visits every stack of the kernels of ${r}. A
 * kernel's time is divided in proportion to its samples. The time of a kernel
 * without samples is one stack of one frame. Every call visits the same stacks.
 * Returns the last visit's result.
 */
int stacks_each(const struct report *r, stack_visit *visit, void *arg);

#endif
