/*
 * rules/evidence/library.h: does a kernel belong to a library that the user of
 * cudadvise does not build? Then rules about editing code do not apply
 * (NEED_OWN), and rules about how it is called judge by its name. The families
 * are in config/libraries.json, which is compiled in.
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stdbool.h>

struct run;
struct kernel;
struct site;

/* What is known of a library's kernel. All strings live as long as the program. */
struct library {
	const char *name;	/* "cuBLAS" */
	const char *precision;	/* "FP32", "TF32" …: what it computes in; NULL:
				 * its name does not say */
	bool tensor;		/* uses tensor cores, if precision is known */
	const char *operation;	/* "matmul", "elementwise" …; NULL: its name
				 * does not say */
	bool framework;		/* a framework's own kernel: "PyTorch" */
	const char *batched;	/* the call that does many of these at once, as an
				 * imperative clause; NULL: none, or none known */
	const char *columns;	/* the call that multiplies one matrix by many
				 * vectors, likewise */
	bool solver;		/* a library that decomposes matrices launches it, or
				 * calls the one that does */
	bool spectral;		/* of these, its name or that library's function tells
				 * of singular values or eigenvalues */
};

/* library_does(l, operation): is ${operation} what the kernel does? ${l} may be
 * NULL. */
bool library_does(const struct library *l, const char *operation);

/*
 * library_of(l, run, k): fill ${l} by the module that launches ${k}, if the launch
 * site is known; else, or if that is a framework's, which contains many libraries'
 * kernels, by the kernel's name. False: no known library's; ${l} is unchanged.
 */
bool library_of(struct library *l, const struct run *run,
    const struct kernel *k);

/* library_owns(run, k): the same without the facts. */
bool library_owns(const struct run *run, const struct kernel *k);

/* library_channels_first(run, k): the operator of a framework's that ${k} belongs to, if
 * that works on images with the channels first only, or gives them back so: "reflection
 * padding"; NULL: another, or not known. */
const char *library_channels_first(const struct run *run, const struct kernel *k);

/* A framework's operator whose kernel has blocks by the operator's shape alone, however much
 * each has to do: who calls it can only call it otherwise. */
struct shaped {
	const char *operator;	/* "group normalisation" */
	const char *blocks;	/* "a block for each group of each sample" */
	const char *words;	/* the variant with words for it: frameworks.json */
};

/* library_shaped(run, k): the one that ${k} is a kernel of; NULL: another, or not known. */
const struct shaped *library_shaped(const struct run *run, const struct kernel *k);

/* library_unrolled(run, k): is ${k}, by the stacks of its launches, part of a convolution
 * that a framework does itself, as a product, where a library would do it? A copy is of an
 * image's windows, which only the product needs. */
enum library_unrolled { UNROLLED_NOT, UNROLLED_OTHER, UNROLLED_COPY };
enum library_unrolled library_unrolled(const struct run *run, const struct kernel *k);

/* library_transforms(run, k): is it a template that calls a function for each element,
 * instantiated by the program itself (Thrust's and CUB's transforms), of arrays that it
 * goes through in order? Whichever function it is, the program could call one that does
 * more. */
bool library_transforms(const struct run *run, const struct kernel *k);

/* library_takes(run, k): likewise one that reduces, scans or selects from values which it
 * reads in order: it could call a function for each of them. */
bool library_takes(const struct run *run, const struct kernel *k);

/* library_calling(s): the name of the library whose code makes the call at ${s};
 * NULL: none, a framework's, or not known. ${s} may be NULL. */
const char *library_calling(const struct site *s);

/* library_fills(run, k): does a product of ${k}'s size keep the GPU busy? One
 * that leaves a quarter of the SMs idle is latency-bound, whatever it computes
 * in. Persistent kernels (in clusters) have 120 to 132 blocks on 132 SMs. */
bool library_fills(const struct run *run, const struct kernel *k);

/* library_launched_by(run, k, part): is ${part} ("libtorch", "cupy") in the
 * name of a module or file on the stack of its launch? */
bool library_launched_by(const struct run *run, const struct kernel *k,
    const char *part);

#endif
