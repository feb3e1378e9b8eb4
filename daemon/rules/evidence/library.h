/*
 * rules/evidence/library.h: is a kernel somebody else's, in a library that the user of
 * cudadvise does not build? Then rules about editing code have nothing to say
 * (NEED_OWN), and rules about how it is called judge by what its name tells. Who
 * is who stands in config/libraries.json, which is compiled in.
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stdbool.h>

struct run;
struct kernel;

/* What is known of a library's kernel. All texts live as long as the program. */
struct library {
	const char *name;	/* "cuBLAS" */
	const char *precision;	/* "FP32", "TF32" …: what it computes in; NULL:
				 * its name does not tell */
	bool tensor;		/* on the tensor cores, where precision is known */
	const char *operation;	/* "matmul", "elementwise" …: what it does; NULL:
				 * its name does not tell */
	bool framework;		/* it is a framework's own kernel: "PyTorch" */
	const char *batched;	/* the call that does many such at once, as a clause in
				 * the imperative; NULL: there is none, or it is not
				 * known */
};

/* library_does(l, operation): is that what it does? ${l} may be NULL. */
bool library_does(const struct library *l, const char *operation);

/*
 * library_of(l, run, k): by the module that launches it, where the launch site is
 * known; by its name, where that is none or a framework, which has many libraries'
 * kernels in it. False: it is nobody's that is known, and ${l} is untouched.
 */
bool library_of(struct library *l, const struct run *run,
    const struct kernel *k);

/* library_owns(run, k): the same, without its facts. */
bool library_owns(const struct run *run, const struct kernel *k);

/* Does a product of ${k}'s size keep the GPU busy? One that leaves a quarter of the SMs
 * idle waits for latency, which is the same whatever it computes in. Kernels that stay
 * on their SMs (persistent ones, in clusters) have 120 to 132 blocks on 132 SMs. */
bool library_fills(const struct run *run, const struct kernel *k);

/* library_launched_by(run, k, part): is ${part} in the name of a module or file
 * on the way to its launch? "libtorch", "cupy" */
bool library_launched_by(const struct run *run, const struct kernel *k,
    const char *part);

#endif
