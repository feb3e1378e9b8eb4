/*
 * rules/faults_stalls.c: kernels whose warps stall, as PC samples show, and
 * kernels that stall for another reason, or too little.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/code.h"
#include "rules/faults.h"

/* A kernel in which no warp could issue in ${unissued} samples. */
static struct kernel *
waiting(struct made *m, const char *code, uint64_t unissued)
{
	struct kernel *k = made_counted(m, 0.1);

	code_make(m, k, code_text("waiting", code),
	    CODE_SCALE)->code.samples.not_issued = unissued;
	return k;
}

/* A barrier in each of ${turns} iterations; samples after the barrier and at a load. */
static struct kernel *
at_barriers(struct made *m, int turns, int barrier, int load)
{
	return waiting(m, code_text("at_barriers", turns, barrier, load), 900);
}

FAULT_IS(barriers, at_barriers(m, 32, 500, 500))
/* only the end of one or two phases */
FAULT_IS(few_barriers, at_barriers(m, 2, 500, 500))
FAULT_IS(short_barriers, at_barriers(m, 32, 150, 850))
/* Barriers as long, but warps issue all the time: no time is lost. */
FAULT_IS(busy_barriers, at_barriers(m, 32, 500, 500)->metric[METRIC_ISSUE_ACTIVE] = 92)
/* Too few samples to say anything. */
FAULT_IS(few_samples, at_barriers(m, 32, 50, 50))

static struct kernel *
chained(struct made *m, int wait, int short_scoreboard, int other)
{
	return waiting(m, code_text("chained", wait, short_scoreboard, other),
	    700);
}

FAULT_IS(chain, chained(m, 300, 500, 200))
/* Low occupancy: raising it comes first. */
FAULT_IS(chain_alone, chained(m, 300, 500, 200)->metric[METRIC_OCCUPANCY] = 8)
/* The warps were ready but another was selected; they do not wait for results. */
FAULT_IS(turns, chained(m, 200, 100, 700))

/* ${copies} copies of a piece of code, with stalls for instruction fetch. */
static struct kernel *
fetching(struct made *m, int copies, int stalled)
{
	struct kernel *k = waiting(m, "FMUL R8,R8,R9 | inst 6400 line 40\n",
	    800);
	struct code *c = &m->code[m->codes - 1]->code;
	struct instruction *all = calloc((size_t)copies +
	    c->instructions + 1, sizeof(*all));

	if (all == NULL)
		abort();
	memcpy(all, c->instruction, c->instructions * sizeof(*all));
	for (int i = 0; i < copies; i++) {
		struct instruction *one = &all[c->instructions];

		*one = all[5];		/* the multiplication */
		one->pc = (uint32_t)c->instructions++ * 16;
		one->sass = SASS_NONE;
		one->samples.all = 1;
		one->samples.stall[i * 1000ll < stalled * (long long)copies ?
		    STALL_NO_INSTRUCTION : STALL_NOT_SELECTED] = 1;
		c->total[SOURCE_INST] += one->value[SOURCE_INST];
		c->samples.all++;
	}
	c->samples.stall[STALL_NO_INSTRUCTION] = (uint32_t)((long long)copies *
	    stalled / 1000);
	c->samples.stall[STALL_NOT_SELECTED] = (uint32_t)copies -
	    c->samples.stall[STALL_NO_INSTRUCTION];
	c->samples.not_issued = c->samples.all * 8 / 10;
	c->sampled = true;
	free(c->instruction);
	c->instruction = all;
	return k;
}

FAULT_IS(large_code, fetching(m, 8000, 600))
/* fetch stalls come from branches, or the first iteration */
FAULT_IS(small_code, fetching(m, 400, 600))
FAULT_IS(fetched, fetching(m, 8000, 50))
