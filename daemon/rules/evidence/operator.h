/*
 * rules/evidence/operator.h: what launches a kernel is called by who uses a framework:
 * "aten::addmm", "cupy.multiply". Pure.
 */
#ifndef CADV_OPERATOR_H
#define CADV_OPERATOR_H

#include "rules/engine/rule.h"

#define OPERATOR_SIZE 72	/* bytes of a name, with its end */

/*
 * operator_name(name, k, s, l): the innermost operator on the way ${s} to the launch of
 * ${k}; else, by its name, CuPy's. False: neither is known. Then it is what ${l}, the
 * library whose kernel it is, does with it, or the kernel's own name. ${s} and ${l} may
 * be NULL.
 */
bool operator_name(char name[OPERATOR_SIZE], const struct kernel *k,
    const struct site *s, const struct library *l);

/* operator_place(x, d): a finding about a library's kernel that Python launches is at
 * the operator, or where none is known at the line: who wrote that has never seen the
 * kernel's name. */
void operator_place(const struct rule_view *x, struct draft *d);

#endif
