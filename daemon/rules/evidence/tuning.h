/*
 * rules/evidence/tuning.h: what Triton's autotuner launches to time the configurations
 * of a kernel, by the stacks of launches. Pure.
 */
#ifndef CADV_TUNING_H
#define CADV_TUNING_H

#include "model/model.h"

/* tuning_tried(run, kernel): has the autotuner tried out kernel id ${kernel}? The program
 * launches the fastest one later. */
bool tuning_tried(const struct run *run, uint32_t kernel);

/* tuning_lost(run, lost): set ${lost}, by kernel index, for what only the autotuner
 * launched, and not again once it had gone on to another variant of the function: no
 * change to such a kernel shortens the program. */
void tuning_lost(const struct run *run, bool *lost);

#endif
