/*
 * facts/chip.h: what GPUs of a compute capability can do: the rows of
 * facts/chip.def, which says where each number is from. Pure.
 */
#ifndef CADV_FACTS_CHIP_H
#define CADV_FACTS_CHIP_H

#include <stdint.h>

/* The instruction that fills the tensor cores with FP16. */
enum chip_matrix {
	MATRIX_NONE,	/* none that we know of */
	MATRIX_WARP,	/* mma.m16n8k16, of a warp, out of registers */
	MATRIX_GROUP,	/* wgmma, of four warps, out of shared memory */
};

/* What an SM can set aside as shared memory, of the memory that L1 is in, too. */
struct chip_carveouts {
	uint8_t number;		/* 0: the two are apart */
	uint16_t kib[10];	/* ascending */
};

struct chip {
	uint8_t major, minor;
	uint8_t schedulers;		/* of an SM; each issues one warp a cycle */
	uint8_t blocks;			/* resident on an SM, at most */
	uint16_t cache_kib;		/* L1 and shared memory of an SM; 0: apart */
	const struct chip_carveouts *carveouts;
	uint16_t shared_unit;		/* bytes that a block gets more or less of */
	uint16_t fp32, fp64, fp16, xu;	/* results of an SM a cycle */
	uint16_t tensor;		/* the same in FP16 operations */
	enum chip_matrix matrix;
	uint8_t pcie;			/* generation */
	double tensor_ratio, tensor_half_ratio;	/* tensor cores / FMA pipe */
	const char *tensor_type;	/* of tensor_ratio; NULL: not known */
};

/* chip_of(major, minor): never NULL: the row of that compute capability, or of the
 * one that it is most like. */
const struct chip *chip_of(uint32_t major, uint32_t minor);

/* chip_carveout(c, bytes): the least that an SM can set aside as shared memory to
 * have ${bytes}; ${bytes} itself where that is more than any, or nothing is set
 * aside. */
uint64_t chip_carveout(const struct chip *c, uint64_t bytes);

#endif
