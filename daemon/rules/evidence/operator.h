/*
 * rules/evidence/operator.h: the name by which a framework's user knows a
 * kernel's launch: "aten::addmm", "cupy.multiply". Pure.
 */
#ifndef CADV_OPERATOR_H
#define CADV_OPERATOR_H

#include "rules/engine/rule.h"

#define OPERATOR_SIZE 72	/* bytes of a name, with its NUL */

/* operator_of(name, s): write the innermost operator on the stack ${s}, "aten::add", into
 * ${name}. False: there is none. */
bool operator_of(char name[OPERATOR_SIZE], const struct site *s);

/* operator_copies(s), operator_reads_value(s): does PyTorch copy a tensor there; does a line of
 * Python read a number, for the host to go on by? */
bool operator_copies(const struct site *s);
bool operator_reads_value(const struct site *s);

/*
 * operator_name(name, k, s, l): write into ${name} the innermost operator on
 * the stack ${s} of the launch of ${k}; else CuPy's, from the kernel's name.
 * False: neither is known; ${name} is then what the kernel does in its library
 * ${l}, or the kernel's own name. ${s} and ${l} may be NULL.
 */
bool operator_name(char name[OPERATOR_SIZE], const struct kernel *k,
    const struct site *s, const struct library *l);

/* operator_place(x, d): set the place of a finding about a library's kernel
 * that Python launches to the operator, or if none is known to the line: who
 * wrote that has never seen the kernel's name. */
void operator_place(const struct rule_view *x, struct draft *d);

#endif
