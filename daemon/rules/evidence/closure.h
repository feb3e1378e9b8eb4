/*
 * rules/evidence/closure.h: programs that an optimizer calls. PyTorch's L-BFGS calls the
 * program's closure, forward and backward, as often as its line search asks for, and decides
 * on the host how to go on: no step repeats, but the closure does. Pure.
 */
#ifndef CADV_CLOSURE_H
#define CADV_CLOSURE_H

#include <stdbool.h>

#include "model/model.h"

/* closure_called(run): are most of the launches that Python's lines make, outside of backward
 * passes, made from within the closure of torch.optim.LBFGS, or by it? */
bool closure_called(const struct run *run);

/* closure_optimizes(s): is L-BFGS itself at work there, not the closure that it calls? */
bool closure_optimizes(const struct site *s);

/* closure_reads(run): the part of the host's reads of results that L-BFGS makes itself, to
 * decide how to go on, 0..1. */
double closure_reads(const struct run *run);

#endif
