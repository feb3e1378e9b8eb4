/*
 * report/operators.h: the time of kernels by what a framework's user wrote: the
 * operator that launched them ("aten::addmm", "cupy.multiply", a Triton
 * function) and the line of the user's own code. The time of a kernel launched
 * from several places is divided by the number of stacks taken at each. Pure.
 */
#ifndef CADV_OPERATORS_H
#define CADV_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/evidence/operator.h"

/* All texts live as long as the run. */
struct operator_row {
	char name[OPERATOR_SIZE];	/* of the operator, as its users call it */
	const char *library;	/* owner of most of its kernels; NULL: its own */
	const char *operation;	/* what its kernels do: "matmul"; NULL not known */
	const char *file;	/* of the user's line; NULL not known */
	uint32_t line;		/* 0 not known */
	const char *function;	/* NULL not known */
	bool backward;		/* launched by autograd's thread: no line */
	bool beside;		/* fills with which trials clear caches and arrays, for
				 * which nobody wrote a line */
	double s, launches;
	size_t kernels;		/* launch shapes */
	double most_s;		/* time of the kernel that library is taken from */
};

struct operators {
	struct operator_row *row;	/* most seconds first, then those beside */
	size_t rows;
	double kernel_s;	/* of all kernels */
	bool framework;		/* some were launched by one, or from Python */
};

/* operators_of(o, run): fill ${o}. 0; -1 without memory, and ${o} is empty.
 * Release with operators_free. */
int operators_of(struct operators *o, const struct run *run);
void operators_free(struct operators *o);

#endif
