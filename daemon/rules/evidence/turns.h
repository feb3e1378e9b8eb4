/*
 * rules/evidence/turns.h: does another process have the GPU in turns? The driver then stops a
 * kernel for a time slice, wherever it is: short kernels of all kinds last as much longer now
 * and then. NVML counts only the processes that it can see, and none of another container's.
 * Pure.
 */
#ifndef CADV_TURNS_H
#define CADV_TURNS_H

#include "model/model.h"

/* turns_s(run): the length of such a slice, s; 0: there is no sign of one. */
double turns_s(const struct run *run);

#endif
