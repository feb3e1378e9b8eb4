/*
 * rules/engine/unmeasured.h: the part of the run's time that was not examined.
 * If nothing was found there, that does not mean it is clean. Pure.
 */
#ifndef CADV_UNMEASURED_H
#define CADV_UNMEASURED_H

#include "rules/engine/rule.h"

/*
 * unmeasured_note(run, load, arena): a line about the kernels that have no
 * counters, or whose counters show no saturated resource and whose instructions
 * were not examined: which they are, why, and what to do (an option of
 * `cudadvise run`, or another tool). NULL if kernels with half of the kernels'
 * time were examined, the longest among them, or if kernels are a small part of
 * the run. Of a program that was killed before its loops began it says that.
 * ${load}[i] belongs to run->kernel[i]; ${arena} owns the text.
 */
const char *unmeasured_note(const struct run *run, const struct load *load,
    struct arena *arena);

#endif
