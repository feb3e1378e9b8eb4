/*
 * rules/engine/unmeasured.h: what the run's time goes into and nobody looked at. Where
 * nothing was found, that is no clean bill. Pure.
 */
#ifndef CADV_UNMEASURED_H
#define CADV_UNMEASURED_H

#include "rules/engine/rule.h"

/*
 * unmeasured_note(run, load, arena): one line of the kernels that have no counters,
 * or of which nothing that was counted is full and no instruction was looked at:
 * which, why, and what to do, an option of `cudadvise run` or another tool. NULL
 * where kernels of half of the kernels' time were looked at and the longest one
 * was, or kernels are little of what the run does. ${load}[i] is of
 * run->kernel[i]; the text is ${arena}'s.
 */
const char *unmeasured_note(const struct run *run, const struct load *load,
    struct arena *arena);

#endif
