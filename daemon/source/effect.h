/*
 * source/effect.h: the general registers that an instruction reads and writes.
 * Conservative: it may report more reads, and fewer overwrites, than there are.
 */
#ifndef CADV_SOURCE_EFFECT_H
#define CADV_SOURCE_EFFECT_H

#include "source/sass.h"

#define GENERAL_REGISTERS 256u
#define MAX_OPERANDS 12

/* A general register in an instruction's text. */
struct operand {
	uint16_t reg, width;	/* registers from ${reg} on that it may cover */
	uint8_t place;		/* index of its operand */
	bool plain;		/* a whole value: not a part, a magnitude or an
				 * address */
};

struct effect {
	struct operand read[MAX_OPERANDS];
	uint32_t reads;
	uint16_t write, sure, maybe;	/* from register ${write} on: how many it
					 * surely overwrites, and at most */
	bool any;		/* it may read and write all of them */
};

/* effect_of(in): the registers that an instruction from sass_parse reads and writes. */
struct effect effect_of(const struct sass_instruction *in);

#endif
