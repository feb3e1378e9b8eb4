/*
 * source/effect.h: which general registers an instruction reads and writes. In
 * doubt it reads more, and overwrites less, than it does.
 */
#ifndef CADV_SOURCE_EFFECT_H
#define CADV_SOURCE_EFFECT_H

#include "source/sass.h"

#define REGISTERS 256u
#define MAX_OPERANDS 12

/* A general register in an instruction's text. */
struct operand {
	uint16_t reg, width;	/* registers from ${reg} on that it may be */
	uint8_t place;		/* which operand it stands in */
	bool plain;		/* a value: no part of it, no magnitude, no
				 * address */
};

struct effect {
	struct operand read[MAX_OPERANDS];
	uint32_t reads;
	uint16_t write, sure, maybe;	/* registers from ${write} on */
	bool any;		/* it may read and write all of them */
};

/* effect_of(in): of an instruction that sass_parse made. */
struct effect effect_of(const struct sass_instruction *in);

#endif
