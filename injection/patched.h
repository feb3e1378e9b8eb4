/*
 * patched.h: the expected time of a kernel whose code CUPTI has patched to count its
 * instructions.
 */
#ifndef CADV_PATCHED_H
#define CADV_PATCHED_H

#include <stdint.h>

/*
 * patched_time(instructions, time): the expected nanoseconds of a launch with patched
 * code that executes ${instructions} warp instructions (NaN: not known) and takes
 * ${time} ns unpatched (0: not known). It errs on the high side; UINT64_MAX if neither
 * is known.
 *
 * Of 94 kernels on H200s whose count took 4 ms or more, without two of 9 MB of code,
 * the median took 0.6 of this time, the slowest 1.3.
 */
uint64_t patched_time(double instructions, uint64_t time);

/* patched_learn(instructions, time, ns): such a launch took ${ns}. If that is more than
 * expected, patched_time returns more from now on. */
void patched_learn(double instructions, uint64_t time, uint64_t ns);

#endif
