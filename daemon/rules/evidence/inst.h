/*
 * rules/evidence/inst.h: a kernel's instructions as the rules read them: what each was
 * counted (tier S), what it is (X), what warps waited for at it (P). Pure;
 * indices are into code->instruction unless they say otherwise.
 */
#ifndef CADV_INST_H
#define CADV_INST_H

#include "rules/engine/rule.h"

/* inst_value(c, i, m): the count; 0 where it was counted but not there, NaN
 * where it was not counted at all. inst_total sums it up. */
double inst_value(const struct code *c, size_t i, enum source_metric m);
double inst_total(const struct code *c, enum source_metric m);

/* inst_sass(c, i): its disassembly, or NULL. */
const struct sass_instruction *inst_sass(const struct code *c, size_t i);

/* inst_of_sass(c, s): the instruction of code->sass.instruction[${s}], or
 * SIZE_MAX. inst_at(c, pc) finds one by its pc. */
size_t inst_of_sass(const struct code *c, uint32_t s);
size_t inst_at(const struct code *c, uint32_t pc);

/* inst_executed(c, s): warps that executed sass instruction ${s}; 0. */
double inst_executed(const struct code *c, uint32_t s);

/* inst_entered(c, l): warps that came to loop ${l} from outside, as what stands before
 * it and behind it tells. */
double inst_entered(const struct code *c, const struct sass_loop *l);

/* inst_first_use(c, i): the instruction behind ${i}, in the order of the code and
 * not far, that first reads what ${i} writes; SIZE_MAX. */
size_t inst_first_use(const struct code *c, size_t i);

enum inst_access {
	INST_NONE, INST_LOAD, INST_STORE, INST_ATOMIC
};
/* What it does to global or shared memory: from the disassembly, else from the
 * counts. */
enum inst_access inst_global(const struct code *c, size_t i);
enum inst_access inst_shared(const struct code *c, size_t i);

/* Bytes a lane accesses: from the disassembly, else from the ideal sectors; 0
 * unknown. */
double inst_bytes(const struct code *c, size_t i);

/* inst_lanes(c, i): mean lanes with a true predicate; NaN. */
double inst_lanes(const struct code *c, size_t i);

/* inst_stalled(c, i, mask): samples of ${i} with a reason in ${mask}, a set of
 * STALL_BITs. inst_samples: all of them. */
double inst_stalled(const struct code *c, size_t i, uint32_t mask);
double inst_samples(const struct code *c, size_t i);

/* inst_waiting(c, mask): share of the function's samples; NaN if not sampled. */
double inst_waiting(const struct code *c, uint32_t mask);

/*
 * inst_lacks(x, needs): why the view's kernel does not have the data in
 * ${needs} (NEED_SOURCE, NEED_SAMPLES, NEED_CODE); NULL if it does.
 */
const struct reason *inst_lacks(const struct rule_view *x, unsigned needs);

/* inst_is_same(a, b): are they launch shapes of one function of one cubin? */
bool inst_is_same(const struct kernel *a, const struct kernel *b);

/*
 * inst_share(x, speaks): the part of the time of all kernels, 0..1, that the
 * function of the view's kernel takes in all its launch shapes. *${speaks}: of
 * these shapes it is the one with the most time.
 */
double inst_share(const struct rule_view *x, bool *speaks);

#endif
