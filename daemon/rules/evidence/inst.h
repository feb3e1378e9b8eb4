/*
 * rules/evidence/inst.h: a kernel's instructions for the rules: the counts of
 * each (tier S), its disassembly (X), and the samples of warps waiting at it
 * (P). Pure; indices are into code->instruction unless stated otherwise.
 */
#ifndef CADV_INST_H
#define CADV_INST_H

#include "rules/engine/rule.h"

/* inst_value(c, i, m): the count; 0 if ${m} was counted but not at ${i}, NaN if
 * it was not counted at all. inst_total(c, m): the sum over all instructions. */
double inst_value(const struct code *c, size_t i, enum source_metric m);
double inst_total(const struct code *c, enum source_metric m);

/* inst_sass(c, i): its disassembly, or NULL. */
const struct sass_instruction *inst_sass(const struct code *c, size_t i);

/* inst_of_sass(c, s): the instruction of code->sass.instruction[${s}], or
 * SIZE_MAX. inst_at(c, pc) finds one by its pc. */
size_t inst_of_sass(const struct code *c, uint32_t s);
size_t inst_at(const struct code *c, uint32_t pc);

/* inst_executed(c, s): warps that executed sass instruction ${s}; 0 if not known. */
double inst_executed(const struct code *c, uint32_t s);

/* inst_entered(c, l): warps that entered loop ${l}, by the executions before
 * and behind it. */
double inst_entered(const struct code *c, const struct sass_loop *l);

/* inst_first_use(c, i): the first instruction behind ${i}, in code order and
 * nearby, that reads what ${i} writes; SIZE_MAX. */
size_t inst_first_use(const struct code *c, size_t i);

enum inst_access {
	INST_NONE, INST_LOAD, INST_STORE, INST_ATOMIC
};
/* How the instruction accesses global or shared memory: from the disassembly,
 * else from the counts. */
enum inst_access inst_global(const struct code *c, size_t i);
enum inst_access inst_shared(const struct code *c, size_t i);

/* inst_bytes(c, i): bytes per lane: from the disassembly, else from the ideal
 * sectors; 0: unknown. */
double inst_bytes(const struct code *c, size_t i);

/* inst_lanes(c, i): mean lanes with a true predicate; NaN. */
double inst_lanes(const struct code *c, size_t i);

/* inst_stalled(c, i, mask): samples at ${i} with a reason in ${mask}, a set of
 * STALL_BITs. inst_samples(c, i): all samples there. */
double inst_stalled(const struct code *c, size_t i, uint32_t mask);
double inst_samples(const struct code *c, size_t i);

/* inst_waiting(c, mask): the share of the function's samples with a reason in
 * ${mask}; NaN if it was not sampled. */
double inst_waiting(const struct code *c, uint32_t mask);

/*
 * inst_lacks(x, needs): the reason why the view's kernel lacks the data in
 * ${needs} (NEED_SOURCE, NEED_SAMPLES, NEED_CODE); NULL if it has them.
 */
const struct reason *inst_lacks(const struct rule_view *x, unsigned needs);

/* inst_is_same(a, b): are they launch shapes of one function of one cubin? */
bool inst_is_same(const struct kernel *a, const struct kernel *b);

/*
 * inst_share(x, speaks): the share of all kernels' time, 0..1, that the
 * function of the view's kernel takes in all its launch shapes. *${speaks}:
 * does the view's kernel have the most time of these shapes?
 */
double inst_share(const struct rule_view *x, bool *speaks);

#endif
