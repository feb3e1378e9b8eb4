/*
 * rules/evidence/called.h: what a library's kernel tells about how it was called. Pure.
 */
#ifndef CADV_CALLED_H
#define CADV_CALLED_H

#include "rules/engine/rule.h"

/*
 * Rules about the view's kernel, which must be a library's.
 *
 * called_tensor(x, ratio, type): a matrix product in FP32 without tensor cores,
 * on a GPU whose tensor cores are ${ratio} times as fast with ${type}.
 * called_double(x, rate): a kernel in FP64, on a GPU that runs it at ${rate} of
 * the FP32 rate.
 */
enum rule_state called_tensor(struct rule_view *x, double ratio,
    const char *type);
enum rule_state called_double(struct rule_view *x, double rate);

#endif
