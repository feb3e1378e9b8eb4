/*
 * source/operand.h: registers and addresses from an instruction's text, as far as the
 * rules need them: the registers it writes and reads, the kernel parameter it reads,
 * and the parts of its memory operand. Pure.
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

/* Between what the value of a special register varies. */
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
	unsigned varies;	/* enum operand_varies of the special registers
				 * that it reads */
	uint32_t parameter;	/* offset in c[0x0] that it reads; 0 none */
	bool has_immediate;
	int64_t immediate;	/* the last integer among the operands */
	bool has_float;
	double number;		/* the last float among the operands */
	/* The memory operand: base + uniform + offset. */
	bool has_address;
	int base, uniform;	/* registers; REGISTER_NONE */
	int64_t offset;
};

/* operands_of(o, i): read the operands of ${i}; false if it is NULL or has no text. */
bool operands_of(struct operands *o, const struct sass_instruction *i);

/* operand_has(i, part): does the opcode of ${i} have modifier ${part}, such as "SAT"? */
bool operand_has(const struct sass_instruction *i, const char *part);

#endif
