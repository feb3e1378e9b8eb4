/*
 * patched.h: how long a kernel takes with patched code, in which CUPTI counts its
 * instructions.
 */
#ifndef CADV_PATCHED_H
#define CADV_PATCHED_H

#include <stdint.h>

/*
 * patched_time(instructions, time): nanoseconds that a launch of ${instructions}
 * warp instructions (NaN: not known), which takes ${time} by itself (0: not
 * known), takes with patched code: rather too many; UINT64_MAX if nothing is known.
 *
 * Of 94 kernels on H200s that were counted in 4 ms or more, two of 9 MB of code left
 * out, the median took 0.6 of it, the slowest 1.3.
 */
uint64_t patched_time(double instructions, uint64_t time);

/* patched_learn(instructions, time, ns): such a launch took ${ns}: where that is
 * more, the next ones are expected to take more. */
void patched_learn(double instructions, uint64_t time, uint64_t ns);

#endif
