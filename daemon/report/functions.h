/*
 * report/functions.h: the functions of a run. A kernel of the model is a function
 * in one launch shape on one GPU; users count functions, each with its shapes.
 */
#ifndef CADV_FUNCTIONS_H
#define CADV_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct run;

/* One function: all kernels of one mangled name. */
struct function {
	uint32_t id;		/* of its first kernel */
	size_t shapes;
	uint64_t launches, total_ns;
};

struct functions {
	size_t *of;		/* [run->kernels]: index into function */
	struct function *function;
	size_t functions;
};

/* functions_make(f, r): 0; -1 without memory; functions_free in either case. A
 * kernel whose name was lost is a function of its own. */
int functions_make(struct functions *f, const struct run *r);
void functions_free(struct functions *f);

/* functions_count(r): their number; without memory the number of kernels. */
size_t functions_count(const struct run *r);

#endif
