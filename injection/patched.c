#include <math.h>

#include "patched.h"

/* Time per warp instruction. On H200s: 0.24 to 0.72 ns in kernels of 100 million
 * instructions and more, 1.0 ns in a bitonic sort. */
#define INSTRUCTION_NS 0.72
/* Factor of the unpatched time, which is added to that. Two kernels with few
 * instructions and many sectors took 10 and 35 times their unpatched time, of which the
 * instructions explain half. */
#define TIMES 13
/* If the instructions are not known: one kernel of ten took 400 times as long or
 * more. */
#define TIMES_UNKNOWN 400
#define LEAST 1e6		/* fewest instructions to learn from */
#define SLOWEST 16		/* at most so many times slower than an H200 */

static double slower = 1;	/* factor relative to an H200; guarded by the window */

uint64_t
patched_time(double instructions, uint64_t time)
{

	if (isnan(instructions))
		return time == 0 ? UINT64_MAX : TIMES_UNKNOWN * time;
	return (uint64_t)(slower * (INSTRUCTION_NS * instructions +
	    TIMES * (double)time));
}

void
patched_learn(double instructions, uint64_t time, uint64_t ns)
{
	uint64_t expected = patched_time(instructions, time);

	if (instructions > LEAST && ns > expected)
		slower = fmin(slower * (double)ns / (double)expected, SLOWEST);
}
