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

/* (64 bytes: those of all instructions are kept.) */
struct operands {
	int16_t def;		/* first register it writes; REGISTER_NONE */
	int16_t base, uniform;	/* registers of its memory operand, which is base +
				 * uniform + offset; REGISTER_NONE */
	int16_t use[OPERAND_USES];	/* registers it reads, outside brackets too */
	uint16_t predicates;	/* P0.. and, from bit 8, UP0.. that it may write:
				 * all that it names but its guard */
	uint16_t parameter;	/* offset in c[0x0] that it reads; 0 none */
	uint8_t defs;		/* how many it writes in a row */
	uint8_t uses;
	uint8_t varies;		/* enum operand_varies of the special registers
				 * that it reads */
	int8_t guard;		/* the predicate under which it runs: bit of
				 * ${predicates} + 1, negative for @!; 0 none or
				 * not read */
	bool guarded;		/* runs only under a predicate */
	bool has_immediate, has_float, has_address;
	int64_t immediate;	/* the last integer among the operands */
	double number;		/* the last float among the operands */
	int64_t offset;
};

/* operands_of(o, i): the operands of ${i}; false if it is NULL or has no text. Those of a
 * parsed function's instructions are known already (i->operands). */
bool operands_of(struct operands *o, const struct sass_instruction *i);

/* operands_read(o, i): the same, from its text. */
bool operands_read(struct operands *o, const struct sass_instruction *i);

/* operand_has(i, part): does the opcode of ${i} have modifier ${part}, such as "SAT"? */
bool operand_has(const struct sass_instruction *i, const char *part);

#endif
