/*
 * facts/chip.h: the limits and rates of GPUs by compute capability: the rows of
 * facts/chip.def, which names the source of each number. Pure.
 */
#ifndef CADV_FACTS_CHIP_H
#define CADV_FACTS_CHIP_H

#include <stdint.h>

/* The instruction that keeps the tensor cores busy with FP16. */
enum chip_matrix {
	MATRIX_NONE,	/* no known one */
	MATRIX_WARP,	/* mma.m16n8k16: one warp, operands in registers */
	MATRIX_GROUP,	/* wgmma: four warps, operands in shared memory */
};

/* The sizes of shared memory that an SM can set aside of the memory it shares with
 * L1. */
struct chip_carveouts {
	uint8_t number;		/* 0: L1 and shared memory are separate */
	uint16_t kib[10];	/* ascending */
};

struct chip {
	uint8_t major, minor;
	uint8_t schedulers;		/* per SM; each issues one warp a cycle */
	uint8_t blocks;			/* resident on an SM at a time, at most */
	uint16_t cache_kib;	/* L1 and shared memory together, per SM; 0: separate */
	const struct chip_carveouts *carveouts;
	uint16_t shared_unit;	/* bytes; a block's shared memory is rounded up to it */
	uint16_t fp32, fp64, fp16, xu;	/* results a cycle per SM */
	uint16_t tensor;		/* FP16 operations a cycle per SM */
	enum chip_matrix matrix;
	uint8_t pcie;			/* generation */
	double tensor_ratio, tensor_half_ratio;	/* rate of the tensor cores / the FMA
						 * pipe */
	const char *tensor_type;	/* input type of tensor_ratio; NULL: not known */
};

/* chip_of(major, minor): the row of that compute capability; without one, the row of
 * the next lower minor (or else the lowest) of that major; without any of that major,
 * row 0.0. Never NULL. */
const struct chip *chip_of(uint32_t major, uint32_t minor);

/* chip_carveout(c, bytes): the smallest carveout, in bytes, that holds ${bytes} of
 * shared memory; ${bytes} itself if no carveout is that large or the chip has none. */
uint64_t chip_carveout(const struct chip *c, uint64_t bytes);

#endif
