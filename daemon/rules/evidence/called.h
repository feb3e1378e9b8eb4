/*
 * rules/evidence/called.h: what a library's kernel tells of how it was called. Pure.
 */
#ifndef CADV_CALLED_H
#define CADV_CALLED_H

#include "rules/engine/rule.h"

/*
 * called_tensor(x, ratio, type): a product of matrices in FP32 without tensor
 * cores, on a GPU whose tensor cores are ${ratio} times as fast with ${type}.
 * called_double(x, rate): a kernel in FP64, on a GPU that does it at ${rate} of
 * the FP32 rate. Of the view's kernel, which is a library's.
 */
enum rule_state called_tensor(struct rule_view *x, double ratio,
    const char *type);
enum rule_state called_double(struct rule_view *x, double rate);

#endif
