/*
 * source/operand.h: what an instruction's text says of registers and addresses.
 * Only as much as the rules need: which registers it writes and reads, what it
 * takes from the launch's parameters, and how a memory operand is made. Pure.
 */
#ifndef CADV_OPERAND_H
#define CADV_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "source/opcode.h"

/* Registers are numbered R0.. from 0, UR0.. from UNIFORM_REGISTER on. */
#define UNIFORM_REGISTER 256
#define REGISTERS 512
#define REGISTER_NONE (-1)
#define OPERAND_USES 8

/* What a special register differs by. */
enum operand_varies {
	VARIES_THREAD = 1, VARIES_BLOCK = 2, VARIES_OTHER = 4
};

struct operands {
	int def;		/* first register it writes; REGISTER_NONE */
	int defs;		/* how many in a row */
	int use[OPERAND_USES];	/* registers it reads, outside brackets too */
	int uses;
	bool guarded;		/* runs only under a predicate */
	int guard;		/* that predicate: bit of ${predicates} + 1,
				 * negative for @!; 0 none or not read */
	uint16_t predicates;	/* P0.. and, from bit 8, UP0.. that it may write:
				 * all that it names but its guard */
	unsigned varies;	/* reads special registers that do so */
	uint32_t parameter;	/* offset in c[0x0] of what it reads; 0 none */
	bool has_immediate;
	int64_t immediate;	/* the last integer among the operands */
	bool has_float;
	double number;		/* the last float among the operands */
	/* The memory operand: base + uniform + offset. */
	bool has_address;
	int base, uniform;	/* registers; REGISTER_NONE */
	int64_t offset;
};

/* operands_of(o, i): false if ${i} has no text or is no such instruction. */
bool operands_of(struct operands *o, const struct sass_instruction *i);

/* operand_has(i, part): has its opcode the modifier ${part}, as in ".SAT"? */
bool operand_has(const struct sass_instruction *i, const char *part);

#endif
